# SPDX-License-Identifier: MIT
"""U22: GPU memory access fault: what was at that address."""
from case import CLIENTS, Case, functions, main

MIB = 1 << 20


class U22(Case):
    def record_at(self, address):
        # When the second block is freed: the event that is waited for is there by then.
        scenario = {"actions": [{"do": "memory_exception", "node": 1, "on": "FREE_MEMORY_OF_GPU",
                                 "address": hex(address), "not_present": True}]}
        recording = self.record("/usr/bin/setarch", "-R", CLIENTS / "u22", scenario=scenario)
        self.assertRecorded(recording)
        return recording

    def fault_of(self, recording):
        fault, = self.report("faults", recording)["faults"]
        self.assertEqual((fault["node_id"], fault["reasons"]), (1, "NotPresent"))
        return fault, self.text("faults", recording)

    def fault_at(self, address_of):
        before = self.record_at(0x1000).stdout
        recording = self.record_at(address_of(*(int(word, 16) for word in before.split())))
        if recording.stdout != before:
            self.skipTest("addresses differ from run to run here")
        return self.fault_of(recording)

    def test_in_a_freed_block(self):
        fault, text = self.fault_at(lambda a, b, c: b + 0x1000)
        self.assertEqual((fault["place"], fault["offset"]), ("in a freed block", 0x1000))
        block = fault["block"]
        self.assertEqual((block["bytes"], block["node_id"]), (2 * MIB, 1))
        self.assertIn("alloc_second", functions(block))
        self.assertIn("free_second", functions(block["freed"]))
        self.assertGreater(block["freed"]["before_fault_ns"], 0)
        for words in ("0x1000 (4096)", "free_second", "alloc_second", "before the fault"):
            self.assertIn(words, text)

    def test_behind_a_living_block(self):
        addresses = {}

        def behind_the_last(*blocks):
            living = {"alloc_first": blocks[0], "alloc_third": blocks[2]}
            addresses["name"], last = max(living.items(), key=lambda item: item[1])
            return last + MIB + 4096

        fault, text = self.fault_at(behind_the_last)
        below = fault["nearest_below"]
        if fault["place"] != "in no block":
            self.skipTest("something of the library's lies behind the last block")
        self.assertEqual((below["bytes"], below["distance_bytes"], below["freed"]),
                         (MIB, 4096, None))
        self.assertIn(addresses["name"], functions(below))
        self.assertIn("0x1000 (4096) bytes behind the end of", text)

    def test_near_null(self):
        fault, text = self.fault_of(self.record_at(0x1000))
        self.assertEqual((fault["place"], fault["address"]), ("never allocated, near null", 4096))
        self.assertIn("0x1000 (4096): never allocated, near null", text)


if __name__ == "__main__":
    main()
