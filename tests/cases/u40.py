# SPDX-License-Identifier: MIT
"""U40: stack frames without names or with wrong names."""
import platform
import shutil
import subprocess

from case import CLIENTS, Case, functions, main


class U40(Case):
    def recorded(self):
        """Plug-ins 1 and 2 stay, 3 is stripped, 4 is deleted before anybody reads the recording."""
        plugins = []
        for number in (1, 2, 3, 4):
            path = self.folder / f"u40_p{number}.so"
            shutil.copy(CLIENTS / path.name, path)
            plugins.append(path)
        subprocess.run(["strip", "--strip-all", plugins[2]], check=True)
        # The dynamic symbols of a stripped library remain; this one's function is not among them.
        recording = self.record("u40", *plugins)
        self.assertRecorded(recording)
        plugins[3].unlink()
        return recording

    def test_each_frame_says_what_it_is_or_why_not(self):
        recording = self.recorded()
        report = self.report("leaks", recording)
        groups = {group["bytes"]: group for group in report["groups"]}
        self.assertEqual(sorted(groups), [n << 12 for n in (1, 2, 3, 4, 5)])

        # Both were loaded at one address, one after the other.
        self.assertEqual(recording.stdout, "same address\n")
        self.assertIn("p1_alloc", functions(groups[1 << 12]))
        self.assertNotIn("p2_alloc", functions(groups[1 << 12]))
        self.assertIn("p2_alloc", functions(groups[2 << 12]))
        self.assertNotIn("p1_alloc", functions(groups[2 << 12]))

        def frames(number, reason):
            found = [f for f in groups[number << 12]["stack"] if f.get("unnamed") == reason]
            self.assertTrue(found, groups[number << 12]["stack"])
            return found

        for number, reason in ((3, "stripped"), (4, "file not found")):
            for frame in frames(number, reason):
                self.assertTrue(frame["module"].endswith(f"u40_p{number}.so"))
                self.assertGreater(frame["offset"], 0)
                self.assertEqual(len(frame["build_id"]), 40)
        self.assertGreater(report["frames"]["stripped"], 0)
        self.assertGreater(report["frames"]["file not found"], 0)
        if platform.machine() == "x86_64":
            outside, = frames(5, "outside any module")
            self.assertNotIn("module", outside)
            self.assertEqual(report["frames"]["outside any module"], 1)
        text = self.text("leaks", recording)
        for reason in ("stripped", "file not found"):
            self.assertIn(f"no name: {reason}", text)


if __name__ == "__main__":
    main()
