# SPDX-License-Identifier: MIT
"""U47: allocation, mapping or free takes tens of milliseconds."""
from case import Case, functions, main

SLOW_NS = 60_000_000
# The eighth GPU: nodes 0 and 1 are processors.
SLOW, GPUS = 9, tuple(range(2, 10))
SCENARIO = {"ioctls": [{"ioctl": "MAP_MEMORY_TO_GPU", "node": SLOW, "delay_us": 60000}]}


class U47(Case):
    def test_the_slow_node_and_who_waits_for_it_are_found(self):
        recording = self.record("u47", topology="gfx942x8", scenario=SCENARIO)
        self.assertRecorded(recording)
        calls = {c["name"]: c for c in self.report("latency", recording)["calls"]}
        mapped = calls["hsaKmtMapMemoryToGPUNodes"]
        self.assertEqual((mapped["count"], mapped["failed"], mapped["cut"]), (40, 0, 0))
        self.assertEqual(mapped["slow_nodes"], [SLOW], mapped["by_nodes"])
        by_nodes = {tuple(p["node_ids"]): p for p in mapped["by_nodes"]}
        slow, fast = by_nodes[GPUS], by_nodes[GPUS[:-1]]
        self.assertEqual((slow["count"], fast["count"]), (20, 20))
        self.assertGreaterEqual(slow["min_ns"], SLOW_NS)
        self.assertLess(fast["median_ns"], SLOW_NS)
        self.assertEqual(mapped["total_ns"], slow["total_ns"] + fast["total_ns"])
        for name in ("min_ns", "median_ns", "p99_ns", "max_ns"):
            self.assertGreater(mapped[name], 0)
        # What is not inside ioctls is the library's own time.
        inside = {i["name"]: i for i in mapped["inside"]}
        self.assertGreaterEqual(inside["MAP_MEMORY_TO_GPU"]["total_ns"], 20 * SLOW_NS)
        self.assertEqual(mapped["self_ns"],
                         mapped["total_ns"] - sum(i["total_ns"] for i in mapped["inside"]))
        slowest = mapped["slowest"][:20]
        self.assertEqual({call["nodes"] for call in slowest}, {" ".join(map(str, GPUS))})
        for call in slowest:
            self.assertGreaterEqual(call["duration_ns"], SLOW_NS)
            self.assertIn("map_everywhere", functions(call))
        self.assertEqual(calls["hsaKmtAllocMemory"]["count"], 40)
        self.assertEqual(calls["hsaKmtFreeMemory"]["count"], 40)
        text = self.text("latency", recording)
        self.assertIn("node 9 is slow", text)
        self.assertIn("map_everywhere", text)


if __name__ == "__main__":
    main()
