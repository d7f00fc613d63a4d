# SPDX-License-Identifier: MIT
"""The HTML report of a real HIP program, clicked through in Chromium.

The environment names KFDSCOPE (the command), PROGRAM (examples/hip_leak) and SCREENSHOTS (a folder).
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import browser

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "unit" / "analysis"))
import ctf_trace  # noqa: E402  (the path above finds it)

KFDSCOPE, PROGRAM = os.environ["KFDSCOPE"], os.environ["PROGRAM"]
SCREENSHOTS = pathlib.Path(os.environ["SCREENSHOTS"])

# How many colours a chart's canvas shows: one means that nothing was drawn.
COLORS = """
const seen = new Set();
for (const canvas of document.querySelectorAll("#" + arguments[0] + " canvas")) {
	const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
	for (let i = 0; i < data.length; i += 4)
		if (data[i + 3])
			seen.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
}
return seen.size;
"""
CHARTS = ("chart-nodes", "chart-sites", "lanes-queues", "lanes-waits")
WINDOWS = "return window.kfdscopeCharts.map(c => c.xAxisRange())"


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          timeout=120, check=False)
    if done.returncode:
        raise RuntimeError(f"{command}: {done.returncode}\n{done.stderr}")
    return done.stdout


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="kfdscope-page-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.recording = cls.folder / "recording"
        run(KFDSCOPE, "record", "-o", cls.recording, "--model", "--", PROGRAM)
        cls.page = cls.folder / "report.html"
        run(KFDSCOPE, "report", "-o", cls.page, cls.recording)
        cls.data = json.loads(run(KFDSCOPE, "report", "--json", cls.recording))
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        cls.browser = browser.Browser()
        cls.browser.__enter__()
        cls.addClassCleanup(cls.browser.__exit__)

    def setUp(self):
        self.browser.open(self.page)
        self.assertEqual(self.browser.run("return document.body.dataset.ready"), "1")

    def tearDown(self):
        self.assertEqual(self.browser.complaints(), [])
        self.browser.screenshot(SCREENSHOTS / f"{self.id().split('.')[-1]}.png")

    def text(self, selector):
        return self.browser.run("return document.querySelector(arguments[0]).innerText", selector)

    def test_file_needs_nothing_else(self):
        # Addresses may stand in comments of the chart library; nothing may be loaded from one.
        page = self.page.read_text()
        self.assertEqual(re.findall(r"<(?:script|img|iframe|link)[^>]*(?:src|href)=", page), [])
        loaded = self.browser.run("return performance.getEntriesByType('resource').map(e => e.name)")
        self.assertEqual(loaded, [])

    def test_findings_come_first_and_name_the_leak(self):
        first = self.browser.run("return document.querySelector('main > section').id")
        self.assertEqual(first, "summary")
        self.assertEqual(self.browser.run(
            "return [...document.querySelectorAll('#findings a')].map(a => a.textContent)"),
            [finding["text"] for finding in self.data["summary"]])
        leaked = self.data["leaks"]["layers"]["application"]
        self.assertGreater(leaked["bytes"], 0)
        self.assertIn(f"{leaked['bytes']} bytes", self.text("#findings"))

    def test_no_chart_is_empty(self):
        for chart in CHARTS:
            points = self.browser.run("return Number(document.getElementById(arguments[0])"
                                      ".dataset.points)", chart)
            self.assertGreater(points, 0, chart)
            self.assertGreater(self.browser.run(COLORS, chart), 1, chart)
        # The program uses no counters: the page says so in words.
        self.assertEqual(self.text("#lanes-counters"), "No counter was used in this recording.")

    def test_dragging_zooms_all_charts_together(self):
        whole = self.browser.run(WINDOWS)
        self.browser.drag("#chart-nodes canvas:last-of-type", 0.5, 0.7)
        zoomed = self.browser.run(WINDOWS)
        self.assertEqual(len({tuple(window) for window in zoomed}), 1, zoomed)
        self.assertLess(zoomed[0][1] - zoomed[0][0], (whole[0][1] - whole[0][0]) / 3)
        self.browser.drag("#lanes-queues canvas:last-of-type", 0.4, 0.8)
        again = self.browser.run(WINDOWS)
        self.assertEqual(len({tuple(window) for window in again}), 1, again)
        self.assertLess(again[0][1] - again[0][0], zoomed[0][1] - zoomed[0][0])
        self.browser.click("#zoom-out")
        self.assertEqual(self.browser.run(WINDOWS), whole)

    def test_a_part_of_the_recording_is_shown_alone(self):
        recorded = self.data["recording"]
        seconds = (recorded["end_ns"] - recorded["begin_ns"]) / 1e9
        limits = (f"--begin=+{seconds / 4:.9f}", f"--end=+{seconds / 2:.9f}")
        part = self.folder / "part.html"
        run(KFDSCOPE, "report", *limits, "-o", part, self.recording)
        window = json.loads(run(KFDSCOPE, "report", *limits, "--json", self.recording))["window"]
        self.browser.open(part)
        self.assertIn("Only what happened from +", self.text("#recording"))
        ranges = self.browser.run(WINDOWS)
        self.assertGreater(len(ranges), 0)
        for shown in ranges:
            for edge, name in zip(shown, ("begin_ns", "end_ns")):
                self.assertAlmostEqual(edge, (window[name] - recorded["begin_ns"]) / 1e9, places=6)

    def test_stack_of_the_leak_unfolds(self):
        frames = "#leak-table details ol"
        self.assertFalse(self.browser.run(
            "return document.querySelector(arguments[0]).checkVisibility()", frames))
        self.browser.click("#leak-table summary")
        self.assertTrue(self.browser.run(
            "return document.querySelector(arguments[0]).checkVisibility()", frames))
        stack = self.text(frames)
        for words in ("hsaKmtAllocMemory", "hipMalloc", "hip_leak.cpp:"):
            self.assertIn(words, stack)

    def test_every_section_has_content(self):
        for section in ("memory", "leaks", "shares", "lanes", "failures", "processes", "losses"):
            self.browser.click(f"nav a[href='#{section}']")
            lines = self.text(f"#{section}").splitlines()
            self.assertGreater(len([line for line in lines if line.strip()]), 1, section)

    def test_tables_sort_by_numbers(self):
        self.browser.click("#runtime-leaks summary")
        column = ("return [...document.querySelectorAll('#runtime-table tbody tr')]"
                  ".map(r => parseInt(r.children[arguments[0]].textContent))")
        self.browser.click("#runtime-table th:nth-child(2)")
        blocks = self.browser.run(column, 1)
        self.assertEqual(blocks, sorted(blocks, reverse=True))
        self.browser.click("#runtime-table th:nth-child(1)")
        sizes = self.browser.run(column, 0)
        self.assertEqual(sizes, sorted(sizes, reverse=True))
        self.assertGreater(len(sizes), 3)
        self.browser.press("#runtime-table th:nth-child(1) button", "\ue007")
        self.assertEqual(self.browser.run(column, 0), sorted(sizes))
        self.assertEqual(self.browser.run(
            "return [...document.querySelectorAll('#runtime-table th')].map(h => h.ariaSort)")[:2],
            ["ascending", None])

    def test_a_narrow_window_scrolls_tables_not_the_page(self):
        for width in (360, 700):
            self.browser.size(width, 900)
            self.browser.open(self.page)
            wide, inner = self.browser.run("const e = document.documentElement;"
                                           "return [e.scrollWidth, e.clientWidth]")
            self.assertLessEqual(wide, inner)
        self.browser.size(1200, 1600)

    def test_labels_of_charts_are_on_one_line_and_in_one_unit(self):
        units = ("return [...document.querySelectorAll('#chart-nodes .dygraph-axis-label-x')]"
                 ".map(l => l.textContent)")
        for zoom in (False, True):
            if zoom:
                self.browser.drag("#chart-nodes canvas:last-of-type", 0.4, 0.41)
            labels = self.browser.run(units)
            self.assertGreater(len(labels), 2)
            self.assertEqual(len(set(labels)), len(labels))
            self.assertEqual(len({label.split()[1] for label in labels}), 1, labels)
        heights = self.browser.run("return [...document.querySelectorAll('.dygraph-axis-label')]"
                                   ".map(l => l.getClientRects().length && l.scrollHeight)")
        self.assertLess(max(heights), 40)

    def test_the_curves_of_nodes_are_named_without_a_mouse(self):
        names = self.text("#node-names")
        for node in self.data["memory"][0]["nodes"]:
            self.assertIn(f"node {node['node_id']}", names)

    def write_page(self, name, trace):
        trace.write(self.folder / name)
        run(KFDSCOPE, "report", "-o", self.folder / f"{name}.html", self.folder / name)
        self.browser.open(self.folder / f"{name}.html")

    def test_long_tables_show_their_beginning_first(self):
        trace = ctf_trace.Trace()
        program = ctf_trace.Program(trace)
        for i in range(120):
            program.alloc(1000 + 1000 * i, 4096 * (1 + i % 7), 0x10000 * (i + 1), i + 1,
                          stack=(0x1000 + i,))
        self.write_page("long", trace)
        rows = ("return [...document.querySelectorAll('#leak-table tbody tr')]"
                ".map(r => parseInt(r.children[0].textContent))")
        self.assertEqual(self.browser.run(rows), [4096 * 7] * 17 + [4096 * 6] * 17 +
                         [4096 * 5] * 16)
        self.browser.click("#leak-table th:nth-child(1)")  # largest first again
        self.browser.click("#leak-table th:nth-child(1)")
        self.assertEqual(set(self.browser.run(rows)), {4096, 8192, 12288})  # of all rows
        self.assertEqual(self.text("#leak-table .more"), "Show all 120")
        self.browser.click("#leak-table .more")
        self.assertEqual(len(self.browser.run(rows)), 120)
        self.assertIsNone(self.browser.run("return document.querySelector('#leak-table .more')"))

    def test_names_of_many_lanes_can_be_read(self):
        trace = ctf_trace.Trace()
        program = ctf_trace.Program(trace)
        for i in range(200):
            program.queue(1000 + 1000 * i, 0x10000 * (i + 1))
        self.write_page("lanes", trace)
        tops = sorted(self.browser.run(
            "return [...document.querySelectorAll('#lanes-queues .dygraph-axis-label-y')]"
            ".map(l => l.getBoundingClientRect().top)"))
        self.assertGreater(len(tops), 20)
        self.assertGreater(min(b - a for a, b in zip(tops, tops[1:])), 14)

    def test_a_recording_without_calls_is_not_called_clean(self):
        trace = ctf_trace.Trace()
        program = ctf_trace.Program(trace)
        program.schema(1000)
        program.exiting(2000)
        self.write_page("nothing", trace)
        findings = self.text("#findings")
        self.assertIn("No call of the library was recorded", findings)
        self.assertNotIn("given back", findings)
        self.assertFalse(self.browser.run(
            "return document.getElementById('process').checkVisibility()"))

    def test_keys_zoom_move_and_show_all(self):
        whole = self.browser.run(WINDOWS)
        self.browser.press("#chart-nodes", "+")
        zoomed = self.browser.run(WINDOWS)
        self.assertEqual(len({tuple(window) for window in zoomed}), 1, zoomed)
        self.assertAlmostEqual((zoomed[0][1] - zoomed[0][0]) * 2, whole[0][1] - whole[0][0], 6)
        self.browser.press("#lanes-queues", "\ue014")
        moved = self.browser.run(WINDOWS)
        self.assertGreater(moved[0][0], zoomed[0][0])
        self.browser.press("#lanes-queues", "0")
        self.assertEqual(self.browser.run(WINDOWS), whole)


if __name__ == "__main__":
    if not browser.is_there():
        print("chromium and chromedriver are not installed")
        sys.exit(77)
    unittest.main(verbosity=2)
