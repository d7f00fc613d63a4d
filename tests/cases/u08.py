# SPDX-License-Identifier: MIT
"""U08: freed while still mapped on a peer GPU."""
from case import Case, functions, main

SIZE = 16 << 20


class U08(Case):
    def test_a_refused_free_ends_no_lifetime(self):
        recording = self.record("u08", topology="gfx90ax4")
        self.assertRecorded(recording)
        leaks = self.report("leaks", recording)
        group, = leaks["groups"]
        self.assertEqual((group["blocks"], group["bytes"], group["layer"]),
                         (1, SIZE, "kernel refused"))
        self.assertIn("make_block", functions(group))
        self.assertIn("free_too_early", functions({"stack": group["refused_free"]["stack"]}))

    def test_the_refusal_says_where_it_was_mapped(self):
        recording = self.record("u08", topology="gfx90ax4")
        refused, = self.report("allocs", recording)["refused_frees"]
        self.assertEqual((refused["status_name"], refused["errno_name"]), ("ERROR", "EBUSY"))
        self.assertEqual(refused["mapped_node_ids"], [1, 2])
        self.assertEqual([(e["what"], e["nodes"], e["ok"]) for e in refused["history"]],
                         [("map", [1, 2], True)])
        self.assertIn("free_too_early", functions(refused))
        self.assertIn("make_block", functions(refused["allocation"]))
        self.assertIn("still mapped on nodes 1 2", self.text("allocs", recording))

    def test_the_failed_call_is_listed(self):
        failure, = self.report("failures", self.record("u08", topology="gfx90ax4"))["failures"]
        self.assertEqual((failure["call"], failure["status_name"], failure["errno_name"]),
                         ("hsaKmtFreeMemory", "ERROR", "EBUSY"))


if __name__ == "__main__":
    main()
