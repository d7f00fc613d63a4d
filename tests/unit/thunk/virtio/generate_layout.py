#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a C file that asserts every structure of the protocol: generate_layout.py FACTS HEADER OUT

Structures of the older revision that the header has in two forms end in _r1 there.
"""
import json
import re
import sys


def checks(structures, suffixed, renamed):
    for name, structure in structures.items():
        kind = f"struct {name}" + ("_r1" if name in suffixed else "")
        yield f'_Static_assert(sizeof({kind}) == {structure["size"]}, "{name}");'
        for member, offset, size in structure["fields"]:
            member = re.sub(r"\[.*", "", member)
            member = renamed.get((name, member), member)
            yield (f'_Static_assert(offsetof({kind}, {member}) == {offset}, '
                   f'"{name}.{member}");')
            larger = ("vhsakmt_ccmd_query_info_rsp", "node_props")
            if size and not (size == 368 and (name, member) == larger):
                yield (f'_Static_assert(sizeof((({kind} *)0)->{member}) == {size}, '
                       f'"bytes of {name}.{member}");')


def sizes(facts):
    for name, size in facts["public_struct_sizes"].items():
        newest = size["2026"] if isinstance(size, dict) else size
        kind = f"struct {name}" if name.startswith(("amdgpu", "drm")) else name
        # the newest header no longer has the map flags; requests carry them as a number
        if not name.startswith("drm") and name != "HsaMemMapFlags":
            yield f'_Static_assert(sizeof({kind}) == {newest}, "{name}");'


def commands(facts):
    prefixes = {"QUERY_INFO": "QUERY", "EVENT": "EVENT", "MEMORY": "MEMORY", "QUEUE": "QUEUE",
                "GL_INTER": "GL_INTER"}
    for name, command in facts["commands"].items():
        yield f'_Static_assert(VIRTIO_CMD_{name} == {command["id"]}, "{name}");'
        for sub in command.get("subs", []):
            yield (f'_Static_assert(VIRTIO_{prefixes[name]}_{sub["name"]} == {sub["sub"]}, '
                   f'"{name} {sub["name"]}");')


def has_type_table(facts):
    """Rows for the run-time check: which revision has which sub-command."""
    whole = [{"sub": 0, "name": "-", "rev": 1}]  # a command without sub-commands
    yield "const struct sub_command sub_commands[] = {"
    for name, command in facts["commands"].items():
        for sub in command.get("subs", whole):
            yield (f'\t{{ {command["id"]}, {sub["sub"]}, {sub["rev"]}, "{name}", '
                   f'"{sub["name"]}" }},')
    yield "};"
    yield "const size_t sub_command_count = sizeof(sub_commands) / sizeof(sub_commands[0]);"


def main():
    with open(sys.argv[1], encoding="utf-8") as stream:
        facts = json.load(stream)
    with open(sys.argv[2], encoding="utf-8") as stream:
        suffixed = set(re.findall(r"struct (\w+)_r1 \{", stream.read()))
    older_names = {("gl_inter_req_reg_ghd_to_nodes", "pad"): "flag"}
    lines = ['#include "virtio/proto.h"', '#include "sub_commands.h"']
    lines += checks(facts["structs_2025_08"], suffixed, older_names)
    lines += checks(facts["structs_2026"], set(), {})
    lines += [*sizes(facts), *commands(facts), *has_type_table(facts)]
    with open(sys.argv[3], "w", encoding="utf-8") as stream:
        stream.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
