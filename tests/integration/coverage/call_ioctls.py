# SPDX-License-Identifier: MIT
"""Makes every ioctl of the KFD, with arguments that the driver need not like but that can be found again.

    call_ioctls.py LISTS IOCTL_JSON

As a module: values() has what the entry events must say.
"""
import ctypes
import json
import os
import re
import sys

from generator.events import build

UNKNOWN = 0xC0084B7E     # no ioctl of the KFD
QUIET = {"WAIT_EVENTS": {"timeout"}, "SPM": {"timeout"}, "RUNTIME_ENABLE": {"mode_mask"}}


def counts(ioctl):
    """The members that say how long an array is: they stay 0, since no array is given."""
    return {match[1] for argument in ioctl.arguments
            for match in [re.match(r"\[([^\]]+)\]", argument.rule or "")] if match}


def operations(model, fact):
    """[(suffix of the event, number or None)]: all that have events of their own, and one that has none."""
    name = fact["name"].removeprefix("AMDKFD_IOC_")
    own = {ioctl.name for ioctl in model.ioctls if ioctl.parent == name}
    if not own:
        return [("", None)]
    return [("", 0xFFFF)] + [(f"_{one['op']}", one["value"]) for one in fact["sub_ops"]
                             if f"{name}_{one['op']}" in own]


def values(model, fact):
    """{member: value} of one ioctl, for those whose value is free to choose."""
    name = fact["name"].removeprefix("AMDKFD_IOC_")
    ioctl = next(i for i in model.ioctls if i.name == name)
    plain = {argument.name for argument in ioctl.arguments
             if argument.direction in ("in", "inout") and argument.rule and
             re.match(r"[uxi](8|16|32|64)$", argument.rule)}
    left_out = counts(ioctl) | QUIET.get(name, set()) | {ioctl.by}
    chosen = {}
    for index, member in enumerate(fact["fields"]):
        if member["name"] not in plain or member["name"] in left_out or member.get("only_in"):
            continue
        if re.search(r"ptr$|\bfd|_fd$|pid", member["name"]):
            continue     # nothing of this process is meant
        chosen[member["name"]] = min(0x51 + 2 * index, 256 ** member["size"] - 1)
    return chosen


def argument(model, fact, operation):
    data = bytearray(fact["arg_size"] + 4096)
    chosen = values(model, fact)
    for member in fact["fields"]:
        if member["name"] in chosen:
            data[member["offset"]:member["offset"] + member["size"]] = \
                chosen[member["name"]].to_bytes(member["size"], "little")
        if operation is not None and member["name"] == "op":
            data[member["offset"]:member["offset"] + 4] = operation.to_bytes(4, "little")
    return (ctypes.c_char * len(data)).from_buffer(data)


def main():
    lists, facts = sys.argv[1:]
    model = build(lists)
    libc = ctypes.CDLL(None, use_errno=True)
    fd = libc.open(b"/dev/kfd", os.O_RDWR | os.O_CLOEXEC)
    if fd < 0:
        sys.exit("call_ioctls: no KFD")
    with open(facts, encoding="utf-8") as stream:
        facts = json.load(stream)
    for fact in facts:
        for _, operation in operations(model, fact):
            libc.ioctl(fd, ctypes.c_ulong(int(fact["code"], 16)),
                       argument(model, fact, operation))
    libc.ioctl(fd, ctypes.c_ulong(UNKNOWN), ctypes.create_string_buffer(64))
    libc.close(fd)


if __name__ == "__main__":
    main()
