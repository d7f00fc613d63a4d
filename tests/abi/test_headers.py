#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the public headers from a client's point of view.

Each header compiles alone and twice, as C and as C++, with the compilers of the build; the KFD
header gets on with the kernel's own in either order; and the headers declare exactly the functions
that the interface facts name, each with a text.

usage: test_headers.py CC CXX INCLUDE_DIR API_JSON [FLAG...]
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HEADERS = ["hsakmt.h", "hsakmtctx.h", "hsakmttypes.h", "hsakmt_virtio.h", "hsakmtmodeliface.h",
           "linux/kfd_ioctl.h"]
LANGUAGES = {"c": ["gnu99", "gnu17"], "c++": ["gnu++11", "gnu++17"]}
WARNINGS = ["-Wall", "-Wextra", "-Wshadow", "-Werror"]


KERNELS_HEADER = pathlib.Path("/usr/include/linux/kfd_ioctl.h")


def offer_drm_header(directory):
    """The kernel's header wants <drm/drm.h>, which some systems have only as libdrm's <drm.h>."""
    (pathlib.Path(directory) / "drm").mkdir()
    (pathlib.Path(directory) / "drm" / "drm.h").write_text("#include <drm.h>\n")
    return f"-I{directory}"


def compiles(compiler, language, standard, text, flags):
    command = [compiler, f"-x{language}", f"-std={standard}", "-fsyntax-only", *WARNINGS, *flags,
               "-"]
    done = subprocess.run(command, input=text, text=True, capture_output=True, check=False)
    if done.returncode:
        print(f"{' '.join(command)}\n{text}{done.stderr}")
    return done.returncode == 0


def sources():
    for header in HEADERS:
        include = f'#include "hsakmt/{header}"\n'
        yield include + include
    ours, kernels = '#include "hsakmt/linux/kfd_ioctl.h"\n', "#include <linux/kfd_ioctl.h>\n"
    if KERNELS_HEADER.exists():
        yield kernels + ours
        yield ours + kernels + "struct kfd_ioctl_ais_args needs_ours;\n"


def declared(text):
    """The functions that a header declares, and those among them that have no text before them."""
    names = set(re.findall(r"\b(v?hsaKmt\w+|v(?:amdgpu|drm)\w+)\(", re.sub(r"/\*.*?\*/", "", text,
                                                                          flags=re.S)))
    documented = set(re.findall(r"\*/\n[^;{}/]*?\b(\w+)\(", text))
    return names, names - documented


def wrong_parameters(text):
    """Functions whose text names a parameter that they do not have."""
    for comment, prototype in re.findall(r"/\*\*(.*?)\*/\n([^;]*;)", text, flags=re.S):
        for name in re.findall(r"@param (\w+)", comment):
            if not re.search(rf"\b{name}\b[,)]", prototype):
                yield f"@param {name}: {' '.join(prototype.split())}"


def compile_failures(cc, cxx, flags):
    failures = 0
    with tempfile.TemporaryDirectory() as directory:
        flags = [*flags, offer_drm_header(directory)]
        for text in sources():
            for language, standards in LANGUAGES.items():
                compiler = cc if language == "c" else cxx
                for standard in standards:
                    failures += not compiles(compiler, language, standard, text, flags)
    return failures


def main():
    cc, cxx, include_dir, api_json, *flags = sys.argv[1:]
    failures = compile_failures(cc, cxx, [*flags, f"-I{include_dir}"])
    names, undocumented = set(), set()
    for header in HEADERS:
        text = (pathlib.Path(include_dir) / "hsakmt" / header).read_text()
        of_header = declared(text)
        names |= of_header[0]
        undocumented |= of_header[1]
        for problem in wrong_parameters(text):
            print(f"{header}: {problem}")
            failures += 1
    facts = {function["name"] for function in json.loads(pathlib.Path(api_json).read_text())
             if function["module"] != "model" or function["name"].startswith("hsaKmt")}
    # virtio.md 1 adds twins of known functions that no published header has, and these two.
    facts |= {name for name in names if name[:1] == "v" and name[1:] in facts}
    facts |= {"vamdgpu_bo_query_info", "vamdgpu_bo_set_metadata"}
    for title, difference in (("not in the facts", names - facts), ("not declared", facts - names),
                              ("without a text", undocumented)):
        for name in sorted(difference):
            print(f"{name}: {title}")
            failures += 1
    print(f"{len(names)} functions, {failures} failures")
    sys.exit(failures != 0)


if __name__ == "__main__":
    main()
