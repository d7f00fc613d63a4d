# SPDX-License-Identifier: MIT
"""U05: unbalanced registration of host memory."""
import shutil

from case import CLIENTS, Case, functions, main

LIMIT = 8 << 20


class U05(Case):
    def record_with_limit(self):
        return self.record(shutil.which("prlimit"), f"--memlock={LIMIT}:{LIMIT}", CLIENTS / "u05")

    def test_the_open_range_has_both_stacks(self):
        recording = self.record_with_limit()
        self.assertRecorded(recording)
        report = self.report("allocs", recording)
        left, = report["registrations"]
        self.assertEqual((left["bytes"], left["registered"], left["deregistered"]),
                         (4194304, 2, 1))
        first, second = left["stacks"]
        self.assertIn("register_first", functions(first))
        self.assertIn("register_again", functions(second))
        process, = [p for p in report["processes"] if p["registered_peak_bytes"]]
        self.assertEqual(process["registered_peak_bytes"], 5242880)
        self.assertEqual(process["memlock_bytes"], LIMIT)

    def test_the_limit_is_printed_beside_the_peak(self):
        text = self.text("allocs", self.record_with_limit())
        line, = [line for line in text.splitlines() if "registered host memory: peak" in line]
        self.assertIn("5242880 bytes", line)
        self.assertIn("8388608 bytes", line)


if __name__ == "__main__":
    main()
