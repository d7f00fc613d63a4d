# SPDX-License-Identifier: MIT
"""U42: tracing stack missing or mismatched: the program must run as if untraced."""
import os
import shutil
import subprocess
import time
import unittest

from case import CLIENTS, KFDSCOPE, LIBRARIES, Case, main
from sessions import daemon_pid

PROVIDER = LIBRARIES / "libkfdscope-tracepoints.so"


class U42(Case):
    def run_client(self, env, wrapper=()):
        done = self.run_command(*wrapper, CLIENTS / "u07", env={**self.model_env(), **env})
        self.assertEqual((done.returncode, done.stdout, done.stderr), self.untraced)

    def setUp(self):
        super().setUp()
        begin = time.monotonic()
        done = self.run_command(CLIENTS / "u07", env=self.model_env())
        self.untraced = (done.returncode, done.stdout, done.stderr)
        self.untraced_s = time.monotonic() - begin
        self.assertEqual(done.returncode, 0)

    def assertNoDelay(self, env, wrapper=()):
        self.assertQuick(self.untraced_s + 1, lambda: self.run_client(env, wrapper))

    def test_without_the_tracer_library(self):
        # An empty file in its place is what the loader finds first, and cannot use.
        for name in ("liblttng-ust.so.1", "liblttng-ust-common.so.1",
                     "liblttng-ust-tracepoint.so.1"):
            (self.folder / name).write_bytes(b"")
        path = f"{self.folder}:{LIBRARIES}"
        for provider in ({}, {"KFDSCOPE_PROVIDER": "1"}):
            self.assertNoDelay({"LD_LIBRARY_PATH": path, **provider})

    def test_without_a_daemon(self):
        self.assertNoDelay({"KFDSCOPE_PROVIDER": "1"})

    def test_home_missing_or_read_only(self):
        for home in ("/nonexistent", "/proc"):
            self.assertNoDelay({"KFDSCOPE_PROVIDER": "1", "HOME": home, "LTTNG_HOME": home})

    def test_provider_loaded_twice(self):
        copy = self.folder / "libkfdscope-tracepoints-copy.so"
        shutil.copy(PROVIDER, copy)
        self.assertNoDelay({"LD_PRELOAD": f"{PROVIDER}:{copy}", "KFDSCOPE_PROVIDER": "1"})

    @unittest.skipUnless(os.geteuid() == 0, "needs root to mount a small /dev/shm")
    def test_shared_memory_full(self):
        script = ("mount -t tmpfs -o size=64k none /dev/shm && "
                  "dd if=/dev/zero of=/dev/shm/full bs=1k count=64 status=none; exec \"$@\"")
        self.run_client({"KFDSCOPE_PROVIDER": "1"},
                        wrapper=("unshare", "-m", "sh", "-c", script, "sh"))
        done = self.run_command("unshare", "-m", "sh", "-c", script, "sh", KFDSCOPE, "doctor")
        self.assertIn("!!  shared memory", done.stdout)

    def test_small_locked_memory_limit(self):
        script = "ulimit -l 64; exec \"$@\""
        self.assertNoDelay({"KFDSCOPE_PROVIDER": "1"}, wrapper=("sh", "-c", script, "sh"))
        done = self.run_command("sh", "-c", script, "sh", KFDSCOPE, "doctor")
        self.assertIn("locked memory: limit is 64 KiB", done.stdout)

    def test_a_daemon_that_takes_its_time_is_waited_for(self):
        daemon = daemon_pid()
        # Longer than LTTng-UST waits by itself.
        waker = subprocess.Popen(["sh", "-c", f"until grep -q '^State:.T' /proc/{daemon}/status; "
                                  f"do sleep 0.1; done; sleep 4; kill -CONT {daemon}"])
        self.addCleanup(waker.wait)
        recording = self.record("/bin/sh", "-c", "kill -STOP $0; exec $1", daemon, CLIENTS / "u07")
        self.assertRecorded(recording)
        calls = {row["name"]: row["count"] for row in self.report("chains", recording)["calls"]}
        self.assertEqual((calls["hsaKmtOpenKFD"], calls["hsaKmtCloseKFD"]), (1, 1))

    def test_doctor_says_when_the_tracer_library_is_missing(self):
        (self.folder / "liblttng-ust.so.1").write_bytes(b"")
        done = self.run_command(KFDSCOPE, "doctor", env={"LD_LIBRARY_PATH": str(self.folder)})
        self.assertEqual(done.returncode, 1)
        self.assertIn("!!  tracepoint provider: does not load", done.stdout)
        self.assertIn("install lttng-ust", done.stdout)


if __name__ == "__main__":
    main()
