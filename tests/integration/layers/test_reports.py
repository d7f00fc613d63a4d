# SPDX-License-Identifier: MIT
"""Leaks, queues and waits from ioctls alone: a client without any thunk, by exact numbers."""
import json
import subprocess
import unittest

from recorded import KFDSCOPE, PROGRAMS, Test


def functions(stack):
    return [frame.get("function") for frame in stack]


class IoctlsAlone(Test):
    """One recording serves all: nothing here changes it."""
    reports, texts = {}, {}

    def setUp(self):
        super().setUp()
        if not self.reports:
            path, done = self.record([f"{PROGRAMS}/layers_raw_reports"], "--system-thunk",
                                     "--model")
            type(self).pids = [int(word) for word in done.stdout.split()]
            for command in ("leaks", "queues", "waits"):
                out = subprocess.run([KFDSCOPE, command, "--json", "--top=0", path],
                                     capture_output=True, text=True, check=True).stdout
                self.reports[command] = json.loads(out)
            for command in ("leaks", "allocs"):
                self.texts[command] = subprocess.run([KFDSCOPE, command, path], check=True,
                                                     capture_output=True, text=True).stdout
        self.parent, self.child = self.pids

    def of(self, command, name, vpid):
        return [item for item in self.reports[command][name] if item["vpid"] == vpid]

    def one(self, command, name, vpid, function):
        found = [item for item in self.of(command, name, vpid)
                 if function in functions(item["stack"])]
        self.assertEqual(len(found), 1, (function, found))
        return found[0]

    def test_blocks_left_are_those_of_each_process(self):
        left = {vpid: sorted((g["blocks"], g["bytes"]) for g in self.of("leaks", "groups", vpid))
                for vpid in self.pids}
        # five small blocks, and three pages for each queue
        self.assertEqual(left[self.parent], [(5, 327680), (9, 36864)])
        self.assertEqual(left[self.child], [(2, 131072)])
        self.assertEqual(self.reports["leaks"]["left"], {"blocks": 16, "bytes": 495616})
        processes = {p["vpid"]: p for p in self.reports["leaks"]["processes"]}
        self.assertEqual(processes[self.parent]["freed"], {"blocks": 1, "bytes": 65536})
        self.assertEqual(processes[self.child]["freed"], {"blocks": 0, "bytes": 0})

    def test_no_thunk_is_named_where_there_is_none(self):
        for command, text in self.texts.items():
            self.assertIn("kernel  ALLOC_MEMORY_OF_GPU\n", text, command)
            self.assertNotIn("thunk   ", text, command)

    def test_stacks_go_through_a_library_without_frame_pointers(self):
        group = self.one("leaks", "groups", self.parent, "keep_five_of_six")
        way = [f for f in functions(group["stack"]) if f in
               ("take", "take_small", "take_through_library", "raw_library_call",
                "keep_five_of_six", "main")]
        self.assertEqual([f for f in way if f not in ("take", "take_small")],
                         ["raw_library_call", "take_through_library", "raw_library_call",
                          "keep_five_of_six", "main"])
        self.one("leaks", "groups", self.child, "keep_two_in_child")

    def test_queues_are_counted(self):
        processes = {p["vpid"]: p for p in self.reports["queues"]["processes"]}
        self.assertNotIn(self.child, processes)
        parent = processes[self.parent]
        self.assertEqual([parent[n] for n in ("created", "destroyed", "refused")], [3, 1, 1])
        outstanding = self.of("queues", "outstanding", self.parent)
        self.assertEqual(sorted(q["queue_id"] for q in outstanding), [0, 2])
        for queue in outstanding:
            self.assertEqual((queue["kind"], queue["ring_bytes"], queue["node_id"]),
                             ("copy", 4096, 1))
            self.assertIn("leave_two_of_three_queues", functions(queue["stack"]))
        refused, = self.of("queues", "refused", self.parent)
        self.assertEqual((refused["errno_name"], refused["kind"]), ("EINVAL", "copy"))
        census, = self.reports["queues"]["census"]
        self.assertEqual([census[n] for n in ("kind", "peak", "created", "destroyed", "alive")],
                         ["copy", 3, 3, 1, 2])

    def results(self, site):
        return {n: site[n] for n in ("succeeded", "timed_out", "failed", "already_signalled",
                                     "unknown_signals")}

    def test_waits_and_who_ended_them(self):
        processes = {p["vpid"]: p for p in self.reports["waits"]["processes"]}
        numbers = {vpid: [processes[vpid][n] for n in ("events_created", "events_destroyed",
                                                      "waits")] for vpid in self.pids}
        self.assertEqual(numbers, {self.parent: [4, 1, 8], self.child: [1, 0, 1]})
        plain = dict(succeeded=1, timed_out=0, failed=0, already_signalled=0, unknown_signals=0)
        for place in ("wait_for_any", "wait_for_both"):
            site = self.one("waits", "waits", self.parent, place)
            self.assertEqual((site["call"], self.results(site)), ("WAIT_EVENTS", plain))
            setter, = site["signalled_by"]
            self.assertEqual((setter["count"], setter["vtid"]), (1, self.parent))
            self.assertIn("signal_and_wait", functions(setter["stack"]))
        site = self.one("waits", "waits", self.parent, "wait_in_vain")
        self.assertEqual(self.results(site), {**plain, "succeeded": 0, "timed_out": 5})
        site = self.one("waits", "waits", self.parent, "wait_for_what_is_there")
        self.assertEqual(self.results(site), {**plain, "already_signalled": 1})
        site = self.one("waits", "waits", self.child, "wait_in_vain")
        self.assertEqual(self.results(site), {**plain, "succeeded": 0, "timed_out": 1})

    def test_sets_and_those_that_nobody_saw(self):
        sites = self.of("waits", "signals", self.parent)
        sums = {n: sum(s[n] for s in sites) for n in ("created", "destroyed", "sets_with_waiter",
                                                      "sets_without_waiter", "lost_sets")}
        self.assertEqual(sums, {"created": 4, "destroyed": 1, "sets_with_waiter": 3,
                                "sets_without_waiter": 3, "lost_sets": 2})
        self.assertTrue(all("make_event" in functions(s["stack"]) for s in sites))


if __name__ == "__main__":
    unittest.main(verbosity=2)
