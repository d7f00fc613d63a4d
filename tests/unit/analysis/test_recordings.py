# SPDX-License-Identifier: MIT
"""Analyses of real CTF files: decoding, damage, missing context, losses, exit codes, the plug-in.

    test_recordings.py RUN_ANALYSE PLUGIN_DIR
"""
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

from ctf_trace import CLOCK_OFFSET, Program, Trace

DONE, FINDINGS, USAGE, PARTIAL, UNREADABLE, OUTPUT = range(6)
RUN_ANALYSE = PLUGIN_DIR = None


# babeltrace2 2.0.4 leaks an event, or metadata, that ends too early: not for our leak checker.
CUT_ENV = {"ASAN_OPTIONS": "detect_leaks=0"}


def leaky(trace, count=4):
    """Leaks one block of 4096 bytes and frees count-1 others."""
    program = Program(trace)
    program.schema(1000)
    for i in range(count):
        program.alloc(2000 + 100 * i, 4096, 0x10000 * (i + 1), i + 1)
    for i in range(1, count):
        program.free(50000 + 100 * i, 0x10000 * (i + 1), i + 1)
    program.exiting(90000)
    return trace


class Case(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="kfdscope-test-")
        self.addCleanup(shutil.rmtree, self.dir)

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, trace, name="trace"):
        trace.write(self.path(name))
        return self.path(name)

    def run_analyse(self, *paths, report="leaks", form="json", output="-", fail_on="no",
                    ending="-", env=None):
        return subprocess.run([RUN_ANALYSE, report, form, output, fail_on, ending, *paths],
                              env={**os.environ, **(env or {})},
                              capture_output=True, text=True, timeout=60, check=False)

    def leaks(self, *paths, code=DONE, **options):
        """The JSON report, after checking the exit code."""
        result = self.run_analyse(*paths, **options)
        self.assertEqual(result.returncode, code, result.stderr + result.stdout)
        self.errors = result.stderr
        return json.loads(result.stdout)

    def refused(self, *paths, code=UNREADABLE, **options):
        """The one line that says why there is no result."""
        result = self.run_analyse(*paths, **options)
        self.assertEqual(result.returncode, code, result.stderr + result.stdout)
        self.assertEqual(result.stdout, "")
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        return result.stderr


class Decoding(Case):
    def test_events_become_lifetimes_with_all_their_fields(self):
        report = self.leaks(self.write(leaky(Trace())))
        self.assertEqual(report["schema"], "kfdscope.leaks")
        self.assertEqual(report["left"], {"blocks": 1, "bytes": 4096})
        group = report["groups"][0]
        self.assertEqual(group["kind"], "device memory")
        self.assertEqual((group["node_id"], group["gpu_id"]), (1, 77))
        self.assertEqual((group["call"], group["ioctl"]),
                         ("hsaKmtAllocMemory", "ALLOC_MEMORY_OF_GPU"))
        self.assertEqual([frame["offset"] for frame in group["stack"]], [0x1001, 0x2001])
        self.assertEqual(group["left_at"], "exit")
        self.assertEqual(group["first_ns"], CLOCK_OFFSET + 2003)
        process = report["processes"][0]
        self.assertEqual((process["vpid"], process["name"], process["command"]),
                         (10, "app", "app --run"))
        self.assertEqual(process["freed"], {"blocks": 3, "bytes": 12288})
        self.assertEqual(process["peak_bytes"], 4 * 4096)
        self.assertEqual(process["memlock_bytes"], 8388608)
        self.assertTrue(report["complete"])

    def test_streams_are_merged_in_time_order(self):
        trace = Trace(streams=2)
        Program(trace).alloc(1000, 64, 0x10, 1, exit_stream=1)
        self.assertEqual(self.leaks(self.write(trace))["left"], {"blocks": 1, "bytes": 64})

    def test_a_failed_call_whose_output_is_not_valid_leaves_nothing(self):
        trace = Trace()
        program = Program(trace)
        program.alloc(1000, 64, 0x10, 1, ioctl=False, status=6)
        program.alloc(2000, 32, 0x20, 2)
        self.assertEqual(self.leaks(self.write(trace))["left"], {"blocks": 1, "bytes": 32})

    def test_several_directories_are_one_recording(self):
        for number in range(1, 4):
            trace = Trace(hostname=f"host{number}")
            program = Program(trace, vpid=100, procname=f"rank{number}")
            for i in range(number):
                program.alloc(1000 + 100 * i, 1 << 20, 0x10000 * (i + 1), i + 1)
            self.write(trace, f"all/sub{number}/ust")
        report = self.leaks(self.path("all"))
        self.assertEqual([(p["hostname"], p["name"], p["left"]["blocks"])
                          for p in report["processes"]],
                         [("host1", "rank1", 1), ("host2", "rank2", 2), ("host3", "rank3", 3)])
        self.assertEqual(report["left"], {"blocks": 6, "bytes": 6 << 20})

    def test_there_may_be_more_streams_than_files_that_are_usually_open(self):
        trace = Trace(streams=60)
        for stream in range(60):
            Program(trace, stream=stream).alloc(1000 + 10 * stream, 64, 0x10 * (stream + 1),
                                                stream + 1)
        path = self.write(trace)
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        done = subprocess.run([RUN_ANALYSE, "leaks", "json", "-", "no", "-", path],
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE,
                                                                    (40, hard)),
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (DONE, ""))
        self.assertEqual(json.loads(done.stdout)["left"]["blocks"], 60)

    def test_a_directory_that_is_named_twice_is_read_once(self):
        trace = Trace()
        Program(trace).alloc(1000, 64, 0x10, 1)
        path = self.write(trace, "above/below")
        above = os.path.dirname(path)
        link = self.path("link")
        os.symlink(path, link)
        for paths in ((path, path), (above, path), (path, above, link), (path + "/",)):
            report = self.leaks(*paths)
            self.assertEqual(report["left"], {"blocks": 1, "bytes": 64}, paths)
            self.assertEqual(len(report["processes"]), 1, paths)

    def test_equal_processes_of_two_recordings_of_a_host_are_not_mixed(self):
        for number in (1, 2):
            trace = Trace(uuid=bytes([number] * 16))
            program = Program(trace, vpid=1, vtid=1)
            for i in range(2 * number):
                program.alloc(1000 + 100 * i + 10 * number, 4096, 0x10000 * (i + 1), i + 1)
            program.free(5000 + number, 0x10000, 1)
            self.write(trace, f"all/run{number}")
        report = self.leaks(self.path("all"))
        self.assertEqual(sorted((p["left"]["blocks"], p["freed"]["blocks"])
                                for p in report["processes"]), [(1, 1), (3, 1)])
        self.assertEqual({p["instance"] for p in report["processes"]}, {0, 1})
        self.assertEqual(report["left"], {"blocks": 4, "bytes": 4 * 4096})
        self.assertEqual(report["hosts"][0]["processes"], 2)

    def test_per_process_buffers_carry_the_process_id_in_the_environment(self):
        trace = Trace(contexts=("vtid",), env={"vpid": 4711, "procname": "app"})
        Program(trace).alloc(1000, 64, 0x10, 1)
        self.assertEqual(self.leaks(self.write(trace))["processes"][0]["vpid"], 4711)

    def test_modules_with_build_ids_of_both_kinds_name_frames(self):
        trace = Trace()
        program = Program(trace)
        program.fire(100, "kmt_state:module", ("base", "u64", 0x1000), ("size_bytes", "u64", 0x800),
                     ("build_id_len", "u32", 6), ("build_id", "array u32 8", (0x04030201, 0x0605)),
                     ("path", "str", "/nonexistent/a.so"))
        program.fire(101, "lttng_ust_statedump:bin_info", ("baddr", "u64", 0x2000),
                     ("memsz", "u64", 0x800), ("path", "str", "/nonexistent/b.so"))
        program.fire(102, "lttng_ust_statedump:build_id", ("baddr", "u64", 0x2000),
                     ("build_id", "seq u8", (0xa, 0xb, 0xc)))
        program.alloc(1000, 64, 0x10, 1, stack=(0x1005, 0x2006, 0x9000))
        report = self.leaks(self.write(trace))
        # The listing of LTTng is not ours; ours is.
        self.assertEqual(report["recording"]["events"] - report["recording"]["kfdscope_events"], 2)
        stack = report["groups"][0]["stack"]
        self.assertEqual([(f.get("module"), f.get("build_id"), f["offset"], f["unnamed"])
                          for f in stack],
                         [("/nonexistent/a.so", "010203040506", 5, "file not found"),
                          ("/nonexistent/b.so", "0a0b0c", 6, "file not found"),
                          (None, None, 0x9000, "outside any module")])

    def test_a_state_dump_stands_for_allocations_before_the_recording(self):
        trace = Trace()
        program = Program(trace)
        program.fire(100, "kmt_state:begin", ("dump", "u64", 1), ("ctx", "u32", 0))
        program.fire(101, "kmt_state:node", ("node_id", "u32", 1), ("gpu_id", "u32", 77),
                     ("name", "str", "gpu"))
        program.fire(102, "kmt_state:allocation", ("ctx", "u32", 0), ("gpu_va", "u64", 0x10000),
                     ("size_bytes", "u64", 4096), ("node_id", "u32", 1), ("gpu_id", "u32", 77),
                     ("MemFlags", "u32", 1), ("ioctl_flags", "u32", 1), ("user_ptr", "u64", 0),
                     ("is_import", "u8", 0), ("is_internal", "u8", 0),
                     ("handles", "seq u64", (5,)), ("mapped_gpu_ids", "seq u32", (77,)))
        program.fire(103, "kmt_state:end", ("dump", "u64", 1), ("ctx", "u32", 0))
        report = self.leaks(self.write(trace))
        self.assertEqual(report["layers"]["before recording"], {"blocks": 1, "bytes": 4096})
        self.assertEqual(report["groups"][0]["kind"], "device memory")


class Losses(Case):
    def test_lost_events_come_first_and_make_blocks_undecided(self):
        trace = Trace(events_a_packet=4)
        program = Program(trace)
        program.alloc(1000, 4096, 0x10000, 1)
        trace.lose(123)
        # CTF says in which packet events were lost, not where in it: it ends with this call.
        program.alloc(5000, 8192, 0x20000, 2)
        program.alloc(7000, 8192, 0x30000, 3)
        program.exiting(9000)
        report = self.leaks(self.write(trace))
        self.assertEqual(report["lost_events"], 123)
        self.assertFalse(report["complete"])
        self.assertEqual(report["undecided"], {"blocks": 1, "bytes": 4096})
        self.assertEqual(report["left"], {"blocks": 2, "bytes": 16384})
        text = self.run_analyse(self.path("trace"), form="text").stdout
        self.assertLess(text.index("123 events were lost"), text.index("app (pid 10"))

    def test_a_counter_that_goes_back_takes_nothing_back(self):
        trace = Trace(events_a_packet=4)
        program = Program(trace)
        program.alloc(1000, 4096, 0x10000, 1)
        for number, change in enumerate((100, -100, 130, -30), 2):
            trace.lose(change)
            program.alloc(1000 * number, 4096, 0x10000 * number, number)
        report = self.leaks(self.write(trace))
        self.assertEqual(report["lost_events"], 130)
        # One span: also while the counter goes back and forth, what was lost is not known.
        self.assertEqual([span["count"] for span in report["lost_spans"]], [130])

    def without_packet(self, number):
        """A whole trace of one stream, and the path of one that lacks a packet and its index."""
        trace = Trace(events_a_packet=4)
        program = Program(trace)
        for i in range(4):
            program.alloc(1000 * (i + 1), 4096, 0x10000 * (i + 1), i + 1)
        path = self.write(trace)
        shutil.rmtree(os.path.join(path, "index"))
        with open(os.path.join(path, "channel_0"), "r+b") as file:
            data = file.read()
            file.seek(0)
            file.write(data[:4096 * number] + data[4096 * (number + 1):])
            file.truncate()
        return path

    def test_packets_that_are_missing_between_others_are_told(self):
        path = self.without_packet(2)
        report = self.leaks(path, code=FINDINGS, fail_on="yes")
        self.assertFalse(report["complete"])
        self.assertEqual([(span["count"], span["begin_ns"], span["end_ns"])
                          for span in report["lost_spans"]],
                         [(0, CLOCK_OFFSET + 2003, CLOCK_OFFSET + 3003)])
        self.assertEqual(report["undecided"]["blocks"], 2)
        self.assertEqual(report["left"]["blocks"], 1)
        text = self.run_analyse(path, form="text").stdout
        self.assertIn("Events are missing in 1 span;", text)
        folded = self.run_analyse(path, report="chains", form="folded")
        self.assertIn("Events are missing", folded.stderr)

    def test_a_counter_that_is_damaged_is_read_without_a_fault(self):
        trace = Trace(events_a_packet=4)
        program = Program(trace)
        for number, change in enumerate((1, 1 << 63, -(1 << 63), 1), 1):
            program.alloc(1000 * number, 4096, 0x10000 * number, number)
            trace.lose(change)
        program.exiting(9000)
        self.assertFalse(self.leaks(self.write(trace))["complete"])
        self.assertEqual(self.errors, "")  # nor of a sanitizer

    def test_one_damaged_process_id_is_not_a_recording_without_them(self):
        trace = Trace()
        Program(trace).alloc(1000, 4096, 0x10000, 1)
        Program(trace, vpid=0).alloc(2000, 4096, 0x10000, 1)
        report = self.leaks(self.write(trace))
        self.assertEqual({p["vpid"]: p["left"]["blocks"] for p in report["processes"]}[10], 1)

    def test_a_loss_before_the_first_packet_has_no_number(self):
        trace = Trace(events_a_packet=4)
        program = Program(trace)
        trace.lose(7)
        program.alloc(1000, 4096, 0x10000, 1)
        report = self.leaks(self.write(trace))
        self.assertEqual([span["count"] for span in report["lost_spans"]], [0])
        self.assertFalse(report["complete"])

    def test_a_loss_fails_when_asked_to(self):
        trace = Trace()
        program = Program(trace)
        program.alloc(1000, 4096, 0x10000, 1)
        program.free(2000, 0x10000, 1)
        clean = self.write(trace, "clean")
        self.leaks(clean, code=DONE, fail_on="yes")
        trace.lose(1)
        program.exiting(9000)
        self.leaks(self.write(trace, "lossy"), code=FINDINGS, fail_on="yes")
        self.leaks(self.path("lossy"), code=DONE)


class ExitCodes(Case):
    def test_findings_fail_only_when_asked_to(self):
        trace = self.write(leaky(Trace()))
        self.leaks(trace, code=DONE)
        self.leaks(trace, code=FINDINGS, fail_on="yes")

    def test_an_output_that_cannot_be_written_is_told(self):
        trace = self.write(leaky(Trace()))
        line = self.refused(trace, code=OUTPUT, output="/nonexistent/report")
        self.assertIn("cannot write '/nonexistent/report': No such file", line)
        line = self.refused(trace, code=OUTPUT, output="/dev/full")
        self.assertIn("/dev/full", line)

    def test_an_output_file_appears_complete_or_not_at_all(self):
        trace = self.write(leaky(Trace()))
        self.assertEqual(self.run_analyse(trace, output=self.path("out")).returncode, DONE)
        with open(self.path("out"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["left"]["blocks"], 1)
        os.mkdir(self.path("empty"))
        self.refused(self.path("empty"), output=self.path("none"))
        self.assertEqual(sorted(os.listdir(self.dir)), ["empty", "out", "trace"])

    def test_how_the_process_ended_decides_what_held_memory_is_called(self):
        trace = Trace()
        Program(trace).alloc(1000, 4096, 0x10000, 1)
        path = self.write(trace)
        self.assertEqual(self.leaks(path)["groups"][0]["left_at"], "end of recording")
        self.assertEqual(self.leaks(path, ending="10,-1,9")["groups"][0]["left_at"], "signal")
        text = self.run_analyse(path, form="text", ending="10,-1,9").stdout
        self.assertIn("HELD AT ABNORMAL END", text)
        self.assertIn("signal 9", text)
        self.assertNotIn("LEFT AT", text)

    def test_without_a_path_or_with_another_format_nothing_runs(self):
        self.assertEqual(self.run_analyse().returncode, USAGE)
        self.assertEqual(self.run_analyse("x", form="xml").returncode, USAGE)


class Damage(Case):
    """U37: copies of a good trace with four streams."""

    def setUp(self):
        super().setUp()
        trace = Trace(streams=4, events_a_packet=4)
        for stream in range(4):
            program = Program(trace, vpid=10 + stream, vtid=10 + stream,
                              procname=f"rank{stream}", stream=stream)
            for i in range(6):
                program.alloc(1000 + 1000 * i + stream, 4096, 0x10000 * (i + 1), i + 1)
        self.good = self.write(trace, "good")
        self.whole = self.leaks(self.good)

    def copy(self, name):
        shutil.copytree(self.good, self.path(name))
        return self.path(name)

    def change(self, path, name, change):
        with open(os.path.join(path, name), "rb") as file:
            data = file.read()
        with open(os.path.join(path, name), "wb") as file:
            file.write(change(data))

    def damaged(self, change, **options):
        shutil.rmtree(self.path("damaged"), ignore_errors=True)
        path = self.copy("damaged")
        self.change(path, "channel_3", change)
        report = self.leaks(path, code=PARTIAL, **options)
        self.assertIn("channel_3", self.errors)
        self.assertFalse(report["complete"])
        self.assertIn("channel_3", report["partial_input"][0])
        return report

    def test_the_good_trace_is_complete(self):
        self.assertEqual(self.whole["left"]["blocks"], 24)
        self.assertTrue(self.whole["complete"])

    def test_a_stream_cut_by_one_byte_of_padding_loses_nothing(self):
        report = self.damaged(lambda data: data[:-1])
        self.assertEqual(report["left"], self.whole["left"])
        self.assertEqual(report["undecided"]["blocks"], 0)

    def test_text_tells_missing_events_from_discarded_ones(self):
        path = self.copy("damaged")
        self.change(path, "channel_3", lambda data: data[:4096 * 2 + 150])
        text = self.run_analyse(path, form="text", env=CUT_ENV).stdout
        self.assertIn("Events are missing in 1 span; what they may hide", text)
        self.assertIn("    an unknown number from ", text)
        self.assertNotIn("larger buffers", text)

    def test_a_stream_cut_inside_a_packet_is_read_up_to_there(self):
        report = self.damaged(lambda data: data[:4096 * 2 + 150], env=CUT_ENV)
        per_process = {p["name"]: p["left"]["blocks"] + p["undecided"]["blocks"]
                       for p in report["processes"]}
        self.assertEqual(per_process, {"rank0": 6, "rank1": 6, "rank2": 6, "rank3": 2})
        # What ended in the missing part is not known.
        self.assertGreater(report["undecided"]["blocks"], 0)
        self.assertIn("Unix time", self.errors)
        self.assertEqual(len(self.errors.splitlines()), 1, self.errors)

    def test_the_events_of_a_packet_that_is_cut_are_read_one_by_one(self):
        last = os.path.getsize(os.path.join(self.copy("whole"), "channel_3")) - 4096
        counts = []
        for kept in [*range(100, 800, 20), 4095]:
            report = self.damaged(lambda data, size=last + kept: data[:size], env=CUT_ENV)
            counts.append(report["recording"]["events"])
            self.assertEqual(len(self.errors.splitlines()), 1, self.errors)
        self.assertEqual(counts, sorted(counts))
        self.assertGreater(len(set(counts)), 3)
        self.assertEqual(counts[-1], self.whole["recording"]["events"])

    def test_no_place_in_a_packet_is_a_bad_one_to_be_cut_at(self):
        last = os.path.getsize(os.path.join(self.good, "channel_3")) - 4096
        for kept in range(1, 240):  # its head, the first event, the head of the second
            report = self.damaged(lambda data, size=last + kept: data[:size], env=CUT_ENV)
            self.assertEqual(len(self.errors.splitlines()), 1, self.errors)
            self.assertIn(report["recording"]["events"], (92, 93, 94))

    def test_a_first_packet_that_is_cut_in_its_head_does_not_hide_the_other_streams(self):
        shutil.rmtree(os.path.join(self.good, "index"))
        for kept in (1, 63, 64, 70, 83):
            report = self.damaged(lambda data, kept=kept: data[:kept])
            self.assertEqual(report["recording"]["events"], 72)

    def test_a_stream_of_nothing_but_a_cut_packet_is_read(self):
        path = self.copy("damaged")
        for name in os.listdir(path):
            if name.startswith("channel_") and name != "channel_3":
                os.remove(os.path.join(path, name))
        shutil.rmtree(os.path.join(path, "index"))
        self.change(path, "channel_3", lambda data: data[:1500])
        report = self.leaks(path, code=PARTIAL, env=CUT_ENV)
        self.assertGreater(report["recording"]["events"], 0)
        self.assertFalse(report["complete"])

    def test_what_is_missing_may_be_later_than_all_that_is_there(self):
        for name in os.listdir(self.good):
            if name.startswith("channel_") and name != "channel_3":
                os.remove(os.path.join(self.good, name))
        shutil.rmtree(os.path.join(self.good, "index"))
        report = self.damaged(lambda data: data[:4096 * 4 + 40])
        self.assertEqual(report["left"]["blocks"], 0)
        self.assertEqual(report["undecided"]["blocks"], 4)

    def rot(self, packet):
        """A change that makes the first event of a packet one of no class."""
        at = 4096 * packet + 84
        return lambda data: data[:at] + b"\xff\xff" + data[at + 2:]

    def test_a_stream_that_is_cut_and_rotten_before_is_told_of_both(self):
        self.damaged(lambda data: self.rot(1)(data)[:4096 * 5 + 150], env=CUT_ENV)
        lines = self.errors.splitlines()
        self.assertEqual(len(lines), 2, self.errors)
        self.assertIn("inside a packet", lines[0])
        self.assertIn("stream 0/3 of", lines[1])

    def test_a_stream_that_ends_in_an_event_no_one_knows_is_told_of_once(self):
        self.damaged(lambda data: self.rot(5)(data)[:4096 * 5 + 150], env=CUT_ENV)
        self.assertEqual(len(self.errors.splitlines()), 1, self.errors)

    def test_files_of_one_stream_are_read_on_where_only_the_last_is_cut(self):
        shutil.rmtree(os.path.join(self.good, "index"))
        path = self.copy("files")
        with open(os.path.join(path, "channel_3"), "rb") as file:
            data = file.read()
        os.remove(os.path.join(path, "channel_3"))
        for number in range(3):
            with open(os.path.join(path, f"channel_3_{number}"), "wb") as file:
                file.write(data[4096 * 2 * number:4096 * 2 * (number + 1)])
        self.assertEqual(self.leaks(path)["recording"], {**self.whole["recording"]})
        self.change(path, "channel_3_2", lambda part: part[:4096 + 150])
        report = self.leaks(path, code=PARTIAL, env=CUT_ENV)
        self.assertEqual(len(self.errors.splitlines()), 1, self.errors)
        self.assertGreaterEqual(report["recording"]["events"], 92)
        # What follows on a file that is cut in the middle of its stream cannot be read.
        self.change(path, "channel_3_0", lambda part: part[:4096 + 150])
        self.leaks(path, code=PARTIAL, env=CUT_ENV)
        self.assertEqual(len(self.errors.splitlines()), 3, self.errors)

    def test_a_packet_of_a_wrong_size_is_not_taken_for_one_that_lacks_padding(self):
        shutil.rmtree(os.path.join(self.good, "index"))
        for bit in (18, 30, 60, 63):
            def change(data, bit=bit):
                at = 4096 + 56
                size = int.from_bytes(data[at:at + 8], "little") ^ 1 << bit
                return data[:at] + size.to_bytes(8, "little") + data[at + 8:]
            report = self.damaged(change)
            self.assertIn("is damaged at byte 4096 of", self.errors)
            self.assertEqual(report["recording"]["events"], 76)
            self.assertEqual(report["left"]["blocks"], 0)

    def test_packets_that_the_index_knows_and_the_file_lacks_are_told(self):
        for change in (lambda data: data[:-4096], lambda data: data[4096:],
                       lambda data: data[:4096] + data[8192:]):
            report = self.damaged(change)
            self.assertIn("has 5 of the 6 packets that its index lists", self.errors)
            self.assertEqual(report["recording"]["events"], 92)
            self.assertGreater(report["undecided"]["blocks"], 0)

    def test_a_stream_that_only_its_index_knows_is_told(self):
        path = self.copy("damaged")
        os.remove(os.path.join(path, "channel_3"))
        report = self.leaks(path, code=PARTIAL)
        self.assertIn("channel_3' cannot be read: No such file", self.errors)
        self.assertEqual(report["left"]["blocks"], 0)
        self.assertEqual(report["undecided"]["blocks"], 18)

    def test_no_bit_of_a_packets_head_makes_the_other_streams_unreadable(self):
        shutil.rmtree(os.path.join(self.good, "index"))
        for packet in (0, 1):
            for at in range(0, 84, 3):
                byte = 4096 * packet + at
                shutil.rmtree(self.path("damaged"), ignore_errors=True)
                path = self.copy("damaged")
                self.change(path, "channel_3", lambda data, at=byte:
                            data[:at] + bytes([data[at] ^ 0x80]) + data[at + 1:])
                done = self.run_analyse(path)
                self.assertIn(done.returncode, (DONE, PARTIAL), (byte, done.stderr))
                processes = {process["name"]: process
                             for process in json.loads(done.stdout)["processes"]}
                for rank in range(3):
                    process = processes[f"rank{rank}"]
                    self.assertEqual(process["left"]["blocks"] + process["undecided"]["blocks"],
                                     6, byte)

    def test_a_file_of_another_recording_is_left_out(self):
        trace = Trace(streams=4, uuid=bytes(16))
        for stream in range(4):
            Program(trace, vpid=50, vtid=50, stream=stream).alloc(1000, 64, 0x10, 1)
        other = self.write(trace, "other")
        path = self.copy("damaged")
        shutil.copy(os.path.join(other, "channel_3"), path)
        report = self.leaks(path, code=PARTIAL)
        self.assertIn("channel_3' is a file of another recording", self.errors)
        self.assertEqual({process["vpid"] for process in report["processes"]}, {10, 11, 12})

    def test_an_index_that_is_wrong_is_not_used(self):
        size = 16 + 72 * 6
        self.assertEqual(os.path.getsize(os.path.join(self.good, "index/channel_3.idx")), size)
        changes = [lambda data, to=to: data[:to] for to in (0, 10, 16, 16 + 72 * 2, size - 1)]
        for at in range(16, size, 3):  # each field of the entries is hit
            changes.append(lambda data, at=at: data[:at] + bytes([data[at] ^ 0x40]) +
                           data[at + 1:])
        for change in changes:
            shutil.rmtree(self.path("damaged"), ignore_errors=True)
            path = self.copy("damaged")
            self.change(path, "index/channel_3.idx", change)
            report = self.leaks(path)
            self.assertEqual(report["left"], self.whole["left"])
            self.assertTrue(report["complete"])

    def test_zero_bytes_behind_the_last_packet_are_told_and_skipped(self):
        report = self.damaged(lambda data: data + bytes(4096))
        self.assertEqual(report["left"]["blocks"] + report["undecided"]["blocks"], 24)

    def test_a_stream_file_without_content_is_told_when_its_index_knows_better(self):
        report = self.damaged(lambda data: b"")
        self.assertEqual(len(report["processes"]), 3)

    def test_an_idle_processors_empty_stream_is_no_damage(self):
        path = self.copy("idle")
        open(os.path.join(path, "channel_4"), "wb").close()
        self.assertTrue(self.leaks(path)["complete"])

    def test_packets_in_a_wrong_order_are_told(self):
        path = self.copy("damaged")
        shutil.rmtree(os.path.join(path, "index"))
        # The first packet comes last.
        self.change(path, "channel_3", lambda data: data[4096:] + data[:4096])
        self.leaks(path, code=PARTIAL)
        self.assertIn("go back in time", self.errors)
        self.assertEqual(len(self.errors.splitlines()), 1)

    def test_empty_metadata_is_named(self):
        path = self.copy("damaged")
        self.change(path, "metadata", lambda data: b"")
        self.assertRegex(self.refused(path), "damaged/metadata' is empty")

    def test_metadata_cut_in_half_is_named(self):
        path = self.copy("damaged")
        self.change(path, "metadata", lambda data: data[:len(data) // 2])
        line = self.refused(path, env=CUT_ENV)
        self.assertIn("damaged/metadata' is damaged", line)

    def test_a_trace_without_index_files_is_whole(self):
        path = self.copy("noindex")
        shutil.rmtree(os.path.join(path, "index"))
        self.assertEqual(self.leaks(path)["left"], self.whole["left"])

    def test_an_empty_or_missing_directory_is_named(self):
        os.mkdir(self.path("empty"))
        self.assertIn("holds no recording", self.refused(self.path("empty")))
        self.assertIn("No such file", self.refused(self.path("missing")))
        self.assertIn("Not a directory", self.refused(os.path.join(self.good, "metadata")))

    def test_rubbish_in_place_of_every_stream_is_unreadable(self):
        path = self.copy("rubbish")
        for number in range(4):
            self.change(path, f"channel_{number}", lambda data: b"\x55" * len(data))
        result = self.run_analyse(path)
        self.assertEqual(result.returncode, UNREADABLE, result.stderr)

    def test_one_bad_trace_does_not_hide_a_good_one(self):
        bad = self.copy("bad")
        self.change(bad, "metadata", lambda data: b"")
        report = self.leaks(self.good, bad, code=PARTIAL)
        self.assertEqual(report["left"]["blocks"] + report["undecided"]["blocks"], 24)

    def chunks(self, damage):
        """Two parts of a rotated recording; in the second, which is damaged, all is freed."""
        shutil.rmtree(self.path("rotated"), ignore_errors=True)
        first, second = Trace(), Trace()
        program = Program(first)
        for i in range(3):
            program.alloc(1000 * (i + 1), 4096, 0x10000 * (i + 1), i + 1)
        program.trace = second
        for i in range(3):
            program.free(10000 * (i + 1), 0x10000 * (i + 1), i + 1)
        program.exiting(90000)
        self.write(first, "rotated/1")
        damage(self.write(second, "rotated/2"))
        return self.path("rotated")

    def test_no_block_is_left_when_its_free_may_be_in_a_trace_that_cannot_be_read(self):
        self.assertEqual(self.leaks(self.chunks(lambda path: None))["left"]["blocks"], 0)
        for name, change in (("metadata", lambda data: b""),
                             ("metadata", lambda data: data[:len(data) // 2]),
                             ("metadata", lambda data: data.replace(b"string _", b"strange _")),
                             ("channel_0", lambda data: b"\x55" * len(data))):
            path = self.chunks(lambda path, name=name, change=change:
                               self.change(path, name, change))
            report = self.leaks(path, code=PARTIAL, env=CUT_ENV)
            self.assertEqual((report["left"]["blocks"], report["undecided"]["blocks"]), (0, 3))
            self.assertEqual(len(report["partial_input"]), 1)
            self.assertEqual(len(self.errors.splitlines()), 1, self.errors)

    def test_a_trace_that_is_refused_is_left_out_wherever_it_stands(self):
        for bad in range(4):
            for number in range(4):
                trace = Trace(uuid=bytes([number + 1] * 16), hostname=f"host{number}")
                Program(trace).alloc(1000 + number, 4096, 0x10000, 1)
                path = self.write(trace, f"four{bad}/{number}")
                if number == bad:
                    self.change(path, "metadata",
                                lambda data: data.replace(b"string _", b"strange _"))
            report = self.leaks(self.path(f"four{bad}"), code=PARTIAL, env=CUT_ENV)
            # Nothing of the other hosts can be in it.
            self.assertEqual({(p["hostname"], p["left"]["blocks"]) for p in report["processes"]},
                             {(f"host{number}", 1) for number in range(4) if number != bad})

    def test_damage_to_the_buffers_of_one_process_concerns_that_one(self):
        for pid in (1, 2):
            trace = Trace(contexts=("vtid",), env={"vpid": pid, "procname": f"app{pid}"},
                          uuid=bytes([pid] * 16), events_a_packet=4)
            for i in range(3):
                Program(trace).alloc(1000 * (i + 1), 4096, 0x10000 * (i + 1), i + 1)
            self.write(trace, f"all/{pid}")
        self.change(self.path("all/2"), "channel_0", lambda data: data[:4096 * 2 + 40])
        report = self.leaks(self.path("all"), code=PARTIAL, env=CUT_ENV)
        self.assertEqual({p["vpid"]: (p["left"]["blocks"], p["undecided"]["blocks"])
                          for p in report["processes"]}, {1: (3, 0), 2: (0, 2)})

    def test_repaired_copies_do_not_stay_behind(self):
        folder = self.path("temporary")
        os.mkdir(folder)
        self.damaged(lambda data: data[:5000], env={"TMPDIR": folder})
        self.assertEqual(os.listdir(folder), [])


class Foreign(Case):
    """U39."""

    def test_missing_process_ids_name_the_setting(self):
        trace = Trace(contexts=("vtid", "procname"))
        Program(trace).alloc(1000, 4096, 0x10000, 1)
        self.assertIn("--type=vpid", self.refused(self.write(trace)))

    def test_missing_thread_ids_name_the_setting(self):
        trace = Trace(contexts=("vpid", "procname"))
        Program(trace).alloc(1000, 4096, 0x10000, 1)
        self.assertIn("--type=vtid", self.refused(self.write(trace)))

    def test_library_calls_alone_are_analysed_and_what_lacks_is_told(self):
        trace = Trace()
        Program(trace).alloc(1000, 4096, 0x10000, 1, ioctl=False)
        path = self.write(trace)
        self.assertEqual(self.leaks(path)["left"], {"blocks": 1, "bytes": 4096})
        self.assertIn("No ioctls were recorded", self.run_analyse(path, form="text").stdout)

    def test_ioctls_alone_are_analysed_and_what_lacks_is_told(self):
        trace = Trace()
        Program(trace).alloc(1000, 4096, 0x10000, 1, api=False)
        path = self.write(trace)
        group = self.leaks(path)["groups"][0]
        self.assertEqual((group["bytes"], group["class"]), (4096, "buffer object"))
        self.assertIn("Only ioctls were recorded", self.run_analyse(path, form="text").stdout)

    def test_a_kernel_trace_is_called_one(self):
        trace = Trace(domain="kernel", tracer="lttng-modules", contexts=())
        trace.event(1000, "sched_switch", [("prev_tid", "i32", 1)])
        self.assertIn("of the Linux kernel", self.refused(self.write(trace)))

    def test_another_tools_trace_is_called_one(self):
        trace = Trace(domain="bare", tracer="barectf", contexts=())
        trace.event(1000, "hello", [("x", "u32", 1)])
        self.assertIn("not from LTTng's user-space tracer", self.refused(self.write(trace)))

    def test_a_recording_of_other_events_says_what_to_enable(self):
        trace = Trace()
        trace.event(1000, "my_app:tick", [("x", "u32", 1)])
        self.assertIn("enable 'kmt:*'", self.refused(self.write(trace)))

    def test_a_recording_without_calls_says_that_nothing_was_captured(self):
        trace = Trace()
        Program(trace).schema(1000)
        text = self.run_analyse(self.write(trace), form="text").stdout
        self.assertIn("No call of the library was recorded", text)

    def test_a_newer_schema_is_told_with_both_versions(self):
        trace = Trace()
        program = Program(trace)
        program.schema(500, major=7, minor=3)
        program.alloc(1000, 4096, 0x10000, 1)
        path = self.write(trace)
        text = self.run_analyse(path, form="text").stdout
        self.assertIn("event schema is 7.3, this analysis knows 1", text)
        self.assertEqual(self.leaks(path)["recording"]["event_schema"], [7, 3])


class OtherTracers(Case):
    def calls(self, trace):
        done = self.run_analyse(self.write(trace), report="chains")
        report = json.loads(done.stdout)
        return report, {c["name"]: (c["count"], c["cut"]) for c in report["calls"]}

    def test_exits_that_may_be_of_later_calls_are_not_paired(self):
        trace = Trace(events_a_packet=1)
        program = Program(trace)
        program.fire(1000, "x:hipMalloc_entry", ("size", "u64", 4096))
        program.alloc(2000, 4096, 0x10000, 1)
        trace.lose(2)
        program.fire(3000, "x:hipMalloc_exit", ("result", "i32", 0))
        program.fire(4000, "x:hipMalloc_entry", ("size", "u64", 4096))
        program.fire(5000, "x:hipMalloc_exit", ("result", "i32", 0))
        report, calls = self.calls(trace)
        self.assertEqual(calls["hipMalloc"], (1, 1))
        # Our own calls have numbers.
        self.assertEqual(calls["hsaKmtAllocMemory"], (1, 0))
        self.assertFalse(report["complete"])

    def test_a_call_that_both_record_is_one_inside_the_other(self):
        trace = Trace()
        program = Program(trace)
        program.fire(1000, "x:hipMalloc", ("phase", "u8", 0))
        program.fire(1001, "kmt_hip:hipMalloc_entry", ("call", "u64", 1))
        program.alloc(2000, 4096, 0x10000, 1)
        program.fire(3000, "kmt_hip:hipMalloc_exit", ("call", "u64", 1), ("status", "i32", 0))
        program.fire(3001, "x:hipMalloc", ("phase", "u8", 1))
        report, calls = self.calls(trace)
        self.assertEqual(calls["x:hipMalloc"], (1, 0))
        self.assertEqual(calls["hipMalloc"], (1, 0))
        self.assertEqual(report["recording"]["foreign_events"], 2)

    def test_fields_that_are_not_what_they_are_called_do_no_harm(self):
        trace = Trace()
        program = Program(trace)
        program.alloc(500, 4096, 0x10000, 1)
        program.fire(1000, "x:hipFree", ("phase", "str", "enter"), ("status", "str", "odd"))
        program.fire(1500, "x:hipFree", ("phase", "str", "somewhere"), ("status", "str", "odd"))
        program.fire(2000, "x:hipFree", ("phase", "str", "exit"), ("status", "str", "odd"))
        program.fire(3000, "x:hsa_init", ("phase", "seq u64", (1, 2)))
        program.fire(4000, "x:hipsomething_entry", ("size", "u64", 1))
        _, calls = self.calls(trace)
        self.assertEqual(calls["hipFree"], (1, 0))
        self.assertNotIn("hsa_init", {name for name, (count, _) in calls.items() if count})
        self.assertNotIn("hipsomething", calls)

    def test_their_calls_alone_are_no_recording_of_ours(self):
        trace = Trace()
        program = Program(trace)
        program.fire(1000, "x:hipFree", ("phase", "u8", 0))
        program.fire(2000, "x:hipFree", ("phase", "u8", 1))
        self.refused(self.write(trace))


class Flames(Case):
    UNITS = {"bytes", "microseconds", "milliseconds", "nanoseconds", "none", "seconds"}

    def check_speedscope(self, file):
        """The rules of speedscope's schema, as far as files with samples are concerned."""
        self.assertEqual(set(file), {"$schema", "shared", "profiles", "name", "activeProfileIndex",
                                     "exporter"})
        self.assertEqual(file["$schema"], "https://www.speedscope.app/file-format-schema.json")
        frames = file["shared"]["frames"]
        for frame in frames:
            self.assertLessEqual(set(frame), {"name", "file", "line", "col"})
            self.assertIsInstance(frame["name"], str)
        for profile in file["profiles"]:
            self.assertEqual(set(profile), {"type", "name", "unit", "startValue", "endValue",
                                            "samples", "weights"})
            self.assertEqual(profile["type"], "sampled")
            self.assertIn(profile["unit"], self.UNITS)
            self.assertEqual(len(profile["samples"]), len(profile["weights"]))
            self.assertEqual(profile["startValue"] + sum(profile["weights"]), profile["endValue"])
            for sample in profile["samples"]:
                self.assertTrue(all(0 <= index < len(frames) for index in sample), sample)
        self.assertLess(file["activeProfileIndex"], len(file["profiles"]))

    def test_a_speedscope_file_has_each_weight_of_each_process(self):
        file = json.loads(self.run_analyse(self.write(leaky(Trace())), report="chains",
                                           form="speedscope").stdout)
        self.check_speedscope(file)
        self.assertEqual([p["unit"] for p in file["profiles"]], ["nanoseconds", "bytes", "none"])

    def test_lost_events_are_told_beside_folded_stacks(self):
        trace = Trace(events_a_packet=4)
        program = Program(trace)
        program.alloc(1000, 4096, 0x10000, 1)
        trace.lose(5)
        program.alloc(5000, 8192, 0x20000, 2)
        done = self.run_analyse(self.write(trace), report="chains", form="folded")
        self.assertIn("5 events were lost", done.stderr)
        self.assertTrue(all(re.fullmatch(r"app \(pid 10.*\);.+ \d+", line)
                            for line in done.stdout.splitlines()), done.stdout)
        self.assertTrue(done.stdout)

    def test_other_reports_have_no_such_form(self):
        done = self.run_analyse(self.write(leaky(Trace())), report="leaks", form="folded")
        self.assertEqual((done.returncode, done.stdout), (2, ""))


class Plugin(Case):
    def babeltrace(self, *args, code=0):
        env = dict(os.environ)
        runtime = env.pop("SANITIZER_RUNTIME", None)
        if runtime == "":
            self.skipTest("babeltrace2 cannot load a plug-in with this sanitizer")
        if runtime:
            env["LD_PRELOAD"] = runtime
        result = subprocess.run(["babeltrace2", f"--plugin-path={PLUGIN_DIR}", *args], env=env,
                                capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(result.returncode, code, result.stderr)
        return result

    @staticmethod
    def without_sizes(text):
        """Only the command knows how large the files are."""
        text = re.sub(r',\s*"bytes": ?\d+,\s*"bytes_per_event": ?\d+', "", text)
        return re.sub(r"; \d+ bytes(?: \([^)]*\))?, \d+ an event\.", ".", text)

    def test_the_sinks_give_what_the_command_gives(self):
        trace = self.write(leaky(Trace()))
        for report in ("leaks", "chains", "perfetto"):
            result = self.babeltrace(trace, "-c", f"sink.kfd.{report}", "-p", 'format="json"')
            self.assertEqual(result.stdout,
                             self.without_sizes(self.run_analyse(trace, report=report).stdout))
            self.assertEqual(result.stderr, "")
        result = self.babeltrace(trace, "-c", "sink.kfd.leaks")
        self.assertEqual(result.stdout,
                         self.without_sizes(self.run_analyse(trace, form="text").stdout))

    def test_parameters_choose_output_and_length(self):
        trace = Trace()
        program = Program(trace)
        for i in range(5):
            program.alloc(1000 + 100 * i, 4096 << i, 0x100000 * (i + 1), i + 1,
                          stack=(0x1001 + i,))
        path = self.write(trace)
        self.babeltrace(path, "-c", "sink.kfd.leaks", "-p",
                        f'output="{self.path("out")}",top=2')
        with open(self.path("out"), encoding="utf-8") as file:
            text = file.read()
        self.assertIn("and 28672 bytes (28.0 KiB) in 3 blocks from 3 other places", text)
        self.assertEqual(text.count("never freed\n"), 2)

    def test_time_limits_choose_what_is_printed_not_what_is_read(self):
        trace = Trace()
        program = Program(trace)
        program.alloc(1000, 4096, 0x10000, 1)
        program.alloc(2000, 8192, 0x20000, 2)
        program.free(3000, 0x20000, 2)
        path = self.write(trace)
        result = self.babeltrace(path, "-c", "sink.kfd.leaks", "-p",
                                 f'format="json",begin-ns={CLOCK_OFFSET + 1500}')
        report = json.loads(result.stdout)
        self.assertEqual(report["left"]["blocks"], 0)
        self.assertEqual(report["processes"][0]["freed"]["blocks"], 1)

    def test_unknown_and_ill_typed_parameters_are_refused_by_name(self):
        trace = self.write(leaky(Trace()))
        for params, message in (("depth=3", "unknown parameter 'depth'"),
                                ("top=-1", "parameter 'top' must be a number"),
                                ('top="x"', "parameter 'top' must be a number"),
                                ("output=5", "parameter 'output' must be a string"),
                                ('format="xml"', "parameter 'format' must be \"text\""),
                                ('output="/nonexistent/x"', "cannot write to '/nonexistent/x'")):
            result = self.babeltrace(trace, "-c", "sink.kfd.leaks", "-p", params, code=1)
            self.assertIn(message, result.stderr)
            self.assertEqual(result.stdout, "")

    def test_a_useless_recording_is_an_error_with_the_reason_as_cause(self):
        trace = Trace(contexts=("vpid", "procname"))
        Program(trace).alloc(1000, 4096, 0x10000, 1)
        result = self.babeltrace(self.write(trace), "-c", "sink.kfd.leaks", code=1)
        self.assertIn("--type=vtid", result.stderr)
        trace = Trace()
        trace.event(1000, "my_app:tick", [("x", "u32", 1)])
        result = self.babeltrace(self.write(trace, "other"), "-c", "sink.kfd.chains", code=1)
        self.assertIn("enable 'kmt:*'", result.stderr)


if __name__ == "__main__":
    RUN_ANALYSE, PLUGIN_DIR = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
