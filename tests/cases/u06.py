# SPDX-License-Identifier: MIT
"""U06: host memory returned to the system while still registered."""
from case import Case, functions, main


class U06(Case):
    def test_both_registrations_and_what_they_share(self):
        recording = self.record("u06")
        self.assertRecorded(recording)
        report = self.report("allocs", recording)
        overlap, = report["overlaps"]
        older, newer = overlap["older"], overlap["newer"]
        self.assertEqual(overlap["overlap_bytes"], 65536)
        self.assertEqual((older["bytes"], newer["bytes"]), (65536, 131072))
        self.assertEqual(older["address"], newer["address"])
        self.assertIn("register_old", functions(older["stacks"][0]))
        self.assertIn("register_new", functions(newer["stacks"][0]))
        self.assertGreater(report["findings"], 0)
        for left in report["registrations"]:
            self.assertLessEqual(left["deregistered"], left["registered"])
        self.assertIn("65536 bytes", self.text("allocs", recording))


if __name__ == "__main__":
    main()
