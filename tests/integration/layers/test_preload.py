# SPDX-License-Identifier: MIT
"""The tracer at the libc boundary: Debian's own thunk, and a client without any."""
import json
import os
import subprocess
import unittest

from recorded import KFDSCOPE, LIBRARIES, PROGRAMS, Test, calls, read_events

STOCK = ("--system-thunk", "--model")


def counts(path):
    found = {}
    for event in read_events(path):
        if event.name.startswith(("kfd:", "kmt_os:open", "kmt_os:close")):
            found[event.name] = found.get(event.name, 0) + 1
    return found


def steady(path):
    """The counts without what depends on how far the runtime's waiting thread gets."""
    return {name: count for name, count in counts(path).items()
            if not name.startswith(("kfd:WAIT_EVENTS", "kfd:SET_EVENT", "kfd:RESET_EVENT"))}


class WithoutThunk(Test):
    def test_its_ioctls_and_mappings_are_recorded(self):
        path, done = self.record([f"{PROGRAMS}/layers_raw_client"], *STOCK)
        self.assertEqual(done.stdout, "done\n")
        events = read_events(path)
        parent = next(e.vpid for e in events if e.name == "kfd:ACQUIRE_VM_entry")
        roots = calls([e for e in events if e.vpid == parent])
        names = [c.name for c in roots]
        self.assertEqual([n for n in names if n.startswith("kfd:")], [
            "kfd:GET_PROCESS_APERTURES_NEW", "kfd:ACQUIRE_VM",
            *["kfd:ALLOC_MEMORY_OF_GPU"] * 3, "kfd:FREE_MEMORY_OF_GPU",
            "kfd:ALLOC_MEMORY_OF_GPU", "kfd:FREE_MEMORY_OF_GPU", "kfd:CREATE_EVENT",
            "kfd:SET_EVENT", "kfd:WAIT_EVENTS", "kfd:DESTROY_EVENT", "kfd:ALLOC_MEMORY_OF_GPU"])
        opens = [c for c in roots if c.name == "kmt_os:open"]
        self.assertEqual([c.entry["path"] for c in opens], ["/dev/kfd", "/dev/dri/renderD128"])
        mapped = next(c for c in roots if c.name == "kmt_os:mmap")
        unmapped = next(c for c in roots if c.name == "kmt_os:munmap")
        self.assertEqual(mapped.entry["size_bytes"], 1 << 20)
        self.assertEqual(unmapped.entry["address"], mapped.exit["address"])

    def test_a_forked_child_is_followed(self):
        path, _ = self.record([f"{PROGRAMS}/layers_raw_client"], *STOCK)
        events = read_events(path)
        parent = next(e.vpid for e in events if e.name == "kfd:ACQUIRE_VM_entry")
        child = [e.name for e in events if e.vpid != parent and e.name.startswith("kfd:")]
        self.assertEqual(child, ["kfd:GET_VERSION_entry", "kfd:GET_VERSION_exit"])

    def test_its_leaks_are_right_and_named_through_a_library_without_frame_pointers(self):
        path, _ = self.record([f"{PROGRAMS}/layers_raw_client"], *STOCK)
        groups = self.leaks(path)["groups"]
        by_caller = {g["blocks"]: g for g in groups}
        self.assertEqual(sorted((g["blocks"], g["bytes"]) for g in groups),
                         [(1, 65536), (2, 131072)])
        functions = [f.get("function") for f in by_caller[2]["stack"]]
        way = [f for f in functions
               if f in ("take", "take_small", "raw_library_call", "keep_two", "main")]
        self.assertIn("raw_library_call", way)
        self.assertEqual(way[-3:], ["raw_library_call", "keep_two", "main"])

    def test_a_recording_that_starts_late_knows_what_is_alive(self):
        environment = dict(os.environ, LD_PRELOAD=":".join(
            f"{LIBRARIES}/{name}" for name in ("libkfdscope-tracepoints.so",
                                               "libkfdscope-preload.so",
                                               "libkfdscope-model-preload.so")),
                           KFDSCOPE_MODEL_TOPOLOGY=os.environ["TOPOLOGY"])

        def lttng(*words):
            subprocess.run(["lttng", *words], check=True, stdout=subprocess.DEVNULL)
        # A session for nothing, so that a daemon runs before the program starts.
        with subprocess.Popen([f"{PROGRAMS}/layers_raw_client", "pause"], env=environment,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as client:
            self.assertEqual(client.stdout.readline(), "ready\n")
            lttng("create", "late", "-o", f"{self.folder}/late")
            lttng("enable-event", "-u", "-s", "late", "kmt_state:*,kfd:*")
            lttng("add-context", "-u", "-s", "late", "-t", "vpid", "-t", "vtid", "-t", "procname")
            lttng("start", "late")
            subprocess.run(["sleep", "1"], check=True)
            client.stdin.close()
            self.assertEqual(client.wait(), 0)
        lttng("stop", "late")
        lttng("destroy", "late")
        events = read_events(f"{self.folder}/late")
        live = [e for e in events if e.name == "kmt_state:allocation"]
        self.assertEqual([e["size_bytes"] for e in live], [65536] * 3)
        self.assertIn("kfdscope preload", next(e for e in events
                                               if e.name == "kmt_state:schema")["library"])
        self.assertGreater(len([e for e in events if e.name == "kmt_state:node"]), 0)
        end = next(e for e in events if e.name == "kmt_state:end")
        self.assertEqual((end["allocations"], end["queues"], end["events"]), (3, 0, 0))
        self.assertEqual(sum(g["blocks"] for g in self.leaks(f"{self.folder}/late")["groups"]), 3)


def findings(path):
    """@return the exit status of kfdscope check, and its findings by code."""
    done = subprocess.run([KFDSCOPE, "check", "--json", path], capture_output=True, text=True,
                          check=False)
    [trace] = json.loads(done.stdout)["traces"]
    return done.returncode, {f["code"]: f for f in trace["findings"]}


class Check(Test):
    """What `kfdscope check` says of a program whose thunk does not record."""

    def test_a_program_without_a_library_is_named_with_what_the_reports_lack(self):
        path, _ = self.record([f"{PROGRAMS}/layers_raw_client"], *STOCK)
        status, found = findings(path)
        self.assertEqual((status, found["static-thunk"]["level"]), (3, "warning"))
        said = found["static-thunk"]["message"]
        self.assertRegex(said, r"^layers_raw_clie \(pid \d+ on \S+\), layers_raw_clie \(pid \d+ .*: "
                         rf"the thunk is linked in statically \(in '{PROGRAMS}/layers_raw_client'\)")
        for words in ("no call of the library can be recorded", "those of the driver's calls",
                      "svm, counters and what the library keeps for itself are not seen"):
            self.assertIn(words, said)
        self.assertNotIn("system-thunk", found)

    def test_the_systems_thunk_is_told_apart_from_one_that_is_linked_in(self):
        path, _ = self.record(["rocminfo"], *STOCK)
        status, found = findings(path)
        self.assertEqual((status, found["system-thunk"]["level"]), (0, "info"))
        self.assertRegex(found["system-thunk"]["message"],
                         r"^rocminfo \(pid \d+ on \S+\): the thunk is '/\S*/libhsakmt\.so\.")
        self.assertNotIn("static-thunk", found)

    def test_nothing_is_said_of_our_own_thunk(self):
        for options in (("--model",), ("--model", "--layers=kfd"),
                        ("--model", "--model-front=preload")):
            path, _ = self.record(["rocminfo"], *options)
            status, found = findings(path)
            self.assertEqual((status, list(found)), (0, ["recording"]), options)


class StockThunk(Test):
    def test_rocminfo_says_the_same_and_is_recorded(self):
        plain = subprocess.run(["rocminfo"], capture_output=True, text=True, check=True, env=dict(
            os.environ, LD_PRELOAD=f"{LIBRARIES}/libkfdscope-model-preload.so",
            KFDSCOPE_MODEL_TOPOLOGY=os.environ["TOPOLOGY"]))
        path, done = self.record(["rocminfo"], *STOCK)
        self.assertEqual(done.stdout, plain.stdout)
        found = counts(path)
        self.assertGreater(found["kfd:ALLOC_MEMORY_OF_GPU_entry"], 0)
        self.assertEqual(found["kfd:ALLOC_MEMORY_OF_GPU_entry"],
                         found["kfd:ALLOC_MEMORY_OF_GPU_exit"])
        self.assertFalse(any(e.name.startswith("kmt:") for e in read_events(path)))

    def test_leaks_of_a_hip_program_are_right_without_the_thunks_and_hips_events(self):
        path, _ = self.record([f"{PROGRAMS}/hip_leak"], "--layers=kfd", *STOCK)
        groups = [g for g in self.leaks(path)["groups"] if g["layer"] == "application"]
        self.assertEqual([(g["blocks"], g["bytes"]) for g in groups], [(4, 16777216)])
        self.assertIn("load_weights", groups[0]["allocated_in"]["function"])

    def test_leaks_with_hips_events_are_the_same(self):
        path, _ = self.record([f"{PROGRAMS}/hip_leak"], *STOCK)
        groups = [g for g in self.leaks(path)["groups"] if g["layer"] == "application"]
        self.assertEqual([(g["blocks"], g["bytes"]) for g in groups], [(4, 16777216)])
        path, _ = self.record([f"{PROGRAMS}/hip_leak", "--clean"], *STOCK)
        groups = [g for g in self.leaks(path)["groups"] if g["layer"] == "application"]
        self.assertEqual(groups, [])


class BothTracers(Test):
    def test_calls_of_our_thunk_are_recorded_once(self):
        front = ("--layers=kmt,kfd", "--model", "--model-front=preload")
        alone, _ = self.record(["rocminfo"], *front)
        both, _ = self.record(["rocminfo"], *front,
                              env={"LD_PRELOAD": f"{LIBRARIES}/libkfdscope-preload.so"})
        self.assertEqual(steady(both), steady(alone))

    def test_the_events_have_the_fields_that_our_thunks_have(self):
        def fields(path):
            return {e.name: [part.split(" = ")[0] for part in e.text.split(", ")
                             if not part.startswith(("[", " "))]
                    for e in read_events(path) if e.name.startswith("kfd:ALLOC")}
        ours, _ = self.record(["rocminfo"], "--layers=kfd", "--model")
        stock, _ = self.record(["rocminfo"], "--layers=kfd", *STOCK)
        self.assertEqual(fields(stock).keys(), fields(ours).keys())
        self.assertEqual(fields(stock)["kfd:ALLOC_MEMORY_OF_GPU_exit"],
                         fields(ours)["kfd:ALLOC_MEMORY_OF_GPU_exit"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
