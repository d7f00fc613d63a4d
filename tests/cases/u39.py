# SPDX-License-Identifier: MIT
"""U39: a recording made without needed context, or not ours at all.

Kernel traces, other tools' traces and newer schemas are made up and checked in
tests/unit/analysis/test_recordings.py.
"""
from case import CLIENTS, KFDSCOPE, Case, main
from sessions import Session, client_env


class U39(Case):
    def recorded(self, **what):
        with Session(self.folder, **what) as session:
            done = self.run_command(CLIENTS / "u01", env=client_env(self))
            self.assertEqual(done.returncode, 0, done.stderr)
        return session.path

    def refused(self, path):
        done = self.run_command(KFDSCOPE, "leaks", "--json", path)
        self.assertEqual((done.returncode, done.stdout), (4, ""))
        line, = done.stderr.splitlines()
        return line

    def test_without_process_ids(self):
        line = self.refused(self.recorded(contexts=("vtid",)))
        self.assertIn("lttng add-context --userspace --type=vpid", line)

    def test_without_thread_ids(self):
        line = self.refused(self.recorded(contexts=("vpid",)))
        self.assertIn("lttng add-context --userspace --type=vtid", line)

    def test_library_calls_alone(self):
        path = self.recorded(events=("kmt:*", "kmt_state:*"))
        report = self.report("leaks", path)
        self.assertEqual(report["left"], {"blocks": 51, "bytes": 171966464})
        self.assertIn("No ioctls were recorded", self.text("leaks", path))

    def test_ioctls_alone(self):
        path = self.recorded(events=("kfd:*", "kmt_state:*"))
        report = self.report("leaks", path)
        sizes = sorted(group["bytes"] for group in report["groups"])
        self.assertEqual(sizes[-2:], [67108864, 104857600])
        self.assertIn("Only ioctls were recorded", self.text("leaks", path))

    def test_state_alone(self):
        path = self.recorded(events=("kmt_state:*",))
        done = self.run_command(KFDSCOPE, "leaks", path)
        self.assertIn(done.returncode, (0, 4))
        self.assertIn("No call of the library was recorded", done.stdout + done.stderr)


if __name__ == "__main__":
    main()
