# SPDX-License-Identifier: MIT
"""Debian's rocminfo prints the same on our library and on the distribution's own.

The three set-ups: our thunk with the model as a plug-in, our thunk on the preload front, and the
distribution's libhsakmt on the preload front, which knows nothing of us.
"""
import os
import pathlib
import subprocess
import tempfile
import unittest

KFDSCOPE = os.environ["KFDSCOPE"]
PRELOAD = os.environ["PRELOAD"]
TOPOLOGY = os.environ["TOPOLOGY"]


def rocminfo(*command, **env):
    return subprocess.run([*command, "rocminfo"], capture_output=True, text=True, timeout=60,
                          env={**os.environ, **env}, check=False)


class Rocminfo(unittest.TestCase):
    maxDiff = None

    def recorded(self, *options):
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder) / "trace"
            return rocminfo(KFDSCOPE, "record", "-o", trace, "--model", *options, "--")

    def test_the_three_outputs_are_equal(self):
        system = rocminfo(LD_PRELOAD=PRELOAD, KFDSCOPE_MODEL_TOPOLOGY=TOPOLOGY)
        plug_in = self.recorded()
        preload = self.recorded("--model-front=preload")
        for done in (system, plug_in, preload):
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Name:                    gfx90a", system.stdout)
        self.assertEqual(plug_in.stdout, system.stdout)
        self.assertEqual(preload.stdout, system.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
