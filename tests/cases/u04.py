# SPDX-License-Identifier: MIT
"""U04: the free-memory figure disagrees with what the process allocated."""
from case import Case, main

SIZE = 256 << 20
SCENARIO = {"actions": [{"do": "outside", "node": 1, "bytes": SIZE, "on": "AVAILABLE_MEMORY",
                         "calls": 2}]}


class U04(Case):
    def test_what_others_took_is_told_apart(self):
        recording = self.record("u04", scenario=SCENARIO)
        self.assertRecorded(recording)
        answers = [int(line) for line in recording.stdout.split()]
        series = self.report("allocs", recording)["available"]
        self.assertEqual([s["available_bytes"] for s in series], answers)
        self.assertEqual([s["live_bytes"] for s in series], [0, SIZE, SIZE, 0])
        self.assertEqual([s["outside_bytes"] for s in series], [0, 0, SIZE, SIZE])
        self.assertEqual([s["node_id"] for s in series], [1] * 4)

    def test_outside_use_is_no_leak(self):
        recording = self.record("u04", scenario=SCENARIO)
        self.assertEqual(self.report("leaks", recording)["left"], {"blocks": 0, "bytes": 0})
        self.assertIn(f"outside use {SIZE} bytes", self.text("allocs", recording))


if __name__ == "__main__":
    main()
