# SPDX-License-Identifier: MIT
"""kfdscope record --live: the trace is sent to a relay daemon while it is made."""
import os
import re
import shutil
import signal
import socket
import subprocess
import time

from clients import CLIENTS, KFDSCOPE, MIB, Modes, Talk, main


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Live(Modes):
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

    def test_it_can_be_read_while_it_is_made(self):
        self.start_relay()
        client = self.record()
        url = re.search(r"live at '(net://127\.0\.0\.1:\d+/host/\S+/\S+)'", self.log.read_text())[1]
        self.assertIn(f":{self.live}/host/{socket.gethostname()}/", url)
        reader = subprocess.Popen(["babeltrace2", "-i", "lttng-live", url], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(reader.kill)
        client.tell("alloc 3")
        seen = next(line for line in reader.stdout if "kmt:hsaKmtAllocMemory_exit" in line)
        self.assertIn("HSAKMT_STATUS_SUCCESS", seen)
        self.assertEqual(client.finish(), (5, ""))
        rest = reader.communicate(timeout=30)[0]
        self.assertIn("kmt_state:exiting", rest)
        self.assertIn("kfdscope: sent, 0 events lost", self.log.read_text())
        self.assertEqual(self.left(self.stored), (1, 3 * MIB))

    def test_nobody_listens(self):
        self.control, self.data, self.live = free_ports(3)
        done = self.run_command(KFDSCOPE, "record",
                                f"--live=net://127.0.0.1:{self.control}:{self.data}", "--", "true")
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (125, 1), done.stderr)
        self.assertIn("no relay daemon answers at 'net://127.0.0.1", done.stderr)

    def test_a_relay_that_goes_does_not_disturb_the_program(self):
        relay = self.start_relay()
        client = self.record()
        client.tell("alloc 3")
        relay.send_signal(signal.SIGKILL)
        relay.wait()
        self.assertEqual(client.tell("alloc 1"), "alloc 0")
        client.tell("query 10000")
        self.assertEqual(client.finish(), (5, ""))

    def test_words_that_make_no_sense(self):
        for options in (("--live=x",), ("--live=net://",), ("--live=net://h", "-o", "t"),
                        ("--live=net://h", "--snapshot")):
            done = self.run_command(KFDSCOPE, "record", *options, "--", "true")
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), options)


if __name__ == "__main__":
    main()
