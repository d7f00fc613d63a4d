# SPDX-License-Identifier: MIT
"""Writes a HIP runtime whose functions all refuse.

    make_hip.py LISTS OUT
"""
import sys

from generator.events import LAYERS, build

lists, out = sys.argv[1:]
layer = next(layer for layer in LAYERS if layer.name == "hip")
with open(out, "w", encoding="utf-8") as stream:
    for function in build(lists).layers[layer]:
        name = function.word("symbol") or function.name
        stream.write(f"int {name}(void);\nint {name}(void)\n{{\n\treturn 1;\n}}\n")
