# SPDX-License-Identifier: MIT
"""virtio_N.c: the public functions of the guest's library, and what their events hold."""
import re

from .emit_entries import PER_FILE, declaration, names, needs_ok, parameters, unused, wrap
from .emit_events import banner, clear_size
from .events import take_stack
from .lists import snake


def result_type(function):
    return "int" if function.has("int") else "HSAKMT_STATUS"


def inner(function):
    """The function behind a public one, as virtio/guest/calls.h names it."""
    return "vkmt_" + snake(function.name[1:])


def signature(function, extra):
    return ", ".join(extra + [declaration(a) for a in function.arguments])


def body_head(code, ok):
    out = []
    if any("t_ctx" in line for line in code):
        out.append("\tstruct kmt_context *const t_ctx = NULL; /* the host has it */")
    if needs_ok(code):
        out.append(f"\tconst bool t_ok = {ok};")
    return out


def enter(model, function):
    event = model.of(function, "entry")
    code = event.shape.code
    return [wrap(f"static __attribute__((noinline)) void {function.name}_enter("
                 + signature(function, ["struct trace_call *t_call", "const void *t_caller"]) + ")",
                 "\t"), "{", f"\tstruct {event.ident} t_e;", "\tstruct trace_stack t_stack;",
            *body_head(code, "vkmt_device() != NULL"), "", *unused(function, code),
            f"\tif (!trace_call_begin(t_call, TRACE_{event.ident}))", "\t\treturn;",
            f"\tmemset(&t_e, 0, {clear_size(event)});", "\tt_e.call = t_call->number;",
            *("\t" + line for line in code),
            *take_stack("trace_stack_of_call(&t_stack, t_caller)"),
            f"\ttrace_call_fire(TRACE_{event.ident}, &t_e);", "}", ""]


def succeeded(function):
    if function.has("int"):
        return "t_status == 0"
    if "any" in function.valid:
        return "true"
    return " || ".join(f"t_status == HSAKMT_STATUS_{s}" for s in ["SUCCESS"] + function.valid)


def leave(model, function):
    event = model.of(function, "exit")
    code = event.shape.code
    return [wrap(f"static __attribute__((noinline)) void {function.name}_leave("
                 + signature(function, ["struct trace_call *t_call",
                                        f"{result_type(function)} t_status"]) + ")", "\t"),
            "{", f"\tstruct {event.ident} t_e;", *body_head(code, succeeded(function)), "",
            *unused(function, code), f"\tif (!trace_call_end(t_call, TRACE_{event.ident}))",
            "\t\treturn;", f"\tmemset(&t_e, 0, {clear_size(event)});",
            "\tt_e.call = t_call->number;", "\tt_e.status = (int32_t)t_status;",
            *("\t" + line for line in code), f"\ttrace_call_fire(TRACE_{event.ident}, &t_e);", "}",
            ""]


def public(model, function):
    entry, exit_ = model.of(function, "entry"), model.of(function, "exit")
    rest = "".join(f", {a.name}" for a in function.arguments)
    call = f"{inner(function)}({names(function)})"
    return [wrap(f"{result_type(function)} HSAKMTAPI {function.name}({parameters(function)})",
                 "\t"), "{", "#if KFDSCOPE_TRACING",
            "\tstruct trace_call t_call = { .number = 0 };", f"\t{result_type(function)} t_status;",
            "", f"\tif (trace_wanted(TRACE_{entry.ident}, TRACE_{exit_.ident}))",
            wrap(f"\t\t{function.name}_enter(&t_call, __builtin_return_address(0){rest});",
                 "\t\t\t"),
            wrap(f"\tt_status = {call};", "\t\t"),
            "\tif (__builtin_expect(t_call.number != 0, 0) ||",
            f"\t    trace_wanted(TRACE_{exit_.ident}, TRACE_{exit_.ident}))",
            wrap(f"\t\t{function.name}_leave(&t_call, t_status{rest});", "\t\t\t"),
            "\treturn t_status;", "#else", wrap(f"\treturn {call};", "\t\t"), "#endif", "}", ""]


def emit(model):
    """{file name: text}"""
    files = {}
    for index in range(0, len(model.virtio), PER_FILE):
        lines = [banner("virtio/virtio.def"), '#include "virtio/guest_entry.h"', ""]
        for function in model.virtio[index:index + PER_FILE]:
            lines += ["#if KFDSCOPE_TRACING"] + enter(model, function) + leave(model, function)
            lines += ["#endif", ""] + public(model, function)
        files[f"virtio_{index // PER_FILE}.c"] = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)) + "\n"
    return files
