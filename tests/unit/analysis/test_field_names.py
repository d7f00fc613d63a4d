# SPDX-License-Identifier: MIT
"""The fields that analyses ask events for by name are fields that events have.

    test_field_names.py ANALYSIS EVENTS_JSON
"""
import json
import pathlib
import re
import sys
import unittest

ASKED = re.compile(r"\b(?:args_reader_number|args_reader_row|args_number|args_find|arg_text|number|"
                   r"reader->number|reader->row|text_of)\s*\(([^;{}]*?)\)", re.DOTALL)
NAME = re.compile(r'"([A-Za-z]\w*)"')


def names_asked(folder):
    """{field: files} of the C sources in a folder."""
    asked = {}
    for path in sorted(folder.rglob("*.c")):
        for call in ASKED.finditer(path.read_text()):
            for name in NAME.findall(call[1]):
                asked.setdefault(name, set()).add(path.name)
    return asked


def names_known(path):
    events = json.loads(path.read_text())["events"]
    return {field["name"] for event in events for field in event["fields"]}


class FieldNames(unittest.TestCase):
    def test_every_name_is_a_field(self):
        asked, known = names_asked(FOLDER / "model"), names_known(EVENTS)
        self.assertGreater(len(asked), 60)
        self.assertEqual({n: files for n, files in asked.items() if n not in known}, {})

    def test_a_wrong_name_is_noticed(self):
        found = ASKED.search('x = args_reader_row(reader, is ? "Events_id" : "events_ptr", v, 4);')
        self.assertEqual(NAME.findall(found[1]), ["Events_id", "events_ptr"])


if __name__ == "__main__":
    EVENTS = pathlib.Path(sys.argv.pop())
    FOLDER = pathlib.Path(sys.argv.pop())
    unittest.main(verbosity=2)
