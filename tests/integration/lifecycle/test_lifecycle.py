# SPDX-License-Identifier: MIT
"""Whatever becomes of a program or of the tracing stack: a traced program prints and returns what it does
untraced."""
import os
import pathlib
import shutil
import signal
import subprocess
import time
import unittest

from case import CLIENTS, KFDSCOPE, LIBRARIES, Case, main

NOBODY = 65534
LIBRARY = LIBRARIES / "libhsakmt.so.1"


class Life(Case):
    timeout_s = 60

    def untraced(self, *command, wrapper=()):
        done = self.run_command(*wrapper, *command, env=self.model_env())
        return done.returncode, done.stdout, done.stderr

    def provided(self, *command, wrapper=(), **env):
        """With the provider, and whatever daemon there is."""
        done = self.run_command(*wrapper, *command,
                                env={**self.model_env(), "KFDSCOPE_PROVIDER": "1", **env})
        return done.returncode, done.stdout, done.stderr

    def recorded(self, *command, wrapper=(), options=(), folder=None, **env):
        self.recordings += 1
        self.path = (folder or self.folder) / f"r{self.recordings}"
        done = self.run_command(*wrapper, KFDSCOPE, "record", "-o", self.path, "--model", *options,
                                "--", *command, env=env)
        self.said = done.stderr
        others = [line for line in done.stderr.splitlines(True)
                  if not line.startswith("kfdscope:")]
        return done.returncode, done.stdout, "".join(others)

    def assertSame(self, *command, status=7):
        want = self.untraced(*command)
        self.assertEqual((want[0], want[2]), (status, ""))
        self.assertEqual(self.provided(*command), want)
        self.assertEqual(self.recorded(*command), want)
        self.assertIn(", 0 lost", self.said)

    def calls(self, name):
        rows = {row["name"]: row["count"] for row in self.report("chains", self.path)["calls"]}
        return rows.get(name, 0)


class Fork(Life):
    def test_it(self):
        self.assertSame(CLIENTS / "life", "fork")
        self.assertEqual(self.calls("hsaKmtAllocMemory"), 4)


class VforkExec(Life):
    def test_it(self):
        self.assertSame(CLIENTS / "life", "vfork_exec")
        self.assertEqual(self.calls("hsaKmtOpenKFD"), 2)


class ThreadCancelled(Life):
    def test_it(self):
        self.assertSame(CLIENTS / "life", "cancel")


class ThreadExited(Life):
    def test_it(self):
        self.assertSame(CLIENTS / "life", "thread_exit")


class ExitHandlers(Life):
    def test_it(self):
        self.assertSame(CLIENTS / "life", "exit")
        self.assertEqual(self.calls("hsaKmtDestroyEvent"), 1)


class EndsWithoutItsFiles(Life):
    """LTTng-UST's own end needs its descriptors, and a library of the system's."""

    def recorded_alike(self, life):
        want = self.untraced(CLIENTS / "life", life)
        self.assertEqual((want[0], want[2]), (7, ""))
        self.assertEqual(self.recorded(CLIENTS / "life", life), want)
        self.assertIn(", 0 lost", self.said)

    def test_all_are_closed(self):
        self.recorded_alike("close_all")

    @unittest.skipUnless(os.geteuid() == 0, "needs root to change the root directory")
    def test_there_is_another_root_directory(self):
        self.recorded_alike("chroot")


class LocalLibrary(Life):
    def test_it(self):
        self.assertSame(CLIENTS / "opener", "libhsakmt.so.1")
        self.assertEqual(self.calls("hsaKmtGetVersion"), 1)


class TwoCopies(Life):
    def test_it(self):
        copy = self.folder / "libhsakmt-copy.so"
        shutil.copy(LIBRARY, copy)
        self.assertSame(CLIENTS / "opener", "libhsakmt.so.1", copy)
        self.assertEqual(self.calls("hsaKmtGetVersion"), 2)


class NoDaemon(Life):
    """Run without one: the provider finds none, and the recorder starts its own."""

    def test_it(self):
        for life in ("fork", "vfork_exec", "cancel", "exit"):
            with self.subTest(life):
                self.assertSame(CLIENTS / "life", life)


class DaemonKilled(Life):
    def end(self, *options):
        """The program's status and output when its recorder's daemon is killed half-way."""
        log = self.folder / f"log{len(options)}"
        with open(log, "wb") as stderr:
            process = subprocess.Popen(
                [KFDSCOPE, "record", "-o", self.folder / f"k{len(options)}", "--model", *options,
                 "--", CLIENTS / "life", "steps"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=stderr, text=True)
        self.addCleanup(process.kill)
        for _ in range(3):
            first = process.stdout.readline()
        self.assertEqual(first, "event 0\n", log.read_text())
        process.stdin.write("1\n")
        process.stdin.flush()
        for _ in range(2):
            process.stdout.readline()
        daemons = self.daemons()
        if "--blocking" in options:
            self.stall(process, daemons)
        self.kill(daemons)
        rest = process.communicate("2\n3\n" if process.stdin else None, timeout=60)[0]
        return process.returncode, rest, log.read_text()

    def daemons(self):
        pid = int(pathlib.Path("/run/lttng/lttng-sessiond.pid").read_text())
        children = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True,
                                  check=False).stdout.split()
        return [pid, *map(int, children)]

    def stall(self, process, daemons):
        """Nobody empties the buffers, so the program's last calls wait for room."""
        for one in daemons:
            os.kill(one, signal.SIGSTOP)
        process.stdin.write("2\n3\n")
        process.stdin.close()
        process.stdin = None
        program, = subprocess.run(["pgrep", "-P", str(process.pid), "-f", "life steps"],
                                  capture_output=True, text=True, check=False).stdout.split()
        asleep = 0
        while asleep < 10:
            self.assertTrue(self.runs(program), "the buffers were never full")
            asleep = asleep + 1 if self.state(program) == "S" else 0
            time.sleep(0.02)

    def kill(self, daemons):
        for one in daemons:
            os.kill(one, signal.SIGKILL)
            while self.runs(one):
                time.sleep(0.02)

    def state(self, pid):
        try:
            stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
        except FileNotFoundError:
            return "X"
        return stat.rpartition(")")[2].split()[0]

    def runs(self, pid):
        """False, too, when it has ended and waits for its parent to notice."""
        return self.state(pid) not in "ZX"

    @unittest.skipUnless(os.geteuid() == 0, "root's daemon has a known place")
    def test_it(self):
        for options in ((), ("--blocking", "--subbuf-size=4K", "--subbuf-count=2")):
            with self.subTest(options):
                status, out, log = self.end(*options)
                self.assertEqual((status, out), (7, "alloc 0\nfree 0\n" * 2 + "destroy 0\n"), log)
                for line in log.splitlines():
                    self.assertRegex(line, "^(kfdscope:|PERROR|Error)", log)


class SharedMemoryFull(Life):
    SCRIPT = ("mount -t tmpfs -o size=64k none /dev/shm && "
              "dd if=/dev/zero of=/dev/shm/full bs=1k count=64 status=none; exec \"$@\"")

    @unittest.skipUnless(os.geteuid() == 0, "needs root to mount a small /dev/shm")
    def test_it(self):
        full = ("unshare", "-m", "sh", "-c", self.SCRIPT, "sh")
        for life in ("exit", "fork"):
            want = self.untraced(CLIENTS / "life", life, wrapper=full)
            self.assertEqual(want[0], 7)
            self.assertEqual(self.provided(CLIENTS / "life", life, wrapper=full), want)
            # The recorder says why it cannot, or the program is as ever.
            status, out, _ = self.recorded(CLIENTS / "life", life, wrapper=full)
            if status == 125:
                self.assertEqual((out, len(self.said.splitlines())), ("", 1))
                self.assertIn("/dev/shm", self.said)
            else:
                self.assertEqual((status, out), want[:2])


class HomeReadOnly(Life):
    def test_it(self):
        want = self.untraced(CLIENTS / "life", "exit")
        for home in ("/proc", "/nonexistent"):
            self.assertEqual(self.provided(CLIENTS / "life", "exit", HOME=home, LTTNG_HOME=home),
                             want)
            self.assertEqual(self.recorded(CLIENTS / "life", "exit", HOME=home), want)
            self.assertIn(", 0 lost", self.said)


class OtherUser(Life):
    @unittest.skipUnless(os.geteuid() == 0, "needs root to be somebody else")
    def test_it(self):
        user = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
        if self.run_command(*user, "test", "-x", KFDSCOPE).returncode != 0:
            self.skipTest("the build folder is closed to other users")
        self.folder.chmod(0o777)
        for home in ("/proc", "/nonexistent", str(self.folder)):
            with self.subTest(home):
                want = self.untraced(CLIENTS / "life", "exit", wrapper=user)
                self.assertEqual(want[0], 7)
                self.assertEqual(self.provided(CLIENTS / "life", "exit", wrapper=user, HOME=home),
                                 want)
                self.assertEqual(self.recorded(CLIENTS / "life", "exit", wrapper=user, HOME=home),
                                 want)
                self.assertIn(", 0 lost", self.said)


if __name__ == "__main__":
    main()
