# SPDX-License-Identifier: MIT
"""Recordings that start while the program runs: they report what whole recordings of it do."""
import subprocess
import unittest
import uuid

from dumps import dumps_awaited
from recorded import KFDSCOPE, PROGRAMS, Test, read_events

PATTERNS = ("kmt:*", "kfd:*", "kmt_os:*", "kmt_hip:*", "kmt_state:*")


def place(frame):
    """A frame but for its address, which differs from run to run outside of any function."""
    return frame.get("function"), frame.get("file"), frame.get("line")


def summary(report):
    """What the report says of memory, without times."""
    return sorted(((g["layer"], g["class"], g["bytes"], g["blocks"], g.get("call"), g.get("kind"),
                    g.get("node"), tuple(place(f) for f in g["stack"]))
                   for g in report["groups"]), key=str)


class Late(Test):
    def environment(self, *options):
        """What `kfdscope record` would give to the program."""
        _, done = self.record(["env", "-0"], *options)
        return dict(entry.split("=", 1) for entry in done.stdout.split("\0") if entry)

    def lttng(self, *words):
        subprocess.run(["lttng", *words], check=True, stdout=subprocess.DEVNULL)

    def record_late(self, program, *options, env=None, lines=("go",)):
        """Starts the recording when the program says that it is ready."""
        name = f"late-{uuid.uuid4().hex[:12]}"
        path = f"{self.folder}/{name}"
        environment = {**self.environment(*options), **(env or {})}
        with subprocess.Popen(program, env=environment, stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True) as client:
            self.assertEqual(client.stdout.readline(), "ready\n")
            self.lttng("create", name, "-o", path)
            self.lttng("enable-channel", "-u", "-s", name, "--subbuf-size=1M", "c")
            for pattern in PATTERNS:
                self.lttng("enable-event", "-u", "-s", name, "-c", "c", pattern)
            self.lttng("add-context", "-u", "-s", name, "-c", "c", "-t", "vpid", "-t", "vtid",
                       "-t", "procname")
            with dumps_awaited(PROGRAMS, [client]):
                self.lttng("start", name)
            out, _ = client.communicate("".join(f"{line}\n" for line in lines), timeout=60)
            self.assertEqual((client.returncode, out), (0, "done\n"))
        self.lttng("stop", name)
        self.lttng("destroy", name)
        return path

    def whole(self, *options):
        """Records all of it; the program does not wait."""
        with open(f"{self.folder}/input", "w+", encoding="utf-8") as stream:
            stream.write("go\n")
            stream.seek(0)
            path, _ = self.record([f"{PROGRAMS}/layers_late"], *options, stdin=stream)
        return self.leaks(path)

    def assert_same(self, *options):
        whole = self.whole(*options)
        late = self.leaks(self.record_late([f"{PROGRAMS}/layers_late"], *options))
        self.assertEqual(summary(late), summary(whole))
        functions = {f.get("function", "").split("(")[0] for g in late["groups"]
                     if g["layer"] == "application" for f in g["stack"]}
        self.assertLessEqual({"keep_large", "keep_small", "keep_host"}, functions)
        return late

    def test_our_thunk(self):
        self.assert_same("--model", "--layers=kmt,kfd")

    def test_our_thunk_and_the_requests_to_the_runtime(self):
        late = self.assert_same("--model")
        self.assertEqual(sorted((g["bytes"], g["blocks"]) for g in late["groups"]
                                if g["layer"] == "application"),
                         [(5 * 8192, 5), (1 << 20, 1), (12 << 20, 3), (12 << 20, 3)])

    def test_interned_stacks_are_the_same_stacks(self):
        plain, interned = ("--model",), ("--model", "--stacks=interned")
        self.assertEqual(summary(self.whole(*interned)), summary(self.whole(*plain)))
        late = self.record_late([f"{PROGRAMS}/layers_late"], *interned)
        self.assertEqual(summary(self.leaks(late)), summary(self.whole(*plain)))
        events = read_events(late)
        defined = {e["bt_id"] for e in events if e.name == "kmt_state:stack"}
        entries = [e for e in events if e.name.endswith("_entry") and "bt_id = " in e.text]
        self.assertGreater(len([e for e in entries if e["bt_id"]]), 0)
        self.assertLessEqual({e["bt_id"] for e in entries}, defined | {0})
        self.assertFalse(any(e["bt_id"] and e.array("bt") for e in entries))

    def test_without_our_thunk(self):
        self.assert_same("--model", "--system-thunk", "--layers=kfd")

    def test_without_kept_stacks_the_report_says_so(self):
        path = self.record_late([f"{PROGRAMS}/layers_late"], "--model", "--layers=kmt,kfd",
                                env={"KFDSCOPE_KEEP_STACKS": "0"})
        for event in read_events(path):
            if event.name == "kmt_state:allocation":
                self.assertEqual((event.array("bt"), event["created_by"]), ([], ""))
        text = subprocess.run([KFDSCOPE, "leaks", path], capture_output=True, text=True,
                              check=True).stdout
        self.assertIn("TAKEN BEFORE THE RECORDING BEGAN", text)

    def test_past_the_limit_stacks_are_not_known(self):
        path = self.record_late([f"{PROGRAMS}/layers_late"], "--model", "--layers=kmt,kfd",
                                env={"KFDSCOPE_KEEP_STACKS": "3"})
        known = [len(e.array("bt")) > 0 for e in read_events(path)
                 if e.name == "kmt_state:allocation"]
        self.assertIn(True, known)
        self.assertIn(False, known)


if __name__ == "__main__":
    unittest.main()
