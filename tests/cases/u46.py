# SPDX-License-Identifier: MIT
"""U46: clocks that do not line up."""
from case import Case, main

JUMP_NS = 30 * 10 ** 9
SCENARIO = {"nodes": [{"node": 1, "clock_hz": 100000000, "clock_drift_ppb": 50000}],
            # After the fifth of the client's readings, each of which is the best of four.
            "actions": [{"do": "boottime_jump", "ns": JUMP_NS, "on": "GET_CLOCK_COUNTERS",
                         "calls": 20}]}


class U46(Case):
    def test_raw_values_the_drift_and_the_jump(self):
        recording = self.record("u46", scenario=SCENARIO)
        self.assertRecorded(recording)
        report = self.report("clocks", recording)
        node, = report["nodes"]
        self.assertEqual(node["node_id"], 1)
        seen = [[int(word) for word in line.split()] for line in recording.stdout.splitlines()]
        self.assertEqual([[r["gpu"], r["cpu"], r["system"], r["system_frequency_hz"]]
                          for r in node["readings"]], seen)
        self.assertEqual(len(seen), 10)
        # 100 MHz and 50 ppm; the readings are not taken at exactly the same moment.
        self.assertAlmostEqual(node["gpu_hz"], 100005000, delta=3000)
        self.assertLess(node["conversion_error_ns"], 1000000)
        jump, = node["system_clock_jumps"]
        self.assertAlmostEqual(jump["jump_ns"], JUMP_NS, delta=50000000)
        self.assertEqual(node["went_back"], [])
        self.assertIn("CLOCK_MONOTONIC", report["trace_clock"])
        text = self.text("clocks", recording)
        for words in ("THE SYSTEM CLOCK JUMPED", "CLOCK_MONOTONIC", "10 readings"):
            self.assertIn(words, text)


if __name__ == "__main__":
    main()
