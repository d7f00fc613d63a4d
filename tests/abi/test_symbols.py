#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the version script and, when given, the built libraries against the interface facts.

usage: test_symbols.py API_JSON MAP [--era ERA] [--shared LIBHSAKMT_SO] [--static LIBHSAKMT_A]
                       [--stock STOCK_SO]

Exit status 77 (skip) without readelf.
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys

OLD_NODE, NEW_NODE = "HSAKMT_1", "KFDSCOPE_1"
TWO_LAYOUTS = {
    "hsaKmtGetNodeProperties", "hsaKmtGetNodeCacheProperties", "hsaKmtGetNodeIoLinkProperties",
    "hsaKmtGetQueueInfo", "hsaKmtCreateQueue", "hsaKmtRegisterGraphicsHandleToNodes",
}
SKIP = 77


class Report:
    """Collects what is wrong, one line a finding."""

    def __init__(self):
        self.findings = []

    def same(self, title, found, wanted):
        for name in sorted(wanted - found):
            self.findings.append(f"{title}: {name} is missing")
        for name in sorted(found - wanted):
            self.findings.append(f"{title}: {name} should not be there")

    def that(self, condition, text):
        if not condition:
            self.findings.append(text)


def readelf(*arguments):
    return subprocess.run(["readelf", "--wide", *arguments], capture_output=True, text=True,
                          check=True).stdout


class Facts:
    """Which names the interface has, by where they must be exported."""

    def __init__(self, path):
        functions = [function for function in json.loads(pathlib.Path(path).read_text())
                     if function["name"].startswith("hsaKmt")]
        self.of_523 = {f["name"] for f in functions if f["in_5_2_3"]}
        self.of_script = {f["name"] for f in functions
                          if (f["linkage_newest"] or "").startswith("version-script")}
        self.all = {f["name"] for f in functions}
        self.old = self.of_523 | self.of_script
        self.new = (self.all - self.old) | TWO_LAYOUTS


def read_map(path):
    """The names of each version node, and what the node inherits."""
    text = re.sub(r"/\*.*?\*/", "", pathlib.Path(path).read_text(), flags=re.S)
    nodes, parents = {}, {}
    for node, body, parent in re.findall(r"(\w+)\s*\{(.*?)\}\s*(\w*)\s*;", text, flags=re.S):
        nodes[node] = set(re.findall(r"(hsaKmt\w+)\s*;", body))
        parents[node] = parent
    return nodes, parents


def check_map(report, facts, path):
    nodes, parents = read_map(path)
    report.that(len(facts.of_523) == 67, "facts: 5.2.3 has 67 names")
    report.that(len(facts.of_script) == 108, "facts: upstream's version script has 108 names")
    report.same("version script nodes", set(nodes), {OLD_NODE, NEW_NODE})
    report.same(f"version script {OLD_NODE}", nodes.get(OLD_NODE, set()), facts.old)
    report.same(f"version script {NEW_NODE}", nodes.get(NEW_NODE, set()), facts.new)
    report.that(parents.get(NEW_NODE) == OLD_NODE, f"{NEW_NODE} must inherit from {OLD_NODE}")


def dynamic_symbols(path):
    """Defined dynamic symbols as (name, version, is_default)."""
    for line in readelf("--dyn-syms", str(path)).splitlines():
        fields = line.split()
        if len(fields) < 8 or not fields[0].rstrip(":").isdigit() or fields[6] == "UND":
            continue
        name, at, version = fields[7].partition("@")
        yield name, version.lstrip("@"), at and version.startswith("@")


def check_shared(report, facts, path, era):
    symbols = set(dynamic_symbols(path))
    old = {name for name, version, _ in symbols if version == OLD_NODE}
    new = {name for name, version, _ in symbols if version == NEW_NODE}
    nodes = {OLD_NODE, NEW_NODE}
    report.same(f"exported with {OLD_NODE}", old - nodes, facts.old)
    report.same(f"exported with {NEW_NODE}", new - nodes, facts.new)
    report.same("exported without a version",
                {name for name, version, _ in symbols if version not in nodes} - nodes, set())
    defaults = {(name, version) for name, version, default in symbols if default}
    for name in sorted(TWO_LAYOUTS):
        report.that((name, NEW_NODE) in defaults and (name, OLD_NODE) not in defaults,
                    f"{name}: the default must be the one of {NEW_NODE}")
    for name in sorted(facts.old - TWO_LAYOUTS):
        report.that((name, OLD_NODE) in defaults, f"{name}: {OLD_NODE} must be its default")
    if era == "5.2.3":
        addresses = symbol_addresses(path)
        for name in sorted(TWO_LAYOUTS):
            versions = addresses.get(name, {})
            report.that(versions.get(OLD_NODE) != versions.get(NEW_NODE),
                        f"{name}: both versions are one function")

    dynamic = readelf("--dynamic", str(path))
    report.that("[libhsakmt.so.1]" in dynamic, "the soname must be libhsakmt.so.1")
    report.that(re.search(r"\(FLAGS_1\).*NODELETE", dynamic), "the nodelete flag is missing")
    report.that("TEXTREL" not in dynamic, "text relocations are not allowed")


def symbol_addresses(path):
    addresses = {}
    for line in readelf("--dyn-syms", str(path)).splitlines():
        fields = line.split()
        if len(fields) >= 8 and "@" in fields[7] and fields[6] != "UND":
            name, _, version = fields[7].partition("@")
            addresses.setdefault(name, {})[version.lstrip("@")] = fields[1]
    return addresses


def check_static(report, facts, path):
    defined = []
    for line in readelf("--syms", str(path)).splitlines():
        fields = line.split()
        if len(fields) >= 8 and fields[4] == "GLOBAL" and fields[6] != "UND":
            defined.append(fields[7])
    public = [name for name in defined if name.startswith("hsaKmt")]
    report.same("static library", set(public), facts.all)
    for name in sorted({name for name in public if public.count(name) > 1}):
        report.findings.append(f"static library: {name} is defined twice")


def check_stock(report, facts, path):
    """The facts themselves, against the distribution's library."""
    found = {name for name, version, _ in dynamic_symbols(path) if version == OLD_NODE}
    report.same("distribution's library", found - {OLD_NODE}, facts.of_523)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("api_json")
    parser.add_argument("map")
    parser.add_argument("--era", default="5.2.3")
    parser.add_argument("--shared")
    parser.add_argument("--static")
    parser.add_argument("--stock")
    arguments = parser.parse_args()
    if not shutil.which("readelf"):
        print("skipped: no readelf")
        sys.exit(SKIP)
    report, facts = Report(), Facts(arguments.api_json)
    check_map(report, facts, arguments.map)
    if arguments.shared:
        check_shared(report, facts, arguments.shared, arguments.era)
    if arguments.static:
        check_static(report, facts, arguments.static)
    if arguments.stock:
        check_stock(report, facts, arguments.stock)
    print("\n".join(report.findings + [f"{len(report.findings)} findings"]))
    sys.exit(bool(report.findings))


if __name__ == "__main__":
    main()
