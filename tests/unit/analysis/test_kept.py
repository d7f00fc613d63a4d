# SPDX-License-Identifier: MIT
"""Lists that are kept up to a limit say how much is beyond it.

    test_kept.py KFDSCOPE
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

from ctf_trace import Program, Trace

KFDSCOPE = sys.argv.pop(1)
NOTES_MAX, MESSAGES_MAX = 4096, 1024
NOTES, LINES, MESSAGES, TIMES = NOTES_MAX + 5, 3, MESSAGES_MAX + 7, 2


class Kept(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.trace = os.path.join(folder.name, "trace")
        trace = Trace()
        program = Program(trace)
        program.schema(500)
        program.fire(600, "kmt_smi:stream", ("gpu_id", "u32", 77), ("fd", "i32", 5),
                     ("os_errno", "i32", 0))
        for number in range(NOTES):
            program.fire(1000 + number, "kmt_smi:vm_fault", ("number", "u32", 1),
                         ("gpu_id", "u32", 77), ("pid", "u32", number), ("task", "str", "app"))
        for number in range(LINES):
            program.fire(10000 + number, "kmt_smi:raw", ("number", "u32", 9),
                         ("gpu_id", "u32", 77), ("text", "str", f"9 {number}"))
        for number in range(MESSAGES * TIMES):
            program.fire(20000 + number, "kmt_state:message", ("api_call", "u64", 0),
                         ("level", "str", "warning"), ("text", "str", f"{number % MESSAGES}"))
        program.exiting(30000)
        trace.write(cls.trace)

    def run_command(self, *words):
        return subprocess.run([KFDSCOPE, *words, self.trace], capture_output=True, text=True,
                              check=True, timeout=60).stdout

    def test_notes_and_lines_of_the_driver(self):
        report = json.loads(self.run_command("faults", "--json"))
        self.assertEqual(len(report["driver_notes"]), NOTES_MAX)
        self.assertEqual((report["driver_notes_beyond"], report["driver_lines_beyond"]),
                         (NOTES - NOTES_MAX, LINES))
        text = self.run_command("faults")
        self.assertIn("and 5 more notes of the driver, which are not kept", text)
        self.assertIn("and 3 more such lines, which are not kept", text)

    def test_empty_texts_are_not_those_of_events_before(self):
        """babeltrace2 reads events into memory that it has used before."""
        with tempfile.TemporaryDirectory() as folder:
            trace = Trace()
            program = Program(trace)
            program.schema(500)
            for number in range(200):
                program.fire(1000 + number, "kmt_state:message", ("api_call", "u64", 0),
                             ("level", "str", "warning"),
                             ("text", "str", "said" if number < 100 else ""))
            trace.write(f"{folder}/trace")
            out = subprocess.run([KFDSCOPE, "startup", "--json", f"{folder}/trace"],
                                 capture_output=True, text=True, check=True, timeout=60).stdout
        self.assertEqual([(m.get("text", ""), m["count"]) for m in json.loads(out)["messages"]],
                         [("said", 100), ("", 100)])

    def test_messages_of_the_library(self):
        report = json.loads(self.run_command("startup", "--json"))
        self.assertEqual([(m["text"], m["level"], m["count"]) for m in report["messages"]],
                         [(str(n), "warning", TIMES) for n in range(MESSAGES_MAX)])
        self.assertEqual(report["messages_beyond"], TIMES * (MESSAGES - MESSAGES_MAX))
        self.assertIn("and 14 more messages are not kept", self.run_command("startup"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
