# SPDX-License-Identifier: MIT
"""U34: counters read as zero."""
from case import Case, main
from counter_trace import MS, CounterTrace

COUNTERS = [(14, 5), (14, 6), (18, 9)]


class U34(Case):
    def test_refused_zero_and_decreasing(self):
        trace = CounterTrace()
        trace.schema(1000, 3)
        trace.register(1 * MS, 0xA0, COUNTERS)
        trace.start(2 * MS, 0xA0, status=1, errno=13)
        trace.on_node(3 * MS, "UnregisterTrace", 0xA0)
        trace.register(4 * MS, 0xA0, COUNTERS)
        trace.start(5 * MS, 0xA0)
        for i in range(5):
            trace.query((6 + i) * MS, 0xA0, [0, 50 + i, 0])
        trace.stop(11 * MS, 0xA0)
        trace.on_node(12 * MS, "UnregisterTrace", 0xA0)
        trace.register(13 * MS, 0xA0, COUNTERS)
        trace.start(14 * MS, 0xA0)
        for i, value in enumerate((10, 30, 20)):
            trace.query((15 + i) * MS, 0xA0, [value, 60 + i, 70 + i])
        trace.stop(18 * MS, 0xA0)
        trace.on_node(19 * MS, "UnregisterTrace", 0xA0)
        report = self.report("counters", trace.write(self.folder))
        refused, = report["refused"]
        self.assertEqual((refused["status_name"], refused["errno_name"],
                          refused["perf_event_paranoid"], refused["run"]),
                         ("ERROR", "EACCES", 3, 1))
        _, zero, down = report["runs"]
        self.assertEqual([(c["block"], c["id"], c["zeros"], c["queries"])
                          for c in zero["counters"]],
                         [("SQ", 5, 5, 5), ("SQ", 6, 0, 5), ("TCC", 9, 5, 5)])
        self.assertEqual(len(zero["warnings"]), 2)
        for warning, name in zip(zero["warnings"], ("SQ 5", "TCC 9")):
            self.assertIn(f"counter {name} was zero in 5 of 5 queries", warning)
        self.assertEqual(len(zero["values"]), 5 * 3)
        self.assertEqual([row["value"] for row in zero["values"][:3]], [0, 50, 0])
        warning, = down["warnings"]
        self.assertIn("SQ 5 went down", warning)
        self.assertEqual([c["decreases"] for c in down["counters"]], [1, 0, 0])


if __name__ == "__main__":
    main()
