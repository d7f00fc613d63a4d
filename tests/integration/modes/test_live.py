# SPDX-License-Identifier: MIT
"""kfdscope record --live: the trace is sent to a relay daemon while it is made."""
import os
import re
import select
import socket
import subprocess
import time

from clients import KFDSCOPE, MIB, main
from relays import Live, free_ports


class Reading(Live):
    def start_reader(self, url):
        reader = subprocess.Popen(["stdbuf", "-oL", "babeltrace2", "-i", "lttng-live", url],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(reader.wait)
        self.addCleanup(reader.kill)
        self.addCleanup(reader.stdout.close)
        return reader

    def read_until(self, client, url, wanted):
        """A reader that has seen what was wanted, of a client that does it over and over: a reader
        begins at the newest data, and some versions of babeltrace2 end when there is none yet."""
        reader, seen = self.start_reader(url), b""
        for _ in range(60):
            client.tell("alloc 3")
            while select.select([reader.stdout], [], [], 1)[0]:
                got = os.read(reader.stdout.fileno(), 65536)
                if not got:
                    time.sleep(0.2)
                    reader, seen = self.start_reader(url), b""
                seen += got
                for line in seen.decode().split("\n")[:-1]:
                    if wanted in line:
                        return reader, line
            client.tell("free")
        raise AssertionError(f"no reader saw {wanted}")

    def test_it_can_be_read_while_it_is_made(self):
        self.start_relay()
        client = self.record()
        url = re.search(r"live at '(net://127\.0\.0\.1:\d+/host/\S+/\S+)'", self.log.read_text())[1]
        self.assertIn(f":{self.live}/host/{socket.gethostname()}/", url)
        reader, seen = self.read_until(client, url, "kmt:hsaKmtAllocMemory_exit")
        self.assertIn("HSAKMT_STATUS_SUCCESS", seen)
        self.assertEqual(client.finish(), (5, ""))
        rest = reader.communicate(timeout=60)[0]
        self.assertIn(b"kmt_state:exiting", rest)
        self.assertIn("kfdscope: sent, 0 events lost", self.log.read_text())
        self.assertEqual(self.left(self.stored), (1, 3 * MIB))

    def test_nobody_listens(self):
        self.control, self.data, self.live = free_ports(3)
        done = self.run_command(KFDSCOPE, "record",
                                f"--live=net://127.0.0.1:{self.control}:{self.data}", "--", "true")
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (125, 1), done.stderr)
        self.assertIn("no relay daemon answers at 'net://127.0.0.1", done.stderr)

    def test_words_that_make_no_sense(self):
        for options in (("--live=x",), ("--live=net://",), ("--live=net://h:1",),
                        ("--live=net://h:1:x",), ("--live=net://h", "-o", "t"),
                        ("--live=net://h", "--snapshot")):
            done = self.run_command(KFDSCOPE, "record", *options, "--", "true")
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), options)


if __name__ == "__main__":
    main()
