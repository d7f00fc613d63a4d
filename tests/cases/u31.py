# SPDX-License-Identifier: MIT
"""U31: topology changes while it is being read."""
import os
import shutil

from case import TOPOLOGIES, Case, main

ERROR = 1
RETRIES_MAX = 19


class U31(Case):
    def retries(self, *numbers):
        """@return the call's status and what the library said of it."""
        tree = self.folder / f"tree-{self.recordings}"
        shutil.copytree(TOPOLOGIES / "gfx90a", tree)
        (tree / "generation_id").unlink()
        os.mkfifo(tree / "generation_id")
        recording = self.record("u31", *numbers, topology=tree)
        self.assertRecorded(recording)
        message, = [m for m in self.report("startup", recording)["messages"]
                    if "retries" in m["text"]]
        self.assertEqual((message["level"], message["count"]), ("warning", 1))
        self.assertIn(message["text"], self.text("startup", recording))
        return int(recording.stdout), message["text"]

    def test_one_change_is_one_retry(self):
        status, text = self.retries(2, 3, 3)
        self.assertEqual(status, 0)
        self.assertTrue(text.endswith(": 1 retries"), text)

    def test_changes_without_end_end_with_an_error(self):
        status, text = self.retries()
        self.assertEqual(status, ERROR)
        self.assertTrue(text.endswith(f": {RETRIES_MAX} retries, given up"), text)


if __name__ == "__main__":
    main()
