# SPDX-License-Identifier: MIT
"""Two machines send their recordings to a relay daemon; reports read one or both while they grow."""
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))
from ports import free_ports  # noqa: E402

KFDSCOPE = os.environ["KFDSCOPE"]
DONE, PARTIAL, UNREADABLE = 0, 3, 4
REPORTS = ("leaks", "allocs", "failures", "waits", "queues", "counters", "faults", "svm", "clocks",
           "chains", "latency", "startup")
WAIT_S = 60


class Host:
    """A machine of its own as far as lttng can tell: host name, session daemon, shared memory."""

    def __init__(self, name, session, ports, taken, left):
        self.child = subprocess.Popen(
            ["unshare", "--uts", "--mount", "sh", "-c", 'hostname "$0" && exec "$@"', name,
             os.environ["PRIVATE_LTTNG_SH"], sys.executable, "-B", HERE / "host.py", session,
             *(str(word) for word in (*ports[:2], taken, left))],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.address = f"net://127.0.0.1:{ports[2]}/host/{name}/{session}"

    def wait_for(self, word):
        line = self.child.stdout.readline()
        if line != word + "\n":
            raise RuntimeError(f"the host is not {word}: {line!r}")

    def run_client(self):
        self.child.stdin.write("\n")
        self.child.stdin.flush()
        self.wait_for("done")

    def end(self):
        self.child.communicate("\n", timeout=WAIT_S)
        if self.child.returncode:
            raise RuntimeError(f"the host ended with {self.child.returncode}")

    def close(self):
        if self.child.poll() is None:
            self.child.communicate("\n\n", timeout=WAIT_S)
        self.child.stdin.close()
        self.child.stdout.close()


class Live(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="kfdscope-live-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.copies = self.folder / "copies"
        self.copies.mkdir()
        self.recordings = self.folder / "recordings"
        self.ports = free_ports(3)
        relay = subprocess.Popen(
            ["lttng-relayd", "-o", self.recordings] +
            [word for letter, port in zip("CDL", self.ports)
             for word in (f"-{letter}", f"tcp://127.0.0.1:{port}")],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(relay.wait)
        self.addCleanup(relay.terminate)
        self.wait_for(self.relay_answers)

    def wait_for(self, condition):
        end = time.monotonic() + WAIT_S
        while not condition():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)

    def relay_answers(self):
        try:
            for port in self.ports:
                socket.create_connection(("127.0.0.1", port), timeout=5).close()
        except ConnectionRefusedError:
            return False
        return True

    def host(self, name, session, taken, left):
        host = Host(name, session, self.ports, taken, left)
        self.addCleanup(host.close)
        host.wait_for("ready")
        return host

    def start(self, report, *inputs):
        child = subprocess.Popen([KFDSCOPE, report, "--json", *map(str, inputs)], text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 env={**os.environ, "TMPDIR": str(self.copies)})
        self.addCleanup(lambda: (child.kill(), child.wait(), child.stdout.close(),
                                 child.stderr.close()))
        return child

    def finish(self, child, code=DONE):
        out, errors = child.communicate(timeout=WAIT_S)
        self.assertEqual(child.returncode, code, errors)
        return json.loads(out) if code in (DONE, PARTIAL) else errors

    def wait_attached(self, child):
        """Until the analysis has asked for events and sleeps."""
        def sleeps():
            self.assertIsNone(child.poll(), "it has ended")
            return "nanosleep" in pathlib.Path(f"/proc/{child.pid}/wchan").read_text("ascii")
        self.wait_for(sleeps)

    def wait_copied(self):
        """Until something of a recording has arrived."""
        self.wait_for(lambda: any(file.stat().st_size
                                  for file in self.copies.glob("*/*/stream-*")))

    def by_host(self, report):
        return {process["hostname"]: process["left"]["blocks"] for process in report["processes"]}

    def test_one_host_is_analysed_while_it_records(self):
        a = self.host("alpha", "one", taken=30, left=3)
        child = self.start("leaks", a.address)
        self.wait_attached(child)
        self.assertIsNone(child.poll())
        a.run_client()
        self.wait_copied()
        self.assertIsNone(child.poll())
        a.end()
        report = self.finish(child)
        self.assertEqual(self.by_host(report), {"alpha": 3})
        self.assertEqual(report["left"], {"blocks": 3, "bytes": 3 * 4096})
        self.assertTrue(report["complete"])

    def test_a_host_that_records_and_one_that_has_add_up(self):
        a = self.host("alpha", "one", taken=30, left=3)
        a.run_client()
        a.end()
        b = self.host("beta", "two", taken=50, left=4)
        child = self.start("leaks", b.address, self.recordings / "alpha")
        self.wait_attached(child)
        b.run_client()
        self.wait_copied()
        b.end()
        live = self.finish(child)
        self.assertEqual(self.by_host(live), {"alpha": 3, "beta": 4})
        self.assertEqual(live["left"], {"blocks": 7, "bytes": 7 * 4096})
        hosts = {host["hostname"]: host for host in live["hosts"]}
        self.assertEqual({name: host["live"]["blocks"] for name, host in hosts.items()},
                         {"alpha": 3, "beta": 4})
        self.assertEqual(sum(host["kfdscope_events"] for host in live["hosts"]),
                         live["recording"]["kfdscope_events"])
        # What was read live is what lies on disk in the end.
        stored = self.finish(self.start("leaks", self.recordings))
        self.assertEqual({host["hostname"]: host for host in stored["hosts"]}, hosts)
        self.assertEqual(stored["left"], live["left"])
        text = subprocess.run([KFDSCOPE, "leaks", self.recordings], capture_output=True, text=True,
                              check=True, timeout=WAIT_S).stdout
        self.assertRegex(text, r"alpha +1 +\d+ +3  12288 bytes \(12.0 KiB\)\n")
        self.assertRegex(text, r"total +2 +\d+ +7  28672 bytes \(28.0 KiB\)\n")
        self.assertIn("by each host's own clock", text)

    def test_what_is_read_live_is_what_is_stored(self):
        b = self.host("beta", "two", taken=5, left=1)
        child = self.start("chains", b.address)
        self.wait_attached(child)
        b.run_client()
        self.wait_copied()
        b.end()
        live = self.finish(child)
        stored = self.finish(self.start("chains", self.recordings))
        self.assertGreater(stored["recording"]["kfdscope_events"], 20)
        self.assertEqual(live, stored)

    def test_every_report_takes_an_address(self):
        nowhere = f"net://127.0.0.1:{self.ports[2]}/host/a/b"
        for report in REPORTS:
            errors = self.finish(self.start(report, nowhere), UNREADABLE)
            self.assertIn("host/a/b': the relay daemon has no such session", errors, report)
            self.assertEqual(len(errors.splitlines()), 1, errors)

    def test_an_interrupt_ends_it_with_the_report_so_far(self):
        a = self.host("alpha", "one", taken=30, left=3)
        idle = self.start("leaks", a.address)
        self.wait_attached(idle)
        idle.send_signal(signal.SIGINT)
        # It says that there is nothing, rather than that nothing leaks.
        self.assertIn("has recorded no events", self.finish(idle, UNREADABLE))
        a.run_client()
        # One that comes late gets all from the beginning.
        late = self.start("leaks", a.address)
        self.wait_copied()
        self.wait_attached(late)
        late.send_signal(signal.SIGINT)
        report = self.finish(late, PARTIAL)
        self.assertEqual(self.by_host(report).keys(), {"alpha"})
        self.assertFalse(report["complete"])
        self.assertIn("interrupted", report["partial_input"][0])
        self.assertEqual(list(self.copies.iterdir()), [])
        a.end()

    def test_what_is_not_there_is_named(self):
        a = self.host("alpha", "one", taken=1, left=0)
        first = self.start("leaks", a.address)
        self.wait_attached(first)
        self.assertIn("another viewer has the session",
                      self.finish(self.start("leaks", a.address), UNREADABLE))
        self.assertIn("names no session",
                      self.finish(self.start("leaks", f"net://127.0.0.1:{self.ports[2]}"),
                                  UNREADABLE))
        nobody, = free_ports(1)
        errors = self.finish(self.start("leaks", f"net://127.0.0.1:{nobody}/host/a/b"), UNREADABLE)
        self.assertIn(f"{nobody}/host/a/b': Connection refused", errors)
        self.assertEqual(len(errors.splitlines()), 1, errors)


if __name__ == "__main__":
    if os.getuid() or subprocess.run(["unshare", "--uts", "--mount", "true"], check=False,
                                     stderr=subprocess.DEVNULL).returncode:
        sys.exit(77)
    unittest.main(verbosity=2)
