# SPDX-License-Identifier: MIT
"""Random steps of several threads and processes: reports must say what the programs counted themselves."""
import collections
import json

from case import Case, main

RING_BYTES = 4096  # of the one block that each thread is given by main()


class Walk(Case):
    timeout_s = 600

    def walk(self, seed, processes, threads, steps, topology):
        recording = self.record("walk", str(seed), str(processes), str(threads), str(steps),
                                topology=topology, options=("--blocking",))
        self.assertRecorded(recording)
        told = [json.loads(line) for line in recording.stdout.splitlines()]
        self.assertEqual(len(told), processes)
        return recording, {process["pid"]: process for process in told}

    def check(self, *walk):
        recording, processes = self.walk(*walk)
        self.check_leaks(self.report("leaks", recording), processes)
        self.check_places(self.report("allocs", recording), processes)
        self.check_calls(recording, processes)
        self.check_failures(self.report("failures", recording), processes)
        self.check_waits(self.report("waits", recording), processes)
        self.check_queues(self.report("queues", recording), processes)
        compared = self.report("diff", recording, recording)
        self.assertEqual(compared["total"]["change_bytes"], 0)
        self.assertEqual(compared["places"], [])
        return recording

    def site(self, group):
        for frame in group["stack"]:
            if frame.get("function", "").startswith("site_"):
                return group["vpid"], frame["function"], group["kind"], group["node_id"]
        return None

    def by_site(self, groups, numbers):
        sums = collections.defaultdict(lambda: [0] * len(numbers({})))
        for group in groups:
            site = self.site(group)
            if site:
                sums[site] = [a + b for a, b in zip(sums[site], numbers(group))]
        return dict(sums)

    def check_leaks(self, report, processes):
        expected = {(pid, *cell[:3]): cell[3:]
                    for pid, told in processes.items() for cell in told["left"]}
        self.assertEqual(self.by_site(report["groups"],
                                      lambda g: [g.get("blocks", 0), g.get("bytes", 0)]), expected)
        self.assertEqual({p["vpid"] for p in report["processes"]}, set(processes))
        for process in report["processes"]:
            told = processes[process["vpid"]]
            self.assertTrue(process["closed"])
            self.assertEqual(process["failed_frees"], told["failed_frees"])
            self.assertEqual(process["left"], {
                "blocks": told["threads"] + sum(cell[3] for cell in told["left"]),
                "bytes": told["threads"] * RING_BYTES + sum(cell[4] for cell in told["left"])})
            self.assertEqual(process["freed"], {  # an import that is closed is given back, too
                "blocks": told["freed_blocks"] + told["imports_closed"],
                "bytes": told["freed_bytes"] + told["import_bytes_closed"]})
            if told["threads"] == 1:  # otherwise only the order of all threads' steps tells
                self.assertEqual(process["peak_bytes"], told["peak_bytes"])
        for name, blocks, size in (("registrations", "ranges_left", "range_bytes_left"),
                                   ("imports", "imports_left", "import_bytes_left")):
            for pid, told in processes.items():
                groups = [group for group in report[name] if group["vpid"] == pid]
                self.assertEqual((sum(g["blocks"] for g in groups), sum(g["bytes"] for g in groups)),
                                 (told[blocks], told[size]), name)

    def check_places(self, report, processes):
        places = [place for place in report["places"] if place["class"] == "allocation"]
        sums = self.by_site(places, lambda p: [p.get("taken", 0), p.get("taken_bytes", 0)])
        self.assertEqual(sums, {(pid, *cell[:3]): cell[3:]
                                for pid, told in processes.items() for cell in told["taken"]})

    def check_calls(self, recording, processes):
        expected = collections.Counter()
        for told in processes.values():
            expected.update({name: count for name, (count, _) in told["calls"].items()})
            expected["hsaKmtAllocMemory"] += told["threads"]
        for report in ("chains", "latency"):
            counts = collections.Counter()
            for call in self.report(report, recording)["calls"]:
                counts[call["name"]] += call["count"]
            self.assertEqual({name: counts[name] for name in expected}, dict(expected), report)

    def check_failures(self, report, processes):
        counts = collections.Counter()
        for failure in report["failures"]:
            counts[failure["vpid"], failure["call"]] += 1 + failure.get("more", 0)
        self.assertEqual(dict(counts), {
            (pid, name): failed for pid, told in processes.items()
            for name, (_, failed) in told["calls"].items()
            if failed and name != "hsaKmtWaitOnEvent"}) # to time out is no failure

    def check_waits(self, report, processes):
        for process in report["processes"]:
            told = processes[process["vpid"]]
            self.assertEqual(process["waits"], told["waits_ok"] + told["waits_timed_out"])
            self.assertEqual(process["events_created"], told["events_made"])
            self.assertEqual(process["events_destroyed"], told["events_destroyed"])
            self.assertEqual(process["events_alive"],
                             told["events_made"] - told["events_destroyed"])
        for result, name in (("succeeded", "waits_ok"), ("timed_out", "waits_timed_out")):
            self.assertEqual(sum(site[result] for site in report["waits"]),
                             sum(told[name] for told in processes.values()))

    def check_queues(self, report, processes):
        for process in report["processes"]:
            told = processes[process["vpid"]]
            self.assertEqual((process["created"], process["destroyed"], process["refused"]),
                             (told["queues_made"], told["queues_destroyed"],
                              told["queues_refused"]))
        self.assertEqual(len(report["outstanding"]), sum(
            told["queues_made"] - told["queues_destroyed"] for told in processes.values()))

    def check_repeats(self, recording):
        """Two runs over a recording say the same, wherever their memory lies."""
        for report, *options in (("allocs",), ("queues",), ("latency",), ("report", "--json"),
                                 ("timeline", "-o", "-")):
            first, second = (self.text(report, recording, options=options) for _ in range(2))
            self.assertEqual(first, second, report)

    def test_one_thread(self):
        self.check(1, 1, 1, 1500, "gfx90a")

    def test_three_processes_on_four_gpus(self):
        self.check(20, 3, 1, 500, "gfx90ax4")

    def test_threads_that_get_each_others_numbers(self):
        self.check_repeats(self.check(300, 2, 6, 800, "gfx90ax4"))


if __name__ == "__main__":
    main()
