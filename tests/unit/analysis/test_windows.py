# SPDX-License-Identifier: MIT
"""--begin and --end: they limit what every command prints, not what it knows.

    test_windows.py KFDSCOPE
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from ctf_trace import CLOCK_OFFSET, Program, Trace

KFDSCOPE = sys.argv.pop(1)
FAR_NS = 10**9


def recording():
    """A block and a failure early, the same a second later, and a wait that lasts through both."""
    trace = Trace()
    program, waiter = Program(trace), Program(trace, vtid=11)
    program.schema(500)
    waiter.fire(600, "kmt:hsaKmtWaitOnEvent_entry", ("call", "u64", 1), ("ctx", "u32", 0),
                ("Event", "u64", 1), ("Milliseconds", "u32", 1000))
    for time, address in ((1000, 0x10000), (FAR_NS, 0x20000)):
        program.alloc(time, 4096, address, address)
        program.alloc(time + 100, 8192, 0, 0, status=6, ioctl=False)
        program.queue(time + 200, address)
    waiter.fire(2 * FAR_NS, "kmt:hsaKmtWaitOnEvent_exit", ("call", "u64", 1), ("ctx", "u32", 0),
                ("status", "u32", 0), ("os_errno", "i32", 0))
    return trace


class Windows(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.trace = os.path.join(cls.folder, "trace")
        recording().write(cls.trace)

    def run_command(self, command, *options, code=0):
        done = subprocess.run([KFDSCOPE, command, *options, self.trace], capture_output=True,
                              text=True, timeout=60, check=False, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def report(self, command, *options):
        return json.loads(self.run_command(command, "--json", "--top=0", *options).stdout)

    def windows(self, command):
        """The whole report, and those of both halves; all have read everything."""
        early, late = ("--end=+0.5",), ("--begin=+0.5",)
        reports = [self.report(command, *options) for options in ((), early, late)]
        self.assertEqual(len({json.dumps(r["recording"]) for r in reports}), 1)
        return reports

    def check_list(self, command, name, counts=(2, 1, 1)):
        reports = self.windows(command)
        self.assertEqual(tuple(len(report[name]) for report in reports), counts, command)
        return reports

    def test_lists_of_each_report(self):
        self.check_list("failures", "failures")
        self.check_list("queues", "outstanding", (2, 1, 2))  # the first one lives on

    def test_findings_are_those_of_the_window(self):
        whole, early, late = self.windows("failures")
        self.assertEqual((whole["findings"], early["findings"], late["findings"]), (2, 1, 1))
        self.run_command("failures", "--fail-on-findings", "--end=+0.0000001", code=0)
        self.run_command("failures", "--fail-on-findings", "--begin=+0.5", code=1)

    def test_what_is_left_was_taken_in_the_window(self):
        sums = [report["left"]["bytes"] for report in self.windows("leaks")]
        self.assertEqual(sums, [8192, 4096, 4096])

    def test_calls_are_counted_that_began_in_the_window(self):
        for command in ("latency", "chains"):
            counts = [{c["name"]: c["count"] for c in report["calls"]}
                      for report in self.windows(command)]
            self.assertEqual([c.get("hsaKmtAllocMemory", 0) for c in counts], [4, 2, 2], command)
            self.assertEqual([c.get("hsaKmtWaitOnEvent", 0) for c in counts], [1, 1, 0], command)

    def test_flames_have_the_window(self):
        weights = [sum(int(line.rsplit(" ", 1)[1]) for line in
                       self.run_command("chains", "--folded", "--weight=count", *options)
                       .stdout.splitlines() if line.split(" ")[-2].endswith("hsaKmtAllocMemory"))
                   for options in ((), ("--end=+0.5",), ("--begin=+0.5",))]
        self.assertEqual(weights, [4, 2, 2])

    def perfetto(self, *options):
        output = os.path.join(self.folder, "timeline.json")
        self.run_command("timeline", "-o", output, *options)
        with open(output, encoding="utf-8") as file:
            return json.load(file)["traceEvents"]

    def test_a_timeline_for_perfetto_is_balanced_in_each_window(self):
        slices = {}
        for name, options in (("all", ()), ("early", ("--end=+0.5",)), ("late", ("--begin=+0.5",))):
            events = self.perfetto(*options)
            begins = [e["name"] for e in events if e["ph"] == "B"]
            self.assertEqual(len(begins), sum(e["ph"] == "E" for e in events), name)
            slices[name] = begins.count("hsaKmtAllocMemory")
            # Totals are of the whole recording.
            bytes_ = [e["args"]["bytes"] for e in events if e["ph"] == "C" and "bytes" in e["args"]]
            self.assertEqual(max(bytes_), 4096 if name == "early" else 8192)
        self.assertEqual(slices, {"all": 4, "early": 2, "late": 2})

    def derived(self, name, *options):
        output = os.path.join(self.folder, name)
        self.run_command("timeline", "-o", output, *options)
        done = subprocess.run(["babeltrace2", "--no-delta", "--clock-seconds", output],
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return re.findall(r"\] \S+ (\S+):(?= \{).*?(\{[^{}]*\})$", done.stdout, re.M)

    def test_a_derived_trace_is_balanced_in_each_window(self):
        for name, options, allocs, waits in (("all", (), 4, 1), ("early", ("--end=+0.5",), 2, 1),
                                             ("late", ("--begin=+0.5",), 2, 0)):
            events = self.derived(name, *options)
            names = [event for event, _ in events]
            entries = [n for n, _ in events if n.endswith("call_begin")]
            exits = [n for n, _ in events if n.endswith("call_end")]
            self.assertEqual(len(entries), len(exits), (name, sorted(set(names))))
            begun = sum("hsaKmtAllocMemory" in fields for event, fields in events
                        if event.endswith("call_begin"))
            self.assertEqual(begun, allocs, name)
            waited = sum("hsaKmtWaitOnEvent" in fields for event, fields in events
                         if event.endswith("call_begin"))
            self.assertEqual(waited, waits, name)

    def test_a_window_beside_the_recording_is_told(self):
        begin = CLOCK_OFFSET // 10**9
        for number, options in enumerate((("--begin=+1000000",), (f"--end={begin - 1}",),
                                          ("--begin=+0.6", f"--end={begin}"))):
            for command in ("leaks", "allocs", "waits", "queues", "chains", "latency"):
                report = self.report(command, *options)
                self.assertTrue(report["window"]["outside"], (command, options))
                self.assertLessEqual(report["window"]["begin_ns"], report["window"]["end_ns"])
                self.assertIn("NOTHING OF THE RECORDING IS THERE: it goes from +0.000000 s to ",
                              self.run_command(command, *options).stdout)
            derived = os.path.join(self.folder, f"nothing-{number}")
            done = self.run_command("timeline", "-o", derived, *options, code=5)
            self.assertIn("nothing of the recording is between --begin and --end", done.stderr)
            self.assertFalse(os.path.exists(derived))
        self.assertNotIn("outside", self.report("leaks", "--begin=+0.5")["window"])

    def test_a_window_that_ends_before_it_begins_is_refused(self):
        for options in (("--begin=+2", "--end=+1"), ("--begin=+1", "--end=+0"),
                        ("--begin=1800000000", "--end=1700000000")):
            done = self.run_command("leaks", *options, code=2)
            self.assertEqual(done.stderr.count("\n"), 1)
            self.assertIn("is after --end", done.stderr)
        self.run_command("leaks", "--begin=+0.5", "--end=+0.5")

    def test_moments_are_given_in_three_ways(self):
        middle = CLOCK_OFFSET + FAR_NS // 2
        expected = self.report("leaks", "--begin=+0.5")["left"]
        self.assertEqual(self.report("leaks", f"--begin={middle // 10**9}."
                                     f"{middle % 10**9:09}")["left"], expected)
        for command, option in (("leaks", "--begin"), ("waits", "--end"), ("timeline", "--begin"),
                                ("diff", "--from"), ("diff", "--to")):
            for text in ("yesterday", "+", "+x", "-1", "1e300", "+1e3", "0", ""):
                options = [f"{option}={text}"] + (["--from=+0.1"] if option == "--to" else [])
                done = self.run_command(command, *options, code=2)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertIn(f"{option} is '{text}': it must be +SECONDS", done.stderr)


if __name__ == "__main__":
    unittest.main()
