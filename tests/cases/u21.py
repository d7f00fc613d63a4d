# SPDX-License-Identifier: MIT
"""U21: queues evicted and restored behind the program's back."""
from case import Case, functions, main

SCENARIO = {"actions": [
    {"do": "smi", "node": 1, "text": "9 1 -1 0 0", "at_ms": 100},
    {"do": "smi", "node": 1, "text": "a 1 -1 0", "at_ms": 160}]}


class U21(Case):
    def test_the_stream_is_listed_and_evictions_are_not_claimed(self):
        recording = self.record("u21", scenario=SCENARIO)
        self.assertRecorded(recording)
        report = self.report("queues", recording)
        stream, = report["event_streams"]
        self.assertEqual((stream["status_name"], stream["node_id"]), ("SUCCESS", 1))
        self.assertEqual(stream["fd"], int(recording.stdout))
        self.assertIn("open_stream", functions(stream))
        # The program alone can read its stream: the report must not imply that none happened.
        self.assertEqual(report["evictions"], "not collected")
        self.assertIn("Evictions: not collected", self.text("queues", recording))


if __name__ == "__main__":
    main()
