#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a C file that checks headers against the interface facts in tests/data.

Sizes, offsets, enumerators, ioctl numbers and prototypes become static assertions, so a wrong
figure stops the build; bit-fields, whose offsets cannot be taken, and UUIDs are checked when the
program runs, which fails on a difference.

usage: generate_checks.py KIND DATA_DIR OUTPUT

KIND is one of
  newest   hsakmttypes.h and hsakmtmodeliface.h in the newest layout
  private  thunk/abi/layout.h, the 5.2.3 layout
  stock    the distribution's 5.2.3 header
  ioctl    linux/kfd_ioctl.h
  api      prototypes in hsakmt.h and hsakmtctx.h
  virtio   prototypes in hsakmt_virtio.h
"""
import json
import pathlib
import re
import sys

PRIVATE_NAMES = {
    "HsaNodeProperties": "struct layout_523_node_properties",
    "HsaCacheProperties": "struct layout_523_cache_properties",
    "HsaIoLinkProperties": "struct layout_523_io_link_properties",
    "HsaQueueInfo": "struct layout_523_queue_info",
    "HsaQueueResource": "struct layout_523_queue_resource",
    "HsaGraphicsResourceInfo": "struct layout_523_graphics_resource_info",
}

PROLOGUE = """\
/* Generated from tests/data by tests/abi/generate_checks.py. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
"""

DIFFERS = """
static int differs(const char *what, uint64_t got, uint64_t want)
{
	if (got == want)
		return 0;
	fprintf(stderr, "%s: %#llx instead of %#llx\\n", what, (unsigned long long)got,
		(unsigned long long)want);
	return 1;
}
"""


class Checks:
    """The lines of the file: assertions at file scope, and statements of main()."""

    def __init__(self, includes):
        self.lines = [PROLOGUE] + [f"#include {name}" for name in includes] + [""]
        self.statements = []
        self.count = 0

    def that(self, condition, text):
        self.count += 1
        self.lines.append(f'static_assert({condition}, "{text}");')

    def field(self, ctype, field):
        """Offset and size of a member that is no bit-field."""
        name, offset, size = field["name"], field["offset"], field["size"]
        self.that(f"offsetof({ctype}, {name}) == {offset}", f"offset of {ctype} {name}")
        if size:
            self.that(f"sizeof((({ctype} *)0)->{name}) == {size}", f"size of {ctype} {name}")

    def bit_field(self, ctype, field):
        """All ones in one bit-field of a zeroed object must set exactly its bits."""
        name, bit, bits = field["name"], field["bit"], field["bits"]
        mask = ((1 << bits) - 1) << bit
        self.count += 1
        self.statements.append(
            f"\t{{ union {{ {ctype} object; uint64_t word[(sizeof({ctype}) + 7) / 8]; }} u;\n"
            f"\t  uint64_t got = 0; memset(&u, 0, sizeof(u)); u.object.{name} = ~0;\n"
            f"\t  memcpy(&got, (char *)&u + {field['offset']}, {field['size']});\n"
            f'\t  failures += differs("{ctype} {name}", got, {mask:#x}ull); }}')

    def structure(self, ctype, layout):
        self.that(f"sizeof({ctype}) == {layout['size']}", f"size of {ctype}")
        for field in layout["fields"]:
            if "<anonymous" in field["name"]:
                continue
            if "bit" in field:
                self.bit_field(ctype, field)
            else:
                self.field(ctype, field)

    def write(self, path):
        if self.statements:
            self.lines.append(DIFFERS)
        self.lines += ["int main(void)", "{", "\tint failures = 0;", "", *self.statements,
                       f'\tprintf("%d checks\\n", {self.count});', "\treturn failures != 0;",
                       "}", ""]
        path.write_text("\n".join(self.lines))


def enumerators(checks, name, enum, without=()):
    checks.that(f"sizeof({name}) == {enum['size']}", f"size of {name}")
    for enumerator, value in enum["values"].items():
        if enumerator not in without:
            checks.that(f"(long long){enumerator} == {value}ll", f"value of {enumerator}")


def added_since_523(enum):
    found = (re.match(r"added enumerator (\w+)", text)
             for text in enum.get("differences_from_5_2_3", []))
    return {match.group(1) for match in found if match}


def uuid(checks, name, text):
    digits = text.replace("-", "")
    data4 = ", ".join(f"0x{digits[i:i + 2]}" for i in range(16, 32, 2))
    checks.count += 1
    checks.statements.append(
        f"\t{{ const HSA_UUID want = {{ 0x{digits[:8]}, 0x{digits[8:12]}, 0x{digits[12:16]}, "
        f"{{ {data4} }} }};\n"
        f'\t  failures += differs("{name}", memcmp(&{name}, &want, sizeof(want)) != 0, 0); }}')


def defines(checks, facts):
    for name, define in facts["defines"].items():
        value = str(define["value"]).split(" ")[0]
        if re.fullmatch(r"\w+", name) and re.fullmatch(r"0[xX][0-9A-Fa-f]+|\d+", value):
            checks.that(f"{name} == {value}", f"value of {name}")
    for macro in ("HSA_SMI_EVENT_MASK_FROM_INDEX", "HSA_EC_MASK"):
        checks.that(f"{macro}(1) == 1 && {macro}(64) == 1ull << 63", f"value of {macro}()")


def newest(facts):
    checks = Checks(['"hsakmt/hsakmttypes.h"', '"hsakmt/hsakmtmodeliface.h"',
                     '"hsakmt/linux/kfd_ioctl.h"'])
    for name, layout in facts["types"].items():
        if layout["kind"] in ("struct", "union"):
            checks.structure(name, layout)
            if layout["header"] == "hsakmttypes.h":
                checks.that(f"_Alignof({name}) <= 4", f"packing of {name}")
        elif layout["kind"] == "typedef":
            checks.that(f"sizeof({name}) == {layout['size']}", f"size of {name}")
    for name, enum in facts["enums"].items():
        enumerators(checks, name, enum)
    for name, layout in facts["kernel_uapi_types_in_signatures"].items():
        if isinstance(layout["fields"], list):
            checks.structure(name, layout)
    defines(checks, facts)
    for era in ("newest", "only_in_5_2_3"):
        for name, text in facts["uuids"][era].items():
            uuid(checks, name, text)
    return checks


def private(facts):
    checks = Checks(['"abi/layout.h"'])
    for name, ctype in PRIVATE_NAMES.items():
        checks.structure(ctype, facts["layouts_5_2_3_where_different"][name])
    return checks


def stock(facts):
    checks = Checks(["<hsakmttypes.h>"])
    for name, layout in facts["types"].items():
        if not layout.get("in_5_2_3"):
            continue
        layout = facts["layouts_5_2_3_where_different"].get(name, layout)
        if layout.get("fields"):
            checks.structure(name, layout)
    for name, enum in facts["enums"].items():
        if enum.get("in_5_2_3"):
            enumerators(checks, name, enum, added_since_523(enum))
    return checks


def ioctl(facts):
    checks = Checks(['"hsakmt/linux/kfd_ioctl.h"'])
    for call in facts:
        checks.that(f"{call['name']} == {call['code']}u", f"number of {call['name']}")
        fields = [field for field in call["fields"] if "only_in" not in field]
        structures = [(call["arg_struct"], call["arg_size"], fields)]
        structures += [(aux["struct"], aux["size"], aux["fields"])
                       for aux in call.get("aux_structs", [])]
        structures += [(op["struct"], op["size"], op["fields"])
                       for op in call.get("sub_ops", []) if op.get("struct")]
        for name, size, members in structures:
            if name:
                named = [member for member in members if member["name"] != "union"]
                checks.structure(f"struct {name}", {"size": size, "fields": named})
        for op in call.get("sub_ops", []):
            for field in op.get("fields", []):
                member = f"{op['union_member']}.{field['name']}"
                checks.that(f"offsetof(struct {call['arg_struct']}, {member}) == "
                            f"{field['offset_in_arg']}", f"offset of {member}")
        for name, value in call["constants"].items():
            checks.that(f"(long long){name} == {value}ll", f"value of {name}")
    return checks


def prototypes(facts, includes, wanted):
    checks = Checks(includes)
    for function in facts:
        if not wanted(function):
            continue
        name = function["name"]
        types = ", ".join(param["type"] for param in function["params"]) or "void"
        checks.that(f"__builtin_types_compatible_p(__typeof__(&{name}), "
                    f"{function['return_type']} (*)({types}))", f"prototype of {name}")
    return checks


def api(facts):
    return prototypes(facts, ['"hsakmt/hsakmt.h"', '"hsakmt/hsakmtctx.h"'],
                      lambda f: f["name"].startswith("hsaKmt"))


def virtio(facts):
    return prototypes(facts, ['"hsakmt/hsakmt_virtio.h"'], lambda f: f["module"] == "virtio")


KINDS = {
    "newest": (newest, "abi.json"),
    "private": (private, "abi.json"),
    "stock": (stock, "abi.json"),
    "ioctl": (ioctl, "ioctl.json"),
    "api": (api, "api.json"),
    "virtio": (virtio, "api.json"),
}


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in KINDS:
        sys.exit(__doc__)
    make, data = KINDS[sys.argv[1]]
    facts = json.loads((pathlib.Path(sys.argv[2]) / data).read_text())
    make(facts).write(pathlib.Path(sys.argv[3]))


if __name__ == "__main__":
    main()
