# SPDX-License-Identifier: MIT
"""Fork, exit, cancelled threads, and a daemon that goes: the program must not notice."""
import os
import signal
import subprocess
import time
import unittest

from session import Session, named, pairs, program


class Fork(unittest.TestCase):
    def test_parent_and_child_are_recorded_apart(self):
        with Session() as session:
            done = session.run([program("fork")])
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            events = session.events()
        forked = named(events, "kmt_state:forked")
        self.assertEqual(len(forked), 1)
        child, parent = forked[0].vpid, forked[0]["ppid"]
        self.assertNotEqual(child, parent)
        self.assertEqual(forked[0]["pid"], child)
        exits = [(e.vpid, e["status"]) for e in named(events, "kmt:hsaKmtAllocMemory_exit")]
        self.assertEqual(exits, [(parent, "HSAKMT_STATUS_SUCCESS")] * 3 +
                         [(child, "HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED"),
                          (child, "HSAKMT_STATUS_SUCCESS")])
        self.assertEqual([e.vpid for e in named(events, "kmt:hsaKmtFreeMemory_exit")], [parent] * 3)
        # Nothing of the parent is stated for the child, which may have its own block by then.
        self.assertLessEqual({e["size_bytes"] for e in named(events, "kmt_state:allocation")
                              if e.vpid == child and not e["is_internal"]}, {2 << 20})
        self.assertIn(child, [e.vpid for e in named(events, "kmt_state:schema")])
        self.assertEqual(pairs(events), (set(), set()))

    def test_it_works_the_same_untraced_and_without_a_recording(self):
        with Session(start=False) as session:
            self.assertEqual(session.run([program("fork")]).returncode, 0)
            self.assertEqual(session.run([program("fork")], KFDSCOPE_PROVIDER=None).returncode, 0)

    def test_the_fork_library_may_be_preloaded_too(self):
        with Session() as session:
            done = session.run([program("fork")], LD_PRELOAD="liblttng-ust-fork.so.1")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            events = session.events()
        self.assertEqual(len({e.vpid for e in events}), 2)


class Exit(unittest.TestCase):
    def test_calls_in_destructors_are_recorded(self):
        with Session() as session:
            done = session.run([program("exit")])
            self.assertEqual((done.returncode, done.stderr), (7, ""))
            events = session.events()
        for name in ("hsaKmtQueryPointerInfo", "hsaKmtFreeMemory", "hsaKmtDestroyEvent"):
            statuses = [e["status"] for e in named(events, f"kmt:{name}_exit")]
            self.assertEqual(statuses, ["HSAKMT_STATUS_SUCCESS"], name)
        # The waiting thread's call has no exit: unfinished, and nothing else is.
        unfinished, orphans = pairs(events)
        self.assertEqual({key[3] for key in unfinished}, {"hsaKmtWaitOnEvent", "WAIT_EVENTS"})
        self.assertEqual(orphans, set())

    def test_the_exit_status_is_the_same_untraced(self):
        with Session(start=False) as session:
            self.assertEqual(session.run([program("exit")]).returncode, 7)
            self.assertEqual(session.run([program("exit")], KFDSCOPE_PROVIDER=None).returncode, 7)


class Cancel(unittest.TestCase):
    def test_a_cancelled_thread_leaves_others_alone(self):
        with Session() as session:
            done = session.run([program("cancel")])
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            events = session.events()
        _, orphans = pairs(events)
        self.assertEqual(orphans, set())
        last = named(events, "kmt:hsaKmtGetVersion_exit")[-1]
        self.assertEqual(last["status"], "HSAKMT_STATUS_SUCCESS")


class DaemonGone(unittest.TestCase):
    """Takes the daemon away in the middle, and starts another for the tests that follow."""

    def test_the_program_ends_as_if_nothing_had_been(self):
        with Session() as session:
            child = session.popen([program("exit"), "slow"])
            self.assertEqual(child.stdout.readline(), "ready\n")
            pid = self.daemon()
            os.kill(pid, signal.SIGKILL)
            child.communicate("go\n", timeout=60)
            self.assertEqual(child.returncode, 7)
            session.is_stopped = True  # nobody is there to stop it
        # The other tests want one again; who started the first cannot know of this one.
        self.start_daemon()
        unittest.addModuleCleanup(os.kill, self.daemon(), signal.SIGTERM)

    def start_daemon(self):
        # The killed one's children hold its lock until they have noticed.
        while subprocess.run(["lttng-sessiond", "--no-kernel", "--background"], check=False,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
            time.sleep(0.05)

    def daemon(self):
        for path in ("/run/lttng", os.path.join(os.environ.get("LTTNG_HOME", ""), ".lttng")):
            try:
                with open(f"{path}/lttng-sessiond.pid", encoding="utf-8") as stream:
                    return int(stream.read())
            except OSError:
                continue
        raise AssertionError("no daemon")


if __name__ == "__main__":
    unittest.main()
