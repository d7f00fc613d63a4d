#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The guest's library exports what api.json names, and nothing that is not the protocol's."""
import json
import subprocess
import sys
import unittest

LIBRARY, FACTS = sys.argv[1:3]


def exported():
    text = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    return {line.split()[-1] for line in text.splitlines()}


class Symbols(unittest.TestCase):
    def test_every_function_of_the_api_is_there(self):
        with open(FACTS, encoding="utf-8") as stream:
            wanted = {f["name"] for f in json.load(stream) if f["module"] == "virtio"}
        self.assertGreater(len(wanted), 50)
        self.assertEqual(wanted - exported(), set())

    def test_nothing_else_is_visible(self):
        strangers = {name for name in exported()
                     if not name.startswith(("vhsaKmt", "vamdgpu_", "vdrm"))}
        self.assertEqual(strangers, set())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
