# SPDX-License-Identifier: MIT
"""U32: page-fault-retry mode and shared-memory attributes."""
from case import Case, functions, main


class U32(Case):
    def test_modes_and_attributes(self):
        recording = self.record("u32")
        self.assertRecorded(recording)
        report = self.report("svm", recording)
        process, = report["processes"]
        self.assertEqual([(m["what"], m.get("wanted"), m["status_name"], m["after"])
                          for m in process["mode_calls"]],
                         [("get", None, "SUCCESS", "off"), ("set", 1, "SUCCESS", "on"),
                          ("set", 0, "SUCCESS", "off"), ("set", 1, "ERROR", "off")])
        self.assertEqual(process["mode_calls"][3]["errno_name"], "EBUSY")
        self.assertEqual(process["xnack_mode"], "off")
        touched, unaligned, untouched = report["ranges"]
        calls = touched["calls"]
        self.assertEqual([(c["what"], c["status_name"]) for c in calls[:3]],
                         [("set", "SUCCESS"), ("get", "SUCCESS"), ("set", "INVALID_NODE_UNIT")])
        self.assertEqual(touched["bytes"], 2 << 20)
        self.assertEqual([(a["name"], a["meaning"]) for a in calls[0]["attributes"]],
                         [("PREFERRED_LOC", "node 1"), ("ACCESS", "node 1"),
                          ("SET_FLAGS", "coherent")])
        self.assertEqual([a["name"] for a in calls[1]["attributes"]],
                         ["PREFERRED_LOC", "ACCESS", "SET_FLAGS"])
        self.assertEqual(calls[1]["attributes"][0]["meaning"], "node 1")
        self.assertEqual(calls[3]["attribute_count"], 0)
        self.assertEqual(unaligned["calls"][0]["status_name"], "INVALID_PARAMETER")
        self.assertEqual(len(untouched["calls"]), 1)
        self.assertIn("try_attributes", functions(calls[0]))
        failures = self.report("failures", recording)["failures"]
        reasons = {f["status_name"]: f.get("reason", "") for f in failures}
        self.assertIn("while the process has queues", failures[0]["reason"])
        self.assertIn("multiples of the page size", reasons["INVALID_PARAMETER"])
        self.assertIn("GPU nodes only", reasons["INVALID_NODE_UNIT"])
        text = self.text("svm", recording)
        self.assertIn("page faults are retried (XNACK): off", text)

    def test_hardware_that_cannot_retry(self):
        scenario = {"ioctls": [{"ioctl": "SET_XNACK_MODE", "errno": "EPERM"}]}
        recording = self.record("u32", "mode", scenario=scenario)
        mode, = self.report("svm", recording)["processes"][0]["mode_calls"]
        self.assertEqual((mode["status_name"], mode["errno_name"]), ("NOT_SUPPORTED", "EPERM"))
        failure, = self.report("failures", recording)["failures"]
        self.assertIn("cannot retry", failure["reason"])

    def test_an_old_interface(self):
        recording = self.record("u32", "old", scenario={"kfd_minor": 4})
        range_, = self.report("svm", recording)["ranges"]
        self.assertEqual(range_["calls"][0]["status_name"], "NOT_SUPPORTED")
        failure, = self.report("failures", recording)["failures"]
        self.assertIn("1.5", failure["reason"])


if __name__ == "__main__":
    main()
