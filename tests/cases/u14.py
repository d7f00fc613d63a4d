# SPDX-License-Identifier: MIT
"""U14: the driver's device cannot be opened."""
import os

from case import Case, main


class U14(Case):
    def failure_of(self, path, errno, topology="gfx90a"):
        recording = self.record("u14", scenario={"open": [{"path": path, "errno": errno}]},
                                topology=topology)
        self.assertEqual(recording.status, 0, recording.stderr)
        return recording, self.report("failures", recording)

    def test_the_driver_device(self):
        for name in ("ENOENT", "EACCES", "ENOMEM", "EINVAL", "EBUSY"):
            with self.subTest(name):
                recording, report = self.failure_of("/dev/kfd", name)
                self.assertEqual(recording.stdout, "open 20\n")
                failure = report["failures"][0]
                self.assertEqual((failure["call"], failure["status_name"], failure["errno_name"]),
                                 ("hsaKmtOpenKFD", "KERNEL_IO_CHANNEL_NOT_OPENED", name))
                self.assertEqual(failure["cause"]["path"], "/dev/kfd")
                self.assertEqual((failure["uid"], failure["gid"]), (os.geteuid(), os.getegid()))
                self.assertIn("/dev/kfd: ", failure["reason"])

    def test_a_render_node_that_is_not_permitted_hides_its_gpu(self):
        recording, report = self.failure_of("renderD128", "EPERM", "gfx90ax4")
        self.assertIn("properties 0", recording.stdout)
        hidden = [r for r in report["recovered"] if r.get("errno_name") == "EPERM"]
        self.assertTrue(hidden, report)
        self.assertEqual(hidden[0]["cause"]["path"], "/dev/dri/renderD128")

    def test_a_render_node_without_permission_is_named(self):
        recording, report = self.failure_of("renderD128", "EACCES", "gfx90ax4")
        self.assertTrue(recording.stdout.startswith("open "))
        named = report["failures"] + report["recovered"]
        self.assertEqual({f["errno_name"] for f in named}, {"EACCES"})
        for failure in report["failures"]:
            self.assertIn("renderD128", failure["reason"])
            self.assertIn("permission", failure["reason"])


if __name__ == "__main__":
    main()
