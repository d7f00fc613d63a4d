# SPDX-License-Identifier: MIT
"""U21: queues evicted and restored behind the program's back."""
import re

from case import Case, functions, main

GPU = 40961     # of node 1
RANGE = "@7f0000001(10)"
# With which step of the client, in order; it reads the clocks by four ioctls a step.
LINES = [(1, f"9 1 -1 {GPU:x} 1"), (2, f"a 1 -1 {GPU:x} 0"),
         (2, "e 5"), (2, f"7 1 -1 @7f0000001({GPU:x}) W"),
         (2, f"5 1 -1 {RANGE} 0->{GPU:x} {GPU:x}:0 1"), (2, f"6 1 -1 {RANGE} 0->{GPU:x} 1"),
         (2, f"8 1 -1 @7f0000001({GPU:x}) M"), (2, "9 not a line"), (2, "1 4d2:u21")]
SCENARIO = {"actions": [{"do": "smi", "node": 1, "text": text, "on": "GET_CLOCK_COUNTERS",
                         "calls": 4 * step - 3} for step, text in LINES]}


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
        self.assertEqual(report["driver_events"], "not collected")
        self.assertIn("Evictions: not collected", self.text("queues", recording))

    def check_streams(self, recording, last_call):
        report = self.report("queues", recording)
        self.assertEqual((report["evictions"], report["driver_events"]),
                         ("collected", "collected"))
        span, = report["eviction_spans"]
        self.assertEqual((span["node_id"], span["gpu_id"], span["trigger"]),
                         (1, GPU, "user memory"))
        # As long as it took; the stamps of these lines are no times of this machine.
        self.assertEqual(span["length_ns"], span["end_ns"] - span["begin_ns"])
        self.assertGreater(span["length_ns"], 0)
        self.assertEqual(span["memory_call_before"]["call"], last_call)
        self.assertLess(span["memory_call_before"]["time_ns"], span["begin_ns"])
        self.assertIn("main", functions(span["memory_call_before"]))
        self.assertEqual([line["line"] for line in report["driver_lines"]],
                         ["e 5", "9 not a line"])
        self.assertTrue(re.search(r"stood still for \d", self.text("queues", recording)))

    def test_evictions_are_told_when_asked_for(self):
        recording = self.record("u21", scenario=SCENARIO, options=["--smi"])
        self.assertRecorded(recording)
        # The program's own descriptors stay as they are.
        plain = self.record("u21", scenario=SCENARIO)
        self.assertEqual(recording.stdout, plain.stdout)
        self.check_streams(recording, "hsaKmtRegisterMemory")
        svm = self.report("svm", recording)
        move, = svm["migrations"]
        self.assertEqual([move[n] for n in ("from_gpu_id", "to_node_id", "trigger", "count",
                                            "bytes", "without_end", "failed")],
                         [0, 1, "GPU page fault", 1, 65536, 0, 0])
        fault, = svm["page_faults"]
        self.assertEqual([fault[n] for n in ("node_id", "count", "writes", "migrated")],
                         [1, 1, 1, 1])
        note, = self.report("faults", recording)["driver_notes"]
        self.assertEqual([note[n] for n in ("what", "node_id", "pid", "text")],
                         ["VM fault", 1, 1234, "u21"])

    def test_a_refused_stream_is_said_and_changes_nothing(self):
        refusal = {"ioctls": [{"ioctl": "SMI_EVENTS", "errno": "EPERM", "times": 1}]}
        recording = self.record("u21", scenario=refusal, options=["--smi"])
        self.assertRecorded(recording)
        report = self.report("queues", recording)
        self.assertEqual((report["evictions"], report["driver_events"]),
                         ("not collected", "refused"))
        self.assertIn("The driver refused its event stream: EPERM",
                      self.text("queues", recording))


if __name__ == "__main__":
    main()
