# SPDX-License-Identifier: MIT
"""U17: a thread burns a full core waiting."""
from case import Case, functions, main


class U17(Case):
    def test_two_spins_and_not_the_first_second(self):
        recording = self.record("u17", options=("--subbuf-size=16M", "--subbuf-count=16"))
        self.assertRecorded(recording)
        report = self.report("waits", recording)
        poll, woken = report["spins"]
        self.assertEqual((poll["calls"], poll["timed_out"], poll["succeeded"], poll["mode"]),
                         (100000, 100000, 0, "timeout 0"))
        self.assertEqual((woken["calls"], woken["timed_out"], woken["succeeded"], woken["mode"]),
                         (100000, 0, 100000, "woken at once"))
        self.assertEqual((len(poll["event_ids"]), len(woken["event_ids"])), (2, 1))
        self.assertNotIn(woken["event_ids"][0], poll["event_ids"])
        self.assertIn("poll_two", functions(poll))
        self.assertIn("wait_for_the_set", functions(woken))
        for spin in (poll, woken):
            self.assertLess(spin["begin_ns"], spin["end_ns"])
            self.assertLess(spin["median_ns"], 20000)
            self.assertGreater(spin["calls_per_second"], 1000)
        # The first second, with its waits of 50 ms, is no spin.
        sleeps, = (w for w in report["waits"] if "sleep_properly" in functions(w))
        self.assertGreater(poll["begin_ns"], sleeps["longest_since_ns"] + 5 * 10 ** 7)
        self.assertGreaterEqual(sleeps["duration"]["min_ns"], 5 * 10 ** 7)
        self.assertLess(poll["end_ns"], woken["begin_ns"])
        text = self.text("waits", recording)
        self.assertLess(len(text.splitlines()), 100)


if __name__ == "__main__":
    main()
