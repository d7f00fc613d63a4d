# SPDX-License-Identifier: MIT
"""Calls every function of a library, with nothing behind it that would serve them.

    call_layers.py hip|rocr|guest LISTS LIBRARY HIP
"""
import ctypes
import sys

from arguments import call, values
from generator.events import LAYERS, build

REFUSED = 0x1000     # HSA_STATUS_ERROR
TABLES = {"core": 123, "amd": 48}


def hip(functions, library):
    for function in functions:
        name = function.word("symbol") or function.name
        call(ctypes.cast(getattr(library, name), ctypes.c_void_p).value, values(function)[0])


def table_of(slots, refuse):
    """A table as the runtime has it: four numbers of 32 bits, then the functions."""
    table = (ctypes.c_uint64 * (2 + slots))()
    table[0] = 1 | ctypes.sizeof(table) << 32
    for slot in range(slots):
        table[2 + slot] = ctypes.cast(refuse, ctypes.c_void_p).value
    return table


def rocr(functions, library):
    refuse = ctypes.CFUNCTYPE(ctypes.c_uint64)(lambda: REFUSED)
    tables = {name: table_of(slots, refuse) for name, slots in TABLES.items()}
    api = (ctypes.c_uint64 * 6)(1 | 48 << 32, 0, ctypes.addressof(tables["core"]),
                                ctypes.addressof(tables["amd"]))
    if not library.OnLoad(api, ctypes.c_uint64(1), ctypes.c_uint64(0), None):
        sys.exit("call_layers: the layer refused the tables")
    for function in functions:
        name, _, slot = function.word("at").partition(":")
        call(tables[name][2 + int(slot)], values(function)[0])


def guest(functions, library):
    """There is no host: what is not refused before it is looked at would be a fault."""
    for function in functions:
        call(ctypes.cast(getattr(library, function.name), ctypes.c_void_p).value, [])


def main():
    which, lists, path, fake_hip = sys.argv[1:]
    model = build(lists)
    _behind = ctypes.CDLL(fake_hip)    # found by the layer by its name
    functions = {layer.name: model.layers[layer] for layer in LAYERS}
    functions["guest"] = model.virtio
    {"hip": hip, "rocr": rocr, "guest": guest}[which](functions[which], ctypes.CDLL(path))


if __name__ == "__main__":
    main()
