#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fails when a call or an errno of ioctl.json has no conformance case.

usage: coverage.py ioctl.json unreachable.txt PROGRAM...

Each program lists its cases with --list. unreachable.txt names what no case can show, with a reason:
"CALL ERRNO reason", where CALL may be *. A line there that a case covers is an error, too.
"""
import json
import pathlib
import subprocess
import sys


def covered_by(programs):
    cases = set()
    for program in programs:
        listing = subprocess.run([program, "--list"], check=True, capture_output=True, text=True)
        for line in listing.stdout.splitlines():
            call, error, _ = line.split("\t", 2)
            cases.add((call, error))
    return cases


def read_unreachable(path):
    entries = {}
    for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            call, error, reason = line.split(None, 2)
            entries[(call, error)] = reason
    return entries


def main(facts_path, unreachable_path, programs):
    cases = covered_by(programs)
    unreachable = read_unreachable(unreachable_path)
    used = set()
    problems = []
    facts = json.loads(pathlib.Path(facts_path).read_text(encoding="utf-8"))
    for fact in facts:
        call = fact["name"].removeprefix("AMDKFD_IOC_")
        if not any(case[0] == call for case in cases):
            problems.append(f"{call}: no case at all")
        errors = {entry["err"] for entry in fact["errno"]}
        for sub_op in fact.get("sub_ops", []):
            errors |= {entry["err"] for entry in sub_op.get("errno", [])}
        for error in sorted(errors):
            excuses = {(call, error), ("*", error)} & set(unreachable)
            if (call, error) in cases:
                problems += [f"{call} {error}: covered, but listed as unreachable"
                             for excuse in excuses if excuse[0] != "*"]
            elif excuses:
                used |= excuses
            else:
                problems.append(f"{call} {error}: no case shows it")
    problems += [f"unreachable.txt: {call} {error} excuses nothing"
                 for call, error in sorted(set(unreachable) - used)]
    for problem in problems:
        print(problem)
    print(f"{len(facts)} calls, {len(cases)} pairs of call and errno shown")
    return bool(problems)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit("usage: coverage.py ioctl.json unreachable.txt PROGRAM...")
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
