#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Shows that the generated checks can fail: one wrong fact at a time must be found.

usage: test_generate_checks.py CC DATA_DIR INCLUDE_DIR
"""
import copy
import json
import pathlib
import subprocess
import sys
import tempfile

GENERATE = pathlib.Path(__file__).with_name("generate_checks.py")


def wrong_size(facts):
    facts["types"]["HsaQueueInfo"]["size"] += 4


def wrong_offset(facts):
    facts["types"]["HsaEvent"]["fields"][1]["offset"] += 4


def wrong_enumerator(facts):
    facts["enums"]["HSAKMT_STATUS"]["values"]["HSAKMT_STATUS_NO_MEMORY"] += 1


def wrong_bit(facts):
    field = next(field for field in facts["types"]["HsaMemFlags"]["fields"]
                 if field["name"] == "ui32.CoarseGrain")
    field["bit"] += 1


def wrong_uuid(facts):
    facts["uuids"]["newest"]["HSA_PROFILEBLOCK_AMD_SQ"] = "00000000-0000-0000-0000-000000000000"


def wrong_ioctl_number(facts):
    facts[0]["code"] = "0xc0084b01"


def wrong_ioctl_offset(facts):
    facts[1]["fields"][2]["offset"] += 8


def wrong_prototype(facts):
    function = next(f for f in facts if f["name"] == "hsaKmtDestroyQueue")
    function["params"][0]["type"] = "HSAuint32"


CASES = [
    ("newest", "abi.json", wrong_size), ("newest", "abi.json", wrong_offset),
    ("newest", "abi.json", wrong_enumerator), ("newest", "abi.json", wrong_bit),
    ("newest", "abi.json", wrong_uuid), ("ioctl", "ioctl.json", wrong_ioctl_number),
    ("ioctl", "ioctl.json", wrong_ioctl_offset), ("api", "api.json", wrong_prototype),
]


def check_passes(cc, include_dir, kind, data_name, facts):
    """Generates, compiles and runs one check."""
    with tempfile.TemporaryDirectory() as directory:
        work = pathlib.Path(directory)
        (work / data_name).write_text(json.dumps(facts))
        subprocess.run([sys.executable, GENERATE, kind, work, work / "check.c"], check=True)
        build = subprocess.run([cc, "-w", f"-I{include_dir}", work / "check.c",
                                "-o", work / "check"], capture_output=True, check=False)
        if build.returncode:
            return False
        return subprocess.run([work / "check"], capture_output=True, check=False).returncode == 0


def main():
    cc, data_dir, include_dir = sys.argv[1:]
    failures = []
    for kind, data_name, spoil in CASES:
        facts = json.loads((pathlib.Path(data_dir) / data_name).read_text())
        spoiled = copy.deepcopy(facts)
        spoil(spoiled)
        if check_passes(cc, include_dir, kind, data_name, spoiled):
            failures.append(f"{kind}: {spoil.__name__} was not found")
        if not check_passes(cc, include_dir, kind, data_name, facts):
            failures.append(f"{kind}: the true facts do not pass")
    print("\n".join(failures) or f"{len(CASES)} wrong facts found")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
