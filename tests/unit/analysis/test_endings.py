# SPDX-License-Identifier: MIT
"""Notes of how programs ended (kfdscope.json): each is of its own recording's process alone.

    test_endings.py KFDSCOPE
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from ctf_trace import Program, Trace

KFDSCOPE = sys.argv.pop(1)
PID = 10
# What a process of each recording leaves, so that it is known again; and how it ended.
RUNS = {"one": (1, {"exit_code": 3, "signal": 0}), "two": (2, {"exit_code": -1, "signal": 11}),
        "three": (3, None)}
ENDS = {1: ("exit", 3), 2: ("signal", 11), 3: ("unknown", None)}


class Endings(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def write(self, name, hostname="host", levels="ust/uid/0/64-bit", numbers=None):
        """A recording as 'record' makes one: the traces below, the note at the top."""
        blocks, ending = RUNS[name]
        for number in numbers or [blocks]:
            trace = Trace(hostname=hostname, uuid=bytes([number] * 16))
            program = Program(trace, vpid=PID)
            program.schema(500)
            for i in range(blocks):
                program.alloc(1000 + 100 * i, 4096, 0x10000 * (i + 1), i + 1)
            top = os.path.join(self.folder, name)
            trace.write(os.path.join(top, levels if number == blocks else f"{levels}-{number}"))
        if ending:
            with open(os.path.join(top, "kfdscope.json"), "w", encoding="utf-8") as file:
                json.dump({"schema": "kfdscope.recording", "version": 1, "pid": PID,
                           "command": ["app"], **ending}, file)
        return top

    def ends(self, *paths):
        """{blocks left: how that process ended}"""
        done = subprocess.run([KFDSCOPE, "leaks", "--json", *paths], capture_output=True,
                              text=True, timeout=60, check=False, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {p["left"]["blocks"]: (p["end"], p.get("end_code"))
                for p in json.loads(done.stdout)["processes"]}

    def test_equal_process_ids_of_one_host(self):
        paths = [self.write(name) for name in RUNS]
        for order in (paths, paths[::-1], [paths[1], paths[2], paths[0]]):
            self.assertEqual(self.ends(*order), ENDS)

    def test_equal_process_ids_of_several_hosts(self):
        paths = [self.write(name, hostname=f"host-of-{name}") for name in RUNS]
        self.assertEqual(self.ends(*paths), ENDS)
        self.assertEqual(self.ends(*paths[::-1]), ENDS)

    def test_recordings_in_one_directory(self):
        for name in RUNS:
            self.write(name)
        for path in (self.folder, self.folder + "/", "."):
            self.assertEqual(self.ends(path), ENDS)

    def test_a_recording_alone(self):
        for name, (blocks, _) in RUNS.items():
            top = self.write(name)
            for path in (top, top + "//", name, f"{name}/", f"./{name}"):
                self.assertEqual(self.ends(path), {blocks: ENDS[blocks]}, path)

    def test_names_that_begin_alike(self):
        """The note of 'one' is not that of 'one-more'."""
        self.write("one")
        shutil.copytree(self.write("three"), os.path.join(self.folder, "one-more"))
        self.assertEqual(self.ends("one", "one-more"), {1: ENDS[1], 3: ENDS[3]})

    def test_several_traces_of_a_recording(self):
        """One for each user that the program's processes ran as: the note is of one of them."""
        top = self.write("two", numbers=(2, 22))
        os.makedirs(os.path.join(self.folder, "other"))
        self.assertEqual(set(self.ends(top).values()), {ENDS[2]})

    def test_notes_that_make_no_sense_are_left_out(self):
        top = self.write("one")
        for text in ("", "[]", '{"pid": 10}', '{"pid": -1, "exit_code": 0, "signal": 0}', "\0"):
            with open(os.path.join(top, "kfdscope.json"), "w", encoding="utf-8") as file:
                file.write(text)
            self.assertEqual(self.ends(top), {1: ("unknown", None)}, text)


if __name__ == "__main__":
    unittest.main()
