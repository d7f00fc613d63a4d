# SPDX-License-Identifier: MIT
"""The command line of kfdscope, on recordings made by hand.

    test_command.py KFDSCOPE MANUAL COMPLETION
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from ctf_trace import Program, Trace

OK, USAGE = 0, 2
KFDSCOPE = MANUAL = COMPLETION = None


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


class Help(Case):
    def names(self, *more):
        return self.run_command("help", "--list", *more).stdout.split()

    def test_help_of_a_command_is_what_the_command_says(self):
        self.assertGreater(len(self.names()), 10)
        for name in self.names():
            said = self.run_command(name, "--help").stdout
            self.assertIn(f"kfdscope {name}", said)
            self.assertEqual(self.run_command("help", name).stdout, said)

    def test_short_and_long_options_ask_for_the_same_help(self):
        self.assertEqual(self.run_command("-h").stdout, self.run_command("--help").stdout)

    def test_help_names_the_file_that_is_written_without_output(self):
        for name, output in (("report", "report.html"), ("timeline", "timeline.json")):
            self.assertIn(f"(default: {output})", self.options_of(name))
        self.assertIn("standard output", self.options_of("leaks"))

    def test_values_that_may_be_left_out_are_shown_so(self):
        options = self.options_of("record")
        for option in ("--model[=TOPOLOGY]", "--queues[=HZ]", "--snapshot[=SIZE]"):
            self.assertIn(option, options)
        self.assertIn("--output=DIR", options)
        # The explanations are in one column.
        columns = {len(line) - len(line.split("  ", 2)[-1].lstrip())
                   for line in options.splitlines() if line.startswith("  ")}
        self.assertEqual(len(columns), 1, options)

    def test_topics_have_texts(self):
        topics = [name for name in self.names("--topics") if name not in self.names()]
        self.assertIn("exit-status", topics)
        for topic in topics:
            self.assertGreater(len(self.run_command("help", topic).stdout.splitlines()), 3)
            self.assertIn(f"  {topic} ", self.run_command("help").stdout)
        self.assertIn("'nothing'", self.run_command("help", "nothing", code=USAGE).stderr)

    def test_the_manual_has_all_commands_options_and_topics(self):
        if not shutil.which("man"):
            self.skipTest("there is no man")
        page = subprocess.run(["man", "-l", MANUAL], capture_output=True, text=True, timeout=60,
                              check=True, env={**os.environ, "MANWIDTH": "200", "MANPAGER": "cat",
                                               "LC_ALL": "C.UTF-8", "MANROFFOPT": "-c"})
        self.assertEqual(page.stderr, "")
        text = re.sub(r".\x08", "", page.stdout).replace("\u2010", "-")
        for name in self.names():
            self.assertIn(f"kfdscope {name} ", text)
            for option in re.findall(r"--[a-z-]+", self.options_of(name)):
                self.assertIn(option, text)
        for topic in set(self.names("--topics")) - set(self.names()):
            self.assertIn(topic.upper(), text)
            first = self.run_command("help", topic).stdout.strip().splitlines()[0].strip()
            self.assertIn(first, text)

    def options_of(self, name):
        said = self.run_command(name, "--help").stdout
        return said.split("Options:")[1].split("\n\n")[0]

    def completions(self, *words):
        script = ('. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _kfdscope; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "--norc", "-c", script, COMPLETION, KFDSCOPE, *words],
                              capture_output=True, text=True, timeout=60, check=True, cwd=self.dir)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash_completes_commands_options_topics_and_files(self):
        self.assertEqual(set(self.names()) - set(self.completions("")), set())
        self.assertEqual(self.completions("lea"), ["leaks"])
        self.assertEqual(self.completions("leaks", "--supp"), ["--suppressions"])
        self.assertIn("--json", self.completions("queues", "--"))
        self.assertNotIn("--suppressions", self.completions("queues", "--"))
        self.assertEqual(self.completions("help", "exit"), ["exit-status"])
        os.mkdir(self.path("a-recording"))
        self.assertEqual(self.completions("leaks", "a-r"), ["a-recording"])
        self.assertEqual(self.completions("record", "--", "--fail"), [])


if __name__ == "__main__":
    KFDSCOPE, MANUAL, COMPLETION = sys.argv[1:4]
    del sys.argv[1:4]
    unittest.main()
