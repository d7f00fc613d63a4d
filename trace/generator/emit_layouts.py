# SPDX-License-Identifier: MIT
"""entry_layouts.c: the functions with two structure layouts (api.md 3.3).

In the shared library (KFDSCOPE_SHARED) each is there twice: NAME@HSAKMT_1 for programs built for
5.2.3 and NAME@@KFDSCOPE_1 with the newest layout. A static library knows no versions and has the
newest.
"""
from .emit_entries import (call, declaration, head, implementation, parameters, public, traced,
                           twin, wrap)


def converted(function):
    """The argument whose structure grew."""
    return next(a for a in function.arguments if a.rule.lstrip("*").split("]")[-1]
                .startswith("struct ") and a.direction != "in")


def compat_parameters(function, grown):
    items = [f"struct layout_523_{function.layouts} *{a.name}" if a is grown else declaration(a)
             for a in function.arguments]
    return ", ".join(items)


def compat_single(function, grown):
    kind = function.layouts
    ctype = grown.ctype.rstrip(" *")
    args = ", ".join(f"{a.name} ? &t_newest : NULL" if a is grown else a.name
                     for a in function.arguments)
    out = ["{", f"\t{ctype} t_newest = {{ 0 }};", "\tHSAKMT_STATUS t_status;", "",
           "\tkmt_note_client_523();"]
    if grown.direction == "inout":
        out += [f"\tif ({grown.name})",
                f"\t\tkmt_layout_newest_{kind}(&t_newest, {grown.name});"]
    out += [wrap(f"\tt_status = {function.name}_call(__builtin_return_address(0), kmt_primary(), "
                 f"{args});", "\t\t"),
            f"\tif (t_status == HSAKMT_STATUS_SUCCESS && {grown.name})",
            f"\t\tkmt_layout_523_{kind}({grown.name}, &t_newest);",
            "\treturn t_status;", "}", ""]
    return out


def compat_array(function, grown):
    kind = function.layouts
    ctype = grown.ctype.rstrip(" *")
    count = grown.rule[1:].split("]")[0]
    args = ", ".join("t_newest" if a is grown else a.name for a in function.arguments)
    return ["{", f"\t{ctype} *t_newest = NULL;", "\tHSAKMT_STATUS t_status;", "",
            "\tkmt_note_client_523();",
            "\t/* None, or more than any node has: the call writes nothing, but wants an array. */",
            f"\tif ({grown.name}) {{",
            f"\t\tt_newest = calloc({count} && {count} <= TRACE_LAYOUT_ELEMENTS ? {count} : 1,",
            "\t\t\tsizeof(*t_newest));", "\t\tif (!t_newest)",
            "\t\t\treturn HSAKMT_STATUS_NO_MEMORY;", "\t}",
            wrap(f"\tt_status = {function.name}_call(__builtin_return_address(0), kmt_primary(), "
                 f"{args});", "\t\t"),
            "\tif (t_status == HSAKMT_STATUS_SUCCESS && t_newest)",
            f"\t\tkmt_layout_523_{kind}({grown.name}, t_newest, {count});",
            "\tfree(t_newest);", "\treturn t_status;", "}", ""]


def compat(function):
    grown = converted(function)
    name = f"{function.name}_523"
    shape = compat_array if grown.rule.startswith("[") else compat_single
    prototype = wrap(f"HSAKMT_STATUS HSAKMTAPI {name}({compat_parameters(function, grown)})", "\t")
    return [prototype + ";", f'__asm__(".symver {name}, {function.name}@HSAKMT_1");', prototype,
            *shape(function, grown)]


def newest(function, version, suffix):
    name = f"{function.name}_{suffix}"
    prototype = wrap(f"HSAKMT_STATUS HSAKMTAPI {name}({parameters(function)});", "\t")
    return [prototype, f'__asm__(".symver {name}, {function.name}{version}");',
            *public(function, name)]


def emit(model):
    lines = head() + ['#include "abi/layout.h"', "",
                      "enum { TRACE_LAYOUT_ELEMENTS = 65536 };", ""]
    for function in model.functions:
        if not function.layouts:
            continue
        lines += [implementation(function), "", *traced(model, function), *call(model, function)]
        lines += ["#if KFDSCOPE_SHARED", *newest(function, "@@KFDSCOPE_1", "newest"),
                  "#if KFDSCOPE_HSAKMT_1_NEWEST", *newest(function, "@HSAKMT_1", "hsakmt_1"),
                  "#else", *compat(function), "#endif", "#else", *public(function), "#endif", "",
                  *twin(function)]
    return "\n".join(lines) + "\n"
