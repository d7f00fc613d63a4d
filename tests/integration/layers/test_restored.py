# SPDX-License-Identifier: MIT
"""Checkpoint and restore, recorded: buffers that come with a checkpoint are accounted for."""
import json
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "coverage"))

# pylint: disable=wrong-import-position
from record_sizes import largest_records
from recorded import KFDSCOPE, LIBRARIES, PROGRAMS, Test, read_events

PROGRAM = f"{PROGRAMS}/layers_raw_checkpoint"
TOPOLOGY = os.environ["TOPOLOGY"]
OPTIONS = ("--system-thunk", f"--model={TOPOLOGY}")
SIZES = [4096, 65536, 1048576]
LISTED = 96  # by an event (trace/ioctl.def)


@unittest.skipUnless(os.geteuid() == 0, "needs the right to take checkpoints")
class Restored(Test):
    def save(self, buffers):
        """A checkpoint that no recording knows of."""
        path = f"{self.folder}/checkpoint"
        subprocess.run([PROGRAM, "save", path, str(buffers)], check=True, timeout=60, stdout=subprocess.DEVNULL,
                       env={**os.environ, "KFDSCOPE_MODEL_TOPOLOGY": TOPOLOGY,
                            "LD_PRELOAD": f"{LIBRARIES}/libkfdscope-model-preload.so"})
        return path

    def restore(self, freed, buffers=3):
        return self.record([PROGRAM, "restore", self.save(buffers), str(freed)], *OPTIONS)[0]

    def one_process(self, report):
        process, = report["processes"]
        return process

    def test_the_event_lists_what_was_restored(self):
        events = {e.name: e for e in read_events(self.restore(0))}
        left = events["kfd:CRIU_OP_RESTORE_exit"]
        self.assertEqual((left["bos_values_count"], left["bos_values_truncated"]), (3, 0))
        self.assertEqual(left.array("bos_values_addr"), [(1 << 44) + (i << 32) for i in range(3)])
        self.assertEqual(left.array("bos_values_size"), SIZES)
        self.assertEqual(left.array("bos_values_gpu_id"),
                         left.array("devices_values_user_gpu_id") * 3)
        self.assertEqual(len(set(left.array("bos_values_restored_offset"))), 3)
        self.assertIn("kfd:CRIU_OP_entry", events)  # of the operations without lists

    def test_more_than_an_event_holds_are_counted(self):
        path = self.restore(0, buffers=100)
        left, = [e for e in read_events(path) if e.name == "kfd:CRIU_OP_RESTORE_exit"]
        self.assertEqual((left["bos_values_count"], left["bos_values_truncated"]), (100, 1))
        self.assertEqual(len(left.array("bos_values_addr")), LISTED)
        self.assertLess(largest_records(path)["kfd:CRIU_OP_RESTORE_exit"], 4096)
        self.assertGreater(largest_records(path)["kfd:CRIU_OP_RESTORE_exit"], 32 * LISTED)
        restored = self.one_process(self.leaks(path))["restored"]
        self.assertEqual((restored["blocks"], restored["unlisted"]), (LISTED, 100 - LISTED))

    def test_they_are_live_and_named_by_the_restore(self):
        report = self.leaks(self.restore(0))
        group, = report["groups"]
        self.assertEqual((group["blocks"], group["bytes"]), (3, sum(SIZES)))
        self.assertEqual((group["origin"], group["call"]), ("restored", "CRIU_OP_RESTORE"))
        self.assertIn("come_back", [f.get("function") for f in group["stack"]])
        self.assertEqual(self.one_process(report)["restored"],
                         {"blocks": 3, "bytes": sum(SIZES), "unlisted": 0, "unclear_frees": 0})

    def test_frees_by_handles_of_nowhere_are_undecided_until_all_are_gone(self):
        report = self.leaks(self.restore(2))
        self.assertEqual(report["left"], {"blocks": 0, "bytes": 0})
        self.assertEqual(report["undecided"], {"blocks": 3, "bytes": sum(SIZES)})
        self.assertEqual(self.one_process(report)["restored"]["unclear_frees"], 2)
        report = self.leaks(self.restore(3))
        self.assertEqual((report["left"]["blocks"], report["undecided"]["blocks"]), (0, 0))
        self.assertEqual(self.one_process(report)["freed"], {"blocks": 3, "bytes": sum(SIZES)})

    def test_a_recorded_checkpoint_tells_which_is_which(self):
        place = f"{self.folder}/checkpoint"
        both = f"{PROGRAM} save {place} 3 && {PROGRAM} restore {place} 2"
        path, done = self.record(["sh", "-c", both], *OPTIONS)
        saved, restored = (int(word) for word in done.stdout.split())
        report = self.leaks(path)
        left = {vpid: [(g["blocks"], g["bytes"]) for g in report["groups"] if g["vpid"] == vpid]
                for vpid in (saved, restored)}
        self.assertEqual(left[restored], [(1, SIZES[2])])
        self.assertEqual(sum(blocks for blocks, _ in left[saved]), 3)
        self.assertEqual(report["undecided"]["blocks"], 0)
        out = subprocess.run([KFDSCOPE, "allocs", "--json", "--top=0", path], capture_output=True,
                             text=True, check=True).stdout
        places = [p for p in json.loads(out)["places"] if p.get("origin") == "restored"]
        self.assertEqual(sum(p["taken"] for p in places), 3)
        self.assertEqual(sum(p["live"]["bytes"] for p in places), SIZES[2])


if __name__ == "__main__":
    unittest.main(verbosity=2)
