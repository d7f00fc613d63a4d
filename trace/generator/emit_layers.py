# SPDX-License-Identifier: MIT
"""hip_N.c and rocr_0.c: the functions in front of libraries above the thunk, and their events.

Those of HIP are exported under the names of HIP's; those of the HSA runtime stand in its tables.
"""
import re

from .emit_entries import PER_FILE, declaration, names, needs_ok, parameters, unused, wrap
from .emit_events import banner, clear_size
from .events import returned, take_stack
from .lists import ListError


def result_type(layer, function):
    result = returned(function)
    return result[0] if result else layer.status


def has_result(layer, function):
    return result_type(layer, function) != "void"


def signature(function, extra):
    return ", ".join(extra + [declaration(a) for a in function.arguments])


def enter(model, function):
    event = model.of(function, "entry")
    code = event.shape.code
    out = [wrap(f"static __attribute__((noinline)) void {function.name}_enter("
                + signature(function, ["struct trace_call *t_call", "const void *t_caller"]) + ")",
                "\t"), "{", f"\tstruct {event.ident} t_e;", "\tstruct trace_stack t_stack;"]
    if needs_ok(code):
        out.append("\tconst bool t_ok = true;")
    out += ["", *unused(function, code), f"\tif (!trace_call_begin(t_call, TRACE_{event.ident}))",
            "\t\treturn;", f"\tmemset(&t_e, 0, {clear_size(event)});",
            "\tt_e.call = t_call->number;", *("\t" + line for line in code),
            *take_stack("trace_stack_of_call(&t_stack, t_caller)"),
            f"\ttrace_call_fire(TRACE_{event.ident}, &t_e);", "}", ""]
    return out


def leave(model, layer, function):
    event = model.of(function, "exit")
    code = event.shape.code
    extra = ["struct trace_call *t_call"]
    if has_result(layer, function):
        extra.append(f"{result_type(layer, function)} t_result")
    out = [wrap(f"static __attribute__((noinline)) void {function.name}_leave("
                + signature(function, extra) + ")", "\t"), "{", f"\tstruct {event.ident} t_e;"]
    if needs_ok(code):
        test = "true" if returned(function) else f"t_result == {layer.success}"
        out.append(f"\tconst bool t_ok = {test};")
    out += ["", *unused(function, code)]
    if has_result(layer, function) and not re.search(r"\bt_result\b", "\n".join(code + out[3:])):
        out.append("\t(void)t_result;")
    out += [f"\tif (!trace_call_end(t_call, TRACE_{event.ident}))", "\t\treturn;",
            f"\tmemset(&t_e, 0, {clear_size(event)});", "\tt_e.call = t_call->number;",
            *("\t" + line for line in code), f"\ttrace_call_fire(TRACE_{event.ident}, &t_e);",
            "}", ""]
    return out


def owned(layer, function, entry):
    """
    What the program takes and gives back is noted also while nothing is recorded. A block is given up
    before the call, since its address may be another's right after it.
    """
    takes, gives = function.word("takes"), function.word("gives")
    if function.word("at"):
        return [], []  # below the layer whose requests count
    test = "true" if returned(function) else f"t_result == {layer.success}"
    before, after = [], []
    if gives:
        before = ["\tstruct layer_request t_given;", "",
                  f"\tlayer_request_give(&t_given, (uint64_t)(uintptr_t)({gives}));"]
        after = [f"\tif (!({test}))", "\t\tlayer_request_return(&t_given);"]
    if takes:
        address, _, size = takes.partition(",")
        before.insert(0, "\tconst uint32_t t_asked = layer_order();")
        if not gives:
            before.append("")
        after += [f"\tif ({test})", f"\t\tlayer_request_take(TRACE_{entry.ident}, "
                  "__builtin_return_address(0), t_asked,",
                  f"\t\t\t(uint64_t)(uintptr_t)({address.strip()}), (uint64_t)({size.strip()}));"]
    return before, after


def traced_call(model, layer, function, real):
    """The statements between the wrapper's declarations and its return."""
    entry, exit_ = model.of(function, "entry"), model.of(function, "exit")
    rest = "".join(f", {a.name}" for a in function.arguments)
    result = "t_result = " if has_result(layer, function) else ""
    leave_result = ", t_result" if result else ""
    before, after = owned(layer, function, entry)
    out = [*before, "\tif (trace_call_wanted(__builtin_return_address(0), "
           f"TRACE_{entry.ident},", f"\t\t\t      TRACE_{exit_.ident}))",
           wrap(f"\t\t{function.name}_enter(&t_call, __builtin_return_address(0){rest});",
                "\t\t\t"),
           wrap(f"\t{result}{real}({names(function)});", "\t\t"), *after,
           "\tif (__builtin_expect(t_call.number != 0, 0) ||",
           f"\t    trace_wanted(TRACE_{exit_.ident}, TRACE_{exit_.ident}))",
           wrap(f"\t\t{function.name}_leave(&t_call{leave_result}{rest});", "\t\t\t")]
    if result:
        out.append("\treturn t_result;")
    return out


def absent(layer, function):
    """What is returned for a function that the process does not have."""
    if not returned(function):
        return "return LAYER_ABSENT;"
    return f"return ({result_type(layer, function)})0;" if has_result(layer, function) else "return;"


def preloaded(model, layer, function):
    """An exported function of the same name that finds the real one behind it."""
    ctype = result_type(layer, function)
    symbol = function.word("symbol") or function.name
    prototype = wrap(f"{ctype} {function.name}({parameters(function)})", "\t")
    out = []
    if symbol != function.name:
        out.append(prototype + f'\n\t__asm__("{symbol}");')
    out += ["LAYER_API " + prototype, "{",
            f'\tstatic struct layer_function t_function = {{ .name = "{symbol}" }};',
            f"\t__typeof__({function.name}) *t_real ="
            f" (__typeof__({function.name}) *)layer_real(&t_function, LAYER_LIBRARY);",
            "\tstruct trace_call t_call = { .number = 0 };"]
    if has_result(layer, function):
        out.append(f"\t{ctype} t_result;")
    out += ["", "\tif (__builtin_expect(!t_real, 0))", f"\t\t{absent(layer, function)}",
            *traced_call(model, layer, function, "t_real"), "}", ""]
    return out


def prototypes(model, layer):
    """A list of declarations alone, for a test that compares them with the library's headers."""
    out = [banner(f"{layer.folder}/{layer.name}.def")]
    for function in model.layers[layer]:
        if not function.word("symbol"):
            out.append(wrap(f"{result_type(layer, function)} {function.name}"
                            f"({parameters(function)});", "\t"))
    return "\n".join(out) + "\n"


def emit_preloaded(model, layer):
    functions = model.layers[layer]
    files = {f"{layer.name}_prototypes.h": prototypes(model, layer)}
    for index in range(0, len(functions), PER_FILE):
        lines = [banner(f"{layer.folder}/{layer.name}.def"), f'#include "{layer.folder}/{layer.name}_layer.h"',
                 "", f'#include "{layer.name}_prototypes.h"', ""]
        for function in functions[index:index + PER_FILE]:
            lines += enter(model, function) + leave(model, layer, function)
            lines += preloaded(model, layer, function)
        files[f"{layer.name}_{index // PER_FILE}.c"] = "\n".join(lines) + "\n"
    return files


def tabled(model, layer, function):
    """A function for the runtime's table, which calls the one that stood there."""
    ctype = result_type(layer, function)
    out = [f"static __typeof__({function.name}) *{function.name}_real;", "",
           wrap(f"static {ctype} {function.name}_wrapped({parameters(function)})", "\t"), "{",
           "\tstruct trace_call t_call = { .number = 0 };"]
    if has_result(layer, function):
        out.append(f"\t{ctype} t_result;")
    return out + ["", *traced_call(model, layer, function, f"{function.name}_real"), "}", ""]


def place(function):
    at = function.word("at")
    if not at or not re.fullmatch(r"(core|amd):\d+", at):
        raise ListError(f"{function.where}: {function.name} has no place at=TABLE:SLOT")
    return at.split(":")


def emit_tabled(model, layer):
    functions = model.layers[layer]
    taken = {}
    lines = [banner(f"{layer.folder}/{layer.name}.def"),
             f'#include "{layer.folder}/{layer.name}_layer.h"', "",
             f'#include "{layer.name}_prototypes.h"', ""]
    for function in functions:
        if taken.setdefault(tuple(place(function)), function) is not function:
            raise ListError(f"{function.where}: the place of {function.name} is taken")
        lines += enter(model, function) + leave(model, layer, function)
        lines += tabled(model, layer, function)
    lines.append(f"const struct {layer.name}_wrapper {layer.name}_wrappers[] = {{")
    for function in functions:
        table, slot = place(function)
        lines.append(f"\t{{ (void *){function.name}_wrapped, (void **)&{function.name}_real, "
                     f"{layer.name.upper()}_TABLE_{table.upper()}, {slot} }},")
    lines += ["\t{ NULL, NULL, 0, 0 },", "};"]
    places = [banner(f"{layer.folder}/{layer.name}.def")]
    places += [f"PLACE({function.name}, {', '.join(place(function))})" for function in functions]
    return {f"{layer.name}_prototypes.h": prototypes(model, layer),
            f"{layer.name}_places.h": "\n".join(places) + "\n",
            f"{layer.name}_0.c": "\n".join(lines) + "\n"}


def emit(model):
    """{file name: text}"""
    files = {}
    for layer in model.layers:
        is_tabled = any(function.word("at") for function in model.layers[layer])
        files.update((emit_tabled if is_tabled else emit_preloaded)(model, layer))
    return files
