# SPDX-License-Identifier: MIT
"""The lists against the interface facts and the public headers: nothing may be left out."""
import copy
import json
import os
import re
import unittest

from generator.events import build

ROOT = os.path.join(os.path.dirname(__file__), "..", "..", "..")


def read_json(name):
    with open(os.path.join(ROOT, "tests", "data", name), encoding="utf-8") as stream:
        return json.load(stream)


def read_text(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as stream:
        return stream.read()


def plain(ctype):
    return re.sub(r"\s+", "", ctype)


def listed(model):
    """{name of a public function: [(type, name, direction)]}, twins included."""
    functions = {}
    for function in model.functions:
        arguments = [(plain(a.ctype), a.name, a.direction) for a in function.arguments]
        if not function.has("only-ctx"):
            functions[function.name] = arguments
        if function.has("ctx") or function.has("only-ctx"):
            functions[function.name + "Ctx"] = [("HsaKFDContext*", "ctx", "in")] + arguments
    return functions


def missing_functions(model, facts):
    """Differences between the lists and api.json, as sentences."""
    ours, wrong = listed(model), []
    for entry in facts:
        name = entry["name"]
        if entry["module"] == "virtio" or not name.startswith("hsaKmt"):
            continue
        if name not in ours:
            wrong.append(f"{name} is not in api.def")
            continue
        theirs = [(plain(p["type"]), p["name"], p["dir"]) for p in entry["params"]]
        # api.md: the Ctx form of CreateQueueV2 calls one parameter differently.
        if [t for t, *_ in theirs] != [t for t, *_ in ours[name]]:
            wrong.append(f"{name}: the argument types differ")
        if [d for *_, d in theirs] != [d for *_, d in ours[name]]:
            wrong.append(f"{name}: the directions differ")
    known = {entry["name"] for entry in facts}
    wrong += [f"{name} is not in api.json" for name in ours if name not in known]
    return wrong


def missing_ioctls(model, facts):
    ours, wrong = {i.name: i for i in model.ioctls}, []
    for entry in facts:
        name = entry["name"].removeprefix("AMDKFD_IOC_")
        if name not in ours:
            wrong.append(f"{name} is not in ioctl.def")
            continue
        given = {a.name: a.direction for a in ours[name].arguments}
        for one in entry["fields"]:
            field, meant = one["name"], one["dir"]
            if one.get("only_in"):
                continue  # another size of the same call: kfd_ioctl.h has one
            if field == "union":
                field = "(rest)"
            if field not in given:
                wrong.append(f"{name}: {field} is left out")
            elif given[field] == "-":
                if not re.search(r"pad|reserved", field):
                    wrong.append(f"{name}: {field} means something")
            elif given[field] not in (meant, "inout") and not field.endswith("ptr"):
                # What an address points to may go the other way than the address.
                wrong.append(f"{name}: {field} is {meant}")
        for operation in entry.get("sub_ops") or []:
            if name != "DBG_TRAP":
                continue  # only there have operations arguments of their own
            sub = ours.get(f"{name}_{operation['op']}")
            if not sub:
                wrong.append(f"{name}: operation {operation['op']} is left out")
                continue
            inside = {a.name.split(".")[-1] for a in sub.arguments}
            wrong += [f"{sub.name}: {f['name']} is left out" for f in operation["fields"]
                      if f["name"] not in inside]
    return wrong


class Coverage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = build(os.path.join(ROOT, "trace"))
        cls.api = read_json("api.json")
        cls.ioctls = read_json("ioctl.json")

    def test_every_function_and_argument_is_listed(self):
        self.assertEqual(missing_functions(self.model, self.api), [])

    def test_every_function_of_the_headers_is_listed(self):
        names = set()
        for header in ("hsakmt.h", "hsakmtctx.h"):
            text = read_text("thunk", "include", "hsakmt", header)
            names |= set(re.findall(r"HSAKMTAPI\s+(hsaKmt\w+)\(", text))
        self.assertGreater(len(names), 100)
        self.assertEqual(names - set(listed(self.model)), set())

    def test_every_ioctl_and_field_is_listed(self):
        self.assertEqual(missing_ioctls(self.model, self.ioctls), [])

    def test_every_ioctl_of_the_header_is_listed(self):
        text = read_text("thunk", "include", "hsakmt", "linux", "kfd_ioctl.h")
        names = set(re.findall(r"#define AMDKFD_IOC_(\w+)\s+AMDKFD_IO", text))
        names = {name for name in names if not name.endswith("_DEPRECATED")}  # other spellings
        self.assertGreater(len(names), 40)
        self.assertEqual(names - {i.name for i in self.model.ioctls}, set())

    def test_every_listed_call_has_its_two_events(self):
        for source in self.model.functions + self.model.ioctls:
            roles = [e.role for e in self.model.events if e.source is source]
            self.assertEqual(roles, ["entry", "exit"], source.name)

    def test_every_argument_is_in_an_event(self):
        for source in self.model.functions:
            fields = [f.name for e in self.model.events if e.source is source
                      for f in e.shape.fields]
            for argument in source.arguments:
                self.assertTrue(any(f == argument.name or f.startswith(argument.name + "_")
                                    for f in fields), f"{source.name}: {argument.name}")

    def test_a_function_that_is_left_out_is_noticed(self):
        model = copy.copy(self.model)
        model.functions = [f for f in model.functions if f.name != "hsaKmtAllocMemory"]
        self.assertEqual(missing_functions(model, self.api),
                         ["hsaKmtAllocMemory is not in api.def",
                          "hsaKmtAllocMemoryCtx is not in api.def"])

    def test_an_argument_that_is_left_out_is_noticed(self):
        model = copy.deepcopy(self.model)
        function = next(f for f in model.functions if f.name == "hsaKmtFreeMemory")
        function.arguments.pop()
        self.assertIn("hsaKmtFreeMemory: the argument types differ",
                      missing_functions(model, self.api))

    def test_an_ioctl_or_field_that_is_left_out_is_noticed(self):
        model = copy.deepcopy(self.model)
        model.ioctls = [i for i in model.ioctls if i.name != "SVM"]
        next(i for i in model.ioctls if i.name == "CREATE_QUEUE").arguments.pop(0)
        self.assertEqual(missing_ioctls(model, self.ioctls),
                         ["CREATE_QUEUE: ring_base_address is left out", "SVM is not in ioctl.def"])


if __name__ == "__main__":
    unittest.main()
