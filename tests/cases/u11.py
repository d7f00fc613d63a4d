# SPDX-License-Identifier: MIT
"""U11: allocation failed: which limit was hit."""
from case import Case, functions, main

MIB = 1 << 20
SCENARIO = {"system_bytes": 16 << 30,
            "nodes": [{"node": 1, "vram_bytes": 1024 * MIB, "visible_vram_bytes": 256 * MIB}]}


class U11(Case):
    def test_each_failure_names_its_limit(self):
        recording = self.record("u11", scenario=SCENARIO)
        self.assertRecorded(recording)
        report = self.report("failures", recording)
        self.assertEqual(report["failed_calls"], 3)
        device, host, visible = report["failures"]
        self.assertEqual((device["status_name"], device["errno_name"], device["kind"],
                          device["node_id"], device["live_bytes"], device["wanted_bytes"]),
                         ("NO_MEMORY", "ENOMEM", "device memory", 1, 943718400, 200 * MIB))
        self.assertEqual((host["status_name"], host["kind"], host["wanted_bytes"],
                          host["errno_name"], host["node_id"]),
                         ("ERROR", "host memory", 34359738368, "ENOMEM", 0))
        self.assertEqual((visible["kind"], visible["wanted_bytes"], visible["live_bytes"],
                          visible["node_id"]),
                         ("device memory with host access", 536870912, 0, 1))
        self.assertIn("CPU-visible", visible["reason"])
        self.assertIn("fill_device", functions(device))
        self.assertIn("ask_for_host_memory", functions(host))
        self.assertIn("ask_for_visible_memory", functions(visible))
        self.assertIn("NonPaged", device["arguments"]["MemFlags"]["set"])
        self.assertIn("HostAccess", visible["arguments"]["MemFlags"]["set"])
        holder, = device["holders"]
        self.assertEqual((holder["count"], holder["bytes"]), (1, 943718400))
        self.assertIn("fill_device", functions(holder))

    def test_text_has_the_same_numbers(self):
        text = self.text("failures", self.record("u11", scenario=SCENARIO))
        for words in ("NO_MEMORY, ENOMEM", "ERROR, ENOMEM", "943718400 bytes", "HostAccess",
                      "34359738368", "536870912", "ask_for_visible_memory at u11.c:"):
            self.assertIn(words, text)


if __name__ == "__main__":
    main()
