# SPDX-License-Identifier: MIT
"""U02: exported memory that is freed but stays pinned."""
from case import Case, functions, main

SIZE = 512 << 20


class U02(Case):
    def test_freed_exports_are_a_section_of_their_own(self):
        recording = self.record("u02")
        self.assertRecorded(recording)
        leaks = self.report("leaks", recording)
        self.assertEqual(leaks["groups"], [])
        self.assertEqual(leaks["left"], {"blocks": 0, "bytes": 0})
        self.assertEqual(leaks["processes"][0]["freed"], {"blocks": 3, "bytes": 3 * SIZE})
        shares = leaks["exported_then_freed"]
        self.assertEqual([(s["bytes"], s["importers"]) for s in shares], [(SIZE, 0)] * 3)
        for share in shares:
            self.assertLess(share["exported_ns"], share["freed_ns"])
            self.assertIn("give_away", functions({"stack": share["export_stack"]}))
            self.assertIn("drop", functions({"stack": share["free_stack"]}))
        text = self.text("leaks", recording)
        for words in (f"{SIZE} bytes", "give_away", "drop", "none seen"):
            self.assertIn(words, text)


if __name__ == "__main__":
    main()
