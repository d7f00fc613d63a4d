# SPDX-License-Identifier: MIT
"""events.h: the numbers of the events and their structures, shared by library and provider."""
from .events import SCHEMA


def banner(source, comment="/* {} */"):
    where = source if " " in source else f"trace/{source}"
    return comment.format(f"Generated from {where} by trace/generator. Do not edit.") + "\n"


def ordered(members):
    return [m for m in members if not m.tail] + [m for m in members if m.tail]


def declare(member):
    star = "" if member.ctype.endswith("*") else " "
    dimension = f"[{member.length}]" if member.length else ""
    return f"{member.ctype}{star}{member.name}{dimension};"


def clear_size(event):
    """What memset must clear: all but the stores of sequences, whose lengths are cleared."""
    tails = [m for m in event.shape.members if m.tail]
    name = f"struct {event.ident}"
    return f"offsetof({name}, {tails[0].name})" if tails else f"sizeof({name})"


def flag_helpers(types):
    ctype = {"x32": "uint32_t", "x64": "uint64_t"}
    for name, (storage, _) in types.flags.items():
        raw = ctype[storage]
        yield (f"static inline {name} flags_{name}({raw} raw)\n{{\n\t{name} value;\n\n"
               f"\tmemcpy(&value, &raw, sizeof(value));\n\treturn value;\n}}\n")
        yield (f"static inline {raw} raw_{name}({name} value)\n{{\n\t{raw} raw;\n\n"
               f"\tmemcpy(&raw, &value, sizeof(raw));\n\treturn raw;\n}}\n")


def emit(model):
    out = [banner("the lists"),
           "#ifndef KFDSCOPE_TRACE_EVENTS_H\n#define KFDSCOPE_TRACE_EVENTS_H\n",
           "#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\n",
           '#include "hsakmt/hsakmttypes.h"\n#include "hsakmt/linux/kfd_ioctl.h"\n',
           f"#define TRACE_SCHEMA_MAJOR {SCHEMA[0]}\n#define TRACE_SCHEMA_MINOR {SCHEMA[1]}",
           f"#define TRACE_SCHEMA_HASH  {model.schema_hash():#018x}ULL\n", "enum trace_event {"]
    out += [f"\tTRACE_{event.ident}," for event in model.events]
    out += ["\tTRACE_EVENT_COUNT\n};\n"]
    for event in model.events:
        out.append(f"struct {event.ident} {{")
        out += [f"\t{declare(m)}" for m in ordered(event.shape.members)]
        out.append("};\n")
    out += flag_helpers(model.types)
    out.append("#endif")
    return "\n".join(out) + "\n"
