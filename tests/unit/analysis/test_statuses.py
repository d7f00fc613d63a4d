# SPDX-License-Identifier: MIT
"""Every command on every kind of bad input and output: exit status, one line, nothing half-written.

    test_statuses.py KFDSCOPE
"""
import os
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import unittest

from ctf_trace import Program, Trace

KFDSCOPE = sys.argv.pop(1)
NOBODY = 65534
DONE, FINDINGS, USAGE, PARTIAL, UNREADABLE, OUTPUT = range(6)

# Reports that print by default, and the two that write a file.
PRINTING = ("leaks", "allocs", "failures", "waits", "queues", "counters", "faults", "svm", "clocks",
            "chains", "latency", "startup")
WRITING = ("report", "timeline")
COMMANDS = {**{name: (name,) for name in PRINTING + WRITING},
            "json": ("leaks", "--json"),
            "diff": ("diff", "--from=+0.0000001"),
            "folded": ("chains", "--folded"),
            "speedscope": ("chains", "--speedscope"),
            "derived": ("timeline",)}


def leaky(trace, vpid=10, state=True, at=0):
    program = Program(trace, vpid=vpid)
    if state:
        program.schema(at + 500)
    for number in range(1, 9):
        program.alloc(at + number * 1000, 4096 * number, 0x10000 * number, number)
    program.free(at + 20000, 0x10000, 1)
    program.exiting(at + 30000)
    return trace


class Statuses(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def write(self, name, trace=None):
        path = self.path(name)
        if not os.path.exists(path):
            (trace or leaky(Trace(events_a_packet=4))).write(path)
        return path

    def run_command(self, *words, **options):
        return subprocess.run([KFDSCOPE, *words], capture_output=True, text=True, timeout=60,
                              check=False, cwd=self.folder, **options)

    def test_what_is_suppressed_is_not_nothing(self):
        trace = Trace()
        Program(trace).fire(400, "lttng_ust_statedump:bin_info", ("baddr", "u64", 0x1000),
                            ("memsz", "u64", 0x2000), ("path", "str", "/no/such/app"),
                            ("is_pic", "u8", 1), ("has_build_id", "u8", 0),
                            ("has_debug_link", "u8", 0))
        trace = self.write("suppressed", leaky(trace))
        for pattern, words in (("/such/app", "Nothing leaked but what is suppressed: 7 blocks. 1 block was freed."),
                               ("no_such_function", "NEVER FREED")):
            with open(self.path("patterns"), "w") as patterns:
                patterns.write(f"leak:{pattern}\n")
            text = self.run_command("leaks", "--suppressions", self.path("patterns"), trace).stdout
            self.assertIn(words, text)
            self.assertNotIn("left no block behind", text)

    def output_of(self, name):
        """Where a command is to write; the derived trace wants a new directory."""
        if name in PRINTING or name in ("json", "diff", "folded", "speedscope"):
            return []
        path = self.path("output" if name == "derived" else f"output-{name}.json")
        shutil.rmtree(path, ignore_errors=True)
        if os.path.exists(path):
            os.unlink(path)
        return ["-o", path]

    def check_all(self, wanted, *paths, lines=1, skip=()):
        """All commands on the paths; with no result nothing is printed or left behind."""
        for name, (command, *options) in COMMANDS.items():
            if name in skip:
                continue
            with self.subTest(command=name):
                output = self.output_of(name)
                given = [o for o in options if name != "diff" or len(paths) == 1]
                done = self.run_command(command, *given, *output, *paths)
                self.assertEqual(done.returncode, wanted, done.stderr + done.stdout)
                self.check_messages(done.stderr, lines)
                has_result = bool(done.stdout) or bool(output and os.path.exists(output[1]))
                self.assertEqual(has_result, wanted in (DONE, FINDINGS, PARTIAL))
                if output:
                    self.assertFalse(os.path.exists(output[1] + ".part"))

    def check_messages(self, text, lines=None):
        """Each is a line of ours."""
        if lines is not None:
            self.assertEqual(text.count("\n"), lines, text)
        for line in text.splitlines():
            self.assertRegex(line, r"^kfdscope: ")

    def test_a_good_recording(self):
        self.check_all(DONE, self.write("good"), lines=0)

    def test_a_recording_without_state(self):
        self.check_all(DONE, self.write("stateless", leaky(Trace(), state=False)), lines=0)

    def test_several_recordings(self):
        self.check_all(DONE, self.write("good"), self.write("other", leaky(Trace(), vpid=20)),
                       lines=0)

    def test_an_empty_directory(self):
        os.makedirs(self.path("empty"), exist_ok=True)
        self.check_all(UNREADABLE, self.path("empty"))

    def test_no_such_directory(self):
        self.check_all(UNREADABLE, self.path("missing"))

    def test_a_file(self):
        path = self.path("file")
        with open(path, "w", encoding="utf-8") as file:
            file.write("no recording\n")
        self.check_all(UNREADABLE, path)

    def test_a_recording_of_something_else(self):
        trace = Trace()
        Program(trace).fire(1000, "other:thing", ("value", "u32", 1))
        self.check_all(UNREADABLE, self.write("foreign", trace))

    def test_metadata_that_cannot_be_read(self):
        path = self.path("unreadable")
        os.makedirs(os.path.join(path, "metadata"), exist_ok=True)
        self.check_all(UNREADABLE, path)

    def test_metadata_that_is_none(self):
        path = self.write("torn")
        with open(os.path.join(path, "metadata"), "r+", encoding="utf-8") as file:
            file.truncate(200)
        self.check_all(UNREADABLE, path)

    def as_nobody(self, *words):
        """Runs without the right to read everything; skips where that cannot be arranged."""
        def drop():
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)

        options = {"preexec_fn": drop} if os.geteuid() == 0 else {}
        os.chmod(self.folder, 0o755)
        try:
            probe = self.run_command("--version", **options)
        except (PermissionError, subprocess.SubprocessError):
            probe = None
        if not probe or probe.returncode != 0:
            self.skipTest("another user cannot run the command here")
        return self.run_command(*words, **options)

    def test_what_may_not_be_read(self):
        cases = (("no-metadata", lambda p: os.path.join(p, "metadata"), UNREADABLE),
                 ("no-stream", self.stream_of, UNREADABLE),
                 ("no-folder", lambda p: p, UNREADABLE))
        for name, part, wanted in cases:
            path = self.write(name)
            os.chmod(part(path), 0)
            self.addCleanup(os.chmod, part(path), 0o755)
            for command in ("leaks", "timeline", "check"):
                with self.subTest(command=command, what=name):
                    output = ["-o", "/dev/null"] if command == "timeline" else []
                    done = self.as_nobody(command, *output, path)
                    self.assertEqual(done.returncode, wanted, done.stderr + done.stdout)
                    self.assertIn("Permission denied", done.stderr + done.stdout)

    def stream_of(self, path):
        name, = (n for n in os.listdir(path) if n.startswith("channel"))
        return os.path.join(path, name)

    def test_a_stream_that_is_cut(self):
        path = self.write("cut")
        stream = self.stream_of(path)
        os.truncate(stream, os.path.getsize(stream) - 1)
        self.check_all(PARTIAL, path, lines=None)

    def test_half_a_packet(self):
        path = self.write("half")
        stream = self.stream_of(path)
        size, = set(self.packet_sizes(stream)[:1])
        os.truncate(stream, os.path.getsize(stream) // size * size - size // 2)
        shutil.rmtree(os.path.join(path, "index"))
        self.check_all(PARTIAL, path, lines=None)

    def test_a_good_and_a_bad_one(self):
        path = self.write("torn-too")
        with open(os.path.join(path, "metadata"), "r+", encoding="utf-8") as file:
            file.truncate(200)
        self.check_all(PARTIAL, self.write("good"), path, lines=1, skip=("diff",))

    @staticmethod
    def packet_sizes(stream):
        """Bytes of each packet, from its context."""
        with open(stream, "rb") as file:
            data = file.read()
        sizes, at = [], 0
        while at < len(data):
            bits, = struct.unpack_from("<Q", data, at + 32 + 24)
            sizes.append(bits // 8)
            at += bits // 8
        return sizes

    def test_a_disk_that_is_full(self):
        good = self.write("good")
        for name, (command, *options) in COMMANDS.items():
            if name == "derived":
                continue
            with self.subTest(command=name):
                done = self.run_command(command, *options, "-o", "/dev/full", good)
                self.assertEqual(done.returncode, OUTPUT, done.stderr)
                self.check_messages(done.stderr, 1)
                self.assertIn("/dev/full", done.stderr)

    def test_files_that_cannot_grow(self):
        """As on a full disk, for the outputs that /dev/full cannot stand for."""
        trace = Trace()
        for vpid in range(1, 200):
            leaky(trace, vpid=vpid, at=vpid * 100000)
        large = self.write("large", trace)

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

        for name in ("derived", "timeline", "report", "leaks"):
            with self.subTest(command=name):
                output = self.output_of(name) or ["-o", self.path("output-leaks.json")]
                done = self.run_command(COMMANDS[name][0], *output, large, preexec_fn=limit,
                                        restore_signals=False)
                self.assertEqual(done.returncode, OUTPUT, done.stderr)
                self.check_messages(done.stderr, 1)
                self.assertFalse(os.path.exists(output[1]))
                self.assertFalse(os.path.exists(output[1] + ".part"))

    def test_standard_output_that_is_full(self):
        good = self.write("good")
        words = [(command, *options, good) for name, (command, *options) in COMMANDS.items()
                 if command not in WRITING]
        words += [("report", "-o", "-", good), ("timeline", "-o", "-", good), ("check", good),
                  ("check", "--json", good), ("doctor",), ("doctor", "--json"), ("--help",),
                  ("help",), ("--version",), ("leaks", "--help")]
        with open("/dev/full", "w", encoding="utf-8") as full:
            for command in words:
                with self.subTest(command=command):
                    done = subprocess.run([KFDSCOPE, *command], stdout=full,
                                          stderr=subprocess.PIPE, text=True, timeout=60,
                                          check=False, cwd=self.folder)
                    self.assertEqual(done.returncode, OUTPUT, done.stderr)
                    self.check_messages(done.stderr, 1)
                    self.assertIn("cannot write", done.stderr)

    def test_a_reader_that_has_gone(self):
        """Like other programs: by the signal, or as output that could not be written; silently."""
        good = self.write("good")
        for name, (command, *options) in COMMANDS.items():
            if command in WRITING:
                options = ["-o", "-", *options]
            with self.subTest(command=name):
                if name == "derived":
                    continue
                reader, writer = os.pipe()
                os.close(reader)
                done = subprocess.run([KFDSCOPE, command, *options, good], text=True,
                                      stdout=writer, stderr=subprocess.PIPE, timeout=60,
                                      check=False, cwd=self.folder)
                os.close(writer)
                self.assertIn(done.returncode, (-signal.SIGPIPE, OUTPUT), done.stderr)
                self.check_messages(done.stderr)

    def test_an_output_that_exists_is_not_overwritten_by_a_failure(self):
        output = self.path("kept.txt")
        with open(output, "w", encoding="utf-8") as file:
            file.write("precious\n")
        done = self.run_command("leaks", "-o", output, self.path("missing"))
        self.assertEqual(done.returncode, UNREADABLE)
        with open(output, encoding="utf-8") as file:
            self.assertEqual(file.read(), "precious\n")

    def test_an_output_in_no_directory(self):
        good = self.write("good")
        for name, (command, *options) in COMMANDS.items():
            if name == "derived":  # makes the directories above its own
                continue
            with self.subTest(command=name):
                output = self.path("nowhere", "x.json")
                done = self.run_command(command, *options, "-o", output, good)
                self.assertEqual(done.returncode, OUTPUT, done.stderr)
                self.check_messages(done.stderr, 1)

    def test_wrong_words(self):
        good = self.write("good")
        everywhere = [name for name in COMMANDS if name not in ("json", "folded", "speedscope")]
        for name in everywhere + ["check", "record", "attach", "doctor", "trace-compass"]:
            command, *options = COMMANDS.get(name, (name,))
            for wrong in ("--no-such-option", "--top=many", "--begin=sometime", "--json=yes", "-Z"):
                if wrong == "--json=yes" and name == "timeline":
                    continue
                with self.subTest(command=name, wrong=wrong):
                    done = self.run_command(command, *options, wrong, good)
                    self.assertEqual(done.returncode, USAGE, done.stderr + done.stdout)
                    self.check_messages(done.stderr, 1)
                    self.assertEqual(done.stdout, "")
        for name in everywhere + ["check", "record", "attach"]:
            command, *options = COMMANDS.get(name, (name,))
            with self.subTest(command=name):
                done = self.run_command(command, *options)
                self.assertEqual(done.returncode, USAGE, done.stderr + done.stdout)
                self.check_messages(done.stderr, 1)
        self.assertEqual(self.run_command("no-such-command").returncode, USAGE)
        self.assertEqual(self.run_command().returncode, USAGE)

    def test_findings_fail_only_when_asked_to(self):
        good = self.write("good")
        lossy = Trace(events_a_packet=4)
        leaky(lossy)
        lossy.lose(7)
        Program(lossy, vpid=30).alloc(40000, 4096, 0x90000, 90)
        lossy = self.write("lossy", lossy)
        for name, (command, *options) in COMMANDS.items():
            with self.subTest(command=name):
                output = self.output_of(name)
                done = self.run_command(command, *options, *output, lossy)
                self.assertEqual(done.returncode, DONE, done.stderr)
                output = self.output_of(name)
                done = self.run_command(command, *options, *output, "--fail-on-findings", lossy)
                self.assertEqual(done.returncode, FINDINGS, done.stderr + done.stdout)
        self.assertEqual(self.run_command("leaks", "--fail-on-findings", good).returncode, FINDINGS)
        self.assertEqual(self.run_command("svm", "--fail-on-findings", good).returncode, DONE)

    def test_check_says_what_the_reports_would(self):
        for wanted, name in ((DONE, "good"), (UNREADABLE, "missing"), (UNREADABLE, "empty")):
            if name == "good":
                self.write(name)
            if name == "empty":
                os.makedirs(self.path("empty"), exist_ok=True)
            done = self.run_command("check", self.path(name))
            self.assertEqual(done.returncode, wanted, done.stderr + done.stdout)

    def test_the_statuses_are_documented(self):
        text = self.run_command("--help").stdout
        self.assertTrue(re.search(r"0 done, 1 findings .*2 usage, 3 .*4 input unreadable, 5 output",
                                  text, re.S))


if __name__ == "__main__":
    unittest.main()
