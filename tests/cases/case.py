# SPDX-License-Identifier: MIT
"""What the case tests share: record a client on the simulated GPU, ask kfdscope about it.

Each case is a file uNN.py with one unittest class; its numbers are those of the case's description.
CMake gives the places in the environment: KFDSCOPE (the command), CLIENTS (the folder of client
programs), LIBRARIES (our libraries), TOPOLOGIES.
"""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

KFDSCOPE = os.environ["KFDSCOPE"]
CLIENTS = pathlib.Path(os.environ["CLIENTS"])
LIBRARIES = pathlib.Path(os.environ["LIBRARIES"])
TOPOLOGIES = pathlib.Path(os.environ["TOPOLOGIES"])


class Recording:
    """One finished recording and what the recorder said."""

    def __init__(self, path, done):
        self.path = path
        self.status = done.returncode
        self.stdout = done.stdout
        self.stderr = done.stderr


class Case(unittest.TestCase):
    maxDiff = None
    timeout_s = 60

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kfdscope-case-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.recordings = 0

    def run_command(self, *command, env=None, cwd=None):
        """Runs to the end, captured; fails the case when that takes too long."""
        return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                              timeout=self.timeout_s, env={**os.environ, **(env or {})},
                              cwd=cwd, errors="replace", check=False)

    def record(self, client, *arguments, topology="gfx90a", scenario=None, options=(), env=None):
        """Records a client program by name, or any program by path."""
        self.recordings += 1
        path = self.folder / f"recording-{self.recordings}"
        env = dict(env or {})
        if scenario is not None:
            file = self.folder / f"scenario-{self.recordings}.json"
            file.write_text(json.dumps(scenario))
            env["KFDSCOPE_MODEL_SCENARIO"] = str(file)
        program = client if os.sep in str(client) else CLIENTS / client
        done = self.run_command(KFDSCOPE, "record", "-o", path, f"--model={topology}", *options,
                                "--", program, *arguments, env=env)
        return Recording(path, done)

    def model_env(self, topology="gfx90a"):
        """The environment of a client that runs on the model without being recorded."""
        return {"LD_LIBRARY_PATH": str(LIBRARIES),
                "HSA_MODEL_LIB": str(LIBRARIES / "kfdscope-model.so"),
                "HSA_MODEL_TOPOLOGY": str(TOPOLOGIES / topology)}

    def report(self, command, *recordings, statuses=(0,), options=()):
        """The JSON of a report over recordings."""
        paths = [r.path if isinstance(r, Recording) else r for r in recordings]
        done = self.run_command(KFDSCOPE, command, "--json", "--top=0", *options, *paths)
        self.assertIn(done.returncode, statuses, done.stderr)
        return json.loads(done.stdout)

    def text(self, command, *recordings, options=()):
        """The text of a report over recordings."""
        paths = [r.path if isinstance(r, Recording) else r for r in recordings]
        done = self.run_command(KFDSCOPE, command, *options, *paths)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def assertRecorded(self, recording, status=0):
        """The client ended as wanted and nothing was lost."""
        self.assertEqual(recording.status, status, recording.stderr)
        self.assertIn(" 0 lost", recording.stderr)

    def assertQuick(self, limit_s, run, tries=10):
        """One of several runs is done within the limit. A delay that is ours is in each of them; one
        of a machine that does other things is not."""
        took_s = []
        while len(took_s) < tries:
            begin = time.monotonic()
            run()
            took_s.append(time.monotonic() - begin)
            if took_s[-1] < limit_s:
                return
        self.fail(f"not within {limit_s} s: {took_s}")


def functions(group):
    """The function names of a group's stack, innermost first."""
    return [frame.get("function", "") for frame in group["stack"]]


def main():
    unittest.main(verbosity=2)
