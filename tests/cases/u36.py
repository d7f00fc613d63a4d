# SPDX-License-Identifier: MIT
"""U36: events were discarded."""
from case import KFDSCOPE, Case, main

REPORTS = ("leaks", "allocs", "failures", "waits", "queues", "chains", "report")


class U36(Case):
    timeout_s = 150


    def lossy(self):
        return self.record("u36", options=("--subbuf-size=4K", "--subbuf-count=2",
                                           "--stack-depth=4"))

    def test_losses_lead_to_doubt_and_never_to_leaks(self):
        recording = self.lossy()
        self.assertEqual(recording.status, 0, recording.stderr)
        self.assertNotIn(" 0 lost", recording.stderr)
        leaks = self.report("leaks", recording)
        self.assertGreater(leaks["lost_events"], 0)
        # Whatever seems to be alive may have been freed unseen: the program frees everything.
        self.assertEqual(leaks["left"], {"blocks": 0, "bytes": 0})
        self.assertTrue(all(group["undecided"] for group in leaks["groups"]))
        for name in REPORTS:
            with self.subTest(name):
                report = self.report(name, recording)
                self.assertEqual(report["lost_events"], leaks["lost_events"])
                self.assertFalse(report["complete"])
                self.assertEqual(report["lost_spans"], leaks["lost_spans"])
                for span in report["lost_spans"]:
                    self.assertLessEqual(span["begin_ns"], span["end_ns"])
        text = self.text("leaks", recording)
        self.assertLess(text.index("events were lost"), text.index("TOTAL"))
        self.assertIn("--subbuf-size=", text)
        failing = self.run_command(KFDSCOPE, "leaks", "--fail-on-findings", recording.path)
        self.assertEqual(failing.returncode, 1)


if __name__ == "__main__":
    main()
