# SPDX-License-Identifier: MIT
"""U30: a GPU version override that is set wrong, empty or per device."""
from case import Case, main

VARIABLE = "HSA_OVERRIDE_GFX_VERSION"


class U30(Case):
    def messages(self, status=0, **env):
        recording = self.record("u28", env=env)
        self.assertRecorded(recording, status)
        return [(m["level"], m["text"]) for m in self.report("startup", recording)["messages"]
                if VARIABLE in m["text"]]

    def test_what_was_seen_and_what_became_of_it_is_told(self):
        self.assertEqual(self.messages(), [])
        (level, text), = set(self.messages(**{VARIABLE: "10.3.0"}))
        self.assertEqual(level, "info")
        for words in ("node 1", f"{VARIABLE}='10.3.0'", "9.0.10"):
            self.assertIn(words, text)
        (level, text), = set(self.messages(**{VARIABLE: "10.3.0", f"{VARIABLE}_1": "10.3.1"}))
        self.assertIn(f"{VARIABLE}_1='10.3.1'", text)

    def test_one_that_cannot_be_read_is_named(self):
        refused = 99  # the client's word for a call that has failed
        (level, text), = set(self.messages(refused, **{VARIABLE: "10.3"}))
        self.assertEqual(level, "error")
        self.assertIn(f"{VARIABLE}='10.3'", text)


if __name__ == "__main__":
    main()
