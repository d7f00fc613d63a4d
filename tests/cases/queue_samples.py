# SPDX-License-Identifier: MIT
"""Samples of queues: what was submitted is counted, by type, whoever records it."""
from case import CLIENTS, Case, functions, main

LARGE = 1 << 17     # holds all packets, so that their types are known whenever someone looks
SMALL = 1 << 12     # 64 packets


class QueueSamples(Case):
    def rows(self, recording):
        self.assertRecorded(recording)
        report = self.report("queues", recording)
        self.assertEqual(report["activity"], "collected")
        return report["queue_activity"]

    def packets(self, row):
        return {name: count for name, count in row["packets"].items()
                if count and name != "barriers_seen_as_and"}

    def check_rows(self, rows, ids):
        self.assertEqual([row["queue_id"] for row in rows], ids)
        first, second = rows
        self.assertEqual(self.packets(first), {"submitted": 1000, "kernel_dispatches": 600,
                                               "barriers": 400})
        self.assertEqual(self.packets(second), {"submitted": 7, "kernel_dispatches": 7})
        for row in rows:
            self.assertEqual((row["unit"], row["kind"], row["node_id"]), ("packets", "compute", 1))
            self.assertEqual(row["unreadable"], 0)
            self.assertGreaterEqual(row["looks"], 1)
            self.assertGreaterEqual(row["looks"], row["busy_looks"])

    def test_packets_are_counted_by_type(self):
        recording = self.record("queue_samples", 600, 400, LARGE, options=["--queues"])
        rows = self.rows(recording)
        self.check_rows(rows, [int(word) for word in recording.stdout.split()])
        self.assertEqual([row["type"] for row in rows], ["HSA_QUEUE_COMPUTE_AQL"] * 2)
        self.assertIn("make_aql", functions(rows[0]))
        text = self.text("queues", recording)
        self.assertIn("1000 packets submitted: 600 kernel dispatches, 400 barriers\n", text)
        self.assertNotIn("Activity: not collected", text)

    def test_a_program_with_its_own_thunk_is_sampled_alike(self):
        if not (CLIENTS / "queue_samples_stock").exists():
            self.skipTest("the distribution's libhsakmt is not installed")
        recording = self.record("queue_samples_stock", 600, 400, LARGE,
                                options=["--queues=200", "--system-thunk"])
        rows = self.rows(recording)
        self.check_rows(rows, [row["queue_id"] for row in rows])
        self.assertNotEqual(rows[0]["queue_id"], rows[1]["queue_id"])

    def test_a_ring_that_goes_around_loses_types_but_no_packet(self):
        recording = self.record("queue_samples", 3000, 1000, SMALL, options=["--queues=50"])
        row = self.rows(recording)[0]
        self.assertEqual(row["packets"]["submitted"], 4000)
        self.assertLessEqual(row["packets"]["kernel_dispatches"], 3000)
        self.assertLessEqual(row["packets"]["barriers"], 1000)

    def test_nothing_is_sampled_unless_asked_for(self):
        recording = self.record("queue_samples", 3, 1, SMALL)
        self.assertRecorded(recording)
        report = self.report("queues", recording)
        self.assertEqual((report["activity"], report["queue_activity"]), ("not collected", []))

    def check_churn(self, client, *options):
        recording = self.record(client, "churn", 1000, options=["--queues=1000", *options])
        rows = self.rows(recording)
        self.assertEqual(len(rows), 1000)
        sums = {name: sum(row["packets"][name] for row in rows)
                for name in ("submitted", "barriers", "unseen")}
        self.assertEqual(sums, {"submitted": 4000, "barriers": 4000, "unseen": 0})
        self.assertEqual(sum(row["unreadable"] for row in rows), 0)

    def test_queues_may_be_destroyed_while_they_are_sampled(self):
        self.check_churn("queue_samples")
        if (CLIENTS / "queue_samples_stock").exists():
            self.check_churn("queue_samples_stock", "--system-thunk")

    def test_a_rate_that_is_none_is_refused(self):
        for rate in ("0", "1001", "-1", "x", ""):
            done = self.record("queue_samples", options=[f"--queues={rate}"])
            self.assertEqual(done.status, 2, rate)
            self.assertIn("--queues is", done.stderr)


if __name__ == "__main__":
    main()
