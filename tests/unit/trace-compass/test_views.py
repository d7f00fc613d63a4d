# SPDX-License-Identifier: MIT
"""The derived trace of a small program, and the rows that each view draws of it.

    test_views.py KFDSCOPE
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "analysis"))

from ctf_trace import CLOCK_OFFSET, Program, Trace  # pylint: disable=wrong-import-position
import views  # pylint: disable=wrong-import-position

VIEWS = HERE.parents[2] / "analysis" / "trace-compass"
KFDSCOPE = None


def small_program(path, **options):
    """Two blocks of which one is freed, a queue that is stopped, a wait, a counter run."""
    trace = Trace(streams=2, **options)
    main, waiter = Program(trace), Program(trace, vtid=11, stream=1)
    main.schema(1000)
    main.alloc(2000, 65536, 0x10000, 1)
    main.alloc(3000, 4096, 0x30000, 2)
    call(main, 4000, "hsaKmtCreateQueueExt", [("NodeId", "u32", 1), ("QueuePercentage", "u32", 100)],
         [("QueueResource_QueueId", "u64", 7)])
    call(main, 5000, "hsaKmtUpdateQueue", [("QueueId", "u64", 7), ("QueuePercentage", "u32", 0)], [])
    call(waiter, 6000, "hsaKmtWaitOnEvent", [("Event", "u64", 0x99), ("Event_id", "u32", 5),
                                             ("Milliseconds", "u32", 10)], [], length=500)
    call(main, 7000, "hsaKmtDestroyQueue", [("QueueId", "u64", 7)], [])
    call(main, 8000, "hsaKmtPmcStartTrace", [("TraceId", "u64", 3)], [])
    call(main, 8500, "hsaKmtPmcStopTrace", [("TraceId", "u64", 3)], [])
    main.free(9000, 0x10000, 1)
    main.calls += 1  # never returns
    main.fire(9900, "kmt:hsaKmtGetVersion_entry", ("call", "u64", main.calls), ("ctx", "u32", 0))
    trace.write(path)


def call(program, time, name, entry, exit_fields, length=100):
    program.calls += 1
    head = [("call", "u64", program.calls), ("ctx", "u32", 0)]
    program.fire(time, f"kmt:{name}_entry", *head, *entry)
    program.fire(time + length, f"kmt:{name}_exit", *head, ("status", "u32", 0),
                 ("os_errno", "i32", 0), *exit_fields)


class Views(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="kfdscope-test-"))
        self.addCleanup(shutil.rmtree, self.dir)
        small_program(self.dir / "recording")
        self.derived = self.dir / "derived"
        self.run_kfdscope("timeline", "-o", self.derived, self.dir / "recording")
        self.events = views.read_events(self.derived)

    def run_kfdscope(self, *arguments, status=0):
        done = subprocess.run([KFDSCOPE, *map(str, arguments)], capture_output=True, text=True,
                              check=False, timeout=60, env={**os.environ, "LC_ALL": "C"})
        self.assertEqual(done.returncode, status, done.stderr + done.stdout)
        return done

    def states(self, name, index=0):
        root = views.load(VIEWS / f"{name}.xml")
        return root, views.run_provider(root.findall(".//stateProvider")[index], self.events)

    def test_calls_are_balanced_and_named(self):
        _, states = self.states("kmt-calls")
        self.assertEqual(sorted(states), ["Processes/10/10/CallStack", "Processes/10/11/CallStack"])
        for history in states.values():
            self.assertEqual(history[-1][1], ())  # cut calls are closed as well
        stacks = {stack for _, stack in states["Processes/10/10/CallStack"]}
        self.assertIn(("hsaKmtAllocMemory", "ALLOC_MEMORY_OF_GPU"), stacks)
        self.assertIn(("hsaKmtGetVersion",), stacks)

    def test_live_bytes_are_a_series_for_each_node_and_heap(self):
        root, states = self.states("kmt-memory")
        drawn = views.rows(root.find("xyView"), states)
        self.assertEqual(len(drawn), 1)
        path, = drawn
        self.assertTrue(path.startswith("Memory/10/node 1/"), path)
        self.assertEqual([value for _, value in states[path]], [65536, 69632, 4096])

    def test_living_buffers_have_a_row_each(self):
        root, states = self.states("kmt-memory")
        self.assertEqual(views.rows(root.find("timeGraphView"), states), {"Buffers/0", "Buffers/1"})
        self.assertEqual(states["Buffers/0"][-1][1], None)
        self.assertTrue(states["Buffers/0"][0][1].startswith("65536 bytes"))

    def test_each_queue_has_a_row(self):
        root, states = self.states("kmt-queues")
        self.assertEqual(views.rows(root.find("timeGraphView"), states), {"Queues/10/queue 0x7"})
        self.assertEqual([value for _, value in states["Queues/10/queue 0x7"]],
                         ["active", "stopped", None])
        colours = {d.get("value") for d in root.find("timeGraphView").findall("definedValue")}
        self.assertLessEqual({"active", "stopped"}, colours)

    def test_each_waiting_thread_has_a_row_and_each_wait_a_segment(self):
        root, states = self.states("kmt-waits")
        self.assertEqual(views.rows(root.find("timeGraphView"), states), {"Waits/10/11"})
        self.assertEqual([value for _, value in states["Waits/10/11"]], ["waiting", None])
        colours = {d.get("value") for d in root.find("timeGraphView").findall("definedValue")}
        self.assertIn("waiting", colours)
        self.assertEqual(views.run_pattern(root.find("pattern"), self.events),
                         [("signalled", CLOCK_OFFSET + 6000, 500, {"event": 5, "thread": 11})])

    def test_each_counter_run_has_a_row(self):
        root, states = self.states("kmt-pmc")
        self.assertEqual(views.rows(root.find("timeGraphView"), states), {"Runs/10/run 0x3"})
        self.assertEqual([value for _, value in states["Runs/10/run 0x3"]], ["running", "acquired"])

    def test_all_classes_of_the_memory_view_are_declared(self):
        metadata = (self.derived / "metadata").read_bytes()
        for name in ("malloc", "free", "calloc", "realloc", "memalign", "posix_memalign"):
            self.assertIn(f'"lttng_ust_libc:{name}"'.encode(), metadata, name)
        # One event of each class without a pointer is there for its declaration only.
        heap = [e for e in self.events if e["event"].startswith("lttng_ust_libc:") and
                e.get("ptr", 0)]
        self.assertEqual([e["event"][15:] for e in heap], ["malloc", "malloc", "free"])
        self.assertEqual(heap[2]["ptr"], heap[0]["ptr"])
        self.assertEqual(heap[2]["context._vtid"], heap[0]["context._vtid"])
        self.assertNotEqual(heap[0]["ptr"], heap[1]["ptr"])

    def test_environment_and_clock_are_those_of_the_source(self):
        metadata = (self.derived / "metadata").read_text()
        for words in ('domain = "ust"', 'tracer_name = "lttng-ust"', "tracer_major = 2",
                      "tracer_minor = 13", 'hostname = "host"', "trace_creation_datetime",
                      'uuid = "00010203-0405-0607-0809-0a0b0c0d0e0f"', "timestamp_begin",
                      "_cpu_id"):
            self.assertIn(words, metadata)
        self.assertEqual(metadata.count("\nclock {"), 1)
        self.assertEqual(self.events[0]["time"], 2000)

    def test_it_merges_with_its_source(self):
        done = subprocess.run(["babeltrace2", self.derived, self.dir / "recording"],
                              capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")
        times = [line.split("]")[0] for line in done.stdout.splitlines()]
        self.assertEqual(times, sorted(times))

    def test_an_output_that_exists_is_refused(self):
        done = self.run_kfdscope("timeline", "-o", self.derived, self.dir / "recording", status=5)
        self.assertIn("exists already", done.stderr)

    def test_views_are_installed_for_a_user(self):
        self.run_kfdscope("trace-compass", "install", "--workspace", self.dir / "workspace")
        installed = sorted((self.dir / "workspace").rglob("*.xml"))
        self.assertEqual([p.name for p in installed], sorted(p.name for p in VIEWS.glob("*.xml")))
        for path in installed:
            self.assertEqual(path.read_bytes(), (VIEWS / path.name).read_bytes())


class TwoHosts(Views):
    """Every host has a trace of its own."""

    def setUp(self):
        super().setUp()
        small_program(self.dir / "other", hostname="other")

    def test_each_host_gets_a_trace(self):
        self.run_kfdscope("timeline", "-o", self.dir / "both", self.dir / "recording",
                          self.dir / "other")
        found = sorted((self.dir / "both").rglob("metadata"))
        self.assertEqual(len(found), 2)
        for path in found:
            self.assertEqual(len(views.read_events(path.parent)), len(self.events))


if __name__ == "__main__":
    KFDSCOPE = sys.argv.pop(1)
    unittest.main()
