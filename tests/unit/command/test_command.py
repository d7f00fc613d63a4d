# SPDX-License-Identifier: MIT
"""The command line of kfdscope, on recordings made by hand.

    test_command.py KFDSCOPE
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from ctf_trace import Program, Trace

OK, USAGE = 0, 2
KFDSCOPE = None


class Case(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="kfdscope-test-")
        self.addCleanup(shutil.rmtree, self.dir)

    def path(self, name):
        return os.path.join(self.dir, name)

    def recording(self, name="trace"):
        trace = Trace()
        Program(trace).alloc(1000, 4096, 0x10000, 1)
        trace.write(self.path(name))
        return self.path(name)

    def run_command(self, *args, code=OK):
        result = subprocess.run([KFDSCOPE, *args], capture_output=True, text=True, timeout=60,
                                check=False)
        self.assertEqual(result.returncode, code, result.stderr + result.stdout)
        return result


class Options(Case):
    def test_options_may_stand_behind_the_recording(self):
        trace = self.recording()
        front = self.run_command("leaks", "--json", trace)
        self.assertEqual(json.loads(front.stdout)["left"], {"blocks": 1, "bytes": 4096})
        self.assertEqual(self.run_command("leaks", trace, "--json").stdout, front.stdout)
        self.run_command("timeline", trace, "-o", self.path("timeline.json"))
        with open(self.path("timeline.json"), encoding="utf-8") as file:
            self.assertTrue(json.load(file)["traceEvents"])
        self.run_command("report", trace, "-o", self.path("report.html"))
        self.assertTrue(os.path.exists(self.path("report.html")))

    def test_a_recording_that_looks_like_an_option_follows_two_dashes(self):
        trace = self.recording("-trace")
        result = subprocess.run([KFDSCOPE, "leaks", "--json", "--", "-trace"], cwd=self.dir,
                                capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(result.returncode, OK, result.stderr)
        self.assertEqual(json.loads(result.stdout)["left"]["blocks"], 1)
        self.assertIn("--help", self.run_command("leaks", trace, "--no-such", code=USAGE).stderr)

    def test_options_behind_a_program_are_the_programs(self):
        # What doctor finds depends on the machine; whether it prints JSON does not.
        outputs = [subprocess.run([KFDSCOPE, "doctor", *args], capture_output=True, text=True,
                                  timeout=60, check=False).stdout
                   for args in (["--json", "/bin/true"], ["/bin/true", "--json"])]
        self.assertEqual([output[:1] for output in outputs], ["{", " "])


if __name__ == "__main__":
    KFDSCOPE = sys.argv.pop(1)
    unittest.main()
