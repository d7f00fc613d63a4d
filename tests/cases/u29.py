# SPDX-License-Identifier: MIT
"""U29: unusual processor information file."""
from case import Case, main
from hosts import GPU, Host, processors


class U29(Case):
    def check(self, cpuinfo, *words):
        host = Host(self.folder / f"host-{self.recordings}", cpuinfo)
        host.add_caches("node/node0")
        recording = self.record("u27", env=host.env)
        self.assertRecorded(recording)
        self.assertEqual(recording.stdout.splitlines(),
                         ["0 8 2 0 0", "cache 1 32768", "cache 2 1048576", GPU])
        warning, = [m for m in self.report("startup", recording)["messages"]
                    if m["level"] == "warning"]
        self.assertEqual(warning["count"], 1)
        for word in ("/proc/cpuinfo", *words):
            self.assertIn(word, warning["text"])

    def test_lines_that_are_missing(self):
        self.check(processors(range(4), vendor=None, model=None, apicid=False),
                   "vendor '' (unknown), 4 without a model name, 4 without an apicid")

    def test_numbers_beyond_those_that_are_online(self):
        self.check(processors((0, 2, 64)), "3 processors below 65;")

    def test_an_unknown_vendor(self):
        self.check(processors(range(4), vendor="MysteryChips"), "vendor 'MysteryChips' (unknown)")


if __name__ == "__main__":
    main()
