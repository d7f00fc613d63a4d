# SPDX-License-Identifier: MIT
"""kfdscope record and attach when the recorder is killed: what was recorded stays, and nothing else."""
import os
import select
import shutil
import signal
import subprocess
import time
import unittest

from clients import CLIENTS, KFDSCOPE, Modes, main
from test_odd import NOBODY, SH, Started, name_of, processes, sessions


class Killed(Started):
    """A recorder that is killed has no moment to tidy up; it is done all the same."""

    def wait_until_tidy(self):
        """The guardian ends last."""
        while [pid for pid in processes() if name_of(pid).startswith(("lttng-", "kfdscope"))
               and pid not in self.before]:
            time.sleep(0.02)

    def holder(self):
        """One whose status is told in a file when its recorder is gone."""
        return ("sh", "-c", f'{CLIENTS}/holder; echo $? >{self.folder}/status')

    def kill(self, process):
        process.kill()
        process.wait()

    def check_program(self, process):
        """It goes on as if nothing had been."""
        process.stdin.write("alloc 5\n")
        process.stdin.close()
        self.assertEqual(process.stdout.read(), "alloc 0\n")
        while not (self.folder / "status").exists() or not (self.folder / "status").read_text():
            time.sleep(0.02)
        self.assertEqual((self.folder / "status").read_text(), "5\n")

    def user(self):
        self.folder.chmod(0o777)
        self.temporary.chmod(0o777)
        return {"user": NOBODY, "group": NOBODY, "extra_groups": [],
                "env": {**os.environ, "TMPDIR": str(self.temporary), "HOME": str(self.temporary)}}

    def kill_and_look(self, **more):
        process = self.start(*self.holder(), **more)
        process.stdin.write("alloc 3\n")
        process.stdin.flush()
        self.assertEqual(process.stdout.readline(), "alloc 0\n")
        self.kill(process)
        self.wait_until_tidy()
        self.check_program(process)
        self.assertEqual(self.left(self.out), (1, 3 << 20))

    def test_what_was_recorded_stays_and_nothing_else(self):
        self.kill_and_look()

    @unittest.skipUnless(os.geteuid() == 0, "needs root to be somebody else")
    def test_the_same_for_a_user(self):
        self.kill_and_look(**self.user())

    def test_another_recorder_goes_on(self):
        first = self.start(*self.holder())
        self.out = self.folder / "second"
        second = self.start(CLIENTS / "holder")
        self.kill(first)
        while f"kfdscope-{first.pid}-" in " ".join(sessions()):
            time.sleep(0.02)
        second.stdin.write("alloc 7\n")
        second.stdin.close()
        self.assertEqual(second.wait(60), 5, self.log.read_text())
        self.assertEqual(self.left(self.out), (1, 7 << 20))
        self.check_program(first)
        self.wait_until_tidy()

    def test_attach(self):
        client = Modes.start(self)
        client.tell("alloc 3")
        log = self.folder / "log"
        with open(log, "wb") as stderr:
            process = subprocess.Popen([KFDSCOPE, "attach", "-o", self.out,
                                        str(client.process.pid)], stderr=stderr)
        while b"recording 1 process" not in log.read_bytes():
            self.assertIsNone(process.poll(), log.read_text())
            time.sleep(0.02)
        self.kill(process)
        self.wait_until_tidy()
        self.assertEqual(client.finish(), (5, ""))
        self.assertEqual(self.left(self.out), (1, 3 << 20))

    def slow_daemon(self):
        """One that never comes up."""
        place = self.folder / "slow"
        place.mkdir()
        os.mkfifo(place / "never")
        daemon = place / "lttng-sessiond"
        daemon.write_text(f"#!{SH}\necho >{place}/up\nread word <{place}/never\n")
        daemon.chmod(0o755)
        place.chmod(0o777)
        return place

    def end_while_it_starts(self, number, **more):
        more.setdefault("env", {**os.environ, "TMPDIR": str(self.temporary)})
        place = self.slow_daemon()
        more["env"]["PATH"] = f"{place}:{os.environ['PATH']}"
        process = subprocess.Popen([KFDSCOPE, "record", "-o", self.out, "--", "true"], **more)
        while not (place / "up").exists():
            self.assertIsNone(process.poll())
            time.sleep(0.02)
        self.assertTrue(self.out.exists())
        process.send_signal(number)
        self.assertEqual(process.wait(60), -number)
        self.wait_until_tidy()
        self.assertFalse(self.out.exists())
        shutil.rmtree(place)

    def test_while_the_daemon_starts(self):
        for number in (signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            self.end_while_it_starts(number)

    @unittest.skipUnless(os.geteuid() == 0, "needs root to be somebody else")
    def test_while_a_users_daemon_starts(self):
        for number in (signal.SIGKILL, signal.SIGTERM):
            self.end_while_it_starts(number, **self.user())

    def test_nobody_finds_the_guardian_by_the_programs_name(self):
        process = self.start(CLIENTS / "holder")
        found = subprocess.run(["pgrep", "-f", f"{CLIENTS}/holder"], capture_output=True, text=True,
                               check=True).stdout.split()
        mine = {str(pid) for pid in processes()} & set(found)
        self.assertEqual(len(mine), 2, mine)    # the recorder and the program
        process.stdin.close()
        self.assertEqual(process.wait(60), 5)

    @unittest.skipUnless(os.geteuid() == 0, "only root's recorders share a daemon")
    def test_the_daemon_keeps_nothing_of_the_recorder_that_started_it(self):
        reader, writer = os.pipe()
        first = self.start(CLIENTS / "holder", pass_fds=[writer])
        os.close(writer)
        self.out = self.folder / "second"
        second = self.start(CLIENTS / "holder")
        first.stdin.close()
        self.assertEqual(first.wait(60), 5)
        self.assertEqual(select.select([reader], [], [], 0)[0], [reader])
        self.assertEqual(os.read(reader, 1), b"")
        os.close(reader)
        second.stdin.close()
        self.assertEqual(second.wait(60), 5)


if __name__ == "__main__":
    main()
