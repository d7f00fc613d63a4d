# SPDX-License-Identifier: MIT
"""U15: invalid argument: which rule was broken."""
from case import Case, functions, main

# What the client does, in its order: status and a word of the reason. OnlyAddress with NoAddress is
# accepted, as the reference accepts it.
RULES = [("INVALID_PARAMETER", "size is 0"), ("INVALID_PARAMETER", "4097 is no multiple"),
         ("INVALID_PARAMETER", "3145728 is no power"),
         ("INVALID_PARAMETER", "2048 is less than a page"),
         ("INVALID_PARAMETER", "CoarseGrain and ExtendedCoherent"),
         ("INVALID_PARAMETER", "FixedAddress"), ("NOT_IMPLEMENTED", "scratch"),
         ("INVALID_NODE_UNIT", "no node 99"), ("INVALID_PARAMETER", "pointer"),
         ("INVALID_HANDLE", "cannot be registered")]


class U15(Case):
    def test_each_rule_is_named(self):
        recording = self.record("u15")
        self.assertRecorded(recording)
        report = self.report("failures", recording)
        self.assertEqual([f["status_name"] for f in report["failures"]],
                         [status for status, _ in RULES], recording.stdout)
        for failure, (_, words) in zip(report["failures"], RULES):
            self.assertIn(words, failure["reason"])
            self.assertIn("break_rules", functions(failure))
            self.assertTrue(failure["arguments"])
        self.assertIn("NonPaged", report["failures"][0]["arguments"]["MemFlags"]["set"])

    def test_nothing_is_recorded_as_live(self):
        leaks = self.report("leaks", self.record("u15"))
        self.assertEqual(leaks["left"], {"blocks": 0, "bytes": 0})


if __name__ == "__main__":
    main()
