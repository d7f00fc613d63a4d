#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes kfdscope(1) from what the command says of itself, so that both agree.

    make_man.py KFDSCOPE OUTPUT
"""
import re
import subprocess
import sys

kfdscope, output = sys.argv[1:]


def said(*words):
    return subprocess.run([kfdscope, *words], check=True, capture_output=True, text=True).stdout


def quoted(line):
    line = line.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + line if line[:1] in (".", "'") else line


def verbatim(text):
    return [".nf", *(quoted(line) for line in text.strip("\n").split("\n")), ".fi"]


def options(text):
    """The lines of GOption's table as tagged paragraphs."""
    lines = []
    for line in text.split("\n"):
        found = re.match(r"  (-.*?)(?:  +(.*))?$", line)
        if found and not line.startswith("  -h, --help"):
            lines += [".TP", f"\\fB{quoted(found[1])}\\fR", quoted(found[2] or "")]
        elif line.strip() and lines and line.startswith("   "):
            lines.append(quoted(line.strip()))
    return lines


def command(name):
    """The sections of a command's help: usage, summary, options, the rest."""
    paragraphs = said(name, "--help").split("\n\n")
    usage = paragraphs[0].split("\n", 1)[1].strip()
    lines = [f".SS {quoted(usage)}", quoted(paragraphs[1])]
    for paragraph in paragraphs[2:]:
        if paragraph.startswith("Help Options:"):
            continue
        if paragraph.startswith("Options:"):
            lines += options(paragraph)
        elif paragraph.strip():
            lines += [".PP", *verbatim(paragraph)]
    return lines


version = said("--version").split()[1]
page = [f'.TH KFDSCOPE 1 "" "kfdscope {version}" "User Commands"', ".SH NAME",
        "kfdscope \\- see what a ROCm program does with its GPUs", ".SH SYNOPSIS",
        "\\fBkfdscope\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR...] [\\fIARGUMENT\\fR...]",
        ".br", "\\fBkfdscope\\fR \\fICOMMAND\\fR \\fB\\-\\-help\\fR",
        ".br", "\\fBkfdscope help\\fR [\\fICOMMAND\\fR|\\fITOPIC\\fR]", ".SH COMMANDS"]
for name in said("help", "--list").split():
    page += command(name)
names = set(said("help", "--list").split())
for topic in said("help", "--list", "--topics").split():
    if topic not in names:
        page += [f".SH {quoted(topic.upper())}", *verbatim(said("help", topic))]
page += [".SH SEE ALSO", ".BR lttng (1),", ".BR babeltrace2 (1)"]
with open(output, "w", encoding="utf-8") as file:
    file.write("\n".join(page) + "\n")
