# SPDX-License-Identifier: MIT
"""U43: the viewer does not open the trace."""
import json
import pathlib
import shutil
import subprocess
import sys
import unittest

from case import KFDSCOPE, Case, main

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "unit" / "trace-compass"), str(TESTS / "unit" / "analysis")]

from ctf_trace import Trace  # pylint: disable=wrong-import-position
import views  # pylint: disable=wrong-import-position

VIEWS = TESTS.parent / "analysis" / "trace-compass"
BIG_TRACE = pathlib.Path(KFDSCOPE).parent / "bench_big_trace"
DONE, PARTIAL, UNREADABLE = 0, 3, 4


class U43(Case):
    def check(self, path, status):
        done = self.run_command(KFDSCOPE, "check", "--json", path)
        self.assertEqual(done.returncode, status, done.stderr + done.stdout)
        trace, = json.loads(done.stdout)["traces"]
        return trace, {finding["code"] for finding in trace["findings"]}

    def derived(self):
        recording = self.record("u43")
        self.assertRecorded(recording)
        path = self.folder / "derived"
        done = self.run_command(KFDSCOPE, "timeline", "-o", path, recording.path)
        self.assertEqual(done.returncode, 0, done.stderr)
        return recording.path, path

    def test_a_recording_can_be_opened_and_says_how_to_convert_it(self):
        recording, derived = self.derived()
        trace, codes = self.check(recording, DONE)
        self.assertEqual((trace["opens"], codes), (True, {"recording"}))
        self.assertIn("kfdscope timeline", trace["findings"][0]["message"])
        self.assertEqual(self.check(derived, DONE)[1], {"derived"})

    def test_views_have_the_rows_of_the_small_program(self):
        events = views.read_events(self.derived()[1])
        rows = {}
        for name in ("kmt-memory", "kmt-queues", "kmt-waits"):
            root = views.load(VIEWS / f"{name}.xml")
            states = views.run_provider(root.find("stateProvider"), events)
            for view in root.findall("timeGraphView") + root.findall("xyView"):
                rows[view.get("id")] = views.rows(view, states)
        self.assertEqual(len(rows["kfdscope.queues.view"]), 2)
        self.assertEqual(len(rows["kfdscope.waits.view"]), 2)
        self.assertEqual(len([r for r in rows["kfdscope.memory.bytes"] if "/node 1/device" in r]), 1)

    def test_the_new_metadata_format_is_named_with_its_conversion(self):
        folder = self.folder / "ctf2"
        folder.mkdir()
        (folder / "metadata").write_bytes(
            b'\x1e{"type":"preamble","version":2}\x1e{"type":"trace-class"}')
        trace, codes = self.check(folder, UNREADABLE)
        self.assertEqual((trace["opens"], codes), (False, {"ctf-2"}))
        self.assertIn("ctf-version", trace["findings"][0]["message"])

    def test_a_trace_without_our_events_says_so(self):
        trace = Trace()
        trace.event(1000, "somebody:else", [("x", "u32", 1)])
        trace.write(self.folder / "foreign")
        found, codes = self.check(self.folder / "foreign", UNREADABLE)
        self.assertIn("no-events", codes)
        self.assertFalse(found["opens"])

    def test_names_and_files_that_confuse_the_viewer_are_found(self):
        trace = Trace(contexts=("vpid", "vtid"))
        trace.event(1000, "kmt:hsaKmtGetVersion_entry", [("call", "u64", 1)])
        trace.event(1001, "hsa:hsa_init_entry", [("call", "u64", 1)])
        trace.write(self.folder / "odd")
        self.assertEqual(self.check(self.folder / "odd", PARTIAL)[1],
                         {"recording", "no-context", "claimed-by-rocm"})
        (self.folder / "odd" / "meta.json").write_text("{}")
        self.assertIn("foreign-file", self.check(self.folder / "odd", UNREADABLE)[1])

    @unittest.skipUnless(BIG_TRACE.exists(), "no generator")
    def test_five_million_events_are_checked_at_once(self):
        big = self.folder / "big"
        subprocess.run([BIG_TRACE, big, "5000000", "200000"],
                       check=True, stdout=subprocess.DEVNULL)
        trace, codes = self.check(big, DONE)
        self.assertEqual(codes, {"recording"})
        self.assertGreater(trace["stream_bytes"], 500_000_000)
        shutil.rmtree(big)


if __name__ == "__main__":
    main()
