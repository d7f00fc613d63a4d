# SPDX-License-Identifier: MIT
"""U03: imports that are never closed."""
from case import Case, functions, main

SIZE = 16 << 20


class U03(Case):
    def test_the_open_import_is_shown_with_its_exporter(self):
        recording = self.record("u03")
        self.assertRecorded(recording)
        report = self.report("allocs", recording)
        opened, = report["imports"]
        self.assertEqual(opened["bytes"], SIZE)
        self.assertIn("open_handle", functions(opened))
        exporter = opened["exporter"]
        self.assertNotEqual(exporter["vpid"], opened["vpid"])
        self.assertEqual(exporter["bytes"], SIZE)
        self.assertTrue(exporter["freed"])
        self.assertIn("make_shared", functions(exporter))
        self.assertIn("make_shared", functions(exporter["allocation"]))
        imported, = [p for p in report["places"] if p["class"] == "import"]
        self.assertEqual((imported["taken"], imported["ended"]), (8, 7))

    def test_the_leak_report_agrees(self):
        leaks = self.report("leaks", self.record("u03"))
        group, = leaks["imports"]
        self.assertEqual((group["blocks"], group["bytes"]), (1, SIZE))
        self.assertEqual([s["importers"] for s in leaks["exported_then_freed"]], [8])


if __name__ == "__main__":
    main()
