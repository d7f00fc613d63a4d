# SPDX-License-Identifier: MIT
"""U16: a wait that never returns."""
from case import Case, functions, main

SECOND = 10 ** 9


class U16(Case):
    def test_a_wait_that_nobody_ends_is_listed(self):
        recording = self.record("u16", "never")
        self.assertRecorded(recording)
        report = self.report("waits", recording)
        wait, = report["open_waits"]
        self.assertGreaterEqual(wait["duration_ns"], 5 * SECOND)
        whole = report["recording"]
        self.assertLess(wait["duration_ns"], whole["end_ns"] - whole["begin_ns"])
        self.assertIn("wait_done", functions(wait))
        event, = wait["events"]
        self.assertIn("make_signal", functions(event["created"]))
        self.assertIsNone(event["last_set"])
        self.assertNotIn("timeout_ms", wait)
        text = self.text("waits", recording)
        for words in ("OPEN WAITS", "wait_done", "make_signal", "last signalled: never"):
            self.assertIn(words, text)

    def test_a_wait_that_ends_names_who_ended_it(self):
        recording = self.record("u16", "later")
        self.assertRecorded(recording)
        report = self.report("waits", recording)
        self.assertEqual(report["open_waits"], [])
        site, = report["waits"]
        self.assertEqual((site["succeeded"], site["timed_out"], site["cut"]), (1, 0, 0))
        self.assertGreaterEqual(site["duration"]["max_ns"], 2 * SECOND)
        self.assertLess(site["duration"]["max_ns"], int(recording.stdout))
        self.assertIn("wait_done", functions(site))
        setter, = site["signalled_by"]
        self.assertIn("set_done", functions(setter))
        self.assertGreater(setter["vtid"], 0)


if __name__ == "__main__":
    main()
