# SPDX-License-Identifier: MIT
"""--begin and --end: what is summed up is of that time alone, in each command and section.

    test_window_sums.py KFDSCOPE

A program does the same once a second, three times. Each second has the same sums, and the whole has
three times as much.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from ctf_trace import CLOCK_OFFSET, Program, Trace

KFDSCOPE = sys.argv.pop(1)
SECOND = 10**9
KEPT_QUEUE = 0x9000
DONE = (("ctx", "u32", 0), ("status", "u32", 0), ("os_errno", "i32", 0))


class Client(Program):
    def call(self, time, name, *fields, exit_fields=DONE, length=100, inside=()):
        """One API call; inside: an ioctl's name, result and errno."""
        self.calls += 1
        number = self.calls
        self.fire(time, f"kmt:{name}_entry", ("call", "u64", number), ("ctx", "u32", 0), *fields)
        if inside:
            ioctl, ret, errno = inside
            self.ioctls += 1
            self.fire(time + 1, f"kfd:{ioctl}_entry", ("call", "u64", self.ioctls),
                      ("api_call", "u64", number))
            self.fire(time + 2, f"kfd:{ioctl}_exit", ("call", "u64", self.ioctls),
                      ("api_call", "u64", number), ("ret", "i32", ret), ("os_errno", "i32", errno))
        self.fire(time + length, f"kmt:{name}_exit", ("call", "u64", number), *exit_fields)

    def event(self, time, number):
        """Made, set twice without a waiter, waited for, destroyed but for the last."""
        self.call(time, "hsaKmtCreateEvent", ("bt", "seq u64", (0x5001,)),
                  exit_fields=(*DONE, ("Event_EventId", "u32", number),
                               ("Event_EventType", "u32", 0)))
        for step in (1000, 2000):
            self.call(time + step, "hsaKmtSetEvent", ("Event_id", "u64", number))
        self.call(time + 3000, "hsaKmtResetEvent", ("Event_id", "u64", number))
        self.call(time + 4000, "hsaKmtWaitOnEvent", ("Event_id", "u64", number),
                  ("Milliseconds", "u32", 1000), ("bt", "seq u64", (0x6001,)), length=2 * 10**6)
        if number < 3:
            self.call(time + 3 * 10**6, "hsaKmtDestroyEvent", ("Event_id", "u64", number))

    def one_queue(self, time, number):
        self.queue(time, 0x1000)
        self.fire(time + 100, "kmt_queue:sample", ("queue_id", "u32", 4), ("gpu_id", "u32", 77),
                  ("ring_va", "u64", 0x5000), ("ring_size_bytes", "u64", 4096),
                  ("indices_valid", "u8", 1), ("pending", "u64", 7 + number), ("looks", "u64", 5),
                  ("busy_looks", "u64", 2), ("packets_valid", "u8", 1),
                  ("kernel_dispatches", "u64", 6))
        self.call(time + 1000, "hsaKmtDestroyQueue", ("QueueId", "u64", 0x1000))

    def tell(self, time, name, number, **values):
        names = ("gpu_id", "node", "address", "size_bytes", "from", "to", "trigger", "is_write",
                 "is_migrated")
        values = {"gpu_id": 77, "node": 77, "address": 0x10000, "size_bytes": 4096, **values}
        self.fire(time, f"kmt_smi:{name}", ("number", "u32", number),
                  *((field, "u64", values.get(field, 0)) for field in names))

    def driver(self, time):
        self.tell(time, "queue_eviction", 9)
        self.tell(time + 1000, "queue_restore", 10)
        self.tell(time + 2000, "migrate_start", 5, to=77)
        self.tell(time + 3000, "migrate_end", 6, to=77)
        self.tell(time + 4000, "page_fault_start", 7, is_write=1)
        self.tell(time + 5000, "page_fault_end", 8, is_migrated=1)
        self.tell(time + 6000, "unmap_from_gpu", 11)

    def memory(self, time, number):
        """4 KiB are kept, 64 KiB are freed at once, and freed again."""
        self.alloc(time, 4096, 0x100000 + 0x1000 * number, 10 + number)
        self.alloc(time + 1000, 65536, 0x200000, 20 + number, stack=(0x1002, 0x2002))
        self.free(time + 2000, 0x200000, 20 + number)
        self.calls += 1
        self.fire(time + 3000, "kmt:hsaKmtFreeMemory_entry", ("call", "u64", self.calls),
                  ("ctx", "u32", 0), ("MemoryAddress", "u64", 0x200000),
                  ("SizeInBytes", "u64", 0), ("bt", "seq u64", (0x3001,)))
        self.fire(time + 3100, "kmt:hsaKmtFreeMemory_exit", ("call", "u64", self.calls),
                  ("ctx", "u32", 0), ("status", "u32", 2), ("os_errno", "i32", 0))

    def others(self, time):
        self.call(time, "hsaKmtGetClockCounters", ("NodeId", "u32", 1),
                  inside=("GET_CLOCK_COUNTERS", -1, 22))
        self.call(time + 1000, "hsaKmtSVMSetAttr", ("start_addr", "u64", 0x200000),
                  ("size", "u64", 4096), ("nattr", "u32", 1), ("attrs_type", "seq u32", (5,)),
                  ("attrs_value", "seq u32", (3,)))


def recording():
    trace = Trace()
    client = Client(trace)
    client.schema(500)
    client.fire(600, "kmt_smi:stream", ("gpu_id", "u32", 77), ("fd", "i32", 5),
                ("os_errno", "i32", 0))
    client.queue(700, KEPT_QUEUE)
    for number in (1, 2, 3):
        base = number * SECOND
        client.memory(base, number)
        client.others(base + 10**4)
        client.driver(base + 10**5)
        client.one_queue(base + 10**6, number)
        client.event(base + 2 * 10**6, number)
    client.exiting(4 * SECOND)
    return trace


WINDOWS = [(), *((f"--begin=+{n - 0.5}", f"--end=+{n + 0.5}") for n in (1, 2, 3))]


class Sums(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.trace = os.path.join(cls.folder, "trace")
        recording().write(cls.trace)
        cls.known = {}

    def run_command(self, command, *options):
        done = subprocess.run([KFDSCOPE, command, *options, self.trace], capture_output=True,
                              text=True, timeout=60, check=False, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def reports(self, command):
        """The whole report, and those of each second."""
        if command not in self.known:
            self.known[command] = [json.loads(self.run_command(command, "--json", "--top=0",
                                                               *window)) for window in WINDOWS]
        return self.known[command]

    def check(self, command, find, whole, each):
        """find(report) gives whole of the recording, and each of every second."""
        reports = self.reports(command)
        self.assertEqual(find(reports[0]), whole)
        for report in reports[1:]:
            self.assertEqual(find(report), each)

    def check_both(self, command, part, find, whole, each):
        """The same in the command and in the page's data."""
        self.check(command, find, whole, each)
        self.check("report", lambda report: find(report[part]), whole, each)

    def test_waits_are_of_the_window(self):
        def waits(report):
            [site] = report["waits"]
            return site["succeeded"], site["duration"]["count"], site["duration"]["total_ns"]
        self.check_both("waits", "waits", waits, (3, 3, 6 * 10**6), (1, 1, 2 * 10**6))
        for number, report in enumerate(self.reports("waits")[1:], 1):
            self.assertEqual(report["waits"][0]["longest_since_ns"] // SECOND,
                             CLOCK_OFFSET // SECOND + number)

    def test_signals_are_of_the_window(self):
        def signals(report):
            [site] = report["signals"]
            return (site["created"], site["destroyed"], site["sets_without_waiter"],
                    site["lost_sets"], site["without_waiter_ns"])
        whole, first, second, third = (signals(r) for r in self.reports("waits"))
        self.assertEqual(whole, (3, 2, 6, 6, 600))
        self.assertEqual((first, second, third),
                         ((1, 1, 2, 2, 200), (1, 1, 2, 2, 200), (1, 0, 2, 2, 200)))

    def test_processes_count_events_of_the_window_and_those_alive_at_its_end(self):
        def events(report):
            [process] = report["processes"]
            return (process["events_created"], process["events_destroyed"],
                    process["events_alive"], process["waits"])
        self.assertEqual([events(r) for r in self.reports("waits")],
                         [(3, 2, 1, 3), (1, 1, 0, 1), (1, 1, 0, 1), (1, 0, 1, 1)])

    def test_a_window_without_a_call_has_no_row(self):
        quiet = ("--begin=+1.6", "--end=+1.9")
        report = json.loads(self.run_command("waits", "--json", *quiet))
        self.assertEqual((report["waits"], report["signals"], report["findings"]), ([], [], 0))
        report = json.loads(self.run_command("queues", "--json", *quiet))
        [census] = report["census"]
        self.assertEqual((census["created"], census["destroyed"], census["alive"],
                          census["peak"]), (0, 0, 1, 1))
        self.assertEqual(census["peak_ns"], report["window"]["begin_ns"])
        self.assertEqual([share["count"] for share in census["at_peak"]], [1])
        self.assertEqual((report["queue_activity"], report["eviction_spans"]), ([], []))
        [process] = json.loads(self.run_command("allocs", "--json", *quiet))["processes"]
        self.assertEqual((process["live"]["bytes"], process["peak_bytes"], process["freed"]["bytes"]),
                         (4096, 4096, 0))

    def test_queues_are_counted_in_the_window(self):
        def census(report):
            [row] = report["census"]
            return row["created"], row["destroyed"], row["alive"], row["peak"]
        self.check_both("queues", "queues", census, (4, 3, 1, 2), (1, 1, 1, 2))

        def process(report):
            [row] = report["processes"]
            return row["created"], row["destroyed"]
        self.check_both("queues", "queues", process, (4, 3), (1, 1))
        for number, report in enumerate(self.reports("queues")[1:], 1):
            [row] = report["census"]
            self.assertEqual(row["peak_ns"] // SECOND, CLOCK_OFFSET // SECOND + number)
            self.assertEqual(sum(share["count"] for share in row["at_peak"]), 2)

    def test_activity_is_of_the_window(self):
        def activity(report):
            rows = report["queue_activity"]
            return (sum(row["looks"] for row in rows), sum(row["busy_looks"] for row in rows),
                    sum(row["packets"]["submitted"] for row in rows))
        self.check_both("queues", "queues", activity, (15, 6, 18), (5, 2, 6))
        self.assertEqual([report["queue_activity"][0]["peak_pending"]
                          for report in self.reports("queues")[1:]], [8, 9, 10])

    def test_driver_events_are_of_the_window(self):
        def evictions(report):
            return len(report["eviction_spans"]), report["evictions_count"]
        self.check_both("queues", "queues", evictions, (3, 3), (1, 1))

        def memory(report):
            return tuple((row["count"], row.get("total_ns"), row.get("bytes"))
                         for name in ("migrations", "page_faults", "unmaps")
                         for row in report[name])
        self.check("svm", memory, ((3, 3000, 12288), (3, 3000, None), (3, None, 12288)),
                   ((1, 1000, 4096), (1, 1000, None), (1, None, 4096)))
        self.check("svm", lambda r: [len(row["calls"]) for row in r["ranges"]], [3], [1])

    def test_failures_are_of_the_window(self):
        def recovered(report):
            return sum(row["count"] for row in report["recovered"])
        self.check_both("failures", "failures", recovered, 3, 1)

    def test_memory_is_of_the_window(self):
        def places(report):
            return sorted((row["taken"], row["taken_bytes"], row["ended"], row["temporary"],
                           row["own_peak_bytes"]) for row in report["places"])
        reports = self.reports("allocs")
        self.assertEqual(places(reports[0]), [(3, 12288, 0, 0, 12288), (3, 196608, 3, 3, 65536)])
        for number, report in enumerate(reports[1:], 1):
            self.assertEqual(places(report), [(1, 4096, 0, 0, 4096 * number),
                                              (1, 65536, 1, 1, 65536)])
            [process] = report["processes"]
            self.assertEqual((process["live"], process["freed"], process["peak_bytes"]),
                             ({"blocks": number, "bytes": 4096 * number},
                              {"blocks": 1, "bytes": 65536}, 65536 + 4096 * number))
            self.assertEqual(process["peak_ns"] // SECOND, CLOCK_OFFSET // SECOND + number)
            self.assertEqual([f["count"] for f in report["bad_frees"]], [1])
            [leaking] = self.reports("leaks")[number]["processes"]
            self.assertEqual((leaking["peak_bytes"], leaking["peak_ns"], leaking["freed"]),
                             (process["peak_bytes"], process["peak_ns"], process["freed"]))

    def test_a_place_that_holds_memory_is_there_although_it_takes_none(self):
        report = json.loads(self.run_command("allocs", "--json", "--begin=+3.5"))
        [place] = report["places"]
        self.assertEqual((place["taken"], place["live"]["bytes"], place["own_peak_bytes"]),
                         (0, 12288, 12288))

    def test_points_of_the_page_are_in_the_window(self):
        for number, report in enumerate(self.reports("report")[1:], 1):
            begin = report["window"]["begin_ns"] - report["recording"]["begin_ns"]
            end = report["window"]["end_ns"] - report["recording"]["begin_ns"]
            [memory] = report["memory"]
            lists = [memory["total"], *(node["points"] for node in memory["nodes"]),
                     *(site["points"] for site in memory["sites"])]
            self.assertEqual(len(lists), 4)
            for points in lists:
                self.assertEqual(points[0][0], begin)
                self.assertTrue(all(begin <= time <= end for time, _ in points))
            self.assertEqual(memory["total"][0], [begin, 4096 * (number - 1)])
            self.assertEqual(memory["total"][-1][1], 4096 * number)
            self.assertEqual(memory["peak_bytes"], 65536 + 4096 * number)

    def test_lanes_of_the_page_are_in_the_window(self):
        def lanes(report):
            return {name: [len(lane["bars"]) for lane in report["lanes"][name]["lanes"]]
                    for name in ("queues", "waits", "counters")}
        self.check("report", lanes, {"queues": [1, 1, 1, 1], "waits": [3], "counters": []},
                   {"queues": [1, 1], "waits": [1], "counters": []})

    def test_summary_of_the_page_is_of_the_window(self):
        def bad(report):
            return {f["text"] for f in report["summary"] if f["level"] == "bad"}
        reports = self.reports("report")
        self.assertIn("The application did not give back 12288 bytes (12.0 KiB) in 3 blocks.",
                      bad(reports[0]))
        for report in reports[1:]:
            self.assertIn("The application did not give back 4096 bytes (4.0 KiB) in 1 block.",
                          bad(report))
        late = json.loads(self.run_command("report", "--json", "--begin=+3.5"))
        self.assertEqual(bad(late), set())
        self.assertEqual(late["findings"], 0)

    def test_text_has_the_numbers_of_the_window(self):
        window = WINDOWS[2]
        for command, words in (
                ("waits", ("1 wait by hsaKmtWaitOnEvent", "1 wait; 1 event made, 1 destroyed, 0 alive",
                           "2 sets of events made")),
                ("queues", ("2 compute queues at the peak", "1 made, 1 destroyed, 1 alive",
                            "1 queue made, 1 destroyed", "had work in 2 of 5 samples",
                            "6 packets submitted")),
                ("allocs", ("73728 bytes (72.0 KiB)",)),
                ("svm", ("1 migration", "1 page fault")),
                ("failures", ("GET_CLOCK_COUNTERS",)),
                ("leaks", ("73728 bytes (72.0 KiB) were live at the peak",
                           "65536 bytes (64.0 KiB) in 1 block was freed"))):
            text = self.run_command(command, *window)
            self.assertIn("Only this is reported: what happened from +1.500000 s until +2.500000 s.\n",
                          text)
            for word in words:
                self.assertIn(word, text, command)
            self.assertNotIn("Only this is reported", self.run_command(command))


if __name__ == "__main__":
    unittest.main()
