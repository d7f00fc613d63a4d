#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Walks the whole 5.2.3 interface on the distribution's library and on ours, and compares.

Both run on the simulated driver through the preload front. Every difference must stand in the table of
docs/compat.md that begins with "| walk case |", with its reason, and every line of the table must be
seen: a difference that is gone is to be taken off.

usage: compare.py WALK OUR_LIBRARY_DIR COMPAT.md PRELOAD TOPOLOGY_DIR MACHINE... [--list]
"""
import difflib
import os
import pathlib
import re
import subprocess
import sys

CALL = re.compile(r"^  (\w+) -> (\S+)\((-?\d+)\)")
DEATH = re.compile(r"^  died of signal (\d+)")
OUTPUT = re.compile(r"^    (.+?) = (.*)$")
HEAD = "| walk case |"


def run(program, library_dir, preload, topology):
    """The walk with one of the libraries: case -> list of (call, status, outputs)."""
    environment = dict(os.environ, LD_PRELOAD=preload, KFDSCOPE_MODEL_TOPOLOGY=topology)
    if library_dir:
        environment["LD_LIBRARY_PATH"] = library_dir
    done = subprocess.run([program, "--compare"], env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{program} with {library_dir or 'the system library'}: exit code "
                 f"{done.returncode}\n{done.stderr}")
    cases, calls = {}, []
    for line in done.stdout.splitlines():
        if line.startswith("CASE "):
            calls = cases.setdefault(line[5:], [])
        elif match := CALL.match(line):
            status = match.group(2) if match.group(2) != "?" else match.group(3)
            calls.append([match.group(1), status, []])
        elif match := DEATH.match(line):
            calls.append(["", f"signal {match.group(1)}", []])
        elif (match := OUTPUT.match(line)) and calls:
            calls[-1][2].append(match.groups())
    return cases


def differing_fields(theirs, ours):
    if [name for name, _ in theirs] != [name for name, _ in ours]:
        return "other outputs"
    return ", ".join(dict.fromkeys(a[0] for a, b in zip(theirs, ours) if a != b))


def differences(theirs, ours):
    """Yields (case, call, theirs, ours), each once."""
    for case in ours:
        old, new = theirs.get(case, []), ours[case]
        matcher = difflib.SequenceMatcher(None, [c[0] for c in old], [c[0] for c in new], False)
        for tag, i1, i2, j1, j2 in matcher.get_opcodes():
            if tag == "equal":
                for a, b in zip(old[i1:i2], new[j1:j2]):
                    if a[1] != b[1]:
                        yield case, a[0], a[1], b[1]
                    elif fields := differing_fields(a[2], b[2]):
                        yield case, a[0], f"other {fields}", ""
                continue
            missing, extra = old[i1:i2], new[j1:j2]
            if missing and not missing[0][0]:  # the end of the process
                yield case, extra[0][0] if extra else "", missing[0][1], \
                    extra[0][1] if extra else ""
            else:
                yield case, ", ".join(c[0] for c in missing + extra), \
                    ", ".join(c[1] for c in missing) or "not called", \
                    ", ".join(c[1] for c in extra) or "not called"


def documented(path):
    """The table's lines as the same tuples, with their reasons."""
    listed, inside = {}, False
    for line in path.read_text().splitlines():
        if line.startswith(HEAD):
            inside = True
        elif inside and line.startswith("|--"):
            continue
        elif inside and line.startswith("|"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if len(cells) != 5:
                sys.exit(f"{path}: not five cells: {line}")
            listed[tuple(cells[:4])] = cells[4]
        else:
            inside = False
    return listed


def main():
    only_list = sys.argv[-1] == "--list"
    program, our_dir, compat, preload, topologies, *machines = sys.argv[1:len(sys.argv) - only_list]
    calls, seen = 0, {}
    for machine in machines:
        topology = f"{topologies}/{machine}"
        theirs = run(program, "", preload, topology)
        ours = run(program, our_dir, preload, topology)
        calls += sum(len(case) for case in ours.values())
        seen.update(dict.fromkeys(differences(theirs, ours)))
    if only_list:
        for row in seen:
            print("| " + " | ".join(row) + " | |")
        return 0
    listed = documented(pathlib.Path(compat))
    wrong = [f"not in {compat}: {' | '.join(row)}" for row in seen if not listed.get(row)]
    wrong += [f"not seen, though in {compat}: {' | '.join(row)}"
              for row in listed if row not in seen]
    if calls < 250 * len(machines):
        wrong.append(f"only {calls} calls were made")
    print(f"{len(machines)} machines, {calls} calls, {len(seen)} differences, all of them documented"
          if not wrong else "\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
