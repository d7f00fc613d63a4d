# SPDX-License-Identifier: MIT
"""Turns rules into event members, trace fields and the statements that fill them.

An event is a flat structure t_e: numbers first, arrays last, so that only the numbers need
clearing.
"""
import re
from dataclasses import dataclass, field

from .lists import ListError

# name: (C type, bytes, base)
NUMBERS = {
    "u8": ("uint8_t", 1, "dec"), "u16": ("uint16_t", 2, "dec"), "u32": ("uint32_t", 4, "dec"),
    "u64": ("uint64_t", 8, "dec"), "i32": ("int32_t", 4, "dec"), "i64": ("int64_t", 8, "dec"),
    "x8": ("uint8_t", 1, "hex"), "x16": ("uint16_t", 2, "hex"), "x32": ("uint32_t", 4, "hex"),
    "x64": ("uint64_t", 8, "hex"), "bool": ("uint8_t", 1, "dec"), "addr": ("uint64_t", 8, "hex"),
    "f32": ("float", 4, "dec"),
}
COUNT_TYPE = "uint16_t"  # of every sequence
DEFAULT_CAP = 64


@dataclass(frozen=True)
class Member:
    """A member of the event structure; length 0 is a plain number."""
    ctype: str
    name: str
    length: int = 0
    tail: bool = False       # a sequence's store: need not be cleared, stands last


@dataclass(frozen=True)
class Field:
    """A field of the recorded event."""
    kind: str                # integer, float, enum, sequence, array, string
    name: str
    ctype: str
    size: int                # bytes of one element
    base: str = "dec"
    enum: str = None
    cap: int = 0             # most elements; for strings: most bytes
    expr: str = None         # of the provider, in terms of the event e; default e->NAME
    length: str = None       # of a sequence: the member that holds its length
    role: str = "value"      # what a decoder takes it for


@dataclass
class Shape:
    members: list = field(default_factory=list)
    fields: list = field(default_factory=list)
    code: list = field(default_factory=list)

    def add(self, other, indent=""):
        self.members += other.members
        self.fields += other.fields
        self.code += [indent + line for line in other.code]


class Shaper:
    """Knows the named shapes; where a rule cannot be made out it raises ListError."""

    def __init__(self, types):
        self.types = types

    def enum_storage(self, name, where):
        if name not in self.types.enums:
            raise ListError(f"{where}: unknown enum '{name}'")
        return NUMBERS[self.types.enums[name][0]]

    def value(self, where, rule, name, expr, options):
        """A rule on a C expression that is the value itself."""
        head, _, rest = rule.partition(" ")
        if head in NUMBERS:
            return self._number(head, name, expr)
        if head == "node":
            return self._node(name, expr)
        if head in ("event", "event+fault"):
            return self._event(head, name, expr)
        if head in ("counters", "counters+values"):
            return self._counters(head, name, expr)
        if head == "enum":
            ctype, size, _ = self.enum_storage(rest, where)
            return Shape([Member(ctype, name)], [Field("enum", name, ctype, size, enum=rest)],
                         [f"t_e.{name} = ({ctype})({expr});"])
        if head == "flags":
            return self._flags(where, rest, name, expr)
        if head == "mask":
            return self._mask(where, rest, name, expr)
        if head == "words":
            count = int(rest)
            return Shape([Member("uint32_t", name, count)],
                         [Field("array", name, "uint32_t", 4, "hex", cap=count)],
                         [f"memcpy(t_e.{name}, &({expr}), sizeof(t_e.{name}));"])
        if head in ("text", "text16"):
            copy = "trace_text" if head == "text" else "trace_text16"
            length = int(rest) + 1
            return Shape([Member("char", name, length)],
                         [Field("string", name, "char", 1, cap=length)],
                         [f"{copy}(t_e.{name}, sizeof(t_e.{name}), {expr}, {rest});"])
        if head == "bits":
            return Shape([Member("uint32_t", name)], [Field("integer", name, "uint32_t", 4)],
                         [f"t_e.{name} = trace_bits({expr}, {rest});"])
        if head == "struct":
            return self._struct(where, rest, name, expr)
        if head.startswith("["):
            return self.array(where, rule, name, expr, options, None)
        raise ListError(f"{where}: unknown rule '{rule}'")

    def argument(self, where, rule, name, expr, options, condition):
        """A rule on an argument; what it points to is read only when condition holds."""
        if rule.startswith("["):
            return self.array(where, rule, name, expr, options, condition)
        if not rule.startswith("*"):
            return self.value(where, rule, name, expr, options)
        shape = Shape()
        inner = rule[1:]
        target, test = f"(*({expr}))", f"({expr})"
        if inner.startswith("*"):
            inner = inner[1:]
            shape.add(self._number("addr", name, "NULL"))
            shape.code = []
        valid = f"{name}_valid"
        shape.members.append(Member("uint8_t", valid))
        shape.fields.append(Field("integer", valid, "uint8_t", 1, role="valid"))
        shape.code.append(f"if ({condition} && {test}) {{")
        if rule.startswith("**"):
            shape.code.append(f"\tt_e.{name} = (uint64_t)(uintptr_t)*({expr});")
            target = f"(**({expr}))"
            shape.code.append(f"\tif (*({expr})) {{")
            shape.code.append(f"\t\tt_e.{valid} = 1;")
            shape.add(self.value(where, inner, name, target, options), "\t\t")
            shape.code.append("\t}")
        else:
            shape.code.append(f"\tt_e.{valid} = 1;")
            shape.add(self.value(where, inner, name, target, options), "\t")
        shape.code.append("}")
        return shape

    def array(self, where, rule, name, expr, options, condition, base=None):
        """[COUNT]RULE; base is put before a COUNT that is a member of the same structure."""
        match = re.match(r"\[([^\]]+)\](.+)$", rule)
        if not match:
            raise ListError(f"{where}: bad array '{rule}'")
        count, inner = match.group(1), match.group(2)
        if base:
            count = f"{base}.{count}"
        cap = options.get("cap", DEFAULT_CAP)
        shape = Shape()
        total, cut, length = f"{name}_count", f"{name}_truncated", f"{name}_len"
        shape.members += [Member("uint64_t", total), Member("uint8_t", cut),
                          Member(COUNT_TYPE, length)]
        shape.fields += [Field("integer", total, "uint64_t", 8, role="count"),
                         Field("integer", cut, "uint8_t", 1, role="truncated")]
        shape.code.append(f"t_e.{total} = (uint64_t)({count});")
        test = "t_arg" if options.get("inline") else f"({expr})"
        test += f" && {condition}" if condition else ""
        shape.code.append(f"if ({test}) {{")
        shape.code.append(f"\tt_e.{cut} = t_e.{total} > {cap};")
        shape.code.append(f"\tt_e.{length} = t_e.{cut} ? {cap} : ({COUNT_TYPE})t_e.{total};")
        shape.code.append(f"\tfor (unsigned int t_i = 0; t_i < t_e.{length}; t_i++) {{")
        for member, ctype, size, base_, enum, statement in self._elements(where, inner, name,
                                                                         f"({expr})[t_i]"):
            shape.members.append(Member(ctype, member, cap, tail=True))
            shape.fields.append(Field("sequence", member, ctype, size, base_, enum, cap,
                                      length=length, role="array"))
            shape.code.append(f"\t\tt_e.{member}[t_i] = {statement};")
        shape.code += ["\t}", "}"]
        if inner == "event+fault":
            shape.code.append(f"trace_find_fault(&t_fault, {expr}, (uint32_t)t_e.{length}, "
                              f"{condition});")
            shape.add(self._fault(where, name))
        return shape

    # --- single values ---

    def _number(self, kind, name, expr):
        ctype, size, base = NUMBERS[kind]
        cast = "(uint64_t)(uintptr_t)" if kind == "addr" else f"({ctype})"
        what = "float" if ctype == "float" else "integer"
        return Shape([Member(ctype, name)], [Field(what, name, ctype, size, base)],
                     [f"t_e.{name} = {cast}({expr});"])

    def _node(self, name, expr):
        shape = self._number("u32", name, expr)
        gpu = f"{name}_gpu_id"
        shape.members.append(Member("uint32_t", gpu))
        shape.fields.append(Field("integer", gpu, "uint32_t", 4, role="gpu_id"))
        shape.code.append(f"t_e.{gpu} = trace_gpu_of_node(t_ctx, t_e.{name});")
        return shape

    def _event(self, head, name, expr):
        shape = self._number("addr", name, expr)
        shape.members.append(Member("uint32_t", f"{name}_id"))
        shape.fields.append(Field("integer", f"{name}_id", "uint32_t", 4, role="event_id"))
        shape.code.append(f"t_e.{name}_id = trace_event_id(t_ctx, {expr});")
        if head == "event+fault":
            shape.code.append(f"trace_find_fault(&t_fault, (HsaEvent *const[]){{ {expr} }}, 1, "
                              "t_ok);")
            shape.add(self._fault("", name))
        return shape

    def _counters(self, head, name, expr):
        """A counter trace; what a query of it has just stored, in the order of the buffer."""
        shape = self._number("x64", name, expr)
        if head == "counters":
            return shape
        values, length = f"{name}_counter_values", f"{name}_counter_values_len"
        shape.members += [Member(COUNT_TYPE, length),
                          Member("uint64_t", values, DEFAULT_CAP, tail=True)]
        shape.fields.append(Field("sequence", values, "uint64_t", 8, "dec", None, DEFAULT_CAP,
                                  length=length, role="array"))
        shape.code.append(f"t_e.{length} = t_ok ? ({COUNT_TYPE})trace_counter_values({expr}, "
                          f"t_e.{values}, {DEFAULT_CAP}) : 0;")
        return shape

    def _fault(self, where, name):
        valid = f"{name}_fault_valid"
        shape = Shape([Member("uint8_t", valid)],
                      [Field("integer", valid, "uint8_t", 1, role="valid")],
                      [f"t_e.{valid} = t_fault.valid;"])
        shape.add(self._struct(where, "trace_fault", f"{name}_fault", "t_fault"))
        return shape

    def _flags(self, where, kind, name, expr):
        if kind not in self.types.flags:
            raise ListError(f"{where}: unknown flags '{kind}'")
        storage, bits = self.types.flags[kind]
        ctype, size, _ = NUMBERS[storage]
        shape = Shape([Member(ctype, name)], [Field("integer", name, ctype, size, "hex",
                                                    role="flags")],
                      [f"memcpy(&t_e.{name}, &({expr}), sizeof(t_e.{name}));"])
        for path, enum in bits:
            bit = f"{name}_{path.split('.')[-1]}"
            bit_expr = f"flags_{kind}(e->{name}).{path}"
            if enum:
                etype, esize, _ = self.enum_storage(enum, where)
                shape.fields.append(Field("enum", bit, etype, esize, enum=enum, expr=bit_expr,
                                          role="bit"))
            else:
                width = "uint16_t" if storage == "x32" and "uCode" in path else "uint8_t"
                shape.fields.append(Field("integer", bit, width, 2 if width == "uint16_t" else 1,
                                          expr=bit_expr, role="bit"))
        return shape

    def _mask(self, where, kind, name, expr):
        if kind not in self.types.masks:
            raise ListError(f"{where}: unknown mask '{kind}'")
        prefix, bits = self.types.masks[kind]
        shape = Shape([Member("uint32_t", name)],
                      [Field("integer", name, "uint32_t", 4, "hex", role="flags")],
                      [f"t_e.{name} = (uint32_t)({expr});"])
        for bit in bits:
            shape.fields.append(Field("integer", f"{name}_{bit}", "uint8_t", 1,
                                      expr=f"!!(e->{name} & {prefix}{bit})", role="bit"))
        return shape

    def _members(self, where, kind):
        if kind not in self.types.structs:
            raise ListError(f"{where}: unknown struct '{kind}'")
        return self.types.structs[kind][1]

    def _struct(self, where, kind, name, expr):
        shape = Shape()
        for path, rule, options, alias in self._members(where, kind):
            if rule.startswith("["):
                shape.add(self.array(where, rule, f"{name}_{alias}", f"{expr}.{path}", options,
                                     None, base=expr))
            else:
                shape.add(self.value(where, rule, f"{name}_{alias}", f"{expr}.{path}", options))
        return shape

    def _elements(self, where, rule, name, expr):
        """Yields what one element of an array is made of: plain numbers only."""
        head, _, rest = rule.partition(" ")
        if head == "struct":
            for path, inner, _, alias in self._members(where, rest):
                yield from self._elements(where, inner, f"{name}_{alias}", f"{expr}.{path}")
        elif head in ("event", "event+fault", "addr"):
            yield name, "uint64_t", 8, "hex", None, f"(uint64_t)(uintptr_t)({expr})"
            if head != "addr":
                yield f"{name}_id", "uint32_t", 4, "dec", None, f"trace_event_id(t_ctx, {expr})"
        elif head == "enum":
            ctype, size, _ = self.enum_storage(rest, where)
            yield name, ctype, size, "dec", None, f"({ctype})({expr})"
        elif head == "flags":
            storage, _ = self.types.flags[rest]
            ctype, size, _ = NUMBERS[storage]
            yield name, ctype, size, "hex", None, f"raw_{rest}({expr})"
        elif head == "bits":
            yield name, "uint32_t", 4, "dec", None, f"trace_bits({expr}, {rest})"
        elif head == "node":
            yield name, "uint32_t", 4, "dec", None, f"(uint32_t)({expr})"
        elif head in NUMBERS:
            ctype, size, base = NUMBERS[head]
            yield name, ctype, size, base, None, f"({ctype})({expr})"
        else:
            raise ListError(f"{where}: '{rule}' cannot stand in an array")
