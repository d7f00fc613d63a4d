# SPDX-License-Identifier: MIT
"""kfdscope attach: programs that already run are recorded, and never disturbed."""
import os
import pathlib
import signal
import subprocess
import time
import unittest

from clients import CLIENTS, KFDSCOPE, LIBRARIES, MIB, Modes, Recorder, main

NOBODY = 65534


class Attaching(Modes):
    def attach(self, *words, **more):
        recorder = Recorder(self, "attach", "-o", self.folder / "t", *words, **more)
        recorder.wait_for("recording [0-9]* process")
        return recorder


class Attach(Attaching):
    def refused(self, *pids, prefix=()):
        done = self.run_command(*prefix, KFDSCOPE, "attach", "-o", self.folder / "none", *pids)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertFalse((self.folder / "none").exists())
        return done.returncode, done.stderr

    def test_what_lives_is_known_and_the_program_ends_as_ever(self):
        client = self.start()
        self.assertEqual(client.tell("alloc 3"), "alloc 0")
        self.assertEqual(client.tell("alloc 5"), "alloc 0")
        recorder = self.attach(client.process.pid)
        self.assertEqual(client.tell("free"), "free 0")
        self.assertEqual(client.tell("alloc 7"), "alloc 0")
        self.assertEqual(client.finish(), (5, ""))
        self.assertEqual(recorder.wait(), 0, recorder.messages())
        self.assertIn(", 0 lost", recorder.messages())
        self.assertEqual(self.left(self.folder / "t"), (2, 10 * MIB))
        self.assertIn("hold_block", self.text("leaks", self.folder / "t"))

    def test_ctrl_c_ends_the_recording_and_not_the_program(self):
        client = self.start()
        client.tell("alloc 3")
        recorder = self.attach(client.process.pid)
        self.assertEqual(recorder.interrupt(), 0, recorder.messages())
        self.assertEqual(self.left(self.folder / "t"), (1, 3 * MIB))
        self.assertEqual(client.tell("alloc 5"), "alloc 0")
        self.assertEqual(client.finish(), (5, ""))

    def test_the_duration_ends_it_too(self):
        client = self.start()
        client.tell("alloc 3")
        recorder = self.attach("--duration=0.5", client.process.pid)
        self.assertEqual(recorder.wait(), 0, recorder.messages())
        self.assertEqual(self.left(self.folder / "t"), (1, 3 * MIB))
        self.assertEqual(client.finish(), (5, ""))

    def test_several_are_recorded_and_others_are_not(self):
        one, two, other = self.start(), self.start(), self.start()
        for client, mib in ((one, 1), (two, 2), (other, 4)):
            client.tell(f"alloc {mib}")
        recorder = self.attach(one.process.pid, two.process.pid)
        self.assertEqual(one.finish(), (5, ""))
        two.tell("alloc 8")
        other.tell("alloc 16")
        self.assertEqual(two.finish(), (5, ""))
        self.assertEqual(recorder.wait(), 0, recorder.messages())
        self.assertEqual(self.left_of_each(self.folder / "t"),
                         {one.process.pid: MIB, two.process.pid: 10 * MIB})
        self.assertEqual(other.finish(), (5, ""))

    def test_a_running_hip_program(self):
        if not (CLIENTS / "hip_holder").exists():
            self.skipTest("built without HIP")
        for mode in ({"provider": "1"},
                     {"provider": None, "LD_PRELOAD": f"{LIBRARIES}/libkfdscope-tracepoints.so:"
                                                      f"{LIBRARIES}/libkfdscope-model-preload.so"}):
            with self.subTest(mode):
                preload = {"LD_PRELOAD": f"{LIBRARIES}/libkfdscope-model-preload.so"}
                client = self.start("hip_holder", **{
                    **preload, "KFDSCOPE_PRELOAD_ONLY": "modules",
                    "HSA_DISABLE_FRAGMENT_ALLOCATOR": "1", **mode})
                path = self.folder / f"hip-{mode['provider']}"
                recorder = Recorder(self, "attach", "-o", path, client.process.pid)
                recorder.wait_for("recording 1 process")
                self.assertEqual(client.finish(), (0, "done\n"))
                self.assertEqual(recorder.wait(), 0, recorder.messages())
                device = [g["bytes"] for g in self.report("leaks", path)["groups"]
                          if g["kind"].startswith("device memory")]
                # Our 3 and 7 MiB and little of the runtime's; the 5 MiB were given back.
                self.assertTrue(10 * MIB <= sum(device) < 15 * MIB, device)
                self.assertIn("5242880 bytes (5.0 MiB) in 1 block was freed",
                              self.text("leaks", path))

    def test_a_program_without_our_library(self):
        sleeper = subprocess.Popen(["sleep", "60"])
        self.addCleanup(sleeper.wait)
        self.addCleanup(sleeper.kill)
        status, line = self.refused(sleeper.pid)
        self.assertEqual(status, 126)
        self.assertIn("(sleep) has none of kfdscope's libraries", line)
        self.assertIn("KFDSCOPE_PROVIDER=1", line)

    def test_our_library_without_a_provider(self):
        client = self.start(provider=None)
        status, line = self.refused(client.process.pid)
        self.assertEqual(status, 126)
        self.assertIn("without the tracepoint provider", line)

    def test_one_that_cannot_be_recorded_stops_all(self):
        client = self.start()
        self.assertEqual(self.refused(client.process.pid, 2 ** 31 - 1)[0], 127)
        self.assertEqual(client.finish(), (5, ""))

    def test_a_dead_process(self):
        ended = subprocess.Popen(["true"])  # a zombie until the test waits
        os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
        status, line = self.refused(ended.pid)
        ended.wait()
        self.assertEqual(status, 127)
        self.assertIn(f"no process {ended.pid}", line)

    def test_one_that_does_not_answer(self):
        """It is told how long that is, and one can wait longer."""
        client = self.start()
        pid = client.process.pid
        client.tell("alloc 3")
        os.kill(pid, signal.SIGSTOP)
        status, line = self.refused("--wait=0.1", pid)
        self.assertEqual(status, 126)
        self.assertIn(f"{pid} (holder) has not answered the session daemon for 0.1 s", line)
        patient = Recorder(self, "attach", "-o", self.folder / "t", "--wait=1000", pid)
        while not (self.folder / "t/ust").exists():     # it is recording, and waits
            self.assertIsNone(patient.process.poll(), patient.messages())
            time.sleep(0.02)
        self.assertEqual(patient.interrupt(), 126)
        self.assertIn(f"interrupted before {pid} (holder) answered", patient.messages())
        patient = Recorder(self, "attach", "-o", self.folder / "u", "--wait=1000", pid)
        os.kill(pid, signal.SIGCONT)
        patient.wait_for("recording 1 process,")
        self.assertEqual(client.finish(), (5, ""))
        self.assertEqual(patient.wait(), 0, patient.messages())
        self.assertEqual(self.left_of_each(self.folder / "u"), {pid: 3 * MIB})

    def test_a_process_that_is_named_twice(self):
        client = self.start()
        client.tell("alloc 3")
        recorder = self.attach(client.process.pid, f"0{client.process.pid}", client.process.pid)
        self.assertIn("recording 1 process,", recorder.messages())
        self.assertEqual(client.finish(), (5, ""))
        self.assertEqual(recorder.wait(), 0, recorder.messages())
        self.assertEqual(self.left(self.folder / "t"), (1, 3 * MIB))

    def test_a_thread_stands_for_its_process(self):
        client = self.start()
        client.tell("alloc 3")
        pid = client.process.pid
        threads = sorted(int(t) for t in os.listdir(f"/proc/{pid}/task"))
        self.assertGreater(len(threads), 1)
        recorder = self.attach(*reversed(threads))
        self.assertIn("recording 1 process,", recorder.messages())
        self.assertEqual(client.finish(), (5, ""))
        self.assertEqual(recorder.wait(), 0, recorder.messages())
        self.assertEqual(self.left_of_each(self.folder / "t"), {pid: 3 * MIB})

    def test_itself_and_the_first_process(self):
        done = self.run_command("sh", "-c", f'exec "{KFDSCOPE}" attach -o {self.folder}/none $$')
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (126, 1), done.stderr)
        self.assertIn("has none of kfdscope's libraries", done.stderr)
        status, line = self.refused(1)
        self.assertEqual(status, 126)
        if os.geteuid() == 0:
            self.assertNotIn("as root", line)   # which it is

    @unittest.skipUnless(os.geteuid() == 0, "needs root to mount")
    def test_a_process_in_another_mount_namespace(self):
        client = self.start_command(["unshare", "--mount", "sh", "-c",
                                     'mount -t tmpfs none /run && exec "$0"', CLIENTS / "holder"])
        status, line = self.refused(client.process.pid)
        self.assertEqual(status, 126)
        self.assertIn("has another '/run/lttng' than we do", line)
        self.assertIn(f"nsenter --mount --target {client.process.pid}", line)
        self.assertEqual(client.finish(), (5, ""))

    @unittest.skipUnless(os.geteuid() == 0, "needs root to mount")
    def test_a_namespace_of_its_own_with_our_daemon(self):
        client = self.start_command(["unshare", "--mount", CLIENTS / "holder"])
        client.tell("alloc 3")
        recorder = self.attach(client.process.pid)
        self.assertEqual(client.finish(), (5, ""))
        self.assertEqual(recorder.wait(), 0, recorder.messages())
        self.assertEqual(self.left(self.folder / "t"), (1, 3 * MIB))

    def test_every_ending_signal_ends_the_recording(self):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            client = self.start()
            client.tell("alloc 3")
            path = self.folder / f"by-{int(number)}"
            recorder = Recorder(self, "attach", "-o", path, client.process.pid)
            recorder.wait_for("recording 1 process")
            recorder.process.send_signal(number)
            recorder.process.send_signal(number)    # a second one changes nothing
            self.assertEqual(recorder.wait(), 0, recorder.messages())
            self.assertEqual(self.left(path), (1, 3 * MIB))
            self.assertEqual(client.finish(), (5, ""))

    def test_a_directory_that_cannot_be_written(self):
        client = self.start()
        for out, words in (("/proc/nowhere/t", "cannot make '/proc/nowhere/t'"),
                           ("/proc/self/task", "'/proc/")):
            done = self.run_command(KFDSCOPE, "attach", "-o", out, client.process.pid)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (125, 1),
                             done.stderr)
            self.assertIn(words, done.stderr)
        self.assertEqual(client.finish(), (5, ""))

    def test_words_that_are_no_process(self):
        for word in ("-5", "0", "x", "12x", "99999999999"):
            status, line = self.refused("--", word)
            self.assertEqual(status, 2)
            self.assertIn("is no process number", line)
        done = self.run_command(KFDSCOPE, "attach")
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1))

    @unittest.skipUnless(os.geteuid() == 0, "needs root to be somebody else")
    def test_another_users_process(self):
        client = self.start()
        self.folder.chmod(0o777)
        status, line = self.refused(client.process.pid, prefix=(
            "setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"))
        self.assertEqual(status, 126)
        self.assertIn("belongs to the user root", line)

    @unittest.skipUnless(os.geteuid() == 0, "needs root to be somebody else")
    def test_a_user_records_his_own(self):
        self.folder.chmod(0o777)
        home = self.folder / "home"
        home.mkdir()
        os.chown(home, NOBODY, NOBODY)
        prefix = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "env",
                  f"HOME={home}")
        done = self.run_command(*prefix, "test", "-x", KFDSCOPE)
        if done.returncode != 0:
            self.skipTest("the build folder is closed to other users")
        # Without root's daemon, that is: lttng-ust would tell both.
        client = self.start_command([*prefix, CLIENTS / "holder"])
        client.tell("alloc 3")
        recorder = Recorder(self, "attach", "-o", home / "t", client.process.pid, prefix=prefix,
                            env={**os.environ, "LTTNG_HOME": ""})
        recorder.wait_for("recording 1 process")
        client.tell("alloc 5")
        self.assertEqual(client.finish(), (5, ""))
        self.assertEqual(recorder.wait(), 0, recorder.messages())
        self.assertEqual(self.left(home / "t"), (2, 8 * MIB))
        self.assertEqual(list((home / ".lttng").glob("*.pid")), [])


class Killed(Attaching):
    """After the others, which use the daemon."""

    @unittest.skipUnless(os.geteuid() == 0, "root's daemon has a known place")
    def test_a_daemon_that_is_killed_meanwhile(self):
        client = self.start()
        client.tell("alloc 3")
        recorder = self.attach(client.process.pid)
        pid = int(pathlib.Path("/run/lttng/lttng-sessiond.pid").read_text())
        consumers = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True,
                                   check=False).stdout.split()
        for one in (pid, *map(int, consumers)):
            os.kill(one, signal.SIGKILL)
        self.assertEqual(client.tell("alloc 5"), "alloc 0")
        self.assertEqual(client.finish(), (5, ""))
        self.assertEqual(recorder.wait(), 3, recorder.messages())
        self.assertIn("the trace may be incomplete", recorder.messages())


if __name__ == "__main__":
    main()
