# SPDX-License-Identifier: MIT
"""U33: counter access is exclusive and someone else has it."""
from case import Case, main
from counter_trace import MS, CounterTrace

COUNTERS = [(14, 5), (14, 6), (18, 9)]  # SQ, SQ, TCC
A, B = 10, 20


class U33(Case):
    def run_of_a(self, trace):
        trace.register(1 * MS, 0xA0, COUNTERS, vpid=A)
        trace.on_node(2 * MS, "AcquireTraceAccess", 0xA0, vpid=A)
        trace.start(3 * MS, 0xA0, vpid=A)
        for i in range(3):
            trace.query((4 + i) * MS, 0xA0, [100 + i, 200 + i, 300 + i], vpid=A)

    def end_of_a(self, trace):
        for i in range(2):
            trace.query((14 + i) * MS, 0xA0, [110 + i, 210 + i, 310 + i], vpid=A)
        trace.stop(20 * MS, 0xA0, vpid=A)
        trace.on_node(21 * MS, "ReleaseTraceAccess", 0xA0, vpid=A)
        trace.on_node(22 * MS, "UnregisterTrace", 0xA0, vpid=A)

    def test_a_refused_attempt_names_the_holder(self):
        trace = CounterTrace()
        self.run_of_a(trace)
        trace.register(10 * MS, 0xB0, COUNTERS, vpid=B)
        trace.on_node(11 * MS, "AcquireTraceAccess", 0xB0, status=12, errno=16, vpid=B)
        self.end_of_a(trace)
        trace.on_node(30 * MS, "AcquireTraceAccess", 0xB0, vpid=B)
        trace.start(31 * MS, 0xB0, vpid=B)
        trace.stop(32 * MS, 0xB0, vpid=B)
        trace.on_node(33 * MS, "ReleaseTraceAccess", 0xB0, vpid=B)
        report = self.report("counters", trace.write(self.folder))
        first, second = report["runs"]
        self.assertEqual((first["vpid"], first["node_id"], first["queries"], first["bytes"]),
                         (A, 1, 5, 5 * 3 * 8))
        self.assertEqual([(c["block"], c["id"]) for c in first["counters"]],
                         [("SQ", 5), ("SQ", 6), ("TCC", 9)])
        times = [first[name + "_ns"] for name in ("registered", "acquired", "started", "stopped",
                                                  "released", "unregistered")]
        self.assertEqual(times, sorted(times))
        refused, = report["refused"]
        self.assertEqual((refused["vpid"], refused["status_name"], refused["errno_name"],
                          refused["node_id"]), (B, "UNAVAILABLE", "EBUSY", 1))
        self.assertEqual((refused["held_by"]["vpid"], refused["held_by"]["run"],
                          refused["held_by"]["since_ns"]), (A, 1, first["acquired_ns"]))
        # The later run of B is clean.
        self.assertEqual((second["vpid"], second["open"], second["warnings"]), (B, False, []))
        self.assertEqual(report["overlaps"], [])

    def test_without_enforcement_runs_overlap_and_an_open_one_is_listed(self):
        trace = CounterTrace()
        self.run_of_a(trace)
        trace.register(10 * MS, 0xB0, COUNTERS, vpid=B)
        trace.on_node(11 * MS, "AcquireTraceAccess", 0xB0, vpid=B)
        self.end_of_a(trace)
        report = self.report("counters", trace.write(self.folder))
        overlap, = report["overlaps"]
        self.assertEqual((overlap["first_run"], overlap["second_run"], overlap["node_id"],
                          overlap["length_ns"]), (1, 2, 1, 10 * MS))
        self.assertEqual([run["open"] for run in report["runs"]], [False, True])


if __name__ == "__main__":
    main()
