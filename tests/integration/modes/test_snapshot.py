# SPDX-License-Identifier: MIT
"""kfdscope record --snapshot: a ring in memory, and snapshots that can be read alone."""
import json
import os
import signal
import time

from clients import CLIENTS, KFDSCOPE, LIBRARIES, MIB, Modes, Talk, main


class Snapshot(Modes):
    # How the program is recorded, and what an incident's call is then called.
    recorded = ("--model",)
    allocation, wait = "hsaKmtAllocMemory", "hsaKmtWaitOnEvent"

    def start(self, *options, scenario=None, client="holder"):
        self.out = self.folder / "out"
        self.log = self.folder / "log"
        env = dict(os.environ)
        if scenario is not None:
            file = self.folder / "scenario.json"
            file.write_text(json.dumps(scenario))
            env["KFDSCOPE_MODEL_SCENARIO"] = str(file)
        command = [KFDSCOPE, "record", "-o", self.out, *self.recorded, *options, "--",
                   CLIENTS / client]
        return Talk(self, ["sh", "-c", 'exec "$@" 2>"$0"', self.log, *command], env)

    def left(self, path):
        """What the program has not given back; the library may keep some for itself."""
        left = self.report("leaks", path)["layers"]["application"]
        return left["blocks"], left["bytes"]

    def messages(self):
        return self.log.read_text()

    def wait_for(self, folder):
        """Until a snapshot is said to be there."""
        path = self.out / folder
        for _ in range(500):
            if f"in '{path}'" in self.messages():
                return path
            time.sleep(0.02)
        raise AssertionError(f"no snapshot {folder}: {self.messages()}")

    def snapshots(self):
        return sorted(p.name for p in self.out.iterdir() if p.is_dir()) if self.out.exists() else []

    def test_a_signal_writes_one_each_time(self):
        client = self.start("--snapshot")
        for mib in (1, 2, 4):
            client.tell(f"alloc {mib}")
        client.process.send_signal(signal.SIGUSR1)
        first = self.wait_for("1-signal")
        client.tell("free")
        client.tell("alloc 8")
        client.process.send_signal(signal.SIGUSR1)
        second = self.wait_for("2-signal")
        self.assertEqual(client.finish(), (5, ""))
        self.assertEqual(self.snapshots(), ["1-signal", "2-signal"])
        self.assertEqual(self.left(first), (3, 7 * MIB))
        self.assertEqual(self.left(second), (3, 11 * MIB))
        self.assertIn("hold_block", self.text("leaks", second))
        # Read together they would count things twice.
        done = self.run_command(KFDSCOPE, "leaks", self.out)
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)
        self.assertIn(f"kfdscope leaks {self.out}/1-signal", done.stderr)

    def test_what_was_written_over_is_known_by_its_state(self):
        client = self.start("--snapshot=64K")
        client.tell("alloc 16")
        client.tell("query 20000")
        client.tell("alloc 4")
        client.process.send_signal(signal.SIGUSR1)
        path = self.wait_for("1-signal")
        client.finish()
        self.assertEqual(self.left(path), (2, 20 * MIB))
        self.assertNotIn("in time", self.messages())
        size = sum(f.stat().st_size for f in path.rglob("*") if f.is_file())
        self.assertLess(size, 4 * MIB)
        calls = {r["name"]: r["count"] for r in self.report("chains", path)["calls"]}
        self.assertLess(calls.get("hsaKmtQueryPointerInfo", 0), 20000)

    def test_nothing_is_written_when_nothing_happens(self):
        client = self.start("--snapshot")
        client.tell("alloc 1")
        self.assertEqual(client.finish(), (5, ""))
        self.assertIn("no snapshot was written", self.messages())
        self.assertEqual(self.snapshots(), [])

    def test_a_fault_that_kills_the_program(self):
        client = self.start("--snapshot", scenario={"actions": [
            {"do": "memory_exception", "node": 1, "address": "0x7f0000001000", "read_only": True,
             "at_ms": 3000}]})
        client.tell("alloc 1")
        client.tell("alloc 2")
        self.assertEqual(client.tell("abort"), "fault 0 at 0x7f0000001000")
        status, _ = client.finish()
        self.assertEqual(status, -signal.SIGABRT)
        path = self.wait_for("1-fault")
        self.assertIn(f"(fault: {self.wait} of process", self.messages())
        self.assertEqual(self.left(path), (2, 3 * MIB))
        fault, = self.report("faults", path)["faults"]
        self.assertEqual(int(str(fault["address"]), 0), 0x7f0000001000)
        self.assertEqual(self.snapshots(), ["1-fault"])

    def test_a_failure_when_asked_for(self):
        scenario = {"ioctls": [{"ioctl": "ALLOC_MEMORY_OF_GPU", "node": 1, "after": 3, "times": 1,
                                "errno": "ENOMEM"}]}
        client = self.start("--snapshot", "--snapshot-on=failure", scenario=scenario)
        answers = [client.tell(f"alloc {mib}") for mib in (1, 2, 4, 8)]
        self.assertEqual(sum(a != "alloc 0" for a in answers), 1, answers)
        held = sum(m for m, a in zip((1, 2, 4, 8), answers) if a == "alloc 0")
        path = self.wait_for("1-failure")
        self.assertEqual(client.finish(), (5, ""))
        self.assertRegex(self.messages(),
                         rf"\(failure: {self.allocation} of process [1-9]\d*, status [1-9]")
        self.assertEqual(self.snapshots(), ["1-failure"])
        failure, = self.report("failures", path)["failures"]
        self.assertEqual((failure["call"], failure["errno_name"]), (self.allocation, "ENOMEM"))
        self.assertLessEqual(self.left(path)[1], held * MIB)

    def test_a_failure_is_no_reason_unless_named(self):
        client = self.start("--snapshot", scenario={"ioctls": [
            {"ioctl": "ALLOC_MEMORY_OF_GPU", "node": 1, "after": 3, "times": 1,
             "errno": "ENOMEM"}]})
        for mib in (1, 2, 4, 8):
            client.tell(f"alloc {mib}")
        self.assertEqual(client.finish(), (5, ""))
        self.assertEqual(self.snapshots(), [])

    def test_the_end_when_asked_for(self):
        client = self.start("--snapshot=64K", "--snapshot-on=end")
        client.tell("alloc 3")
        client.tell("query 20000")
        self.assertEqual(client.finish(), (5, ""))
        self.assertEqual(self.snapshots(), ["1-end"])
        self.assertEqual(self.left(self.out / "1-end"), (1, 3 * MIB))

    def test_without_signal_the_program_gets_it(self):
        client = self.start("--snapshot-on=fault")
        client.process.send_signal(signal.SIGUSR1)
        status, _ = client.finish()
        self.assertEqual(status, -signal.SIGUSR1)

    def test_words_that_make_no_sense(self):
        for option in ("--snapshot=12", "--snapshot=x", "--snapshot-on=never", "--snapshot-on="):
            done = self.run_command(KFDSCOPE, "record", "-o", self.folder / "o", option, "true")
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), option)


class SystemThunk(Snapshot):
    """The same with the distribution's own library and the tracer at the libc boundary."""
    recorded = ("--model", "--system-thunk")
    allocation, wait = "ALLOC_MEMORY_OF_GPU", "WAIT_EVENTS"

    def setUp(self):
        super().setUp()
        done = self.run_command("ldd", CLIENTS / "holder")
        if "libhsakmt.so.1 => /" not in done.stdout:
            self.skipTest("the system has no libhsakmt")

    def test_its_own_thunk_is_recorded_and_nothing_of_it_is_a_leak(self):
        client = self.start("--snapshot-on=end")
        client.tell("alloc 2")
        self.assertEqual(client.finish(), (5, ""))
        report = self.report("leaks", self.out / "1-end")
        [process] = report["processes"]
        [thunk] = process["thunks"]
        self.assertNotIn(str(LIBRARIES), thunk)
        # Its page of events is known for what it is, by the function that took it.
        self.assertEqual(report["layers"]["application"]["bytes"], 2 * MIB)
        own = [g for g in report["groups"] if g["layer"] == "runtime"]
        self.assertEqual(len(own), 1)
        self.assertIn("hsaKmtCreateEvent", [f.get("function") for f in own[0]["stack"]])


if __name__ == "__main__":
    main()
