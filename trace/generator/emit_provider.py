# SPDX-License-Identifier: MIT
"""The LTTng-UST provider: tp_N.h and tp_N.c of some 60 events each, and table.c.

Several objects may carry the same provider name, if the global names that LTTng's macros make of it
are told apart; the defines at the top of each tp_N.c do that.
"""
from .emit_events import banner
from .events import LAYERS

PER_FILE = 60


def chunks(model):
    """Lists of events of one provider each."""
    out = []
    for provider in dict.fromkeys(e.provider for e in model.events):
        events = [e for e in model.events if e.provider == provider]
        out += [events[i:i + PER_FILE] for i in range(0, len(events), PER_FILE)]
    return out


def field_macro(provider, one):
    expr = one.expr or f"e->{one.name}"
    hexa = "_hex" if one.base == "hex" else ""
    if one.kind == "enum":
        return f"lttng_ust_field_enum({provider}, {one.enum}, {one.ctype}, {one.name}, {expr})"
    if one.kind == "float":
        return f"lttng_ust_field_float({one.ctype}, {one.name}, {expr})"
    if one.kind == "string":
        return f"lttng_ust_field_string({one.name}, {expr})"
    if one.kind == "array":
        return f"lttng_ust_field_array{hexa}({one.ctype}, {one.name}, {expr}, {one.cap})"
    if one.kind == "sequence":
        return (f"lttng_ust_field_sequence{hexa}({one.ctype}, {one.name}, {expr}, uint16_t, "
                f"e->{one.length})")
    return f"lttng_ust_field_integer{hexa}({one.ctype}, {one.name}, {expr})"


def used_enums(model, events):
    used = {one.enum for e in events for one in e.shape.fields if one.kind == "enum"}
    return [name for name in model.types.enums if name in used]


def enums(model, provider, events):
    for name in used_enums(model, events):
        _, constants = model.types.enums[name]
        yield f"LTTNG_UST_TRACEPOINT_ENUM({provider}, {name},\n\tLTTNG_UST_TP_ENUM_VALUES("
        yield from (f'\t\tlttng_ust_field_enum_value("{c}", {c})' for c in constants)
        yield "\t)\n)\n"


def header(model, events, index):
    provider = events[0].provider
    out = [banner("the lists"), "#undef LTTNG_UST_TRACEPOINT_PROVIDER",
           f"#define LTTNG_UST_TRACEPOINT_PROVIDER {provider}\n",
           "#undef LTTNG_UST_TRACEPOINT_INCLUDE",
           f'#define LTTNG_UST_TRACEPOINT_INCLUDE "tp_{index}.h"\n',
           f"#if !defined(KFDSCOPE_TP_{index}_H) || "
           "defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)",
           f"#define KFDSCOPE_TP_{index}_H\n", "#include <lttng/tracepoint.h>\n",
           '#include "device/device.h"', '#include "events.h"']
    out += [f'#include "{layer.types}"' for layer in LAYERS if layer.provider == provider] + [""]
    out += enums(model, provider, events)
    for event in events:
        out += [f"LTTNG_UST_TRACEPOINT_EVENT({provider}, {event.name},",
                f"\tLTTNG_UST_TP_ARGS(const struct {event.ident} *, e),",
                "\tLTTNG_UST_TP_FIELDS("]
        out += [f"\t\t{field_macro(provider, one)}" for one in event.shape.fields]
        out += ["\t)\n)"]
    out += ["\n#endif\n", "#include <lttng/tracepoint-event.h>"]
    return "\n".join(out) + "\n"


def source(model, events, index):
    provider = events[0].provider
    own = [f"lttng_ust__probe_desc___{provider}", f"lttng_ust_tracepoint_provider_{provider}"]
    own += [f"__enum_values__{provider}_{name}" for name in used_enums(model, events)]
    out = [banner("the lists"), *(f"#define {name} {name}_{index}" for name in own),
           "#define LTTNG_UST_TRACEPOINT_CREATE_PROBES", "#define LTTNG_UST_TRACEPOINT_DEFINE",
           "#define LTTNG_UST_TRACEPOINT_HIDDEN_DEFINITION",
           "#define LTTNG_UST_TRACEPOINT_PROVIDER_HIDDEN_DEFINITION",
           f'#include "tp_{index}.h"', '#include "table.h"', ""]
    for event in events:
        out += [f"void fire_{event.ident}(const void *event)", "{",
                f"\tlttng_ust_do_tracepoint({provider}, {event.name}, event);", "}", ""]
    return "\n".join(out)


def table(model):
    """The tables by event number. Static, since libhsakmt may use them before any constructor."""
    out = [banner("the lists"), "#include <lttng/tracepoint-types.h>\n", '#include "table.h"\n']
    for event in model.events:
        out.append(f"extern struct lttng_ust_tracepoint lttng_ust_tracepoint_{event.provider}___"
                   f'{event.name}\n\t__attribute__((visibility("hidden")));')
    out += ["", "const int *const tp_enabled[TRACE_EVENT_COUNT] = {"]
    out += [f"\t[TRACE_{e.ident}] = &lttng_ust_tracepoint_{e.provider}___{e.name}.state,"
            for e in model.events]
    out += ["};", "", "void (*const tp_fire[TRACE_EVENT_COUNT])(const void *event) = {"]
    out += [f"\t[TRACE_{e.ident}] = fire_{e.ident}," for e in model.events]
    out += ["};", "", "const char *const tp_name[TRACE_EVENT_COUNT] = {"]
    out += [f'\t[TRACE_{e.ident}] = "{e.name}",' for e in model.events]
    return "\n".join(out + ["};"]) + "\n"


def table_header(model):
    out = [banner("the lists"), "#ifndef KFDSCOPE_TRACEPOINTS_TABLE_H",
           "#define KFDSCOPE_TRACEPOINTS_TABLE_H\n", '#include "events.h"\n',
           "/* By event: not 0 while a recording wants it, and how it is recorded. */",
           "extern const int *const tp_enabled[TRACE_EVENT_COUNT];",
           "extern void (*const tp_fire[TRACE_EVENT_COUNT])(const void *event);",
           "extern const char *const tp_name[TRACE_EVENT_COUNT];", ""]
    out += [f"void fire_{e.ident}(const void *event);" for e in model.events]
    return "\n".join(out + ["", "#endif"]) + "\n"


def emit(model):
    files = {"table.c": table(model), "table.h": table_header(model)}
    for index, events in enumerate(chunks(model)):
        files[f"tp_{index}.h"] = header(model, events, index)
        files[f"tp_{index}.c"] = source(model, events, index)
    return files
