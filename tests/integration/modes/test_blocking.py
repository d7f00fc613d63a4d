# SPDX-License-Identifier: MIT
"""kfdscope record --blocking: the program waits for room, and nothing is lost."""
import re

from clients import CLIENTS, KFDSCOPE, Case, main

CALLS = 5000
TINY = ("--subbuf-size=4K", "--subbuf-count=2")


class Blocking(Case):
    timeout_s = 120

    def lost(self, *options):
        self.recordings += 1
        path = self.folder / str(self.recordings)
        talk = f'printf "alloc 1\\nquery {CALLS}\\n"'
        done = self.run_command("sh", "-c", f'{talk} | "$@"', "sh", KFDSCOPE, "record", "-o", path,
                                "--model", *TINY, *options, "--", CLIENTS / "holder")
        self.assertEqual((done.returncode, done.stdout.splitlines()[-1]), (5, f"query {CALLS}"))
        return int(re.search(r"(\d+) lost", done.stderr)[1]), path

    def test_a_ring_that_is_too_small_loses_unless_the_program_waits(self):
        self.assertGreater(self.lost()[0], 0)
        lost, path = self.lost("--blocking")
        self.assertEqual(lost, 0)
        calls = {r["name"]: r["count"] for r in self.report("chains", path)["calls"]}
        self.assertEqual(calls["hsaKmtQueryPointerInfo"], CALLS)


if __name__ == "__main__":
    main()
