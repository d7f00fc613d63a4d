# SPDX-License-Identifier: MIT
"""U07: addresses are reused immediately."""
from case import Case, functions, main


class U07(Case):
    def test_each_lifetime_is_one_of_its_own(self):
        recording = self.record("u07", scenario={"reuse": True})
        self.assertRecorded(recording)
        leaks = self.report("leaks", recording)
        group, = leaks["groups"]
        self.assertEqual((group["blocks"], group["bytes"]), (1, 1048576))
        self.assertIn("churn", functions(group))
        self.assertEqual(group["taken"], 1001)
        self.assertEqual(leaks["processes"][0]["freed"], {"blocks": 1000, "bytes": 1000 << 20})


if __name__ == "__main__":
    main()
