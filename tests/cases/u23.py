# SPDX-License-Identifier: MIT
"""U23: a process is killed with memory still held."""
import signal

from case import Case, main


class U23(Case):
    def check(self, number):
        recording = self.record("u23", int(number))
        # The recorder dies of the same signal, so that a shell sees no difference.
        self.assertEqual(recording.status, -int(number), recording.stderr)
        leaks = self.report("leaks", recording)
        process, = leaks["processes"]
        self.assertFalse(process["closed"])
        self.assertEqual(leaks["left"], {"blocks": 8, "bytes": 268435456})
        self.assertEqual(process["left_at"], "signal")
        self.assertEqual({g["left_at"] for g in leaks["groups"]}, {"signal"})
        self.assertIn("hsaKmtWaitOnEvent", [c["call"] for c in process["unfinished_calls"]])
        text = self.text("leaks", recording)
        self.assertIn(f"held at abnormal end: the process was ended by signal {int(number)}", text)
        self.assertIn("268435456 bytes", text)

    def test_kill(self):
        self.check(signal.SIGKILL)

    def test_terminate(self):
        self.check(signal.SIGTERM)

    def test_abort(self):
        self.check(signal.SIGABRT)


if __name__ == "__main__":
    main()
