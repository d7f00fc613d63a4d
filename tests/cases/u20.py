# SPDX-License-Identifier: MIT
"""U20: queues that are never destroyed."""
from case import Case, functions, main


class U20(Case):
    def test_one_queue_is_left(self):
        recording = self.record("u20")
        self.assertRecorded(recording)
        report = self.report("queues", recording)
        queue, = report["outstanding"]
        self.assertEqual((queue["type"], queue["ring_bytes"], queue["priority"], queue["node_id"]),
                         ("HSA_QUEUE_COMPUTE", 4096, "HSA_QUEUE_PRIORITY_NORMAL", 1))
        self.assertIn("open_stream", functions(queue))
        self.assertGreater(queue["internal_bytes"], 1 << 20)
        # What the library still holds for queues is this queue's; a destroyed one gave all back.
        internal = self.report("leaks", recording)["processes"][0]["internal"]["queues"]
        self.assertEqual(internal["live_bytes"], queue["internal_bytes"])
        refused, = report["refused"]
        self.assertEqual((refused["status_name"], refused["type"]), ("INVALID_PARAMETER", "99"))
        self.assertIn("try_unknown_type", functions(refused))
        process, = report["processes"]
        self.assertEqual((process["created"], process["destroyed"], process["refused"]), (5, 4, 1))


if __name__ == "__main__":
    main()
