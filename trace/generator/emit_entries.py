# SPDX-License-Identifier: MIT
"""entry_N.c: the public functions, their twins with a context, and what their events hold."""
import re

from .emit_events import banner, clear_size
from .events import take_stack
from .lists import snake

PER_FILE = 32


def declaration(argument):
    star = "" if argument.ctype.endswith("*") else " "
    return f"{argument.ctype}{star}{argument.name}"


def parameters(function, first=None):
    items = ([first] if first else []) + [declaration(a) for a in function.arguments]
    return ", ".join(items) or "void"


def names(function, first=None):
    return ", ".join(([first] if first else []) + [a.name for a in function.arguments])


def wrap(text, indent):
    """Breaks a long line of C at its commas."""
    lines, line = [], ""
    for part in re.split(r"(?<=,) ", text):
        if line and len(line.expandtabs(8)) + len(part) > 96:
            lines.append(line)
            line = indent + part
        else:
            line = f"{line} {part}" if line else part
    return "\n".join(lines + [line])


def tracing_parameters(function, extra):
    return ", ".join(extra + ["struct kmt_context *t_ctx"] +
                     [declaration(a) for a in function.arguments])


def needs_ok(lines):
    return any("t_ok" in line for line in lines)


def unused(function, code):
    """Arguments that the capture does not look at."""
    text = "\n".join(code)
    return [f"\t(void){a.name};" for a in function.arguments
            if not re.search(rf"(?<![\w.>]){a.name}\b", text)]


MEMORY = re.compile(r"hsaKmt((Alloc|Free|Share|Register|Deregister)(Memory|Shared|Graphics)|"
                    r"(Map|Unmap)[A-Z]|SVM)")


def stack_of(function):
    """KFDSCOPE_STACKS=memory asks for the stacks of some calls only."""
    return "trace_stack_of_memory_call" if MEMORY.match(function.name) else "trace_stack_of_call"


def enter(model, function):
    event = model.of(function, "entry")
    code = [line for line in event.shape.code]
    out = [wrap("static __attribute__((noinline)) void " + f"{function.name}_enter("
                + tracing_parameters(function, ["struct trace_call *t_call",
                                                "const void *t_caller"]) + ")", "\t"), "{",
           f"\tstruct {event.ident} t_e;", "\tstruct trace_stack t_stack;"]
    if needs_ok(code):
        out.append("\tconst bool t_ok = kmt_context_usable(t_ctx);")
    out += ["", *unused(function, code),
            f"\tif (!trace_call_begin(t_call, TRACE_{event.ident}))", "\t\treturn;",
            f"\tmemset(&t_e, 0, {clear_size(event)});",
            "\tt_e.ctx = trace_ctx_id(t_ctx);", "\tt_e.call = t_call->number;"]
    out += ["\t" + line for line in code]
    out += [*take_stack(f"{stack_of(function)}(&t_stack, t_caller)"),
            f"\ttrace_call_fire(TRACE_{event.ident}, &t_e);", "}", ""]
    return out


def valid_test(function):
    if "any" in function.valid:
        return "true"
    return " || ".join(f"t_status == HSAKMT_STATUS_{s}" for s in ["SUCCESS"] + function.valid)


def leave(model, function):
    event = model.of(function, "exit")
    code = [line for line in event.shape.code]
    out = [wrap("static __attribute__((noinline)) void " + f"{function.name}_leave("
                + tracing_parameters(function, ["struct trace_call *t_call",
                                                "HSAKMT_STATUS t_status"]) + ")", "\t"), "{",
           f"\tstruct {event.ident} t_e;"]
    if needs_ok(code):
        out.append(f"\tconst bool t_ok = {valid_test(function)};")
    if any("t_fault" in line for line in code):
        out.append("\tstruct trace_fault t_fault;")
    out += ["", *unused(function, code)]
    then = next((w[5:] for w in function.words if w.startswith("then=")), None)
    if then:
        out.append(f"\t{then}(t_ctx, t_status);")
    out += [f"\tif (!trace_call_end(t_call, TRACE_{event.ident}))", "\t\treturn;",
            f"\tmemset(&t_e, 0, {clear_size(event)});",
            "\tt_e.ctx = trace_ctx_id(t_ctx);", "\tt_e.call = t_call->number;",
            "\tt_e.status = (int32_t)t_status;", "\tt_e.os_errno = t_call->os_errno;"]
    out += ["\t" + line for line in code]
    out += [f"\ttrace_call_fire(TRACE_{event.ident}, &t_e);", *incidents(function, code), "}", ""]
    return out


def incidents(function, code):
    """For flight recorders. The statuses left out are answers rather than failures."""
    if any("t_fault" in line for line in code):
        yield "\tif (t_fault.valid)"
        yield (f'\t\ttrace_incident(TRACE_INCIDENT_FAULT, "{function.name}", '
               "(int32_t)t_status);")
    yield "\tif (trace_is_failure(t_status))"
    yield (f'\t\ttrace_incident(TRACE_INCIDENT_FAILURE, "{function.name}", '
           "(int32_t)t_status);")


def implementation(function):
    """The thunk's prototype: it must agree with the module's own header."""
    first = None if function.has("no-ctx") else "struct kmt_context *"
    types = ([first] if first else []) + [a.ctype for a in function.arguments]
    if function.has("refused"):
        return ""
    return wrap(f"HSAKMT_STATUS kmt_{snake(function.name)}({', '.join(types) or 'void'});", "\t")


def call(model, function):
    first = None if function.has("no-ctx") else "t_ctx"
    entry, exit_ = model.of(function, "entry"), model.of(function, "exit")
    inner = f"kmt_{snake(function.name)}"
    value = f"{inner}({names(function, first)})"
    if function.has("refused"):
        value = "HSAKMT_STATUS_NOT_SUPPORTED"
    rest = "".join(f", {a.name}" for a in function.arguments)
    out = [wrap("static inline HSAKMT_STATUS " + f"{function.name}_call("
                + tracing_parameters(function, ["const void *t_caller"]) + ")", "\t"), "{"]
    out += ["#if KFDSCOPE_TRACING", "\tstruct trace_call t_call = { .number = 0 };",
            "\tHSAKMT_STATUS t_status;", "",
            f"\tif (trace_call_wanted(t_caller, TRACE_{entry.ident},",
            f"\t\t\t      TRACE_{exit_.ident}))",
            wrap(f"\t\t{function.name}_enter(&t_call, t_caller, t_ctx{rest});", "\t\t\t"),
            wrap(f"\tt_status = {value};", "\t\t"),
            f"\tif (__builtin_expect(t_call.number != 0, 0) ||",
            f"\t    trace_wanted(TRACE_{exit_.ident}, TRACE_{exit_.ident}))",
            wrap(f"\t\t{function.name}_leave(&t_call, t_status, t_ctx{rest});", "\t\t\t"),
            "\treturn t_status;", "#else", "\t(void)t_caller;", "\t(void)t_ctx;",
            *(f"\t(void){a.name};" for a in function.arguments if function.has("refused")),
            wrap(f"\treturn {value};", "\t\t"), "#endif", "}", ""]
    return out


def body(function, ctx):
    rest = "".join(f", {a.name}" for a in function.arguments)
    lines = []
    if function.has("attach"):
        lines += ["#if KFDSCOPE_TRACING", "\ttrace_attach();", "#endif"]
    lines.append(wrap(f"\treturn {function.name}_call(__builtin_return_address(0), {ctx}{rest});",
                      "\t\t"))
    return ["{", *lines, "}", ""]


def public(function, symbol=None):
    out = []
    if not function.has("only-ctx"):
        out += [wrap(f"HSAKMT_STATUS HSAKMTAPI {symbol or function.name}({parameters(function)})",
                     "\t"), *body(function, "kmt_primary()")]
    return out


def twin(function):
    if not (function.has("ctx") or function.has("only-ctx")):
        return []
    return [wrap(f"HSAKMT_STATUS HSAKMTAPI {function.name}Ctx("
                 f"{parameters(function, 'HsaKFDContext *t_ctx')})", "\t"),
            *body(function, "t_ctx")]


def head():
    return [banner("api.def"), '#include "entry.h"', ""]


def traced(model, function):
    return (["#if KFDSCOPE_TRACING"] + enter(model, function) + leave(model, function)
            + ["#endif", ""])


def group(model, function):
    return ([implementation(function), ""] + traced(model, function) + call(model, function)
            + public(function) + twin(function))


def emit(model):
    """{file name: text}"""
    plain = [f for f in model.functions if not f.layouts]
    files = {}
    for index in range(0, len(plain), PER_FILE):
        lines = head()
        for function in plain[index:index + PER_FILE]:
            lines += group(model, function)
        files[f"entry_{index // PER_FILE}.c"] = "\n".join(lines) + "\n"
    return files
