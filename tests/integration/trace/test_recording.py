# SPDX-License-Identifier: MIT
"""What recordings hold: a golden trace, the state of a late start, libraries that come and go."""
import os
import re
import sys
import unittest

from dumps import dumps_awaited
from session import BIN, LIB, Session, named, pairs, program

HERE = os.path.dirname(os.path.abspath(__file__))
ADDRESS = re.compile(r"0x[0-9A-F]{5,}")


def normal(event):
    """One event without what differs from run to run."""
    text = re.sub(r"_bt_length = \d+, bt = \[.*?\], bt_truncated = \d",
                  lambda m: "bt = STACK" if "[0]" in m[0] else "bt = NONE", event.text)
    text = ADDRESS.sub("ADDRESS", text)
    text = re.sub(r"\( \"(\w+)\" : container = -?\d+ \)", r"\1", text)
    text = re.sub(r"\b(fd|drm_fd) = \d+", r"\1 = FD", text)
    text = re.sub(r"\b(call) = \d+, api_call", r"\1 = N, api_call", text)
    text = re.sub(r", \w+_(?!valid)\w+ = 0(?=,|$)", "", text)  # bits that are not set
    return f"{event.name} {text}"


class Golden(unittest.TestCase):
    maxDiff = None

    def test_a_small_program_gives_the_expected_trace(self):
        with Session() as session:
            done = session.run([program("calls")])
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
            events = session.events()
            self.assertEqual(session.warnings, "")
        self.assertEqual(pairs(events), (set(), set()))
        lines = [normal(e) for e in events if e.name.startswith(("kmt:", "kfd:"))]
        expected = os.path.join(HERE, "calls.expect")
        if "--update" in sys.argv:
            with open(expected, "w", encoding="utf-8") as stream:
                stream.write("\n".join(lines) + "\n")
        with open(expected, encoding="utf-8") as stream:
            self.assertEqual("\n".join(lines) + "\n", stream.read())

    def test_the_schema_comes_first_and_the_exit_last(self):
        with Session() as session:
            session.run([program("calls")])
            events = session.events()
        self.assertEqual(events[0].name, "kmt_state:schema")
        self.assertEqual(events[-1].name, "kmt_state:exiting")
        opened = named(events, "kmt_state:schema")[-1]
        self.assertEqual(opened["kfd_major"], 1)
        self.assertEqual(opened["pid"], events[0].vpid)
        self.assertIn("HSA_MODEL_TOPOLOGY", opened.text)
        nodes = named(events, "kmt_state:node")
        self.assertEqual([n["node_id"] for n in nodes], [0, 1])
        self.assertNotEqual(nodes[1]["gpu_id"], 0)

    def test_ioctls_name_the_call_they_belong_to(self):
        with Session() as session:
            session.run([program("calls")])
            events = session.events()
        alloc = named(events, "kmt:hsaKmtAllocMemory_entry")[0]
        inside = [e for e in named(events, "kfd:ALLOC_MEMORY_OF_GPU_entry")
                  if e["api_call"] == alloc["call"]]
        self.assertEqual(len(inside), 1)
        self.assertEqual(inside[0]["size"], 1 << 20)
        self.assertEqual(inside[0]["gpu_id"], alloc["PreferredNode_gpu_id"])
        self.assertEqual(inside[0].array("bt"), [])

    def test_stacks_begin_in_the_program(self):
        with Session() as session:
            session.run([program("calls")])
            events = session.events()
        module = next(e for e in named(events, "kmt_state:module") if e["is_main"])
        begin, end = module["base"], module["base"] + module["size_bytes"]
        for event in events:
            if event.name.startswith("kmt:") and event.name.endswith("_entry"):
                frames = event.array("bt")
                self.assertGreaterEqual(len(frames), 2, event.name)
                self.assertTrue(begin <= frames[0] < end, event.name)
        allocate = named(events, "kmt:hsaKmtAllocMemory_entry")[0].array("bt")
        self.assertTrue(begin <= allocate[1] < end)  # allocate() and main()

    def test_the_environment_chooses_depth_and_place_of_stacks(self):
        with Session() as session:
            session.run([program("calls")], KFDSCOPE_STACK_DEPTH="1", KFDSCOPE_STACKS="all")
            events = session.events()
        entry = named(events, "kmt:hsaKmtAllocMemory_entry")[0]
        self.assertEqual((len(entry.array("bt")), entry["bt_truncated"]), (1, 1))
        inner = named(events, "kfd:ALLOC_MEMORY_OF_GPU_entry")[0]
        self.assertEqual(len(inner.array("bt")), 1)


class LateStart(unittest.TestCase):
    def test_the_state_of_a_running_program_is_dumped(self):
        with Session(start=False) as session:
            child = session.popen([program("late")])
            self.assertEqual(child.stdout.readline(), "ready\n")
            # The dump is asynchronous; the program is idle until it has been told to go on.
            with dumps_awaited(BIN, [child]):
                session.start()
            child.communicate("go\n", timeout=30)
            self.assertEqual(child.returncode, 0)
            events = session.events()
        sizes = sorted(e["size_bytes"] for e in named(events, "kmt_state:allocation")
                       if not e["is_internal"] and e["MemFlags"] == 1)
        self.assertEqual(sizes, [3 << 20, 5 << 20])
        end = named(events, "kmt_state:end")[0]
        self.assertEqual((end["nodes"], end["events"]), (2, 1))
        self.assertEqual(end["allocations"], len(named(events, "kmt_state:allocation")))
        allocation = next(e for e in named(events, "kmt_state:allocation")
                          if e["size_bytes"] == 3 << 20)
        self.assertEqual(len(allocation.array("handles")), 1)
        # The wait that was under way has an exit without an entry, and says so.
        exits = named(events, "kmt:hsaKmtWaitOnEvent_exit")
        self.assertEqual([e["call"] for e in exits], [0])
        self.assertEqual(named(events, "kmt:hsaKmtWaitOnEvent_entry"), [])
        self.assertTrue(named(events, "kmt_state:module"))

    def test_frames_of_a_library_that_has_gone_are_left_blank(self):
        with Session(start=False) as session:
            child = session.popen([program("late"), os.path.join(LIB, "libtraced_plugin.so")])
            self.assertEqual(child.stdout.readline(), "ready\n")
            with dumps_awaited(BIN, [child]):
                session.start()
            child.communicate("go\n", timeout=30)
            self.assertEqual(child.returncode, 0)
            events = session.events()
        stacks = {e["size_bytes"]: e.array("bt") for e in named(events, "kmt_state:allocation")
                  if e["created_by"] == "hsaKmtAllocMemory"}
        self.assertEqual(stacks[7 << 20][0], 0)
        self.assertNotIn(0, stacks[7 << 20][1:])
        self.assertNotIn(0, stacks[3 << 20])
        # Both were asked for by main(), from two places, and what is around it is the same.
        self.assertEqual(stacks[7 << 20][-3:], stacks[3 << 20][-3:])


class Modules(unittest.TestCase):
    def test_libraries_that_come_and_go_are_told(self):
        plugin = os.path.join(LIB, "libtraced_plugin.so")
        with Session() as session:
            done = session.run([program("opener"), plugin])
            self.assertEqual(done.returncode, 0, done.stderr)
            events = session.events()
        order = [(e.name, e["path"]) for e in events if e.name.startswith("kmt_state:module")]
        self.assertIn(("kmt_state:module", plugin), order)
        self.assertIn(("kmt_state:module_gone", plugin), order)
        module = next(e for e in events if e.name == "kmt_state:module" and e["path"] == plugin)
        self.assertEqual(module["build_id_len"], 20)
        # It is told before the first call that comes out of it.
        call = next(e for e in events if e.name == "kmt:hsaKmtGetVersion_entry" and
                    module["base"] <= e.array("bt")[0] < module["base"] + module["size_bytes"])
        self.assertLess(events.index(module), events.index(call))


if __name__ == "__main__":
    unittest.main(argv=[a for a in sys.argv if a != "--update"])
