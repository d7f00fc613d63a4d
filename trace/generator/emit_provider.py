# SPDX-License-Identifier: MIT
"""The LTTng-UST provider: tp_N.h and tp_N.c of some 60 events each, and table.c.

Several objects may carry the same provider name, if the global names that LTTng's macros make of it
are told apart; the defines at the top of each tp_N.c do that.
"""
from .emit_events import banner

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
    if one.kind == "string":
        return f"lttng_ust_field_string({one.name}, {expr})"
    if one.kind == "array":
        return f"lttng_ust_field_array{hexa}({one.ctype}, {one.name}, {expr}, {one.cap})"
    if one.kind == "sequence":
        return (f"lttng_ust_field_sequence{hexa}({one.ctype}, {one.name}, {expr}, uint16_t, "
                f"e->{one.length})")
    return f"lttng_ust_field_integer{hexa}({one.ctype}, {one.name}, {expr})"


def enums(model, provider, events):
    used = {one.enum for e in events for one in e.shape.fields if one.kind == "enum"}
    for name, (_, constants) in model.types.enums.items():
        if name not in used:
            continue
        yield f"LTTNG_UST_TRACEPOINT_ENUM({provider}, {name},\n\tLTTNG_UST_TP_ENUM_VALUES("
        yield from (f'\t\tlttng_ust_field_enum_value("{c}", {c})' for c in constants)
        yield "\t)\n)\n"


def header(model, events, index):
    provider = events[0].provider
    out = [banner("the lists"), "#undef LTTNG_UST_TRACEPOINT_PROVIDER",
           f"#define LTTNG_UST_TRACEPOINT_PROVIDER {provider}\n",
           "#undef LTTNG_UST_TRACEPOINT_INCLUDE",
           f'#define LTTNG_UST_TRACEPOINT_INCLUDE "tp_{index}.h"\n',
           f"#if !defined(KFDSCOPE_TP_{index}_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)",
           f"#define KFDSCOPE_TP_{index}_H\n", "#include <lttng/tracepoint.h>\n",
           '#include "device/device.h"', '#include "events.h"\n']
    out += enums(model, provider, events)
    for event in events:
        out += [f"LTTNG_UST_TRACEPOINT_EVENT({provider}, {event.name},",
                f"\tLTTNG_UST_TP_ARGS(const struct {event.ident} *, e),",
                "\tLTTNG_UST_TP_FIELDS("]
        out += [f"\t\t{field_macro(provider, one)}" for one in event.shape.fields]
        out += ["\t)\n)"]
    out += ["\n#endif\n", "#include <lttng/tracepoint-event.h>"]
    return "\n".join(out) + "\n"


def source(events, index):
    provider = events[0].provider
    out = [banner("the lists"),
           f"#define lttng_ust__probe_desc___{provider} lttng_ust__probe_desc___{provider}_{index}",
           f"#define lttng_ust_tracepoint_provider_{provider} "
           f"lttng_ust_tracepoint_provider_{provider}_{index}",
           "#define LTTNG_UST_TRACEPOINT_CREATE_PROBES", "#define LTTNG_UST_TRACEPOINT_DEFINE",
           "#define LTTNG_UST_TRACEPOINT_HIDDEN_DEFINITION",
           "#define LTTNG_UST_TRACEPOINT_PROVIDER_HIDDEN_DEFINITION",
           f'#include "tp_{index}.h"', '#include "table.h"', ""]
    for event in events:
        out += [f"static void fire_{event.ident}(const void *event)", "{",
                f"\tlttng_ust_do_tracepoint({provider}, {event.name}, event);", "}", ""]
    out += [f"void tp_fill_{index}(const int **enabled, void (**fire)(const void *))", "{"]
    for event in events:
        out += [f"\tenabled[TRACE_{event.ident}] = "
                f"&lttng_ust_tracepoint_{provider}___{event.name}.state;",
                f"\tfire[TRACE_{event.ident}] = fire_{event.ident};"]
    out += ["}"]
    return "\n".join(out) + "\n"


def table(count):
    declare = [f"void tp_fill_{i}(const int **enabled, void (**fire)(const void *));"
               for i in range(count)]
    header_ = [banner("the lists"), "#ifndef KFDSCOPE_TRACEPOINTS_TABLE_H",
               "#define KFDSCOPE_TRACEPOINTS_TABLE_H\n", '#include "events.h"\n', *declare, "",
               "/* Fills both tables, one slot an event. */",
               "static inline void tp_fill(const int **enabled, void (**fire)(const void *))", "{",
               *[f"\ttp_fill_{i}(enabled, fire);" for i in range(count)], "}", "", "#endif"]
    return "\n".join(header_) + "\n"


def emit(model):
    files = {}
    parts = chunks(model)
    for index, events in enumerate(parts):
        files[f"tp_{index}.h"] = header(model, events, index)
        files[f"tp_{index}.c"] = source(events, index)
    files["table.h"] = table(len(parts))
    return files
