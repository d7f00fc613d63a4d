# SPDX-License-Identifier: MIT
"""The events that follow from the lists, in the order of their numbers."""
import hashlib
from dataclasses import dataclass, field

from .lists import ListError, read_functions, read_groups, read_ioctls, read_types, split_options
from .shapes import Field, Member, Shape, Shaper
from . import virtio

SCHEMA = (1, 2)          # what a reader must know; the minor counts additions
LARGEST_RECORD = 4096    # trace-compass.md 9.4: a record must fit the smallest sub-buffer
STACK_CAP = 64
FIXED = ("ctx", "call", "status", "os_errno", "bt", "bt_truncated", "bt_id")  # of every API event


@dataclass(frozen=True)
class Layer:
    """A library above the thunk whose functions are recorded too."""
    name: str
    provider: str
    folder: str              # of its lists, below that of the others
    status: str              # the enumeration that its functions return
    success: str
    types: str               # the header with its C types


LAYERS = (
    Layer("hip", "kmt_hip", "hip", "hipError_t", "hipSuccess", "hip/hip_types.h"),
    Layer("rocr", "kmt_rocr", "rocr", "hsa_status_t", "HSA_STATUS_SUCCESS", "rocr/rocr_types.h"),
)


@dataclass
class Event:
    provider: str
    name: str
    role: str                # entry, exit or point
    shape: Shape
    source: object = None    # the Function or Ioctl, None for hand-fired events
    where: str = ""
    number: int = -1

    @property
    def full(self):
        return f"{self.provider}:{self.name}"

    @property
    def ident(self):
        return f"{self.provider}_{self.name}"

    def largest(self):
        """Bytes that a record of this event can have at most, its header and contexts left out."""
        total = 0
        for one in self.shape.fields:
            if one.kind == "string":
                total += one.cap
            else:
                total += one.size - 1 + one.size * max(one.cap, 1)  # alignment, elements
                if one.kind == "sequence":
                    total += 3
        return total


@dataclass
class Model:
    types: object
    functions: list
    ioctls: list
    layers: dict = field(default_factory=dict)     # Layer: its functions
    virtio: list = field(default_factory=list)     # the guest library's functions
    events: list = field(default_factory=list)
    captures: dict = field(default_factory=dict)   # event ident: statements

    def of(self, source, role):
        return next(e for e in self.events if e.source is source and e.role == role)

    def schema_hash(self):
        """Changes with every change of an event structure: provider and library must agree."""
        text = "\n".join(f"{e.full} " + " ".join(f"{m.ctype} {m.name}[{m.length}]"
                                                 for m in e.shape.members) for e in self.events)
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")


def number(kind, name, role="value"):
    ctype, size, base = {"u32": ("uint32_t", 4, "dec"), "u64": ("uint64_t", 8, "dec"),
                         "i32": ("int32_t", 4, "dec"), "i64": ("int64_t", 8, "dec"),
                         "x64": ("uint64_t", 8, "hex"), "u8": ("uint8_t", 1, "dec")}[kind]
    return Shape([Member(ctype, name)], [Field("integer", name, ctype, size, base, role=role)])


def stack():
    return Shape([Member("const uint64_t *", "bt"), Member("uint16_t", "bt_len"),
                  Member("uint8_t", "bt_truncated"), Member("uint32_t", "bt_id")],
                 [Field("sequence", "bt", "uint64_t", 8, "hex", cap=STACK_CAP, length="bt_len",
                        role="stack"),
                  Field("integer", "bt_truncated", "uint8_t", 1, role="truncated"),
                  Field("integer", "bt_id", "uint32_t", 4, role="stack_id")])


def take_stack(walk):
    """The statements that put a stack into an event's entry."""
    return [f"\t{walk};", "\tt_e.bt = t_stack.first;", "\tt_e.bt_len = t_stack.inline_length;",
            "\tt_e.bt_truncated = t_stack.is_truncated;", "\tt_e.bt_id = t_stack.defined;"]


def function_events(shaper, function):
    entry, leave = Shape(), Shape()
    for shape in (entry, leave):
        shape.add(number("u32", "ctx", "ctx"))
        shape.add(number("u64", "call", "call"))
    shaper.enum_storage("HSAKMT_STATUS", function.where)
    leave.add(Shape([Member("int32_t", "status")],
                    [Field("enum", "status", "int32_t", 4, enum="HSAKMT_STATUS", role="status")]))
    leave.add(number("i32", "os_errno", "errno"))
    for argument in function.arguments:
        name = argument.name + ("_value" if argument.name in FIXED else "")
        expr = argument.name
        if argument.ctype == "void *" and "]struct " in argument.rule:
            kind = argument.rule.split("]struct ")[1]
            expr = f"(({shaper.types.structs[kind][0]} *){argument.name})"
        if argument.direction != "out":
            # What a wait finds out is there at its exit only.
            rule = argument.rule.replace("+fault", "").replace("+values", "")
            entry.add(shaper.argument(argument.where, rule, name, expr, argument.options,
                                      "t_ok"))
        if argument.direction != "in" or "+values" in argument.rule:
            leave.add(shaper.argument(argument.where, argument.rule, name, expr,
                                      argument.options, "t_ok"))
    entry.add(stack())
    return [Event("kmt", f"{function.name}_entry", "entry", entry, function, function.where),
            Event("kmt", f"{function.name}_exit", "exit", leave, function, function.where)]


def returned(function):
    """What a layer's function returns where it is no status: (C type, rule), or None."""
    word = function.word("returns")
    if not word:
        return None
    ctype, _, rule = word.partition(":")
    return ctype.strip(), rule.strip()


def owned_memory(function, entry, leave):
    """What the caller takes and gives back, under the same names in all functions."""
    takes, gives = function.word("takes"), function.word("gives")
    if takes:
        address, _, size = takes.partition(",")
        leave.add(number("x64", "taken_address", "taken"))
        leave.add(number("u64", "taken_bytes", "taken"))
        leave.code += ["if (t_ok) {",
                       f"\tt_e.taken_address = (uint64_t)(uintptr_t)({address.strip()});",
                       f"\tt_e.taken_bytes = (uint64_t)({size.strip()});", "}"]
    if gives:
        entry.add(number("x64", "given_address", "given"))
        entry.code.append(f"t_e.given_address = (uint64_t)(uintptr_t)({gives});")


def layer_events(shaper, layer, function):
    entry, leave = Shape(), Shape()
    for shape in (entry, leave):
        shape.add(number("u64", "call", "call"))
    result = returned(function)
    if not result:
        shaper.enum_storage(layer.status, function.where)
        leave.add(Shape([Member("int32_t", "status")],
                        [Field("enum", "status", "int32_t", 4, enum=layer.status, role="status")],
                        ["t_e.status = (int32_t)t_result;"]))
    elif result[1]:
        leave.add(shaper.value(function.where, result[1], "result", "t_result", {}))
    for argument in function.arguments:
        name = argument.name + ("_value" if argument.name in FIXED + ("result",) else "")
        if argument.direction != "out":
            entry.add(shaper.argument(argument.where, argument.rule, name, argument.name,
                                      argument.options, "t_ok"))
        if argument.direction != "in":
            leave.add(shaper.argument(argument.where, argument.rule, name, argument.name,
                                      argument.options, "t_ok"))
    owned_memory(function, entry, leave)
    entry.add(stack())
    return [Event(layer.provider, f"{function.name}_entry", "entry", entry, function,
                  function.where),
            Event(layer.provider, f"{function.name}_exit", "exit", leave, function,
                  function.where)]


def virtio_events(shaper, function):
    """Those of a function of the guest's library: it has no contexts, and no system calls of note."""
    entry, leave = function_events(shaper, function)
    for event in (entry, leave):
        shape = event.shape
        shape.fields = [f for f in shape.fields if f.name not in ("ctx", "os_errno")]
        shape.members = [m for m in shape.members if m.name not in ("ctx", "os_errno")]
        event.provider = virtio.PROVIDER
    if function.has("int"):
        leave.shape.fields = [Field("integer", "status", "int32_t", 4, role="status")
                              if f.name == "status" else f for f in leave.shape.fields]
    return [entry, leave]


def ioctl_argument(shaper, ioctl, argument, shape):
    name = argument.name.replace(".", "_")
    if argument.name == "(rest)":
        count = int(argument.rule.split()[1])
        shape.add(Shape([Member("uint32_t", "data", count)],
                        [Field("array", "data", "uint32_t", 4, "hex", cap=count)],
                        [f"trace_rest(t_e.data, sizeof(t_e.data), t_request, t_arg, "
                         f"sizeof(struct {ioctl.structure}));"]))
        return
    expr = f"t_a.{argument.name}"
    if argument.rule.startswith("["):
        count, _, inner = argument.rule[1:].partition("]")
        rule = f"[t_a.{count}]{inner}"
        kind = inner.split()
        ctype = (shaper.types.structs[kind[1]][0] if kind[0] == "struct" else "uint32_t")
        if argument.options.get("inline"):
            target = f"(({ctype} *)((char *)t_arg + offsetof(struct {ioctl.structure}, " \
                     f"{argument.name})))"
        else:
            target = f"(({ctype} *)(uintptr_t){expr})"
            shape.add(number("x64", name))
            shape.code.append(f"t_e.{name} = {expr};")
            name = name.removesuffix("_ptr").removesuffix("_array")
            name += "_values" if name == argument.name.replace(".", "_") else ""
        shape.add(shaper.array(argument.where, rule, name, target, argument.options, "t_ok"))
    else:
        shape.add(shaper.value(argument.where, argument.rule, name, expr, argument.options))


def ioctl_events(shaper, ioctl):
    entry, leave = Shape(), Shape()
    for shape in (entry, leave):
        shape.add(number("u64", "call", "call"))
        shape.add(number("u64", "api_call", "api_call"))
    entry.add(number("i32", "fd"))
    leave.add(number("i32", "ret", "ret"))
    leave.add(number("i32", "os_errno", "errno"))
    for argument in ioctl.arguments:
        if argument.direction in ("in", "inout"):
            ioctl_argument(shaper, ioctl, argument, entry)
        if argument.direction in ("out", "inout"):
            ioctl_argument(shaper, ioctl, argument, leave)
    entry.add(stack())
    return [Event("kfd", f"{ioctl.name}_entry", "entry", entry, ioctl, ioctl.where),
            Event("kfd", f"{ioctl.name}_exit", "exit", leave, ioctl, ioctl.where)]


def state_events(shaper, path):
    for group in read_groups(path):
        provider, _, name = group.name.partition(" ")
        shape = Shape()
        for line in group.lines:
            rule, options = split_options(line.where, line.columns[1:])
            member = line.columns[0]
            if rule == "stack":
                shape.add(stack())
            elif rule.startswith("["):
                shape.add(shaper.array(line.where, "[0]" + rule.split("]")[1], member, "t_x",
                                       options, None))
            else:
                shape.add(shaper.value(line.where, rule, member, "t_x", options))
        role = next((r for r in ("entry", "exit") if name.endswith("_" + r)), "point")
        yield Event(provider, name, role, shape, None, group.where)


def check(event):
    if event.full.startswith(("hsa", "hip")):
        raise ListError(f"{event.where}: '{event.full}' would be taken for another tracer's trace")
    names = [one.name for one in event.shape.fields]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ListError(f"{event.where}: {event.full} has {sorted(twice)} twice")
    if event.largest() > LARGEST_RECORD:
        raise ListError(f"{event.where}: {event.full} may take {event.largest()} bytes; "
                        f"{LARGEST_RECORD} is the limit: lower a cap")
    if len(event.full) > 255:
        raise ListError(f"{event.where}: the name {event.full} is too long")


def build(folder):
    """Reads the lists in a folder; raises ListError for the first thing that is wrong."""
    types = read_types(f"{folder}/types.def",
                       *(f"{folder}/{layer.folder}/types.def" for layer in LAYERS))
    shaper = Shaper(types)
    model = Model(types, read_functions(f"{folder}/api.def"), read_ioctls(f"{folder}/ioctl.def"))
    for function in model.functions:
        model.events += function_events(shaper, function)
    for ioctl in model.ioctls:
        model.events += ioctl_events(shaper, ioctl)
    model.events += state_events(shaper, f"{folder}/state.def")
    for layer in LAYERS:
        model.layers[layer] = read_functions(f"{folder}/{layer.folder}/{layer.name}.def")
        for function in model.layers[layer]:
            model.events += layer_events(shaper, layer, function)
    model.virtio = virtio.read(f"{folder}/virtio/virtio.def", model.functions)
    for function in model.virtio:
        model.events += virtio_events(shaper, function)
    model.events += state_events(shaper, f"{folder}/virtio/state.def")
    for index, event in enumerate(model.events):
        event.number = index
        check(event)
    return model
