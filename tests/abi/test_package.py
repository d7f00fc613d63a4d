#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Installs into an empty prefix and builds a client there, as other projects would.

By pkg-config and by CMake, against the shared library and against the archive; each client runs and
finds the installed library. Nothing named libhsakmt may be outside <libdir>/kfdscope.

usage: test_package.py CMAKE BUILD_DIR CC CLIENT_C GUEST_C

Exit status 77 (skip) without pkg-config.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIP = 77
CMAKE_LISTS = """\
cmake_minimum_required(VERSION 3.16)
project(client LANGUAGES C)
find_package(hsakmt 1.0 REQUIRED)
add_executable(client_shared {client})
target_link_libraries(client_shared PRIVATE hsakmt::hsakmt)
add_executable(client_static {client})
target_link_libraries(client_static PRIVATE hsakmt-staticdrm::hsakmt-staticdrm)
"""


def run(*command, **kwargs):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          check=False, **kwargs)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def check_client(program, libdir, shared):
    needed = run("readelf", "--dynamic", "--wide", program)
    if ("[libhsakmt.so.1]" in needed) != shared:
        sys.exit(f"{program.name}: linked with the wrong kind of library\n{needed}")
    environment = dict(os.environ, LD_LIBRARY_PATH=str(libdir), LD_BIND_NOW="1")
    if "linked and called" not in run(program, env=environment):
        sys.exit(f"{program.name}: did not run")
    print(f"{program.name}: good")


def by_pkgconfig(prefix, pc_dir, cc, client, work):
    environment = dict(os.environ, PKG_CONFIG_PATH=str(pc_dir))

    def query(*arguments):
        return run("pkg-config", *arguments, "libhsakmt", env=environment).split()

    if query("--modversion") != ["1.0.6"]:
        sys.exit("libhsakmt.pc: wrong version")
    libdir = pathlib.Path(query("--variable=libdir")[0])
    if prefix not in libdir.parents:
        sys.exit(f"libhsakmt.pc: {libdir} is not below {prefix}")
    shared, static = work / "pkgconfig_shared", work / "pkgconfig_static"
    run(cc, client, *query("--cflags"), *query("--libs"), "-o", shared)
    libraries = [word for word in query("--static", "--libs") if word != "-lhsakmt"]
    run(cc, client, *query("--cflags"), libdir / "libhsakmt.a", *libraries, "-o", static)
    check_client(shared, libdir, True)
    check_client(static, libdir, False)
    return libdir


def as_guest(pc_dir, cc, guest, work, libdir):
    """A program for a virtual machine: without a host it says so."""
    environment = dict(os.environ, PKG_CONFIG_PATH=str(pc_dir))
    flags = run("pkg-config", "--cflags", "--libs", "libhsakmt_virtio", env=environment).split()
    program = work / "guest"
    run(cc, guest, *flags, "-o", program)
    environment = {**os.environ, "LD_LIBRARY_PATH": str(libdir), "LD_BIND_NOW": "1",
                   "VHSAKMT_DEBUG_LEVEL": "3", "KFDSCOPE_VIRTIO_SOCKET": str(work / "nobody")}
    done = subprocess.run([program], env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 1 or "cannot reach a virtio host" not in done.stderr:
        sys.exit(f"guest: status {done.returncode}\n{done.stdout}{done.stderr}")
    print("guest: good")


def by_cmake(prefix, cmake, cc, client, work, libdir):
    source, build = work / "source", work / "build"
    source.mkdir()
    (source / "CMakeLists.txt").write_text(CMAKE_LISTS.format(client=client))
    run(cmake, "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DCMAKE_C_COMPILER={cc}")
    run(cmake, "--build", build)
    check_client(build / "client_shared", libdir, True)
    check_client(build / "client_static", libdir, False)


def main():
    cmake, build_dir, cc, client, guest = sys.argv[1:]
    if not shutil.which("pkg-config"):
        print("skipped: no pkg-config")
        sys.exit(SKIP)
    with tempfile.TemporaryDirectory() as directory:
        prefix, work = pathlib.Path(directory) / "prefix", pathlib.Path(directory) / "work"
        work.mkdir()
        run(cmake, "--install", build_dir, "--prefix", prefix)
        stray = [path for path in prefix.rglob("libhsakmt.*")
                 if path.parent.name != "kfdscope" and path.suffix != ".pc"]
        if stray:
            sys.exit(f"would overwrite the system's library: {stray}")
        pc_dir = next(prefix.rglob("libhsakmt.pc")).parent
        libdir = by_pkgconfig(prefix, pc_dir, cc, client, work)
        by_cmake(prefix, cmake, cc, client, work, libdir)
        as_guest(pc_dir, cc, guest, work, libdir)


if __name__ == "__main__":
    main()
