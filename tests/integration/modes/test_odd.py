# SPDX-License-Identifier: MIT
"""kfdscope record in odd settings: one clear line, the right status, and nothing left over."""
import fcntl
import json
import os
import pathlib
import shutil
import signal
import subprocess
import termios
import time
import unittest

from clients import CLIENTS, KFDSCOPE, Modes, main

SH = "/bin/sh"
NOBODY = 65534


def sessions():
    done = subprocess.run(["lttng", "--no-sessiond", "list"], capture_output=True, text=True,
                          check=False)
    return [line.strip() for line in done.stdout.splitlines() if "kfdscope-" in line]


def processes():
    """Those that see this place's sockets."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and \
                    os.readlink(entry / "ns/mnt") == os.readlink("/proc/self/ns/mnt"):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def name_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text().rstrip()
    except OSError:
        return ""


def daemons():
    """Session daemons and their consumers."""
    return [pid for pid in processes() if name_of(pid).startswith("lttng-")]


class Odd(Modes):
    def setUp(self):
        super().setUp()
        self.out = self.folder / "out"
        self.before = set(daemons())
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()
        self.addCleanup(self.nothing_is_left)

    def nothing_is_left(self):
        self.assertEqual(sessions(), [])
        self.assertEqual(set(daemons()) - self.before, set())
        # LTTng's own page for waking programs stays as long as the machine runs.
        self.assertEqual([p.name for p in pathlib.Path("/dev/shm").iterdir()
                          if not p.name.startswith("lttng-ust-wait-")], [])
        if self.temporary.exists():
            self.assertEqual(list(self.temporary.iterdir()), [])

    def record(self, *program, options=("--model",), env=None, cwd=None, out=None, stdin=None):
        return subprocess.run([KFDSCOPE, "record", "-o", out or self.out, *options, "--",
                               *map(str, program)], capture_output=True, text=True, timeout=120,
                              cwd=cwd, errors="surrogateescape", check=False, stdin=stdin,
                              env={**os.environ, "TMPDIR": str(self.temporary), **(env or {})})

    def refused(self, status, words, *program, **more):
        """One line, and no directory."""
        done = self.record(*program, **more)
        self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn(words, done.stderr)
        return done


class Program(Odd):
    """What is no program, or an unusual one."""

    def script(self, name, text, mode=0o755):
        path = self.folder / name
        path.write_text(text)
        path.chmod(mode)
        return path

    def test_no_such_program(self):
        for program in ("no-such-program-here", "/no/such/program", "./none"):
            self.refused(127, f"cannot run '{program}': No such file or directory", program)
            self.assertFalse(self.out.exists())

    def test_not_executable(self):
        plain = self.script("plain", "#!/bin/sh\n", 0o644)
        self.refused(126, f"cannot run '{plain}': Permission denied", plain)
        self.refused(126, "Permission denied", self.folder)
        self.assertFalse(self.out.exists())

    def test_an_interpreter_that_is_missing(self):
        broken = self.script("broken", "#!/no/interpreter\n")
        done = self.record(broken)
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (127, 1), done.stderr)

    def test_a_file_without_an_interpreter_line_is_a_script(self):
        self.assertEqual(self.record(self.script("bare", "exit 9\n")).returncode, 9)

    def test_rubbish_that_is_executable(self):
        broken = self.folder / "rubbish"
        broken.write_bytes(b"\x7fELF" + bytes(60))
        broken.chmod(0o755)
        done = self.record(broken)
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (126, 1), done.stderr)
        self.assertIn("Exec format error", done.stderr)

    def test_a_script(self):
        talk = self.script("script", f"#!{SH}\nexec {CLIENTS}/holder\n")
        done = self.record(talk, stdin=subprocess.DEVNULL)
        self.assertEqual((done.returncode, done.stdout), (5, "ready\n"), done.stderr)
        self.assertIn(", 0 lost", done.stderr)

    def test_the_status_is_passed_on(self):
        for status in (0, 1, 125, 126, 127, 255):
            shutil.rmtree(self.out, ignore_errors=True)
            self.assertEqual(self.record(SH, "-c", f"exit {status}").returncode, status)
        for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV, signal.SIGINT):
            shutil.rmtree(self.out, ignore_errors=True)
            self.assertEqual(self.record(SH, "-c", f"kill -{int(number)} $$").returncode, -number)
            note = json.loads((self.out / "kfdscope.json").read_text())
            self.assertEqual((note["signal"], note["exit_code"]), (number, -1))

    def test_a_program_that_closes_all_descriptors(self):
        done = self.record("python3", "-c", "import os; os.closerange(0, 65536); os._exit(3)")
        self.assertEqual(done.returncode, 3, done.stderr)

    def test_the_descriptor_table_is_large_before_there_are_threads(self):
        table = self.script("table", "#!/bin/sh\n"
                            "while read name size; do [ $name = FDSize: ] && exit $((size / 64)); done"
                            " < /proc/$$/status\n")
        self.assertGreaterEqual(self.record(table).returncode, 512 // 64)

    def test_a_program_that_changes_its_directory(self):
        done = self.record(SH, "-c", f"cd /; exec {CLIENTS}/holder", out="relative/deep",
                           cwd=self.folder, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertTrue((self.folder / "relative/deep/kfdscope.json").exists())

    def test_a_relative_path_of_the_program(self):
        shutil.copy(CLIENTS / "holder", self.folder / "mine")
        done = self.record("./mine", cwd=self.folder, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertEqual(self.left(self.out), (0, 0))

    def test_odd_names(self):
        for name in ("with space", "new\nline", "größe-日本", "quote'\"$x", "-dash", "\udcff\udcfe"):
            program = os.path.join(str(self.folder), name)
            shutil.copy(CLIENTS / "holder", program)
            out = os.path.join(str(self.folder), "out " + name)
            done = self.record(program, out=out, stdin=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 5, (name, done.stderr))
            self.assertIn(", 0 lost", done.stderr)
            note = json.loads(pathlib.Path(out, "kfdscope.json").read_text())
            if "\udcff" not in name:
                self.assertEqual(note["command"], [program])
            report = subprocess.run([KFDSCOPE, "leaks", "--json", out], capture_output=True,
                                    check=False, timeout=60)
            self.assertEqual(report.returncode, 0, (name, report.stderr))
            [process] = json.loads(report.stdout)["processes"]
            self.assertEqual((process["end"], process["end_code"]), ("exit", 5))

    def test_a_program_that_goes_into_the_background(self):
        """What it leaves running goes on; the recording ends with the program."""
        done = self.record(SH, "-c", "sleep 300 >/dev/null 2>&1 & echo $!; exit 4")
        child = int(done.stdout)
        os.kill(child, signal.SIGKILL)
        self.assertEqual(done.returncode, 4)

    def test_a_program_that_execs_itself(self):
        text = 'n=${1:-0}; [ "$n" -lt 200 ] || exit 6; exec "$0" $((n + 1))\n'
        done = self.record(self.script("again", f"#!{SH}\n" + text), options=())
        self.assertEqual(done.returncode, 6, done.stderr)

    def test_many_threads(self):
        done = self.record("python3", "-c", "import threading, sys\n"
                           "e = threading.Event()\n"
                           "threading.stack_size(65536)\n"
                           "ts = [threading.Thread(target=e.wait) for _ in range(2000)]\n"
                           "[t.start() for t in ts]; e.set(); [t.join() for t in ts]; sys.exit(7)")
        self.assertEqual(done.returncode, 7, done.stderr)

    @unittest.skipUnless(os.geteuid() == 0, "root's daemon has a known place")
    def test_the_daemon_waits_for_programs_that_answer_late(self):
        """As some do where many start at once; a value of the user's stays."""
        tell = "tr '\\0' '\\n' </proc/$(cat /run/lttng/lttng-sessiond.pid)/environ"
        for given, seconds in (({}, 30), ({"LTTNG_APP_SOCKET_TIMEOUT": "7"}, 7)):
            shutil.rmtree(self.out, ignore_errors=True)
            done = self.record(SH, "-c", tell, env=given)
            self.assertIn(f"LTTNG_APP_SOCKET_TIMEOUT={seconds}", done.stdout.splitlines())

    def test_a_program_that_is_linked_statically(self):
        source = self.folder / "static.c"
        source.write_text("int main(void) { return 8; }\n")
        program = self.folder / "static"
        built = subprocess.run(["cc", "-static", "-o", program, source], check=False,
                               capture_output=True)
        if built.returncode:
            self.skipTest("no static libc")
        done = self.record(program)
        self.assertEqual(done.returncode, 8)
        self.assertIn("no events were recorded: 'kfdscope doctor -- PROGRAM' tells why",
                      done.stderr)

    def test_variables_that_the_user_has_set(self):
        preload = str(self.folder / "missing.so")
        done = self.record(SH, "-c", 'echo "$LD_PRELOAD"; echo "$LTTNG_HOME"', env={
            "LD_PRELOAD": preload, "LTTNG_HOME": str(self.folder)})
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertTrue(lines[0].endswith(":" + preload), lines)
        self.assertEqual(lines[1], str(self.folder))


class Output(Odd):
    """Directories that cannot take a recording."""

    def test_it_exists_and_is_not_empty(self):
        self.out.mkdir()
        (self.out / "kept").write_text("kept")
        self.refused(125, "exists and is not empty: give another directory with -o", "true")
        self.assertEqual((self.out / "kept").read_text(), "kept")

    def test_it_exists_and_is_empty(self):
        self.out.mkdir()
        self.assertEqual(self.record("true").returncode, 0)

    def test_it_is_a_file(self):
        self.out.write_text("kept")
        self.refused(125, f"cannot make '{self.out}'", "true")
        self.refused(125, "Not a directory", "true", out=self.out / "below")
        self.assertEqual(self.out.read_text(), "kept")

    def test_it_cannot_be_written(self):
        self.refused(125, "cannot make '/proc/nowhere/out'", "true", out="/proc/nowhere/out")
        self.refused(125, "'/proc/self", "true", out="/proc/self/task")

    def mounted(self, options):
        place = self.folder / "small"
        place.mkdir()
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", place], check=False,
                              capture_output=True)
        if done.returncode:
            self.skipTest("cannot mount")
        self.addCleanup(subprocess.run, ["umount", place], check=False, stderr=subprocess.DEVNULL)
        return place

    def test_it_is_read_only(self):
        place = self.mounted("ro")
        self.refused(125, "Read-only file system", "true", out=place / "out")
        self.refused(125, "Read-only file system", "true", out=place)

    def test_it_is_full(self):
        """The program goes on, its status is passed on, and one line says what became of the trace."""
        place = self.mounted("size=64k")
        (place / "filling").write_bytes(bytes(60 * 1024))
        done = self.record(CLIENTS / "holder", out=place / "out", stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 5, done.stderr)
        lines = [line for line in done.stderr.splitlines() if "is full" in line]
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertIn("the trace cannot be read", lines[0])
        self.assertNotRegex(done.stderr, "doctor|cannot note|next:|, 0 lost")

    def test_it_has_no_room_for_more_files(self):
        """The session daemon then never says that it is done."""
        for count in (3, 10):
            place = self.mounted(f"nr_inodes={count}")
            done = self.record(CLIENTS / "holder", out=place / "out", stdin=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 5, done.stderr)
            self.assertEqual(done.stderr.count("the disk is full"), 1, done.stderr)
            while set(daemons()) - self.before:     # one that was killed takes its time
                time.sleep(0.02)
            subprocess.run(["umount", place], check=True)
            place.rmdir()


class Limits(Odd):
    """The user's limits are the program's: neither the session daemon nor the tracer takes part in them."""

    def under(self, limits, *program):
        """The recorder itself is limited, too."""
        return subprocess.run(
            [SH, "-c", f'{limits}; exec "$@"', "sh", KFDSCOPE, "record", "-o", self.out, "--model",
             "--", *map(str, program)], capture_output=True, text=True, timeout=120, check=False,
            stdin=subprocess.DEVNULL, env={**os.environ, "TMPDIR": str(self.temporary)})

    def test_few_files(self):
        done = self.under("ulimit -S -n 10", CLIENTS / "holder")
        self.assertEqual((done.returncode, done.stdout), (5, "ready\n"), done.stderr)
        self.assertIn(", 0 lost", done.stderr)

    def test_so_few_files_that_the_program_would_fail(self):
        done = self.under("ulimit -n 20", CLIENTS / "holder")
        self.assertEqual((done.returncode, done.stdout), (125, ""), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn("the limit of open files is 20,", done.stderr)
        self.assertFalse(self.out.exists())

    def test_a_program_that_cannot_map_is_not_kept_waiting(self):
        told = {}
        for limit in ("unlimited", 60000):
            shutil.rmtree(self.out, ignore_errors=True)
            done = self.under(f"ulimit -S -v {limit}", SH, "-c",
                              'echo "${LTTNG_UST_REGISTER_TIMEOUT:-3000}"')
            told[limit] = int(done.stdout)
        self.assertGreater(told["unlimited"], told[60000])

    def test_the_daemon_is_not_limited(self):
        for limits in ("ulimit -S -s 200", "ulimit -S -f 0"):
            shutil.rmtree(self.out, ignore_errors=True)
            done = self.under(limits, SH, "-c", "exit 3")
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertNotRegex(done.stderr, "daemon|Warning")

    def test_a_program_with_the_address_sanitizer(self):
        """Which ends whoever loads something before it."""
        source, program = self.folder / "sane.c", self.folder / "sane"
        source.write_text("int main(void) { return 8; }\n")
        built = subprocess.run(["cc", "-fsanitize=address", "-o", program, source], check=False,
                               capture_output=True)
        if built.returncode or self.run_command(program).returncode != 8:
            self.skipTest("no address sanitizer")
        self.assertEqual(self.record(program).returncode, 8)
        library = subprocess.run(["cc", "-print-file-name=libasan.so"], capture_output=True,
                                 text=True, check=True).stdout.strip()
        shutil.rmtree(self.out)
        done = self.record(SH, "-c", "exit 9", env={
            "LD_PRELOAD": library, "ASAN_OPTIONS": "detect_leaks=0"})
        self.assertEqual(done.returncode, 9, done.stderr)


class Started(Odd):
    """Recorders that go on while things happen."""
    options = ("--model",)

    def start(self, *program, **more):
        self.log = self.folder / "log"
        with open(self.log, "wb") as log:
            process = subprocess.Popen(
                [KFDSCOPE, "record", "-o", self.out, *self.options, "--", *map(str, program)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, **more)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        for stream in (process.stdin, process.stdout):
            self.addCleanup(stream.close)
        self.assertEqual(process.stdout.readline(), "ready\n", self.log.read_text())
        return process


class Signals(Started):
    """Signals, terminals and descriptors: what comes is the program's, and the recording is whole."""
    said = ", 0 lost"

    def check_ending(self, code, number):
        note = json.loads((self.out / "kfdscope.json").read_text())
        self.assertEqual((note["exit_code"], note["signal"]), (code, number))

    def test_an_interrupt_that_comes_twice(self):
        """The program takes the first, as some do to clean up, and ends by the second."""
        process = self.start("python3", "-u", "-c", (
            "import signal, sys\n"
            "seen = []\n"
            "def take(*_):\n"
            "    seen.append(1)\n"
            "    print('seen', len(seen))\n"
            "    if len(seen) == 2: sys.exit(9)\n"
            "signal.signal(signal.SIGINT, take)\n"
            "print('ready')\n"
            "while True: signal.pause()\n"))
        for count in (1, 2):
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.stdout.readline(), f"seen {count}\n")
        self.assertEqual(process.wait(60), 9, self.log.read_text())
        self.check_ending(9, 0)

    def test_signals_that_end_the_program(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            shutil.rmtree(self.out, ignore_errors=True)
            process = self.start(CLIENTS / "holder")
            process.send_signal(number)
            self.assertEqual(process.wait(60), -number, self.log.read_text())
            self.check_ending(-1, number)
            self.assertIn(self.said, self.log.read_text())

    def at_a_terminal(self, *command):
        """A recording that leads the session of a terminal, when its program says "ready".
        @return it and the terminal's other end."""
        master, slave = os.openpty()
        process = subprocess.Popen(
            [KFDSCOPE, "record", "-o", self.out, *self.options, "--", *command],
            stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        os.close(slave)
        said = b""
        while b"ready" not in said:
            said += os.read(master, 1024)
        return process, master

    def test_the_terminal_is_closed(self):
        """As over ssh: only the session's leader is told, which the program would be by itself."""
        process, master = self.at_a_terminal("sh", "-c", "echo ready; exec sleep 300")
        os.close(master)
        self.assertEqual(process.wait(60), -signal.SIGHUP)
        self.check_ending(-1, signal.SIGHUP)

    def test_ctrl_c_at_a_terminal(self):
        process, master = self.at_a_terminal(CLIENTS / "holder")
        os.write(master, b"\x03\x03")
        while True:
            try:
                if not os.read(master, 1024):
                    break
            except OSError:     # the last one at the other end has gone
                break
        os.close(master)
        self.assertEqual(process.wait(60), -signal.SIGINT)
        self.check_ending(-1, signal.SIGINT)

    def test_nobody_hears_what_is_said(self):
        for closed in ("2>&-", ">&- 2>&-", "<&- >&- 2>&-"):
            shutil.rmtree(self.out, ignore_errors=True)
            done = subprocess.run(
                ["sh", "-c", f'exec "$0" record -o "$1" --model -- sh -c "exit 9" {closed}',
                 KFDSCOPE, self.out], timeout=60, check=False)
            self.assertEqual(done.returncode, 9, closed)
            self.check_ending(9, 0)

    def test_a_reader_that_goes_away(self):
        done = subprocess.run(["sh", "-c", '("$0" record -o "$1" --model -- sh -c "exit 9"; '
                               'echo $? >"$1/status") 2>&1 | true', KFDSCOPE, self.out],
                              timeout=60, check=False)
        self.assertEqual(done.returncode, 0)
        self.assertEqual((self.out / "status").read_text(), "9\n")


class Snapshots(Signals):
    """The same care with a ring in memory."""
    options = ("--model", "--snapshot=64K")
    said = "no snapshot was written: nothing happened that --snapshot-on names"
    # These have no other way to end.
    test_nobody_hears_what_is_said = test_a_reader_that_goes_away = None

    def check_ending(self, code, number):
        """The note is one of the last snapshot, when the end is one."""

    def snapshots(self):
        return sorted(p.name for p in self.out.iterdir()) if self.out.exists() else []

    def wait_for(self, words):
        for _ in range(3000):
            if words in self.log.read_text():
                return
            time.sleep(0.02)
        self.fail(f"no '{words}' in: {self.log.read_text()}")

    def test_no_such_program(self):
        self.refused(127, "No such file or directory", "/no/such/program", options=self.options)
        self.assertFalse(self.out.exists())

    def test_a_directory_that_cannot_be_written(self):
        self.refused(125, "cannot make '/proc/nowhere/out'", "true", out="/proc/nowhere/out",
                     options=self.options)

    def test_a_directory_that_goes_away(self):
        """The snapshot cannot be written, which is said; the program goes on."""
        process = self.start(CLIENTS / "holder")
        shutil.rmtree(self.out)
        self.out.write_text("in the way")
        process.send_signal(signal.SIGUSR1)
        self.wait_for("kfdscope: record: ")
        self.assertEqual(len(self.log.read_text().splitlines()), 1, self.log.read_text())
        process.stdin.close()
        self.assertEqual(process.wait(60), 5)
        self.assertIn("no snapshot was written", self.log.read_text())
        self.assertEqual(self.out.read_text(), "in the way")

    def test_many_signals_at_once(self):
        """Those that come while one is written may be one; none is half a snapshot."""
        process = self.start(CLIENTS / "holder")
        for _ in range(50):
            process.send_signal(signal.SIGUSR1)
        process.stdin.close()
        self.assertEqual(process.wait(60), 5)
        taken = [name for name in self.snapshots() if name != "kfdscope.json"]
        self.assertGreater(len(taken), 0)
        for name in taken:
            self.assertEqual(self.left(self.out / name), (0, 0))

    @unittest.skipUnless(os.geteuid() == 0, "root's daemon has a known place")
    def test_a_daemon_that_is_killed_meanwhile(self):
        process = self.start(CLIENTS / "holder")
        pid = int(pathlib.Path("/run/lttng/lttng-sessiond.pid").read_text())
        consumers = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True,
                                   check=False).stdout.split()
        for one in (pid, *map(int, consumers)):
            os.kill(one, signal.SIGKILL)
        process.send_signal(signal.SIGUSR1)
        self.wait_for("kfdscope: record: ")
        process.stdin.close()
        self.assertEqual(process.wait(60), 5)
        for line in self.log.read_text().splitlines():
            self.assertRegex(line, "^(kfdscope:|PERROR|Error)")
        for path in pathlib.Path("/dev/shm").iterdir():     # the daemon could not
            path.unlink()


class Users(Odd):
    @unittest.skipUnless(os.geteuid() == 0, "needs root to be somebody else")
    def test_a_program_that_gains_rights(self):
        """The loader drops our objects: the program runs as ever, and it is said why nothing came."""
        self.folder.chmod(0o777)
        self.temporary.chmod(0o777)
        program = self.folder / "gains"
        shutil.copy(CLIENTS / "holder", program)
        program.chmod(0o4755)
        done = subprocess.run(
            ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", KFDSCOPE,
             "record", "-o", self.out, "--model", "--", program], capture_output=True, text=True,
            stdin=subprocess.DEVNULL, timeout=60, check=False,
            env={**os.environ, "TMPDIR": str(self.temporary), "HOME": str(self.temporary)})
        self.assertEqual(done.returncode, 1, done.stderr)    # without a GPU
        self.assertIn("were recorded: 'kfdscope doctor -- PROGRAM' tells why", done.stderr)
        done = subprocess.run(
            ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", KFDSCOPE,
             "doctor", "--", program], capture_output=True, text=True, timeout=60, check=False)
        self.assertIn("gains rights when it starts", done.stdout)

    @unittest.skipUnless(os.geteuid() == 0, "needs root to be somebody else")
    def test_a_user_whose_directory_is_not_his(self):
        self.folder.chmod(0o755)
        done = subprocess.run(
            ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", KFDSCOPE,
             "record", "-o", self.out, "--", "true"], capture_output=True, text=True,
            timeout=60, check=False)
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (125, 1), done.stderr)
        self.assertIn(f"cannot make '{self.out}': Permission denied", done.stderr)
        self.out.mkdir()
        done = subprocess.run(
            ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", KFDSCOPE,
             "record", "-o", self.out, "--", "true"], capture_output=True, text=True,
            timeout=60, check=False)
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (125, 1), done.stderr)
        self.assertIn(f"cannot write into '{self.out}': Permission denied", done.stderr)


if __name__ == "__main__":
    main()
