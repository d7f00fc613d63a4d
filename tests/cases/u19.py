# SPDX-License-Identifier: MIT
"""U19: more queues than hardware slots."""
import sys

from case import CLIENTS, Case, main

# Runs commands at once, without fork(): a child of it would be a recorded program before it is the command.
TOGETHER = """
import subprocess, sys
children = [subprocess.Popen(words.split("|")) for words in sys.argv[1:]]
sys.exit(max(child.wait() for child in children))
"""


class U19(Case):
    def census(self, report, kind):
        census, = (c for c in report["census"] if c["kind"] == kind)
        return census

    def test_the_peak_its_makers_and_the_time_above_the_limit(self):
        recording = self.record("u19", 20, 10, 10, 1000)
        self.assertRecorded(recording)
        report = self.report("queues", recording)
        compute = self.census(report, "compute")
        self.assertEqual((compute["peak"], compute["limit"], compute["node_id"]), (30, 24, 1))
        self.assertEqual({s["module"]: s["count"] for s in compute["at_peak"]},
                         {"libu19_x.so": 20, "libu19_y.so": 10})
        span, = compute["above_limit"]
        self.assertEqual(span["peak"], 30)
        self.assertEqual(span["length_ns"], span["end_ns"] - span["begin_ns"])
        self.assertGreaterEqual(span["length_ns"], 10 ** 9)
        self.assertFalse(span["until_the_end"])
        copy = self.census(report, "copy")
        self.assertEqual((copy["peak"], copy["limit"], copy["above_limit"]), (10, 16, []))
        self.assertEqual(report["outstanding"], [])
        text = self.text("queues", recording)
        for words in ("30 compute queues at the peak", "runs 24 at once", "20 of the peak by "
                      "libu19_x.so", "MORE QUEUES THAN SLOTS"):
            self.assertIn(words, text)

    def test_a_second_process_is_added_to_the_total(self):
        place = self.folder / "meet"
        place.mkdir()
        recording = self.record(sys.executable, "-c", TOGETHER,
                                f"{CLIENTS}/u19|20|0|0|1000|{place}|2",
                                f"{CLIENTS}/u19|0|10|0|1000|{place}|2")
        self.assertRecorded(recording)
        compute = self.census(self.report("queues", recording), "compute")
        self.assertEqual((compute["peak"], len(compute["above_limit"])), (30, 1))
        self.assertEqual(sorted((s["module"], s["count"]) for s in compute["at_peak"]),
                         [("libu19_x.so", 20), ("libu19_y.so", 10)])
        self.assertEqual(len({s["vpid"] for s in compute["at_peak"]}), 2)


if __name__ == "__main__":
    main()
