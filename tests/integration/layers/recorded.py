# SPDX-License-Identifier: MIT
"""Records programs with kfdscope and reads the events back, for the tests of the layers."""
import json
import os
import shutil
import subprocess
import tempfile
import unittest

from recorded_events import read_events  # noqa: F401

KFDSCOPE, LIBRARIES, PROGRAMS = (os.environ[n] for n in ("KFDSCOPE", "LIBRARIES", "PROGRAMS"))


class Call:
    """An entry and its exit, with the calls inside."""

    def __init__(self, entry):
        self.name, self.entry, self.exit, self.inside = entry.name[:-len("_entry")], entry, None, []

    def __str__(self):
        return self.name


def calls(events):
    """The outermost calls of each thread, in time order; raises when they do not nest."""
    roots, stacks = [], {}
    for event in events:
        stack = stacks.setdefault(event.vtid, [])
        if event.name.endswith("_entry"):
            call = Call(event)
            (stack[-1].inside if stack else roots).append(call)
            stack.append(call)
        elif event.name.endswith("_exit"):
            name = event.name[:-len("_exit")]
            if not stack or stack[-1].name != name:
                raise AssertionError(f"{event.name} ends {stack[-1] if stack else 'nothing'}")
            stack.pop().exit = event
    return roots


class Test(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.count = 0

    def record(self, program, *options, env=None, stdin=None):
        """@return the trace's path and the finished process."""
        self.count += 1
        path = f"{self.folder}/{self.count}"
        done = subprocess.run([KFDSCOPE, "record", "-o", path, *options, "--", *program],
                              capture_output=True, text=True, check=False, timeout=120,
                              env={**os.environ, **(env or {})}, stdin=stdin)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(", 0 lost", done.stderr)
        return path, done

    def leaks(self, path):
        done = subprocess.run([KFDSCOPE, "leaks", "--json", path], capture_output=True, text=True,
                              check=True)
        return json.loads(done.stdout)
