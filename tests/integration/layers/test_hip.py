# SPDX-License-Identifier: MIT
"""The layers above the thunk, on the real HIP and HSA runtimes and the simulated GPU."""
import re
import subprocess
import unittest

from recorded import KFDSCOPE, PROGRAMS, Test, calls, read_events

ALL = "--layers=hip,hsa,kmt,kfd"


def first(call, *names):
    """Goes down from a call by the beginnings of names; None where the way ends."""
    for name in names:
        call = next((c for c in call.inside if c.name.startswith(name)), None) if call else None
    return call


class Leaks(Test):
    def application_groups(self, path):
        return [g for g in self.leaks(path)["groups"] if g["layer"] == "application"]

    def test_only_what_the_program_did_not_free_is_its_leak(self):
        path, _ = self.record([f"{PROGRAMS}/hip_leak"], "--model")
        groups = self.application_groups(path)
        self.assertEqual([(g["blocks"], g["bytes"]) for g in groups], [(4, 16777216)])
        text = subprocess.run([KFDSCOPE, "leaks", path], capture_output=True, text=True,
                              check=True).stdout
        self.assertRegex(text, r"allocated in load_weights\(.*hip_leak\.cpp:33")
        chain = re.search(r"ALLOC_MEMORY_OF_GPU.*?hsaKmtAllocMemory.*?"
                          r"hsa_amd_memory_pool_allocate.*?hipMalloc.*?load_weights", text, re.S)
        self.assertTrue(chain, text)

    def test_a_program_that_frees_everything_has_leaked_nothing(self):
        path, _ = self.record([f"{PROGRAMS}/hip_leak", "--clean"], "--model")
        self.assertEqual(self.application_groups(path), [])
        text = subprocess.run([KFDSCOPE, "leaks", "--fail-on-findings", path], capture_output=True,
                              text=True, check=True).stdout
        self.assertIn("Nothing leaked", text)
        self.assertEqual(len(re.findall("^KEPT BY THE RUNTIME\n.*--runtime lists", text, re.M)), 1)

    def test_small_requests_are_counted_in_the_bytes_asked_for(self):
        path, _ = self.record([f"{PROGRAMS}/layers_hip_one"], "--model")
        groups = self.application_groups(path)
        # "warm" alone: its second hipMalloc fails and leaves the pointer alone.
        self.assertEqual([(g["blocks"], g["bytes"]) for g in groups], [(1, 1 << 20)])


class Chains(Test):
    def setUp(self):
        super().setUp()
        self.path, done = self.record([f"{PROGRAMS}/layers_hip_one"], ALL, "--model")
        self.pitch = int(re.search(r"ok pitch (\d+)", done.stdout)[1])
        self.events = read_events(self.path)

    def test_one_hip_malloc_has_four_levels_that_nest_on_one_thread(self):
        malloc = [c for c in calls(self.events) if c.name == "kmt_hip:hipMalloc"][1]
        self.assertEqual(malloc.entry["size"], 8 << 20)
        way = [malloc]
        for name in ("kmt_rocr:hsa_amd_memory_pool_allocate", "kmt:hsaKmtAllocMemory",
                     "kfd:ALLOC_MEMORY_OF_GPU"):
            way.append(first(way[-1], name))
            self.assertIsNotNone(way[-1], f"no {name} below {way[-2]}")
        for outer, inner in zip(way, way[1:]):
            self.assertEqual(inner.entry.vtid, outer.entry.vtid)
            self.assertLessEqual(outer.entry.time_ns, inner.entry.time_ns)
            self.assertLessEqual(inner.exit.time_ns, outer.exit.time_ns)
            inside = sum(c.exit.time_ns - c.entry.time_ns for c in outer.inside)
            self.assertLessEqual(inside, outer.exit.time_ns - outer.entry.time_ns)
        self.assertEqual(way[3].entry["size"], 8 << 20)

    def test_call_numbers_of_each_layer_count_on_in_each_thread(self):
        last = {}
        for event in self.events:
            if event.name.startswith(("kmt_hip:", "kmt_rocr:")) and event.name.endswith("_entry"):
                key = event.name.split(":")[0], event.vtid
                self.assertEqual(event["call"], last.get(key, 0) + 1, event.name)
                last[key] = event["call"]
        self.assertIn("kmt_hip", {provider for provider, _ in last})
        self.assertIn("kmt_rocr", {provider for provider, _ in last})

    def test_fields_have_the_arguments_results_and_errors(self):
        def exits(name):
            return [e for e in self.events if e.name == name + "_exit"]
        pitch = exits("kmt_hip:hipMallocPitch")[0]
        self.assertEqual((pitch["status"], pitch["pitch"], pitch["taken_bytes"]),
                         ("hipSuccess", self.pitch, self.pitch * 64))
        copy = next(e for e in self.events if e.name == "kmt_hip:hipMemcpyAsync_entry")
        self.assertEqual((copy["sizeBytes"], copy["kind"]), (4096, "hipMemcpyHostToDevice"))
        failed = exits("kmt_hip:hipMalloc")[-1]
        self.assertEqual((failed["status"], failed["ptr_valid"], failed["taken_address"]),
                         ("hipErrorOutOfMemory", 0, 0))
        stream = exits("kmt_hip:hipStreamCreate")[0]["stream"]
        self.assertEqual(copy["stream"], stream)

    def test_each_entry_has_a_stack(self):
        for event in self.events:
            if event.name.startswith(("kmt_hip:", "kmt_rocr:")) and event.name.endswith("_entry"):
                self.assertGreater(len(event.array("bt")), 0, event.name)


class Choice(Test):
    def providers(self, *options):
        path, _ = self.record([f"{PROGRAMS}/layers_hip_one"], "--model", *options)
        names = {e.name.split(":")[0] for e in read_events(path)}
        return {n for n in names if n != "kmt_state" and not n.startswith("lttng_ust")}

    def test_layers_are_recorded_as_chosen(self):
        self.assertEqual(self.providers(), {"kmt_hip", "kmt", "kfd", "kmt_os"})
        self.assertEqual(self.providers("--layers=kmt"), {"kmt"})
        self.assertEqual(self.providers("--layers=hip,hsa"), {"kmt_hip", "kmt_rocr"})

    def test_an_unknown_layer_is_refused(self):
        done = subprocess.run([KFDSCOPE, "record", "--layers=hip,cuda", "--", "true"],
                              capture_output=True, text=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("--layers has 'cuda'", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
