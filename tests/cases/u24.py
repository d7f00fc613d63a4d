# SPDX-License-Identifier: MIT
"""U24: the child of a fork inherits everything except a working driver."""
from case import Case, functions, main

MIB = 1 << 20


class U24(Case):
    def setUp(self):
        super().setUp()
        self.recording = self.record("u24")
        self.assertRecorded(self.recording)    # no deadlock: the client's watchdog did not bite
        self.parent, self.child = [int(word) for word in self.recording.stdout.split()]

    def test_the_first_call_of_the_child_is_recorded_with_its_own_id(self):
        failures = self.report("failures", self.recording)["failures"]
        found = [(f["vpid"], f["call"], f["status"]) for f in failures
                 if f["call"] == "hsaKmtAllocMemory"]
        self.assertEqual(found, [(self.child, "hsaKmtAllocMemory", 20)])

    def test_the_blocks_of_the_parent_are_never_the_childs(self):
        report = self.report("leaks", self.recording)
        group, = report["groups"]
        self.assertEqual((group["vpid"], group["blocks"], group["bytes"]), (self.child, 1, MIB))
        self.assertIn("alloc_in_child", functions(group))
        processes = {p["vpid"]: p for p in report["processes"]}
        self.assertEqual(set(processes), {self.parent, self.child})
        self.assertEqual(processes[self.parent]["left"], {"blocks": 0, "bytes": 0})
        self.assertEqual(processes[self.parent]["freed"], {"blocks": 3, "bytes": 3 * MIB})
        self.assertEqual(processes[self.parent]["peak_bytes"], 3 * MIB)
        self.assertEqual(processes[self.child]["left"], {"blocks": 1, "bytes": MIB})
        self.assertEqual(processes[self.child]["freed"], {"blocks": 0, "bytes": 0})
        self.assertEqual(processes[self.child]["peak_bytes"], MIB)

    def test_the_report_shows_parent_and_child(self):
        processes = {p["vpid"]: p for p in self.report("leaks", self.recording)["processes"]}
        self.assertEqual(processes[self.child]["ppid"], self.parent)
        self.assertTrue(processes[self.child]["forked"])
        self.assertFalse(processes[self.parent]["forked"])
        self.assertIn(f"forked from pid {self.parent}", self.text("leaks", self.recording))

    def test_the_waiting_thread_went_on_in_the_parent_alone(self):
        waits = self.report("waits", self.recording)
        self.assertEqual([(w["vpid"], w["timed_out"]) for w in waits["waits"]],
                         [(self.parent, 1)])
        self.assertEqual(waits["open_waits"], [])


if __name__ == "__main__":
    main()
