#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs guests of libhsakmt_virtio against kfdscope-virtio-host on the simulated KFD."""
import json
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(__file__))
import hostile  # noqa: E402: beside this file

BUILD = os.environ["KFDSCOPE_BUILD_DIR"]
PRELOAD = os.path.join(BUILD, "lib", "libkfdscope-model-preload.so")
FACTS = os.path.join(os.path.dirname(__file__), "..", "..", "data", "virtio_proto.json")
with open(FACTS, encoding="utf-8") as facts:
    FACT_ROWS = sum(len(command.get("subs", [None]))
                    for command in json.load(facts)["commands"].values())


def program(name):
    return os.path.join(BUILD, "bin", name)


# A sanitized object cannot be preloaded: the plug-in stands in, without libdrm, and addresses are
# taken where the thread sanitizer leaves some.
SANITIZED = "KFDSCOPE_TEST_SANITIZED" in os.environ


def simulated(topology="gfx90a"):
    """The environment of a process on the simulated KFD, at libc's border: secondary contexts."""
    tree = os.path.join(BUILD, "share", "kfdscope", "topologies", topology)
    if SANITIZED:
        return {"HSA_MODEL_LIB": os.path.join(BUILD, "lib", "kfdscope-model.so"),
                "HSA_MODEL_TOPOLOGY": tree,
                "VHSA_VAMGR_VM_BASE_ADDR": "0x7e8000000000",
                "VHSA_VAMGR_VM_KFD_SIZE": str(8 << 30),
                "VHSA_VAMGR_VM_SCRATCH_SIZE": str(4 << 30)}
    return {"LD_PRELOAD": PRELOAD, "KFDSCOPE_MODEL_TOPOLOGY": tree}


# Guests on secondary contexts cannot register memory.
SECONDARY = {"KFDSCOPE_TEST_SECONDARY": "1"}


class Host:
    """A host process, from when it is ready until it has ended."""

    def __init__(self, folder, *options, topology="gfx90a", env=None, prefix=()):
        self.socket = os.path.join(folder, "socket")
        self.process = subprocess.Popen(
            [*prefix, program("kfdscope-virtio-host"), *options, self.socket],
            env={**os.environ, **simulated(topology), **(env or {})}, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        if self.process.stdout.readline() != "ready\n":
            raise RuntimeError(self.process.communicate()[1])

    def guest_env(self, **more):
        return {**os.environ, "KFDSCOPE_VIRTIO_SOCKET": self.socket, **more}

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        _, errors = self.process.communicate(timeout=30)
        return self.process.returncode, errors


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def host(self, *options, **more):
        host = Host(self.folder, *options, **more)
        self.addCleanup(host.stop)
        return host

    def check_calls(self, host, **env):
        done = subprocess.run([program("virtio_guest_calls")], env=host.guest_env(**env),
                              stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def check_commands(self, host, **env):
        """Every command of the facts is sent and answered, or refused where it is too new."""
        done = subprocess.run([program("virtio_commands")], env=host.guest_env(**env),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=120)
        rows = done.stdout.splitlines()
        self.assertEqual([row for row in rows if not row.startswith("ok ")], [], done.stderr)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(len(rows), FACT_ROWS)

    def check_walk(self, host, **env):
        """The thunk's own cases through the guest's calls, but for a list of differences."""
        done = subprocess.run([program("virtio_walk")],
                              env=host.guest_env(WALK_GUEST_DIFFERENCES="1", **env),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=120)
        wrong = [line for line in done.stdout.splitlines()
                 if "expected" in line or line.startswith("FAILED") or "died" in line]
        self.assertEqual((done.returncode, wrong, done.stderr), (0, [], ""))
        count = int(re.search(r"(\d+) differences", done.stdout).group(1))
        used = {int(row) for row in re.findall(r"  difference (\d+)", done.stdout)}
        self.assertEqual(used, set(range(count)), "differences that there are no more")

    def check_ends_well(self, host):
        self.assertEqual(host.stop(), (0, ""))


class Guests(Case):
    def test_every_call_works_in_the_newer_revision(self):
        host = self.host()
        self.check_calls(host)
        self.check_ends_well(host)

    def test_every_call_works_in_the_older_revision(self):
        host = self.host()
        self.check_calls(host, KFDSCOPE_VIRTIO_REVISION="1")
        self.check_ends_well(host)

    def test_every_command_is_answered_in_each_revision(self):
        for options, env in ((), {}), (("--secondary",), SECONDARY), (("--primary",), {}):
            host = self.host(*options)
            for revision in "12":
                with self.subTest(options=options, revision=revision):
                    self.check_commands(host, KFDSCOPE_VIRTIO_REVISION=revision, **env)
            self.check_ends_well(host)

    def test_the_thunks_cases_hold_for_guests(self):
        host = self.host("--primary")
        self.check_walk(host)
        self.check_ends_well(host)

    def test_guests_of_both_revisions_share_a_host(self):
        host = self.host()
        guests = [subprocess.Popen([program("virtio_guest_calls")],
                                   env=host.guest_env(KFDSCOPE_VIRTIO_REVISION=revision),
                                   stderr=subprocess.PIPE, text=True) for revision in "1212"]
        for guest in guests:
            errors = guest.communicate(timeout=90)[1]
            self.assertEqual((guest.returncode, errors), (0, ""))
        self.check_ends_well(host)

    def test_other_machines_work_too(self):
        for topology in ("gfx1100", "gfx942x8"):
            host = self.host(topology=topology)
            self.check_calls(host)
            self.check_ends_well(host)

    def test_a_host_without_secondary_contexts_works(self):
        host = self.host("--primary")
        self.check_calls(host)
        self.check_ends_well(host)

    def check_isolation(self, *options, **env):
        host = self.host(*options)
        twins = [subprocess.Popen([program("virtio_guest_twin"), mark], env=host.guest_env(**env),
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True) for mark in "AB"]
        for twin in twins:
            self.addCleanup(twin.communicate)
        places = [twin.stdout.readline() for twin in twins]
        self.assertNotEqual(*places)
        for twin, place in zip(twins, reversed(places)):
            twin.stdin.write(place)
            twin.stdin.flush()
            self.assertEqual(twin.stdout.readline(), "tried\n")
        for twin in twins:
            twin.stdin.write("0 0 0 0 0\n")
            twin.stdin.flush()
            errors = twin.communicate(timeout=30)[1]
            self.assertEqual((twin.returncode, errors), (0, ""))
        self.check_ends_well(host)

    def test_two_guests_do_not_reach_each_other(self):
        self.check_isolation("--secondary", **SECONDARY)

    def test_two_guests_on_one_context_do_not_reach_each_other(self):
        self.check_isolation("--primary")

    def test_a_guest_that_dies_leaves_the_host_to_others(self):
        host = self.host()
        twin = subprocess.Popen([program("virtio_guest_twin"), "C"], env=host.guest_env(),
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(twin.communicate)
        twin.stdout.readline()
        twin.kill()
        twin.wait()
        self.check_calls(host)
        self.check_ends_well(host)

    def test_without_a_host_the_open_fails_and_says_so_if_asked(self):
        env = {**os.environ, "KFDSCOPE_VIRTIO_SOCKET": os.path.join(self.folder, "nobody")}
        for level, message in (("", ""), ("3", "cannot reach a virtio host at "
                                               f"'{self.folder}/nobody': No such file or "
                                               "directory\n")):
            done = subprocess.run([program("virtio_guest_leak")],
                                  env={**env, "VHSAKMT_DEBUG_LEVEL": level}, timeout=30,
                                  stderr=subprocess.PIPE, text=True)
            self.assertEqual((done.returncode, done.stderr), (1, message))

    def test_the_hosts_addresses_can_be_chosen(self):
        host = self.host(env={"VHSA_VAMGR_VM_BASE_ADDR": "0x680000000000",
                              "VHSA_VAMGR_VM_KFD_SIZE": str(8 << 30),
                              "VHSA_VAMGR_VM_SCRATCH_SIZE": str(4 << 30)})
        twin = subprocess.Popen([program("virtio_guest_twin"), "E"], env=host.guest_env(),
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(twin.communicate)
        memory = int(twin.stdout.readline().split()[0], 16)
        self.assertTrue(0 <= memory - 0x680000000000 < 8 << 30)
        self.check_calls(host)

    def test_addresses_that_no_program_has_are_refused(self):
        for base, size in ((0x7FFFC0000000, 8 << 30), (0x700000000000, 0x7FFFC0000000)):
            done = subprocess.run([program("kfdscope-virtio-host"),
                                   os.path.join(self.folder, "s")], timeout=30,
                                  env={**os.environ, **simulated(),
                                       "VHSA_VAMGR_VM_BASE_ADDR": hex(base),
                                       "VHSA_VAMGR_VM_KFD_SIZE": str(size)},
                                  stderr=subprocess.PIPE, text=True)
            self.assertEqual((done.returncode, done.stderr),
                             (2, "kfdscope-virtio-host: the addresses of the VHSA_VAMGR_VM "
                                 "variables end above what programs have\n"))

    def test_addresses_that_cannot_be_are_refused(self):
        for name, value in (("VHSA_VAMGR_VM_KFD_SIZE", "8G"), ("VHSA_VAMGR_VM_KFD_SIZE", "-1"),
                            ("VHSA_VAMGR_VM_BASE_ADDR", "0x1000"),
                            ("VHSA_VAMGR_VM_TYPE", "negotiated")):
            done = subprocess.run([program("kfdscope-virtio-host"),
                                   os.path.join(self.folder, "s")], timeout=30,
                                  env={**os.environ, **simulated(), name: value},
                                  stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, f"^kfdscope-virtio-host: {name} is '{value}': .+\n$")


class Threads(Case):
    """Several threads, and several guests."""

    def check_threads(self, host, *environments):
        guests = [subprocess.Popen([program("virtio_guest_threads")], env=host.guest_env(**env),
                                   stderr=subprocess.PIPE, text=True) for env in environments]
        for guest in guests:
            errors = guest.communicate(timeout=120)[1]
            self.assertEqual((guest.returncode, errors), (0, ""))

    def test_threads_and_children_have_their_own_answers(self):
        for options, env in ((), {}), (("--secondary",), SECONDARY), (("--primary",), {}):
            if SANITIZED and env:  # models have no secondary contexts
                continue
            host = self.host(*options)
            self.check_threads(host, env)
            self.check_threads(host, env, {"KFDSCOPE_VIRTIO_REVISION": "1", **env})
            if not SANITIZED:
                self.check_threads(host, env, {**RenderNode.node_env(self), **env})
            self.check_ends_well(host)


class Pair(Case):
    """A host that starts its guest by itself."""

    def run_pair(self, *arguments, **env):
        return subprocess.run([program("kfdscope-virtio-host"), *arguments], timeout=60,
                              env={**os.environ, **simulated(), "TMPDIR": self.folder, **env},
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def check_result(self, done, status, errors="", left=()):
        self.assertEqual((done.returncode, done.stderr), (status, errors))
        self.assertEqual(os.listdir(self.folder), list(left))

    def test_the_guest_runs_and_gives_the_status(self):
        self.check_result(self.run_pair("--", program("virtio_guest_calls")), 0)
        self.check_result(self.run_pair("--primary", "--", program("virtio_guest_calls")), 0)
        path = os.path.join(self.folder, "named")
        self.check_result(self.run_pair(path, "--", program("virtio_guest_calls")), 0)
        done = self.run_pair("--", "sh", "-c", "echo $KFDSCOPE_VIRTIO_SOCKET; exit 7", "--")
        self.check_result(done, 7)
        self.assertRegex(done.stdout, f"^{self.folder}/kfdscope-virtio-......./?socket\n$|"
                                      f"^{self.folder}/kfdscope-virtio-....../socket\n$")
        self.check_result(self.run_pair("--", "sh", "-c", "kill -9 $$"), 137)

    def test_what_cannot_run_is_told(self):
        self.check_result(self.run_pair("--", "/nowhere/guest"), 127,
                          "kfdscope-virtio-host: cannot start '/nowhere/guest': "
                          "No such file or directory\n")
        for wrong in ((), ("--",), ("a", "b"), ("a", "b", "--", "c"), ("--unknown", "a")):
            self.assertEqual(self.run_pair(*wrong).returncode, 2)

    def test_a_host_that_is_told_to_end_ends_its_guest(self):
        host = subprocess.Popen([program("kfdscope-virtio-host"), "--", "sh", "-c",
                                 "echo $$; exec sleep 600"], stdout=subprocess.PIPE, text=True,
                                env={**os.environ, **simulated(), "TMPDIR": self.folder})
        self.addCleanup(host.communicate)
        guest = int(host.stdout.readline())
        host.send_signal(signal.SIGTERM)
        self.assertEqual(host.wait(timeout=30), 128 + signal.SIGTERM)
        self.assertFalse(os.path.exists(f"/proc/{guest}"))
        self.assertEqual(os.listdir(self.folder), [])


class RenderNode(Case):
    """The real transport, on a virtio-gpu that the preload object simulates in the guest."""

    def node_env(self):
        return {"LD_PRELOAD": PRELOAD, "KFDSCOPE_VIRTIO_TRANSPORT": "drm",
                "KFDSCOPE_PRELOAD_ONLY": "virtio-gpu"}

    def test_every_call_works_over_a_render_node(self):
        host = self.host()
        self.check_calls(host, **self.node_env())
        self.check_ends_well(host)

    def test_the_older_revision_works_too(self):
        host = self.host()
        self.check_calls(host, KFDSCOPE_VIRTIO_REVISION="1", **self.node_env())
        self.check_ends_well(host)

    def test_every_command_is_answered_in_each_revision(self):
        host = self.host("--primary")
        for revision in "12":
            with self.subTest(revision=revision):
                self.check_commands(host, KFDSCOPE_VIRTIO_REVISION=revision, **self.node_env())
        self.check_ends_well(host)

    def test_the_thunks_cases_hold_for_guests(self):
        host = self.host("--primary")
        self.check_walk(host, **self.node_env())
        self.check_ends_well(host)

    def test_without_the_node_the_open_fails(self):
        host = self.host()
        env = host.guest_env(KFDSCOPE_VIRTIO_TRANSPORT="drm")
        self.assertEqual(subprocess.run([program("virtio_guest_leak")], env=env,
                                        timeout=30).returncode, 1)


class Hostile(Case):
    """Guests that keep to no rule, and what becomes of the others."""

    def use_of(self, host):
        """What the host process holds: descriptors, and mappings that a guest has caused."""
        proc = f"/proc/{host.process.pid}"
        with open(f"{proc}/maps", encoding="utf-8") as maps:
            mapped = sum("hostile" in line or "kfdscope-virtio" in line for line in maps)
        return len(os.listdir(f"{proc}/fd")), mapped

    def use_at_rest(self, host):
        """The same when the last guest is gone, for which it has a moment."""
        uses = [None, ()]
        while uses[-1] != uses[-2]:
            time.sleep(0.3)
            uses.append(self.use_of(host))
        return uses[-1]

    def settle(self, host, allowed):
        """Guests are given up by threads of their own: waits until no more than that is left."""
        for _ in range(400):
            use = self.use_of(host)
            if use[0] <= allowed[0] and use[1] <= allowed[1]:
                return
            time.sleep(0.05)
        self.fail(f"{use} are left, {allowed} were there before")

    def test_garbage_is_answered_with_an_error_or_the_end(self):
        for options in ((), ("--primary",)):
            host = self.host(*options)
            self.check_calls(host)
            before = self.use_at_rest(host)
            ended = sum(hostile.misbehave(host.socket, seed) for seed in range(6))
            self.assertGreater(ended, 0)
            self.check_calls(host)
            self.settle(host, before)
            self.check_ends_well(host)

    def test_a_malformed_command_fails_and_the_next_one_works(self):
        host = self.host()
        guest = hostile.Guest(host.socket)
        self.assertEqual(guest.begin(), [0, 0, 0])
        nop = struct.pack("<4I", 1, 16, 7, 0)
        self.assertEqual(guest.submit(nop), 0)
        self.assertEqual(struct.unpack("<I", guest.shmem[:4])[0], 7)
        for stream in (nop[:8], struct.pack("<4I", 1, 12, 8, 0), struct.pack("<4I", 1, 24, 8, 0),
                       struct.pack("<4I", 1, 16, 8, 4), struct.pack("<4I", 0, 16, 8, 0),
                       struct.pack("<4I", 7, 16, 8, 0), struct.pack("<4I", 2, 16, 8, 1 << 31)):
            self.assertLess(guest.submit(stream), 0)
        self.assertEqual(guest.submit(nop), 0)
        guest.close()
        self.check_ends_well(host)

    def test_who_does_not_listen_does_not_keep_the_host(self):
        host = self.host()
        guest = hostile.Guest(host.socket)
        self.addCleanup(guest.close)
        guest.socket.setblocking(False)
        packet = hostile.REQUEST.pack(hostile.GET_CAPS, 1, 0, 0, 0, 0, 0, 0, 0, 8, 64)
        with self.assertRaises(hostile.Gone):
            for _ in range(100000):
                guest.send(packet)
        self.check_calls(host)
        self.check_ends_well(host)

    def kill_in_midst(self, host, env):
        """Ends a guest at some place of its calls."""
        guest = subprocess.Popen([program("virtio_commands")], env=env,
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for _ in range(random.randrange(40)):
            guest.stdout.readline()
        guest.kill()
        guest.communicate()

    def test_guests_that_are_killed_leave_nothing(self):
        host = self.host()
        self.check_calls(host)
        before = self.use_at_rest(host)
        for _ in range(15):
            self.kill_in_midst(host, host.guest_env())
        self.settle(host, before)
        self.check_calls(host)
        self.check_ends_well(host)

    def test_a_host_that_is_killed_makes_calls_fail(self):
        for env in ({},) if SANITIZED else ({}, RenderNode.node_env(self)):
            host = self.host()
            twin = subprocess.Popen([program("virtio_guest_twin"), "D"],
                                    env=host.guest_env(**env), stdin=subprocess.PIPE,
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.assertNotEqual(twin.stdout.readline(), "")
            host.process.kill()
            host.process.wait()
            twin.communicate("0 0 0 0 0\n0 0 0 0 0\n", timeout=60)
            self.assertEqual(twin.returncode, 3) # its calls failed, and it went on


class Recording(Case):
    """Both sides in one recording: calls joined by guest and sequence number."""

    def setUp(self):
        super().setUp()
        self.trace = os.path.join(self.folder, "trace")
        script = os.path.join(self.folder, "pair.sh")
        with open(script, "w", encoding="utf-8") as stream:
            stream.write(f"""#!/bin/sh
LD_PRELOAD="$LD_PRELOAD:{PRELOAD}" {program("kfdscope-virtio-host")} --guests=1 "$1" >"$1.out" &
host=$!
until grep -q ready "$1.out"; do sleep 0.05; done
KFDSCOPE_VIRTIO_SOCKET="$1" {program("virtio_guest_leak")} || exit 1
wait $host
""")
        os.chmod(script, 0o755)
        env = {**os.environ, "LTTNG_HOME": self.folder,
               "KFDSCOPE_MODEL_TOPOLOGY": simulated()["KFDSCOPE_MODEL_TOPOLOGY"]}
        done = subprocess.run([program("kfdscope"), "record", "-o", self.trace, "--", script,
                               os.path.join(self.folder, "s")], env=env, timeout=120,
                              stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def report(self, *arguments):
        done = subprocess.run([program("kfdscope"), *arguments, self.trace],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_one_command_records_host_and_guest(self):
        self.trace = os.path.join(self.folder, "pair")
        done = subprocess.run([program("kfdscope"), "record", "-o", self.trace, "--model", "--",
                               program("kfdscope-virtio-host"), "--",
                               program("virtio_guest_leak")], timeout=120,
                              env={**os.environ, "LTTNG_HOME": self.folder},
                              stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("forgetful_helper", self.report("leaks"))
        rows = json.loads(self.report("chains", "--json"))["commands"]
        self.assertEqual([row["unjoined"] for row in rows], [0] * 5)

    def test_what_is_left_at_the_close_is_a_leak_too(self):
        self.trace = os.path.join(self.folder, "example")
        done = subprocess.run([program("kfdscope"), "record", "-o", self.trace, "--model", "--",
                               program("kfdscope-virtio-host"), "--", program("virtio_guest")],
                              timeout=120, env={**os.environ, "LTTNG_HOME": self.folder},
                              stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.assertEqual((done.returncode, done.stdout),
                         (0, "virtio_guest: used 8 MiB of node 1, 2 MiB are left\n"), done.stderr)
        text = self.report("leaks")
        self.assertIn("2097152 bytes (2.0 MiB) in 2 blocks of device memory", text)
        self.assertIn("6291456 bytes (6.0 MiB) in 6 blocks were freed.", text)
        self.assertIn("app     take_memory", text)

    def test_host_and_guest_can_be_recorded_by_themselves(self):
        """Two recorders at once: neither waits for the other."""
        folders = [os.path.join(self.folder, name) for name in ("of_host", "of_guest")]
        env = {**os.environ, "LTTNG_HOME": self.folder}
        path = os.path.join(self.folder, "t")
        host = subprocess.Popen([program("kfdscope"), "record", "-o", folders[0], "--model", "--",
                                 program("kfdscope-virtio-host"), "--guests=1", path], env=env,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(host.communicate)
        self.assertEqual(host.stdout.readline(), "ready\n")
        guest = subprocess.run([program("kfdscope"), "record", "-o", folders[1], "--",
                                program("virtio_guest_leak")], timeout=60, stderr=subprocess.PIPE,
                               env={**env, "KFDSCOPE_VIRTIO_SOCKET": path}, text=True)
        self.assertEqual(guest.returncode, 0, guest.stderr)
        self.assertEqual(host.wait(timeout=60), 0)
        if os.geteuid() != 0:
            return  # each has its own programs only
        for self.trace in folders:  # each has all that ran meanwhile, since root has one daemon
            rows = json.loads(self.report("chains", "--json"))["commands"]
            self.assertEqual([row["unjoined"] for row in rows], [0] * 5)
            self.assertIn("forgetful_helper", self.report("leaks"))

    def test_a_leak_has_the_stack_of_the_guest(self):
        text = self.report("leaks")
        self.assertIn("3.00 MiB", text.replace("3.0 MiB", "3.00 MiB"))
        self.assertIn("forgetful_helper", text)

    def test_chains_show_the_four_parts(self):
        report = json.loads(self.report("chains", "--json"))
        rows = {row["function"]: row for row in report["commands"]}
        counts = {name: (row["calls"], row["commands"], row["unjoined"])
                  for name, row in rows.items()}
        self.assertEqual(counts, {
            "vhsaKmtOpenKFD": (1, 1, 0),  # the clocks; before, the guest has no name yet
            "vhsaKmtAllocMemory": (2, 4, 0),  # each allocates and makes a resource
            "vhsaKmtMapMemoryToGPU": (1, 1, 0),
            "vhsaKmtUnmapMemoryToGPU": (1, 1, 0),
            "vhsaKmtFreeMemory": (1, 1, 0)})  # closes the resource
        for row in rows.values():
            parts = [row[part] for part in ("guest_ns", "transport_ns", "host_ns", "kernel_ns")]
            self.assertGreaterEqual(min(parts), 0)
            self.assertEqual(sum(parts), row["total_ns"])
            self.assertTrue(0 <= row["outbound_ns"] <= row["transport_ns"], row)
        for name in ("vhsaKmtAllocMemory", "vhsaKmtMapMemoryToGPU", "vhsaKmtFreeMemory"):
            self.assertGreater(rows[name]["kernel_ns"], 0)
        # one and the same clock here: the pair that was recorded must come to about that
        self.assertGreater(sum(row["outbound_ns"] for row in rows.values()), 0)
        text = self.report("chains")
        for word in ("GUEST COMMANDS", "transport", "vhsaKmtMapMemoryToGPU"):
            self.assertIn(word, text)


if __name__ == "__main__":
    unittest.main()
