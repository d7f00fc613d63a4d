# SPDX-License-Identifier: MIT
"""docs/events.md says what the lists say."""
import difflib
import pathlib
import unittest

from generator import emit_docs
from generator.events import build

ROOT = pathlib.Path(__file__).resolve().parents[3]


class EventsDoc(unittest.TestCase):
    def test_is_what_the_generator_writes_from_the_lists(self):
        wanted = emit_docs.emit_markdown(build(str(ROOT / "trace")))
        found = (ROOT / "docs/events.md").read_text(encoding="utf-8")
        if found != wanted:
            lines = difflib.unified_diff(found.splitlines(), wanted.splitlines(),
                                         "docs/events.md", "from the lists", lineterm="", n=1)
            self.fail("docs/events.md is stale: build the target 'events_doc'\n" +
                      "\n".join(list(lines)[:40]))


if __name__ == "__main__":
    unittest.main()
