# SPDX-License-Identifier: MIT
"""ioctls.c: what the events of each ioctl hold, and the table that finds them by number."""
import re

from .emit_events import banner, clear_size
from .events import take_stack


def structure_copy(ioctl, code):
    """Kernels and callers may have shorter arguments: only what the request has is read."""
    if not ioctl.structure or not any("t_a." in line for line in code):
        return [], []
    return ([f"\tstruct {ioctl.structure} t_a;"],
            ["\ttrace_copy_argument(&t_a, sizeof(t_a), t_request, t_arg);"])


def unused(code, name):
    is_used = any(re.search(rf"(?<![\w.>]){name}\b", line) for line in code)
    return [] if is_used else [f"\t(void){name};"]


def enter(model, ioctl):
    event = model.of(ioctl, "entry")
    code = event.shape.code
    declare, copy = structure_copy(ioctl, code)
    body = [*copy, *("\t" + line for line in code)]
    out = [f"static void {ioctl.name}_enter(const struct trace_device_call *t_call, int t_fd,",
           "\tunsigned long t_request, void *t_arg)", "{", f"\tstruct {event.ident} t_e;",
           "\tstruct trace_stack t_stack;", *declare]
    if any("t_ok" in line for line in code):
        out.append("\tconst bool t_ok = true;")
    out += ["", *unused(body, "t_request"), *unused(body, "t_arg"),
            f"\tmemset(&t_e, 0, {clear_size(event)});",
            "\tt_e.call = t_call->number;", "\tt_e.api_call = t_call->api_call;",
            "\tt_e.fd = t_fd;", *body,
            *take_stack("trace_stack_of_device_call(&t_stack, t_call)"),
            f"\ttrace_call_fire(TRACE_{event.ident}, &t_e);", "}", ""]
    return out


def leave(model, ioctl):
    event = model.of(ioctl, "exit")
    code = event.shape.code
    declare, copy = structure_copy(ioctl, code)
    body = [*copy, *("\t" + line for line in code)]
    out = [f"static void {ioctl.name}_leave(const struct trace_device_call *t_call, int t_ret,",
           "\tunsigned long t_request, void *t_arg)", "{", f"\tstruct {event.ident} t_e;", *declare]
    if any("t_ok" in line for line in code):
        out.append("\tconst bool t_ok = t_ret >= 0;")
    out += ["", *unused(body, "t_request"), *unused(body, "t_arg"),
            f"\tmemset(&t_e, 0, {clear_size(event)});",
            "\tt_e.call = t_call->number;", "\tt_e.api_call = t_call->api_call;",
            "\tt_e.ret = t_ret;", "\tt_e.os_errno = t_ret < 0 ? -t_ret : 0;", *body,
            f"\ttrace_call_fire(TRACE_{event.ident}, &t_e);", "}", ""]
    return out


def initialiser(ioctl):
    return (f'{{ "{ioctl.name}", {ioctl.name}_enter, {ioctl.name}_leave, '
            f"TRACE_kfd_{ioctl.name}_entry, "
            f"TRACE_kfd_{ioctl.name}_exit }}")


def finder(model):
    out = ["const struct trace_ioctl *trace_ioctl_find(unsigned long request, const void *arg)",
           "{", "\tswitch (_IOC_NR(request)) {"]
    for ioctl in model.ioctls:
        if ioctl.parent:
            continue
        out.append(f"\tcase _IOC_NR({ioctl.constant}): {{")
        out.append(f"\t\tstatic const struct trace_ioctl plain = {initialiser(ioctl)};")
        subs = [s for s in model.ioctls if s.parent == ioctl.name]
        if subs:
            out += [f"\t\tstruct {ioctl.structure} a;", "",
                    "\t\ttrace_copy_argument(&a, sizeof(a), request, arg);",
                    f"\t\tswitch (a.{ioctl.by}) {{"]
            for sub in subs:
                out += [f"\t\tcase {sub.constant}: {{",
                        f"\t\t\tstatic const struct trace_ioctl sub = {initialiser(sub)};", "",
                        "\t\t\treturn &sub;", "\t\t}"]
            out += ["\t\t}"]
        out += ["\t\treturn &plain;", "\t}"]
    out += ["\t}", "\treturn NULL;", "}"]
    return out


def emit(model):
    lines = [banner("ioctl.def"), '#include "ioctl_trace.h"', ""]
    for ioctl in model.ioctls:
        lines += enter(model, ioctl) + leave(model, ioctl)
    return "\n".join(lines + finder(model)) + "\n"
