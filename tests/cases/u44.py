# SPDX-License-Identifier: MIT
"""U44: what tracing costs: nothing is lost, and depth and call filters take off what they should.

Times are what tests/bench/overhead measures; no test depends on them.
"""
import collections
import os
import pathlib
import re

from case import LIBRARIES, Case, main

BUILD = LIBRARIES.parent
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
QUERIES, PAIRS = 1600, 160     # shared by 16 threads without rest
MODES = {
    "events only": ["--stacks=none"],
    "memory calls, depth 8": ["--stacks=memory", "--stack-depth=8"],
    "full stacks": ["--stacks=all", "--stack-depth=64"],
}
CALLS = {"hsaKmtQueryPointerInfo": QUERIES, "hsaKmtAllocMemory": PAIRS + 1,
         "hsaKmtFreeMemory": PAIRS + 1}
ENTRY = re.compile(r" kmt:(\w+)_entry: .*?\bbt = \[(.*?)\]?, bt_truncated = (\d)")


class U44(Case):
    def recorded(self, mode, threads):
        """{call: {frames of its stack: how often}} and the bytes of the trace."""
        recording = self.record(BUILD / "bin/bench_overhead", "--threads", threads, "--queries",
                                QUERIES, "--pairs", PAIRS, options=MODES[mode])
        self.assertRecorded(recording)
        done = self.run_command("babeltrace2", recording.path)
        depths = collections.defaultdict(collections.Counter)
        for line in done.stdout.splitlines():
            match = ENTRY.search(line)
            if match and match[1] in CALLS:
                depths[match[1]][match[2].count("] = ")] += 1
        size = sum(file.stat().st_size for file in pathlib.Path(recording.path).rglob("*")
                   if file.is_file())
        return depths, size

    def check_depths(self, depths, wanted):
        for call, count in CALLS.items():
            self.assertEqual(sum(depths[call].values()), count, call)
            low, high = wanted(call)
            frames = sorted(depths[call])
            self.assertTrue(low <= frames[0] and frames[-1] <= high, (call, depths[call]))

    def check_modes(self, threads):
        sizes = {}
        depths, sizes["events only"] = self.recorded("events only", threads)
        self.check_depths(depths, lambda call: (0, 0))
        depths, sizes["memory"] = self.recorded("memory calls, depth 8", threads)
        self.check_depths(depths, lambda call: (0, 0) if "Query" in call else (3, 8))
        self.assertEqual(max(depths["hsaKmtFreeMemory"]), 8)
        depths, sizes["full"] = self.recorded("full stacks", threads)
        # The loops run below 60 frames of the program's own; what comes before them does not.
        self.check_depths(depths, lambda call: (60, 64) if "Query" in call else (3, 64))
        self.assertGreater(sizes["full"], sizes["memory"] + 8 * 50 * QUERIES)
        self.assertGreater(sizes["memory"], sizes["events only"])

    def test_filters_take_off_stacks_and_nothing_is_lost(self):
        self.check_modes(1)

    def test_the_same_with_sixteen_threads(self):
        self.check_modes(16)

    def test_off_the_library_has_no_tracer(self):
        env = {**self.model_env(), "KFDSCOPE_STATUS": str(self.folder / "status")}
        env = {**env, "LD_LIBRARY_PATH": str(LIBRARIES)}
        self.assertNotIn("KFDSCOPE_PROVIDER", os.environ)
        done = self.run_command(BUILD / "bin/bench_overhead", "--queries", 1000, "--pairs", 100,
                                env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("provider=absent", (self.folder / "status").read_text())

    def test_the_table_is_published_with_its_machine(self):
        readme = (ROOT / "README.md").read_text()
        table = readme.split("## What it costs", 1)[1].split("\n## ", 1)[0]
        for row in ("untraced", "off", *MODES):
            self.assertEqual(len(re.findall(rf"^\| {row} +\|(?: *[\d.,]+ *\|){{8}}$", table,
                                            re.MULTILINE)), 1, row)
        self.assertIn("tests/bench/overhead", table)
        self.assertRegex(table, r"\d+ cores?")


if __name__ == "__main__":
    main()
