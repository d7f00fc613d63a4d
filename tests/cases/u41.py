# SPDX-License-Identifier: MIT
"""U41: the runtime does not go through the replaced library."""
import shutil

from case import CLIENTS, KFDSCOPE, LIBRARIES, Case, main

OURS, OTHERS = "open 0\nversion 0\n", "open 12\nversion 12\n"


class U41(Case):
    def calls(self, recording):
        return {row["name"]: row["count"] for row in self.report("chains", recording)["calls"]}

    def doctor(self, program):
        done = self.run_command(KFDSCOPE, "doctor", "--", program)
        return next(line for line in done.stdout.splitlines() if "  thunk: " in line)

    def test_opened_at_run_time_with_local_visibility(self):
        recording = self.record("u41_opener", "libhsakmt.so.1")
        self.assertRecorded(recording, 7)
        self.assertEqual(recording.stdout, OURS)
        calls = self.calls(recording)
        self.assertEqual((calls["hsaKmtOpenKFD"], calls["hsaKmtGetVersion"]), (1, 1))

    def test_a_search_path_in_the_executable(self):
        for client in ("u41_rpath", "u41_runpath"):
            with self.subTest(client):
                # Untraced it finds the other library; recorded it has ours, and all calls are there.
                self.assertEqual(self.run_command(CLIENTS / client).stdout, OTHERS)
                recording = self.record(client)
                self.assertRecorded(recording)
                self.assertEqual(recording.stdout, OURS)
                calls = self.calls(recording)
                self.assertEqual((calls["hsaKmtOpenKFD"], calls["hsaKmtGetVersion"]), (1, 1))
                self.assertRegex(self.doctor(CLIENTS / client), "ok .*loads ours")

    def test_its_own_thunk_stays_when_asked_for(self):
        recording = self.record("u41_rpath", options=["--system-thunk"])
        self.assertEqual((recording.status, recording.stdout), (0, OTHERS))

    def test_a_thunk_that_is_linked_in(self):
        recording = self.record("u41_static")
        self.assertEqual((recording.status, recording.stdout), (0, OTHERS))
        self.assertIn("no calls were recorded: 'kfdscope doctor", recording.stderr)
        self.assertIn("No call of the library was recorded", self.text("leaks", recording))
        verdict = self.doctor(CLIENTS / "u41_static")
        self.assertIn("!!", verdict)
        self.assertIn("linked in statically", verdict)
        self.assertIn("--system-thunk", verdict)

    def test_two_copies_in_one_process(self):
        copy = self.folder / "libhsakmt-copy.so"
        shutil.copy(LIBRARIES / "libhsakmt.so.1", copy)
        recording = self.record("u41_opener", "libhsakmt.so.1", copy)
        self.assertRecorded(recording, 7)
        self.assertEqual(recording.stdout, OURS * 2)
        calls = self.calls(recording)
        self.assertEqual((calls["hsaKmtOpenKFD"], calls["hsaKmtGetVersion"]), (2, 2))
        self.assertRegex(self.text("chains", recording),
                         r"u41_opener .*loaded libhsakmt 2 times: \S+, \S+; the calls of all")
        report = self.report("leaks", recording)
        self.assertEqual(len(report["processes"][0]["thunks"]), 2)

    def test_one_copy_needs_no_warning(self):
        recording = self.record("u41_opener", "libhsakmt.so.1")
        self.assertNotIn("loaded libhsakmt", self.text("chains", recording))
        self.assertEqual(len(self.report("leaks", recording)["processes"][0]["thunks"]), 1)


if __name__ == "__main__":
    main()
