# SPDX-License-Identifier: MIT
"""U26: several processes in one recording."""
from case import CLIENTS, Case, main

MIB = 1 << 20


class U26(Case):
    def test_each_process_has_its_own_numbers_and_they_add_up(self):
        script = " ".join(f"{CLIENTS / 'u26'} {k} & pids=\"$pids $!\";" for k in (1, 2, 3, 4))
        recording = self.record("/bin/sh", "-c",
                                script + " for p in $pids; do wait $p || exit 1; done")
        self.assertRecorded(recording)
        leaks = self.report("leaks", recording)
        self.assertEqual(leaks["left"], {"blocks": 10, "bytes": 10 * MIB})
        left = {}
        for group in leaks["groups"]:
            left[group["vpid"]] = left.get(group["vpid"], 0) + group["blocks"]
        self.assertEqual(sorted(left.values()), [1, 2, 3, 4])
        names = {process["vpid"]: process["name"] for process in leaks["processes"]}
        self.assertEqual({names[pid] for pid in left}, {"u26"})  # the shell takes nothing
        counts = {pid: k for pid, k in left.items()}

        calls = self.report("latency", recording)["calls"]
        queues = {c["vpid"]: c["count"] for c in calls if c["name"] == "hsaKmtCreateQueue"}
        self.assertEqual(queues, counts)
        census = self.report("queues", recording)["census"]
        self.assertEqual(sum(kind["created"] for kind in census), 10)

        waits = {c["vpid"]: c for c in calls if c["name"] == "hsaKmtWaitOnEvent"}
        self.assertEqual({pid: c["count"] for pid, c in waits.items()}, counts)
        took_ns = dict(map(int, line.split()) for line in recording.stdout.splitlines())
        for pid, call in waits.items():
            self.assertGreaterEqual(call["total_ns"], counts[pid] * 100_000_000)
            self.assertLess(call["total_ns"], took_ns[counts[pid]])
            self.assertIn("u26", call["process"])
        text = self.text("leaks", recording)
        for pid in counts:
            self.assertIn(f"(pid {pid}", text)


if __name__ == "__main__":
    main()
