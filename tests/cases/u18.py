# SPDX-License-Identifier: MIT
"""U18: signals sent to nobody."""
from case import Case, functions, main


class U18(Case):
    def test_sets_with_and_without_waiter_are_told_apart(self):
        recording = self.record("u18")
        self.assertRecorded(recording)
        report = self.report("waits", recording)
        signals, = report["signals"]
        self.assertEqual((signals["sets_without_waiter"], signals["sets_with_waiter"]), (1000, 10))
        self.assertEqual(signals["lost_sets"], 1000)
        self.assertIn("make_signal", functions(signals))
        for name in ("with_waiter", "without_waiter"):
            self.assertGreater(signals[name + "_ioctl_ns"], 0)
            self.assertGreater(signals[name + "_ns"], signals[name + "_ioctl_ns"])
        site, = report["waits"]
        wake = site["wake_latency"]
        self.assertEqual(wake["count"], 10)
        self.assertGreater(wake["min_ns"], 0)
        self.assertTrue(wake["min_ns"] <= wake["median_ns"] <= wake["max_ns"])
        setter, = site["signalled_by"]
        self.assertEqual(setter["count"], 10)
        self.assertIn("signal_waiter", functions(setter))


if __name__ == "__main__":
    main()
