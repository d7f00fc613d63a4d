# SPDX-License-Identifier: MIT
"""Data goes one way: which folder of analysis/ may include which (docs/architecture.md).

    test_includes.py ANALYSIS_DIR
"""
import pathlib
import re
import sys

ALLOWED = {
    "model": {"model"},
    "symbols": {"symbols"},
    "input": {"input"},
    "output": {"output", "model", "symbols"},
    "plugin": {"plugin", "output", "model"},
}
# Libraries that only some folders may know.
LIBRARIES = {"babeltrace2": {"plugin", "cmds"}, "lttng": {"cmds"}, "elfutils": {"symbols"},
             "jansson.h": {"output", "cmds"}}


def faults(root, text_of=lambda path: path.read_text(encoding="utf-8")):
    for folder, allowed in ALLOWED.items():
        files = sorted(root.glob(f"{folder}/*.[ch]")) + sorted(root.glob(f"{folder}/*.def"))
        if not files:
            yield f"{folder} is empty"
        for path in files:
            for name in re.findall(r'^#include "([^"]+)"', text_of(path), re.M):
                here = "/" not in name and (path.parent / name).is_file()
                if not here and name.split("/")[0] not in allowed:
                    yield f"{path.name} in {folder} includes {name}"
            for name in re.findall(r"^#include <([^>]+)>", text_of(path), re.M):
                users = LIBRARIES.get(name.split("/")[0])
                if users is not None and folder not in users:
                    yield f"{path.name} in {folder} includes {name}"


def main():
    root = pathlib.Path(sys.argv[1])
    found = list(faults(root))
    for fault in found:
        print(fault)
    # A check that finds nothing must be able to: the same files, with one bad line.
    bad = sum(1 for _ in faults(root, lambda path: '#include "cmds/analyse.h"\n'))
    if bad == 0:
        print("the check does not see a wrong include")
    return 1 if found or bad == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
