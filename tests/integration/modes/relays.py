# SPDX-License-Identifier: MIT
"""Relay daemons of a test's own, and recordings that are sent to them."""
import os
import shutil
import socket
import subprocess
import sys
import time

from clients import CLIENTS, KFDSCOPE, Modes, Talk

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from ports import free_ports  # noqa: E402


class Live(Modes):
    timeout_s = 30

    def start_relay(self):
        if not shutil.which("lttng-relayd"):
            self.skipTest("no lttng-relayd")
        self.control, self.data, self.live = free_ports(3)
        self.stored = self.folder / "stored"
        self.stored.mkdir()
        relay = subprocess.Popen(
            ["lttng-relayd", f"--control-port=tcp://127.0.0.1:{self.control}",
             f"--data-port=tcp://127.0.0.1:{self.data}",
             f"--live-port=tcp://127.0.0.1:{self.live}", f"--output={self.stored}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "LTTNG_HOME": str(self.folder), "HOME": str(self.folder)})
        self.addCleanup(relay.wait, 30)
        self.addCleanup(relay.kill)
        for _ in range(500):
            with socket.socket() as one:
                if one.connect_ex(("127.0.0.1", self.control)) == 0:
                    return relay
            time.sleep(0.02)
        raise AssertionError("lttng-relayd does not come up")

    def record(self, *options):
        self.log = self.folder / "log"
        command = [KFDSCOPE, "record", f"--live=net://127.0.0.1:{self.control}:{self.data}",
                   f"--live-port={self.live}", "--model", *options, "--", CLIENTS / "holder"]
        return Talk(self, ["sh", "-c", 'exec "$@" 2>"$0"', self.log, *command], None)
