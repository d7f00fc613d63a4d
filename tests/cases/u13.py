# SPDX-License-Identifier: MIT
"""U13: queue creation fails without a reason."""
from case import Case, functions, main

SCENARIO = {"ioctls": [{"ioctl": "CREATE_QUEUE", "after": after, "times": 1, "errno": name}
                       for after, name in enumerate(("ENOMEM", "EINVAL", "EBUSY", "ETIME"), 3)]}


class U13(Case):
    def test_each_refusal_says_why(self):
        recording = self.record("u13", scenario=SCENARIO)
        self.assertRecorded(recording)
        failures = self.report("failures", recording)["failures"]
        self.assertEqual([f["errno_name"] for f in failures],
                         ["ENOMEM", "EINVAL", "EBUSY", "ETIME"])
        for failure in failures:
            self.assertEqual(failure["live_count"], 3)
            self.assertEqual(failure["node_id"], 1)
            self.assertEqual(failure["arguments"]["QueueSizeInBytes"], 4096)
            self.assertEqual(failure["arguments"]["Type"], "HSA_QUEUE_COMPUTE")
            self.assertEqual(failure["arguments"]["Priority"], "HSA_QUEUE_PRIORITY_NORMAL")
            self.assertIn("try_queue", functions(failure))
            self.assertTrue(failure["status_name"])
            self.assertTrue(failure["reason"])

    def test_no_phantom_queues_remain(self):
        queues = self.report("queues", self.record("u13", scenario=SCENARIO))
        self.assertEqual(queues["outstanding"], [])
        self.assertEqual(queues["processes"][0]["created"], 3)
        self.assertEqual(queues["processes"][0]["destroyed"], 3)
        self.assertEqual([(a["errno_name"], a["live_queues"], a["ring_bytes"])
                          for a in queues["refused"]],
                         [("ENOMEM", 3, 4096), ("EINVAL", 3, 4096), ("EBUSY", 3, 4096),
                          ("ETIME", 3, 4096)])


if __name__ == "__main__":
    main()
