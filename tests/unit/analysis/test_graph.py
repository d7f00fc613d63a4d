# SPDX-License-Identifier: MIT
"""The component classes in graphs of babeltrace2: parameters, Python bindings, memory, interrupts.

    test_graph.py KFDSCOPE PLUGIN_DIR BIG_TRACE
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

from ctf_trace import Program, Trace

KFDSCOPE = PLUGIN_DIR = BIG_TRACE = None
PARTIAL, UNREADABLE = 3, 4
# Debian's bindings are for Debian's Python.
PYTHON = "/usr/bin/python3"
# Python's own plug-ins are slow to look for, and Python's memory is not ours to check.
os.environ["LIBBABELTRACE2_DISABLE_PYTHON_PLUGINS"] = "1"
VALGRIND = ["valgrind", "-q", "--leak-check=full", "--show-leak-kinds=definite",
            "--errors-for-leak-kinds=definite", "--error-exitcode=99"]


def has_bindings():
    return subprocess.run([PYTHON, "-c", "import bt2"], capture_output=True,
                          check=False).returncode == 0


class Case(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="kfdscope-test-")
        self.addCleanup(shutil.rmtree, self.dir)

    def path(self, name):
        return os.path.join(self.dir, name)

    def recording(self):
        trace = Trace()
        program = Program(trace)
        program.schema(1000)
        for i in range(4):
            program.alloc(2000 + 100 * i, 4096, 0x10000 * (i + 1), i + 1)
        for i in range(1, 4):
            program.free(50000 + 100 * i, 0x10000 * (i + 1), i + 1)
        program.exiting(90000)
        trace.write(self.path("trace"))
        return self.path("trace")

    def run_words(self, *words, code=0, **options):
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True,
                              timeout=120, check=False, **options)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return done


def classes(kind):
    """The names of the plug-in's classes of a kind."""
    said = subprocess.run(["babeltrace2", f"--plugin-path={PLUGIN_DIR}", "list-plugins"],
                          capture_output=True, text=True, check=True).stdout
    return re.findall(rf"'{kind}\.kfd\.([a-z-]+)'", re.sub(r"\x1b\[[0-9;]*m", "", said))


class Parameters(Case):
    # What is given, and what the error says of it.
    ROWS = (("depth=3", "unknown parameter 'depth'"),
            ('Top=5', "unknown parameter 'Top'"),
            ("top=-1", "'top' must be a number that is not negative"),
            ('top="x"', "'top' must be a number that is not negative"),
            ("top=1.5", "'top' must be a number that is not negative"),
            ("output=5", "'output' must be a string"),
            ('output=["a"]', "'output' must be a string"),
            ('format="xml"', "'format' must be \"text\" or \"json\""),
            ("format=1", "'format' must be \"text\" or \"json\""),
            ('begin-ns="now"', "'begin-ns' must be a number that is not negative"),
            ("end-ns=null", "'end-ns' must be a number that is not negative"),
            ("debug-dirs=true", "'debug-dirs' must be a string"))

    def test_every_sink_refuses_what_it_does_not_know_by_name(self):
        trace = self.recording()
        sinks = classes("sink")
        self.assertGreater(len(sinks), 10)
        for sink in sinks:
            for given, says in self.ROWS:
                with self.subTest(sink=sink, given=given):
                    done = self.run_words("babeltrace2", f"--plugin-path={PLUGIN_DIR}", trace,
                                          "-c", f"sink.kfd.{sink}", "-p", given, code=1)
                    self.assertIn(says, done.stderr)
                    self.assertEqual(done.stdout, "")

    def test_help_has_all_parameters(self):
        refused = self.run_words("babeltrace2", f"--plugin-path={PLUGIN_DIR}", self.recording(),
                                 "-c", "sink.kfd.leaks", "-p", "depth=3", code=1).stderr
        known = re.search(r"known are (.*)", re.sub(r"\s+", " ", refused)).group(1)
        names = re.findall(r"[a-z]+(?:-[a-z]+)?", known.split("ERROR")[0].replace(" and ", ", "))
        self.assertIn("runtime", names)
        helps = (self.run_words("babeltrace2", f"--plugin-path={PLUGIN_DIR}", "help",
                                "sink.kfd.leaks").stdout,
                 self.run_words(KFDSCOPE, "help", "babeltrace2").stdout)
        for name in names:
            for said in helps:
                self.assertRegex(said, rf"\b{name}\b")

    def test_every_filter_refuses_parameters(self):
        self.assertEqual(classes("filter"), ["timeline"])
        done = self.run_words("babeltrace2", f"--plugin-path={PLUGIN_DIR}", self.recording(),
                              "-c", "filter.kfd.timeline", "-p", "top=1", code=1)
        self.assertIn("has no parameters", done.stderr)

    def test_every_sink_takes_what_it_knows(self):
        trace = self.recording()
        for sink in classes("sink"):
            done = self.run_words("babeltrace2", f"--plugin-path={PLUGIN_DIR}", trace,
                                  "-c", f"sink.kfd.{sink}", "-p",
                                  'format="json",top=3,begin-ns=0,end-ns=0,debug-dirs="/x"')
            self.assertEqual(done.stderr, "")
            self.assertTrue(json.loads(done.stdout), sink)


@unittest.skipUnless(has_bindings(), "python3-bt2 is not installed")
class Bindings(Case):
    def script(self, text, *words):
        return self.run_words(PYTHON, "-c", text, PLUGIN_DIR, *words)

    def test_a_graph_made_in_python_gives_the_report(self):
        output = self.path("report.json")
        self.script('''
import sys, bt2
plugins, trace, output = sys.argv[1:]
kfd, = [plugin for plugin in bt2.find_plugins_in_path(plugins) if plugin.name == "kfd"]
graph = bt2.Graph()
source = graph.add_component(bt2.find_plugin("ctf").source_component_classes["fs"], "in",
                             {"inputs": [trace]})
muxer = graph.add_component(bt2.find_plugin("utils").filter_component_classes["muxer"], "muxer")
sink = graph.add_component(kfd.sink_component_classes["leaks"], "leaks",
                           {"format": "json", "output": output})
for number, port in enumerate(source.output_ports.values()):
    graph.connect_ports(port, muxer.input_ports[f"in{number}"])
graph.connect_ports(muxer.output_ports["out"], sink.input_ports["in"])
graph.run()
''', self.recording(), output)
        with open(output, encoding="utf-8") as file:
            self.assertEqual(json.load(file)["left"], {"blocks": 1, "bytes": 4096})

    def test_the_timelines_events_can_be_read_in_python(self):
        done = self.script('''
import sys, bt2
plugins, trace = sys.argv[1:]
kfd, = [plugin for plugin in bt2.find_plugins_in_path(plugins) if plugin.name == "kfd"]
events = bt2.TraceCollectionMessageIterator(
    trace, bt2.ComponentSpec(kfd.filter_component_classes["timeline"]))
live = [int(message.event.payload_field["live_bytes"]) for message in events
        if type(message) is bt2._EventMessageConst and message.event.name == "kfd_timeline:memory"]
print(live)
''', self.recording())
        blocks = (1, 2, 3, 4, 3, 2, 1)
        self.assertEqual(json.loads(done.stdout), [4096 * count for count in blocks])


@unittest.skipUnless(shutil.which("valgrind"), "valgrind is not installed")
class Memory(Case):
    """No error and nothing lost, of ours or of babeltrace2: no suppression is needed."""

    def test_reports_are_clean(self):
        trace = self.recording()
        for words in (("leaks", "--json"), ("failures",), ("waits",),
                      ("report", "-o", self.path("report.html")),
                      ("timeline", "-o", self.path("timeline.json")),
                      ("timeline", "-o", self.path("derived"))):
            done = self.run_words(*VALGRIND, KFDSCOPE, words[0], trace, *words[1:])
            self.assertEqual(done.stderr, "", words)

    def test_the_plugin_is_clean(self):
        # babeltrace2 loads every library of the folder: the others in it are not its plug-ins.
        os.mkdir(self.path("plugins"))
        shutil.copy(os.path.join(PLUGIN_DIR, "babeltrace-plugin-kfd.so"), self.path("plugins"))
        done = self.run_words(*VALGRIND, "babeltrace2", f"--plugin-path={self.path('plugins')}",
                              self.recording(), "-c", "sink.kfd.chains")
        self.assertEqual(done.stderr, "")


class Derived(Case):
    """A derived trace of an input that ends early ends whole."""

    def check(self, derived, code, errors):
        self.assertEqual(code, PARTIAL, errors)
        self.assertEqual(len(errors.splitlines()), 1, errors)
        done = self.run_words("babeltrace2", derived)
        self.assertEqual(done.stderr, "")
        self.assertIn("kfd_timeline:memory", done.stdout)

    def damaged(self, streams):
        """Two programs, each in a stream of its own; these streams are damaged."""
        trace = Trace(streams=2, events_a_packet=4)
        for stream in range(2):
            program = Program(trace, vpid=10 + stream, vtid=10 + stream, stream=stream)
            for i in range(6):
                program.alloc(1000 + 1000 * i + stream, 4096, 0x10000 * (i + 1), i + 1)
        trace.write(self.path("trace"))
        for stream, packet in streams.items():
            with open(self.path(f"trace/channel_{stream}"), "r+b") as file:
                file.seek(packet * 4096 + 84)  # behind the header of the packet
                file.write(b"\xff\xff")  # no such event
        return self.path("trace")

    def test_input_that_cannot_be_read_further(self):
        done = subprocess.run([KFDSCOPE, "timeline", "-o", self.path("derived"),
                               self.damaged({1: 2})], capture_output=True, text=True, timeout=120,
                              check=False)
        self.assertIn("could be read up to 1700000000.000002004 (Unix time) only", done.stderr)
        self.assertNotIn("addr=", done.stderr)
        self.check(self.path("derived"), done.returncode, done.stderr)

    def test_the_other_streams_are_read_to_their_ends(self):
        done = self.run_words(KFDSCOPE, "leaks", "--json", self.damaged({1: 2}), code=PARTIAL)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        report = json.loads(done.stdout)
        blocks = [process["left"]["blocks"] + process["undecided"]["blocks"]
                  for process in report["processes"]]
        self.assertEqual(blocks, [6, 2])
        self.assertFalse(report["complete"])

    def test_each_damaged_stream_is_told(self):
        done = self.run_words(KFDSCOPE, "leaks", "--json", self.damaged({0: 5, 1: 0}),
                              code=PARTIAL)
        self.assertRegex(done.stderr, "stream 0/0 of '.*' could be read up to 1700000000.0000050")
        self.assertRegex(done.stderr, "stream 0/1 of '.*' could be read up to its beginning only")
        self.assertEqual(len(done.stderr.splitlines()), 2, done.stderr)
        self.assertEqual(len(json.loads(done.stdout)["processes"]), 1)

    def test_damage_anywhere_leaves_the_other_stream_whole(self):
        path = self.damaged({})
        with open(os.path.join(path, "channel_1"), "rb") as file:
            whole = file.read()
        counts = set()
        for at in range(4096, 4096 + 400, 13):
            with open(os.path.join(path, "channel_1"), "wb") as file:
                file.write(whole[:at] + b"\xff\xff" + whole[at + 2:])
            done = subprocess.run([KFDSCOPE, "leaks", "--json", path], capture_output=True,
                                  text=True, timeout=120, check=False)
            self.assertIn(done.returncode, (0, PARTIAL), f"{at}: {done.stderr}")
            report = json.loads(done.stdout)
            first = next(process for process in report["processes"] if process["vpid"] == 10)
            self.assertEqual(first["left"]["blocks"] + first["undecided"]["blocks"], 6, at)
            counts.add(report["recording"]["events"])
        self.assertGreater(len(counts), 3)  # some of the damage is between events of one packet

    def test_a_trace_whose_clock_counts_from_another_moment_is_told_and_left_out(self):
        for name in ("ours", "other"):
            trace = Trace()
            Program(trace).alloc(2000, 4096, 0x10000, 1)
            trace.write(self.path(name))
        with open(self.path("other/metadata"), "r+b") as file:
            text = file.read().replace(b'tracer_name = "lttng-ust"', b'tracer_name = "some other"')
            file.seek(0)
            file.write(text)
        done = self.run_words(KFDSCOPE, "leaks", "--json", self.path("ours"), self.path("other"),
                              code=PARTIAL)
        self.assertRegex(done.stderr, "'.*/other' could be .* its clock has another origin")
        self.assertEqual(len(json.loads(done.stdout)["processes"]), 1)

    def test_nothing_that_can_be_read(self):
        done = self.run_words(KFDSCOPE, "leaks", self.damaged({0: 0, 1: 0}), code=UNREADABLE)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertEqual(done.stdout, "")

    def test_texts_are_those_of_their_event(self):
        """Also where there is none: babeltrace2 would then read that of another event."""
        trace = Trace()
        programs = [Program(trace, vpid=10, vtid=10, procname="app"),
                    Program(trace, vpid=20, vtid=20, procname="")]
        for i in range(60):
            program = programs[i // 30]
            program.alloc(1000 + 100 * i, 4096 * (i + 1), 0x1000000 * (i + 1), i + 1)
        for i in range(30):
            programs[0].free(20000 + 100 * i, 0x1000000 * (i + 1), i + 1)
        trace.write(self.path("trace"))
        self.run_words(KFDSCOPE, "timeline", "-o", self.path("derived"), self.path("trace"))
        said = self.run_words("babeltrace2", self.path("derived")).stdout.splitlines()
        calls = {re.search('vpid = ([0-9]+), .*procname = "([^"]*)"', line).groups()
                 for line in said if "kfd_timeline:call" in line}
        self.assertEqual(calls, {("10", "app"), ("20", "-")})
        buffers = [re.search('size_bytes = ([0-9]+), label = "([0-9]+) bytes', line).groups()
                   for line in said if "kfd_timeline:buffer" in line]
        self.assertEqual(len(buffers), 120)
        self.assertEqual([size for size, _ in buffers], [label for _, label in buffers])

    def test_it_is_smaller_than_a_copy_of_its_source(self):
        """Though it has nearly as many events; the copy is by the same writer."""
        self.run_words(BIG_TRACE, self.path("big"), 20000)
        self.run_words("babeltrace2", self.path("big"), "-o", "ctf", "-w", self.path("copy"))
        self.run_words(KFDSCOPE, "timeline", "-o", self.path("derived"), self.path("big"))
        copy, derived = (sum(path.stat().st_size for path in pathlib.Path(self.path(name)).rglob("*"))
                         for name in ("copy", "derived"))
        self.assertLess(derived, copy)

    def test_an_interrupt(self):
        child = interrupted(self, "timeline", "-o", self.path("derived"))
        errors = child.communicate(timeout=120)[1]
        self.assertIn("interrupted", errors)
        self.check(self.path("derived"), child.returncode, errors)


def worked(child):
    """Processor time that the child has had, in ticks."""
    with open(f"/proc/{child.pid}/stat", encoding="utf-8") as file:
        return sum(int(word) for word in file.read().rsplit(")", 1)[1].split()[11:13])


def interrupted(case, *words):
    """A report over a million events that is sent SIGINT while it reads."""
    trace = case.path("big")
    case.run_words(BIG_TRACE, trace, 1000000)
    child = subprocess.Popen([KFDSCOPE, *words, trace], text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
    with open(f"/proc/{child.pid}/maps", encoding="utf-8") as maps:
        while "kfdscope_0" not in maps.read():
            case.assertIsNone(child.poll())
            maps.seek(0)
    begun = worked(child)
    while worked(child) < begun + 10:  # a tenth of a second's work: it is being read by now
        case.assertIsNone(child.poll())
    child.send_signal(signal.SIGINT)
    return child


class Interrupt(Case):
    def test_it_ends_the_analysis_with_what_has_been_read(self):
        child = interrupted(self, "leaks", "--json")
        out, errors = child.communicate(timeout=60)
        self.assertEqual(child.returncode, PARTIAL, errors)
        self.assertIn("interrupted", errors)
        report = json.loads(out)
        self.assertLess(report["recording"]["events"], 1000000)
        self.assertFalse(report["complete"])

    def test_what_was_not_read_has_no_end(self):
        out = interrupted(self, "leaks").communicate(timeout=60)[0]
        self.assertRegex(out, "\n    an unknown number from [+0-9.]+ s on\n")


if __name__ == "__main__":
    KFDSCOPE, PLUGIN_DIR, BIG_TRACE = sys.argv[1:4]
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
