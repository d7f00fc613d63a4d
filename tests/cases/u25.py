# SPDX-License-Identifier: MIT
"""U25: GPU calls during program exit."""
import os
import pathlib
import signal
import subprocess
import time

from case import CLIENTS, Case, main


def kill_daemon():
    """Ends this test's session daemon and its consumers, and nobody else's."""
    folder = "/run/lttng" if os.geteuid() == 0 else f"{os.environ['LTTNG_HOME']}/.lttng"
    daemon = (pathlib.Path(folder) / "lttng-sessiond.pid").read_text().strip()
    children = subprocess.run(["pgrep", "-P", daemon], capture_output=True, text=True,
                              check=True).stdout.split()
    for pid in [daemon, *children]:
        os.kill(int(pid), signal.SIGKILL)


class U25(Case):
    def test_recorded(self):
        begin = time.monotonic()
        recording = self.record("u25")
        self.assertEqual((recording.status, recording.stdout), (7, "leaving\n"), recording.stderr)
        leaks = self.report("leaks", recording)
        # The destructor's buffer was freed; the kept one was not.
        self.assertEqual(leaks["left"], {"blocks": 1, "bytes": 1048576})
        self.assertLess(time.monotonic() - begin, 30)

    def test_not_recorded(self):
        begin = time.monotonic()
        done = self.run_command(CLIENTS / "u25", env=self.model_env())
        self.assertEqual((done.returncode, done.stdout, done.stderr), (7, "leaving\n", ""))
        self.assertLess(time.monotonic() - begin, 3)

    def test_daemon_stopped_halfway(self):
        # The provider is loaded and the session daemon goes away while the program runs.
        env = {**os.environ, **self.model_env(), "KFDSCOPE_PROVIDER": "1"}
        subprocess.run(["lttng", "create", "u25", "-o", self.folder / "t"], check=True,
                       stdout=subprocess.DEVNULL)
        subprocess.run(["lttng", "enable-event", "-u", "kmt:*,kfd:*"], check=True,
                       stdout=subprocess.DEVNULL)
        subprocess.run(["lttng", "start"], check=True, stdout=subprocess.DEVNULL)
        client = subprocess.Popen([CLIENTS / "u25", "1500"], env=env, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True)
        time.sleep(0.5)
        kill_daemon()
        out, err = client.communicate(timeout=10)
        self.assertEqual((client.returncode, out, err), (7, "leaving\n", ""))


if __name__ == "__main__":
    main()
