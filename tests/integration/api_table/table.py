#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the facts about the interface with what there is.

Every function of api.json must be exported by the library, have a comment before its declaration, and
be shown to succeed and to fail by the walk, or stand in the list of exceptions with its reason. Prints
the table of modules.

usage: table.py API.json LIBRARY INCLUDE_DIR EXCEPTIONS SOURCE_DIR WALK...
A WALK is "PROGRAM" to be run as it is; its environment is the caller's.
"""
import collections
import json
import pathlib
import re
import subprocess
import sys

OTHER_PRODUCTS = {"virtio"}  # libraries with tests of their own
CALL = re.compile(r"^  (\w+) -> (\w+)\((-?\d+)\)(, expected .*)?$")
GOOD = {"SUCCESS"}


def wanted(functions):
    """The functions that programs call; what plug-ins have and what is internal is left out."""
    for function in functions:
        name = function["name"]
        if function["module"] not in OTHER_PRODUCTS and name.startswith("hsaKmt"):
            yield function


def exported(library):
    lines = subprocess.run(["nm", "-D", "--defined-only", library], check=True,
                           capture_output=True, text=True).stdout.splitlines()
    return {line.split()[-1].split("@")[0] for line in lines}


def documented(include_dir):
    """Names whose declaration follows a comment that says more than nothing."""
    names = set()
    for header in ("hsakmt.h", "hsakmtctx.h"):
        text = (include_dir / "hsakmt" / header).read_text()
        for match in re.finditer(r"/\*(?:\*(?!/)|[^*])*\*/\s*HSAKMT_STATUS HSAKMTAPI\s*(\w+)\s*\(",
                                 text):
            if len(match.group(0).split()) > 8:
                names.add(match.group(1))
        # the calls with a context may share one comment by module
        if header == "hsakmtctx.h":
            plain = names.copy()
            for name in re.findall(r"HSAKMT_STATUS HSAKMTAPI\s*(\w+)\s*\(", text):
                if name.endswith("Ctx") and name[:-3] in plain:
                    names.add(name)
    return names


def walk(programs):
    """What each function was seen to do: name -> set of 'success', 'failure'."""
    seen = collections.defaultdict(set)
    counts = collections.Counter()
    for program in programs:
        run = subprocess.run([program], capture_output=True, text=True)
        if run.returncode:
            sys.exit(f"{program} failed:\n{run.stdout[-4000:]}{run.stderr[-1000:]}")
        for line in run.stdout.splitlines():
            match = CALL.match(line)
            if match and not match.group(4):
                name, status = match.group(1, 2)
                seen[name].add("success" if status in GOOD else "failure")
                counts[name] += 1
    return seen, counts


def read_exceptions(path, source_dir):
    """(name, kind) pairs that need not be seen; complains about those whose test is gone."""
    excused, wrong = set(), []
    for line in path.read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        name, kind, reason = line.split(None, 2)
        excused.add((name, kind))
        match = re.match(r"test (\S+): (\w+)$", reason)
        if match:
            source = source_dir / match.group(1)
            if not source.exists() or f"void {match.group(2)}(" not in source.read_text():
                wrong.append(f"{name}: no case {match.group(2)} in {match.group(1)}")
        elif not re.match(r"never: \S", reason):
            wrong.append(f"{name}: no reason")
    return excused, wrong


def main():
    api, library, include_dir, exceptions, source_dir, *programs = sys.argv[1:]
    functions = list(wanted(json.loads(pathlib.Path(api).read_text())))
    symbols = exported(library)
    comments = documented(pathlib.Path(include_dir))
    excused, wrong = read_exceptions(pathlib.Path(exceptions), pathlib.Path(source_dir))
    seen, counts = walk(programs)
    modules = collections.defaultdict(lambda: [0, 0, 0])
    for function in functions:
        name, row = function["name"], modules[function["module"]]
        problems = []
        if name not in symbols:
            problems.append("not exported")
        if name not in comments:
            problems.append("not documented")
        for kind in ("success", "failure"):
            if kind in seen[name] and (name, kind) in excused:
                problems.append(f"has a {kind} now: take it off the exceptions")
            elif kind not in seen[name] and (name, kind) not in excused:
                problems.append(f"no {kind} is tested")
        row[0] += 1
        row[1] += not problems
        row[2] += counts[name]
        wrong += [f"{name}: {problem}" for problem in problems]
    known = {function["name"] for function in functions}
    wrong += [f"{name}: an exception for an unknown function"
              for name, _ in sorted(excused) if name not in known]

    print(f"{'module':<14}{'functions':>10}{'tested':>8}{'calls':>7}")
    for module, (total, tested, calls) in sorted(modules.items()):
        print(f"{module:<14}{total:>10}{tested:>8}{calls:>7}")
    print(f"{'all':<14}{len(functions):>10}{sum(r[1] for r in modules.values()):>8}"
          f"{sum(r[2] for r in modules.values()):>7}")
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong or len(functions) < 150 else 0


if __name__ == "__main__":
    sys.exit(main())
