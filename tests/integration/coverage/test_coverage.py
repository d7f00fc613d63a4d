# SPDX-License-Identifier: MIT
"""Every declared event is recorded at least once, with the right values in its fields.

Each part calls all that its list has and records it with a real session daemon; the last test puts
together what was seen. Arguments are values that can be found again, field by field.
"""
import errno
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..", "..")
LISTS = os.path.join(ROOT, "trace")
sys.path[:0] = [LISTS, os.path.join(HERE, "..", "trace"), os.path.join(HERE, ".."), HERE]
from arguments import values as layer_values  # noqa: E402
import call_ioctls  # noqa: E402
from dumps import dumps_awaited  # noqa: E402
from generator.events import LAYERS, LARGEST_RECORD, build  # noqa: E402
from record_sizes import largest_records  # noqa: E402
import session  # noqa: E402

CLIENTS, LAYER_FOLDER = os.environ["CLIENTS"], os.environ["LAYERS_LIB"]
PRELOADS = [os.environ["PROVIDER"], f"{LAYER_FOLDER}/libkfdscope-preload.so",
            f"{LAYER_FOLDER}/libkfdscope-model-preload.so"]
HIP_CLIENT = os.path.join(session.BIN, "layers_late")
FACTS = os.path.join(ROOT, "tests", "data", "ioctl.json")
MODEL = build(LISTS)
with open(FACTS, encoding="utf-8") as stream:
    IOCTLS = json.load(stream)
session.EVENTS = tuple(sorted({f"{event.provider}:*" for event in MODEL.events}))
AROUND_BYTES = 64      # at most: the header of an event, and vpid, vtid and procname
SMI_LINES = ["1 4d2:app", "2 3:1", "3 1", "4 1 hang", "5 7 -9 @10(2) 0->a 1:2 3",
             "6 8 -9 @10(2) 0->a 3 -5", "7 9 -9 @10(a) W", "8 10 -9 @10(a) M", "9 11 -9 a 2",
             "a 12 -9 a R", "b 13 -9 @10(2) a 2", "c 63 app", "d 63 app", "9 x"]
# What the lines above say, by event.
SMI_FIELDS = {
    "vm_fault": {"number": 1, "pid": 1234}, "thermal_throttle": {"bitmask": 3, "counter": 1},
    "gpu_pre_reset": {"sequence": 1}, "gpu_post_reset": {"sequence": 1},
    "migrate_start": {"boottime_ns": 7, "pid": 9, "address": 0x10000, "size_bytes": 0x2000,
                      "from": 0, "to": 10, "prefetch": 1, "preferred": 2, "trigger": 3},
    "migrate_end": {"boottime_ns": 8, "error": -5, "error_valid": 1, "trigger": 3},
    "page_fault_start": {"address": 0x10000, "node": 10, "is_write": 1},
    "page_fault_end": {"boottime_ns": 10, "is_migrated": 1},
    "queue_eviction": {"boottime_ns": 11, "node": 10, "trigger": 2},
    "queue_restore": {"is_rescheduled": 1}, "unmap_from_gpu": {"size_bytes": 0x2000, "trigger": 2},
    "process_start": {"pid": 99}, "process_end": {"pid": 99}, "raw": {"number": 9},
}


def number(event, field):
    """The number of a field, also of an enumeration's."""
    found = re.search(rf"(?:^|, ){re.escape(field)} = (?:\( .*? : container = )?"
                      r"(-?(?:0x)?[0-9A-Fa-f]+)", event.text)
    return int(found[1], 0) if found else None


class Recorded(session.Session):
    """Room for all of it: nothing may be lost here."""

    def lttng(self, *arguments):
        large = [a.replace("--subbuf-size=1M", "--subbuf-size=4M") for a in arguments]
        super().lttng(*large)


class Coverage(unittest.TestCase):
    maxDiff = None
    seen = set()
    largest = {}     # bytes of the largest record of each event, read from the packets

    def keep(self, recorded):
        events = recorded.events()
        self.assertNotIn("discarded", recorded.warnings)
        self.seen |= {event.name for event in events}
        for name, size in largest_records(recorded.folder).items():
            self.largest[name] = max(self.largest.get(name, 0), size)
        return events

    def run_ok(self, recorded, command, **environment):
        done = recorded.run([str(word) for word in command], timeout=120, **environment)
        self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-2000:])

    def check_fields(self, event, fields):
        self.assertEqual({name: number(event, name) for name in fields}, fields, event.name)

    def python(self, script, *arguments):
        return [sys.executable, "-B", os.path.join(HERE, script), *arguments]

    def test_1_every_function_of_the_thunk(self):
        for twin in ("plain", "ctx"):
            with Recorded() as recorded:
                recorded.run([os.path.join(session.BIN, f"api_walk_{twin}")], timeout=120,
                             KFDSCOPE_STACK_DEPTH="1")
                events = self.keep(recorded)
            self.assertEqual(session.pairs(events), (set(), set()))
        # Memory is bound to nodes where there are several.
        tree = os.path.join(os.path.dirname(os.environ["HSA_MODEL_TOPOLOGY"]), "gfx942x8")
        with Recorded() as recorded:
            recorded.run([os.path.join(session.BIN, "api_walk_plain")], timeout=120,
                         KFDSCOPE_STACKS="none", LD_PRELOAD=PRELOADS[2], HSA_MODEL_LIB=None,
                         HSA_MODEL_TOPOLOGY=None, KFDSCOPE_MODEL_TOPOLOGY=tree,
                         KFDSCOPE_MODEL_SYSROOT=f"{tree}/host")
            events = self.keep(recorded)
        self.assertEqual(session.pairs(events), (set(), set()))

    def test_2_every_ioctl_with_its_arguments(self):
        with Recorded() as recorded:
            self.run_ok(recorded, self.python("call_ioctls.py", LISTS, FACTS),
                        LD_PRELOAD=":".join(PRELOADS), HSA_MODEL_LIB=None, PYTHONPATH=LISTS,
                        KFDSCOPE_MODEL_TOPOLOGY=os.environ["HSA_MODEL_TOPOLOGY"])
            events = self.keep(recorded)
        for fact in IOCTLS:
            fields = {member.replace(".", "_"): value
                      for member, value in call_ioctls.values(MODEL, fact).items()}
            name = fact["name"].removeprefix("AMDKFD_IOC_")
            for suffix, operation in call_ioctls.operations(MODEL, fact):
                entry = session.named(events, f"kfd:{name}{suffix}_entry")
                self.assertTrue(entry, name + suffix)
                self.check_fields(entry[0], fields if operation is None else {})

    def call_all(self, recorded, which, library):
        self.run_ok(recorded, self.python("call_layers.py", which, LISTS,
                                          f"{LAYER_FOLDER}/{library}", os.environ["FAKE_HIP"]),
                    LD_PRELOAD=os.environ["PROVIDER"], PYTHONPATH=LISTS)

    def check_layer(self, name):
        layer = next(layer for layer in LAYERS if layer.name == name)
        with Recorded() as recorded:
            self.call_all(recorded, name, f"libkfdscope-{name}.so")
            events = self.keep(recorded)
        for function in MODEL.layers[layer]:
            entries = session.named(events, f"{layer.provider}:{function.name}_entry")
            self.assertEqual(len(entries), 1, function.name)
            self.check_fields(entries[0], layer_values(function)[1])

    def test_3_every_function_of_hip(self):
        self.check_layer("hip")

    def test_4_every_function_of_the_hsa_runtime(self):
        self.check_layer("rocr")

    def test_5_samples_and_what_the_driver_tells(self):
        with Recorded() as recorded, tempfile.NamedTemporaryFile("w", suffix=".json") as scenario:
            json.dump({"actions": [{"do": "smi", "node": 1, "text": text,
                                    "on": "GET_CLOCK_COUNTERS"} for text in SMI_LINES]},
                      scenario)
            scenario.flush()
            self.run_ok(recorded, [f"{CLIENTS}/u21"], KFDSCOPE_SMI="1",
                        KFDSCOPE_MODEL_SCENARIO=scenario.name)
            self.run_ok(recorded, [f"{CLIENTS}/queue_samples", 30, 20], KFDSCOPE_QUEUE_HZ="100")
            scenario.seek(0)
            scenario.truncate()
            json.dump({"open": [{"path": "renderD129", "errno": "EPERM"}]}, scenario)
            scenario.flush()
            self.run_ok(recorded, [f"{CLIENTS}/u28"], KFDSCOPE_MODEL_SCENARIO=scenario.name,
                        HSA_MODEL_TOPOLOGY=f"{os.environ['HSA_MODEL_TOPOLOGY']}x4")
            self.run_ok(recorded, [os.path.join(session.BIN, "traced_fork")],
                        KFDSCOPE_STACKS="interned")
            self.run_ok(recorded, [os.path.join(session.BIN, "traced_opener"),
                                   os.path.join(session.LIB, "libtraced_plugin.so")])
            events = self.keep(recorded)
        for name, fields in SMI_FIELDS.items():
            event, = session.named(events, f"kmt_smi:{name}")
            self.check_fields(event, fields)
        hidden = session.named(events, "kmt_state:hidden_node")
        self.assertEqual({(number(h, "topology_node"), number(h, "render_minor"),
                           number(h, "os_errno")) for h in hidden}, {(2, 129, errno.EPERM)})
        told = session.named(events, "kmt_state:message")
        self.assertEqual({(m["level"], m["text"]) for m in told},
                         {("info", f"sysfs node 2 is hidden: errno {errno.EPERM}")})
        samples = session.named(events, "kmt_queue:sample")
        self.assertEqual(sum(number(s, "kernel_dispatches") for s in samples), 30 + 7)

    def test_6_the_state_of_a_program_that_runs(self):
        with Recorded(start=False) as recorded:
            programs = [recorded.popen(command) for command in
                        ([os.path.join(session.BIN, "traced_late")],
                         [f"{CLIENTS}/queue_samples", "1", "1", "4096", "pause"])]
            if os.path.exists(HIP_CLIENT):
                programs.append(recorded.popen([HIP_CLIENT], LD_PRELOAD=":".join(
                    (os.environ["PROVIDER"], f"{LAYER_FOLDER}/libkfdscope-hip.so", PRELOADS[2])),
                    KFDSCOPE_PRELOAD_ONLY="modules"))
            for child in programs:
                self.assertEqual(child.stdout.readline(), "ready\n")
            with dumps_awaited(session.BIN, programs):
                recorded.start()
            for child in programs:
                child.communicate("go\n", timeout=30)
            events = self.keep(recorded)
        queues = [event for event in session.named(events, "kmt_state:queue")
                  if event.vpid == programs[1].pid]
        self.assertEqual([number(q, "ring_size_bytes") for q in queues], [4096, 4096])

    def test_7_guests_and_their_host(self):
        with Recorded() as recorded, tempfile.TemporaryDirectory() as folder:
            socket = os.path.join(folder, "socket")
            host = subprocess.Popen(
                [os.path.join(session.BIN, "kfdscope-virtio-host"), socket], text=True,
                stdout=subprocess.PIPE, env=recorded.environment(
                    LD_PRELOAD=PRELOADS[2], HSA_MODEL_LIB=None, HSA_MODEL_TOPOLOGY=None,
                    KFDSCOPE_MODEL_TOPOLOGY=os.environ["HSA_MODEL_TOPOLOGY"]))
            self.assertEqual(host.stdout.readline(), "ready\n")
            for guest in ("virtio_walk", "virtio_guest_calls"):
                recorded.run([os.path.join(session.BIN, guest)], timeout=60,
                             KFDSCOPE_VIRTIO_SOCKET=socket,
                             LD_PRELOAD=os.environ["PROVIDER"])
            self.call_all(recorded, "guest", "libhsakmt_virtio.so.1")
            host.terminate()
            host.communicate(timeout=30)
            self.keep(recorded)

    def test_7_the_longest_arguments(self):
        """Stacks, lists, numbers of nodes and words on the command line beyond what is recorded."""
        tree = os.path.join(os.path.dirname(os.environ["HSA_MODEL_TOPOLOGY"]), "gfx942x64")
        with Recorded() as recorded, tempfile.TemporaryDirectory() as folder:
            far = os.path.join(folder, *["a-folder-with-a-long-name" * 8] * 4)
            os.makedirs(far)
            program = shutil.copy(f"{session.BIN}/coverage_longest", far)
            self.run_ok(recorded, [program, "word" * 1000], HSA_MODEL_TOPOLOGY=tree,
                        KFDSCOPE_STACK_DEPTH="64", KFDSCOPE_STACKS="all")
            events = self.keep(recorded)
        bounds = {event.full: event for event in MODEL.events}
        # (event, array, cap): each is as full as it gets.
        for name, array in (
                ("kmt:hsaKmtGetNodeIoLinkProperties_exit", "IoLinkProperties_NodeTo"),
                ("kmt:hsaKmtWaitOnMultipleEvents_entry", "Events_id"),
                ("kmt:hsaKmtWaitOnMultipleEvents_Ext_entry", "event_age"),
                ("kfd:WAIT_EVENTS_entry", "events_event_id"),
                ("kfd:GET_PROCESS_APERTURES_NEW_exit", "kfd_process_device_apertures_gpu_id"),
                ("kmt:hsaKmtSVMSetAttr_entry", "attrs_type"),
                ("kmt:hsaKmtProcessVMRead_entry", "LocalMemoryArray_SizeInBytes"),
                ("kmt:hsaKmtDbgAddressWatch_entry", "WatchAddress"),
                ("kmt:hsaKmtMapMemoryToGPUNodes_entry", "NodeArray"),
                ("kmt:hsaKmtWaitOnMultipleEvents_entry", "bt")):
            cap = next(field.cap for field in bounds[name].shape.fields if field.name == array)
            lengths = {number(event, f"_{array}_length") for event in session.named(events, name)}
            self.assertIn(cap, lengths, name)
        # Strings: one byte of their room is the end.
        schema = session.named(events, "kmt_state:schema")[0]
        cap = next(field.cap for field in bounds[schema.name].shape.fields
                   if field.name == "command_line")
        self.assertEqual(len(re.search(r'command_line = "([^"]*)"', schema.text)[1]), cap - 1)
        self.assertGreater(self.largest["kmt:hsaKmtGetNodeIoLinkProperties_exit"], 2500)

    def test_8_every_declared_event_was_seen(self):
        declared = {event.full for event in MODEL.events}
        if not os.path.exists(HIP_CLIENT):    # without HIP nothing is asked of it
            declared -= {"kmt_state:request", "kmt_state:requests"}
        self.assertGreater(len(declared), 1000)
        self.assertEqual(sorted(declared - self.seen), [])

    def test_9_names_and_sizes_keep_the_contract(self):
        for event in MODEL.events:
            self.assertFalse(event.full.startswith(("hsa", "hip")), event.full)
            self.assertLess(event.largest() + AROUND_BYTES, LARGEST_RECORD, event.full)

    def test_9_no_recorded_one_is_larger(self):
        bounds = {event.full: event.largest() for event in MODEL.events}
        self.assertEqual({name: size for name, size in self.largest.items()
                          if size > bounds.get(name, LARGEST_RECORD) + AROUND_BYTES}, {})
        self.assertGreater(len(self.largest), 1000)
        self.assertLess(max(self.largest.values()), LARGEST_RECORD)


if __name__ == "__main__":
    unittest.main(verbosity=2)
