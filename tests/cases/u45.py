# SPDX-License-Identifier: MIT
"""U45: traces too large to analyse."""
import json
import os
import subprocess

from case import KFDSCOPE, Case, main

BIG_TRACE = os.environ["BIG_TRACE"]
SIZES = {"1M": (1_000_000, 40_000), "5M": (5_000_000, 200_000)}
LIVE, STACKS = 1000, 50_000
REPORTS = ("leaks", "queues", "waits")
LIMIT_KB = 512 * 1024
# What may grow is names of stacks and the allocator's slack, which is not what events are.
GROWTH = 1.5


class U45(Case):
    timeout_s = 600

    def write(self, size):
        path = self.folder / size
        events, allocations = SIZES[size]
        subprocess.run([BIG_TRACE, path, str(events), str(allocations), str(STACKS)], check=True,
                       stdout=subprocess.DEVNULL, timeout=self.timeout_s)
        return path

    def measured(self, report, path, *options):
        """(JSON, peak kB) of a report."""
        output = self.folder / "report.json"
        child = subprocess.Popen([KFDSCOPE, report, "--json", "-o", output, *options, path])
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(child.returncode, 0)
        return json.loads(output.read_text()), used.ru_maxrss

    def check_leaks(self, report):
        """What is alive is left, and counted whole however few are listed."""
        self.assertEqual(report["left"]["blocks"], LIVE)
        self.assertEqual(sum(g["blocks"] for g in report["groups"]), LIVE)

    def check_options(self, path, recording):
        """A window prints what is in it; the state is that of the whole recording."""
        middle = (recording["begin_ns"] + recording["end_ns"]) // 2
        window = [f"--{name}={ns // 10**9}.{ns % 10**9:09}"
                  for name, ns in (("begin", recording["begin_ns"]), ("end", middle))]
        report, _ = self.measured("waits", path, "--top=0", *window)
        times = [wait["begin_ns"] for wait in report["open_waits"]]
        self.assertTrue(all(ns <= middle for ns in times))
        self.assertEqual(report["recording"]["events"], SIZES["1M"][0])
        text = self.text("leaks", path, options=("--top=3",))
        self.assertIn("other places", text)

    def test_memory_follows_what_is_alive(self):
        peaks = {}
        for size, (events, _) in SIZES.items():
            path = self.write(size)
            streams = [f for f in path.rglob("*") if f.is_file() and f.name != "metadata"
                       and "index" not in f.parts]
            total = sum(f.stat().st_size for f in streams)
            for name in REPORTS:
                report, peaks[name, size] = self.measured(name, path)
                self.assertLess(peaks[name, size], LIMIT_KB, (name, size))
                recording = report["recording"]
                self.assertEqual(recording["events"], events)
                self.assertEqual((recording["bytes"], recording["bytes_per_event"]),
                                 (total, total // events))
                self.assertTrue(report["complete"])
                if name == "leaks":
                    self.check_leaks(report)
            if size == "1M":
                self.check_options(path, recording)
                self.assertIn(f"{total // events} an event", self.text("leaks", path))
        for name in REPORTS:
            self.assertLess(peaks[name, "5M"], GROWTH * peaks[name, "1M"], peaks)


if __name__ == "__main__":
    main()
