# SPDX-License-Identifier: MIT
"""U25: GPU calls during program exit."""
import os
import signal
import subprocess

from case import CLIENTS, Case, main
from sessions import daemon_pid


def kill_daemon():
    """Ends this test's session daemon and its consumers, and nobody else's."""
    daemon = daemon_pid()
    children = subprocess.run(["pgrep", "-P", str(daemon)], capture_output=True, text=True,
                              check=True).stdout.split()
    for pid in [daemon, *map(int, children)]:
        os.kill(pid, signal.SIGKILL)


class U25(Case):
    def test_recorded(self):
        recording = self.record("u25")
        self.assertEqual((recording.status, recording.stdout), (7, "leaving\n"), recording.stderr)
        leaks = self.report("leaks", recording)
        # The destructor's buffer was freed; the kept one was not.
        self.assertEqual(leaks["left"], {"blocks": 1, "bytes": 1048576})

    def test_not_recorded(self):
        def run():
            done = self.run_command(CLIENTS / "u25", env=self.model_env())
            self.assertEqual((done.returncode, done.stdout, done.stderr), (7, "leaving\n", ""))

        self.assertQuick(2, run)

    def test_daemon_stopped_halfway(self):
        # The provider is loaded and the session daemon goes away while the program runs.
        env = {**os.environ, **self.model_env(), "KFDSCOPE_PROVIDER": "1"}
        subprocess.run(["lttng", "create", "u25", "-o", self.folder / "t"], check=True,
                       stdout=subprocess.DEVNULL)
        subprocess.run(["lttng", "enable-event", "-u", "-s", "u25", "kmt:*,kfd:*"], check=True,
                       stdout=subprocess.DEVNULL)
        subprocess.run(["lttng", "start", "u25"], check=True, stdout=subprocess.DEVNULL)
        client = subprocess.Popen([CLIENTS / "u25", "ask"], env=env, stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(client.stdout.readline(), "ready\n")
        kill_daemon()
        out, err = client.communicate("\n", timeout=self.timeout_s)
        self.assertEqual((client.returncode, out, err), (7, "leaving\n", ""))


if __name__ == "__main__":
    main()
