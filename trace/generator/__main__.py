# SPDX-License-Identifier: MIT
"""python3 -m generator --lists DIR --out DIR [--print-names]"""
import argparse
import os
import sys

from . import emit_docs, emit_entries, emit_events, emit_ioctls, emit_layers, emit_layouts
from . import emit_provider, emit_virtio
from .events import build
from .lists import ListError


def all_files(model):
    files = {"events.h": emit_events.emit(model), "ioctls.c": emit_ioctls.emit(model),
             "entry_layouts.c": emit_layouts.emit(model),
             "events.json": emit_docs.emit_json(model), "events.md": emit_docs.emit_markdown(model)}
    files.update(emit_entries.emit(model))
    files.update(emit_provider.emit(model))
    files.update(emit_layers.emit(model))
    files.update(emit_virtio.emit(model))
    return files


def write(path, text):
    """Leaves a file alone that is the same already, so that nothing is compiled again."""
    try:
        with open(path, encoding="utf-8") as stream:
            if stream.read() == text:
                return
    except OSError:
        pass
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)


def main():
    parser = argparse.ArgumentParser(prog="generator")
    parser.add_argument("--lists", required=True)
    parser.add_argument("--out")
    parser.add_argument("--print-names", action="store_true", help="only say which files it makes")
    options = parser.parse_args()
    try:
        files = all_files(build(options.lists))
    except (ListError, OSError) as error:
        print(f"generator: {error}", file=sys.stderr)
        return 1
    if options.print_names:
        print(";".join(sorted(files)), end="")
        return 0
    os.makedirs(options.out, exist_ok=True)
    for name, text in files.items():
        write(os.path.join(options.out, name), text)
    write(os.path.join(options.out, "stamp"), "")
    os.utime(os.path.join(options.out, "stamp"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
