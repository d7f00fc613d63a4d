# SPDX-License-Identifier: MIT
"""Calls of HIP and HSA that other LTTng providers record are layers like our own."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest
import uuid

from recorded import KFDSCOPE, LIBRARIES, PROGRAMS

PATTERNS = ("lttng_ust_hip:*", "other_hip:*", "other_hsa:*")
OURS = ("kmt:*", "kfd:*", "kmt_state:*")
TOPOLOGY = os.environ["TOPOLOGY"]


class Foreign(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kfdscope-foreign-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def report(self, command, path):
        done = subprocess.run([KFDSCOPE, command, "--json", "--top=0", path], capture_output=True,
                              text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def check(self, path):
        chains = self.report("chains", path)
        calls = {(call["layer"], call["name"]): call for call in chains["calls"]}
        for key, count, failed in ((("hip", "hipMalloc"), 3, 1), (("hip", "hipFree"), 2, 0),
                                   (("hsa", "hsa_amd_memory_pool_allocate"), 2, 0),
                                   (("api", "hsaKmtAllocMemory"), 2, 0)):
            self.assertEqual((calls[key]["count"], calls[key]["failed"], calls[key]["cut"]),
                             (count, failed, 0), key)
        # What cannot be paired is no call, and said to be left out; what is none is no call.
        self.assertNotIn(("hip", "hipEventRecord"), calls)
        self.assertNotIn(("hip", "hipProgress"), calls)
        self.assertEqual(chains["recording"]["unpaired_events"], 3)
        self.assertEqual(chains["recording"]["foreign_events"], 2 * (3 + 2 + 2))
        self.assertEqual(chains["cut_calls"], 0)
        # From HIP down to the ioctl.
        path_down, node = [], {"children": chains["paths"]}
        for name in ("hipMalloc", "hsa_amd_memory_pool_allocate", "hsaKmtAllocMemory",
                     "ALLOC_MEMORY_OF_GPU"):
            node = next(child for child in node["children"] if child["name"] == name)
            path_down.append((node["layer"], node["count"]))
        self.assertEqual(path_down, [("hip", 3), ("hsa", 2), ("thunk", 2), ("kernel", 2)])
        # Memory is still what the driver gave: such events do not say what a call took.
        leaks = self.report("leaks", path)
        self.assertEqual(leaks["left"], {"blocks": 0, "bytes": 0})

    def test_recorded_by_kfdscope(self):
        path = self.folder / "recording"
        done = subprocess.run([KFDSCOPE, "record", "-o", path, "--model", "--layers=kmt,kfd",
                               *(f"--also={p}" for p in PATTERNS), "--",
                               f"{PROGRAMS}/layers_foreign"],
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(" 0 lost", done.stderr)
        self.check(path)

    def test_recorded_by_lttng(self):
        name, path = f"foreign-{uuid.uuid4().hex[:8]}", self.folder / "session"

        def lttng(*words):
            subprocess.run(["lttng", *words], check=True, stdout=subprocess.DEVNULL, timeout=60)

        lttng("create", name, "-o", str(path))
        try:
            for pattern in OURS + PATTERNS:
                lttng("enable-event", "-u", "-s", name, "-c", "c", pattern)
            for context in ("vpid", "vtid", "procname"):
                lttng("add-context", "-u", "-s", name, "-c", "c", "-t", context)
            lttng("start", name)
            subprocess.run([f"{PROGRAMS}/layers_foreign"], check=True, timeout=60, env={
                **os.environ, "LD_LIBRARY_PATH": LIBRARIES, "HSA_MODEL_TOPOLOGY": TOPOLOGY,
                "HSA_MODEL_LIB": f"{LIBRARIES}/kfdscope-model.so",
                "KFDSCOPE_PROVIDER": f"{LIBRARIES}/libkfdscope-tracepoints.so"})
        finally:
            lttng("stop", name)
            lttng("destroy", name)
        self.check(path)

    def test_a_pattern_is_a_provider_and_an_event(self):
        done = subprocess.run([KFDSCOPE, "record", "--also=hipMalloc", "--", "true"],
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--also is 'hipMalloc'", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
