# SPDX-License-Identifier: MIT
"""U01: GPU memory that only ever grows."""
from case import CLIENTS, KFDSCOPE, Case, functions, main

MIB = 1 << 20


class U01(Case):
    def test_leaks_are_grouped_by_who_allocated_them(self):
        recording = self.record("u01")
        self.assertRecorded(recording)
        leaks = self.report("leaks", recording)
        groups = leaks["groups"]
        self.assertEqual([(g["blocks"], g["bytes"], g["node_id"], g["kind"]) for g in groups],
                         [(50, 104857600, 1, "device memory"), (1, 67108864, 1, "device memory")])
        self.assertIn("grow_cache", functions(groups[0]))
        self.assertIn("load_weights", functions(groups[1]))
        self.assertEqual(leaks["left"], {"blocks": 51, "bytes": 171966464})
        process, = leaks["processes"]
        # All hundred blocks stand before the first is freed: that, or the end, is the peak.
        self.assertEqual(process["peak_bytes"], 100 * 2 * MIB)
        self.assertTrue(leaks["recording"]["begin_ns"] < process["peak_ns"] <
                        leaks["recording"]["end_ns"])

    def test_text_has_the_same_numbers(self):
        text = self.text("leaks", self.record("u01"))
        for words in ("104857600 bytes", "50 blocks", "67108864 bytes", "171966464 bytes",
                      "grow_cache", "load_weights", "u01.c:"):
            self.assertIn(words, text)

    def test_the_output_may_be_relative(self):
        done = self.run_command(KFDSCOPE, "record", "-o", "here/trace", "--model", "--",
                                CLIENTS / "u01", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.report("leaks", self.folder / "here/trace")["left"]["blocks"], 51)


if __name__ == "__main__":
    main()
