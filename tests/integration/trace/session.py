# SPDX-License-Identifier: MIT
"""A recording session for tests, driven through the lttng command, and its events."""
import os
import shutil
import subprocess
import tempfile
import uuid

from recorded_events import named, read_with_warnings  # noqa: F401

BIN, LIB, PROVIDER = (os.environ[n] for n in ("TRACED_BIN", "TRACED_LIB", "PROVIDER"))
EVENTS = ("kmt:*", "kfd:*", "kmt_os:*", "kmt_state:*")


class Session:
    """with Session() as session: session.run([...]); session.events()"""

    def __init__(self, start=True):
        self.name = f"kfdscope-test-{uuid.uuid4().hex[:12]}"
        self.folder = tempfile.mkdtemp()
        self.is_started = self.is_stopped = False
        self.start_at_once = start
        self.warnings = ""

    def __enter__(self):
        if self.start_at_once:
            self.start()
        return self

    def __exit__(self, *unused):
        self.stop()
        shutil.rmtree(self.folder)

    def lttng(self, *arguments):
        subprocess.run(["lttng", *arguments], check=True, stdout=subprocess.DEVNULL)

    def start(self):
        self.lttng("create", self.name, "-o", f"{self.folder}/trace")
        self.lttng("enable-channel", "-u", "-s", self.name, "--subbuf-size=1M", "c")
        for event in EVENTS:
            self.lttng("enable-event", "-u", "-s", self.name, "-c", "c", event)
        self.lttng("add-context", "-u", "-s", self.name, "-c", "c", "-t", "vpid", "-t", "vtid",
                   "-t", "procname")
        self.lttng("start", self.name)
        self.is_started = True

    def stop(self):
        if self.is_started and not self.is_stopped:
            self.is_stopped = True
            self.lttng("stop", self.name)
            self.lttng("destroy", self.name)

    def environment(self, **more):
        environment = dict(os.environ, KFDSCOPE_PROVIDER=PROVIDER,
                           KFDSCOPE_STATUS=f"{self.folder}/status")
        environment.update(more)
        return {name: value for name, value in environment.items() if value is not None}

    def run(self, command, timeout=60, **environment):
        return subprocess.run(command, env=self.environment(**environment), timeout=timeout,
                              capture_output=True, text=True, check=False)

    def popen(self, command, **environment):
        return subprocess.Popen(command, env=self.environment(**environment), text=True,
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def status(self):
        try:
            with open(f"{self.folder}/status", encoding="utf-8") as stream:
                return stream.read()
        except FileNotFoundError:
            return ""

    def events(self):
        self.stop()
        if not any(files for _, _, files in os.walk(f"{self.folder}/trace")):
            return []
        events, self.warnings = read_with_warnings(f"{self.folder}/trace")
        return events


def program(name):
    return os.path.join(BIN, f"traced_{name}")


def pairs(events):
    """Entries of calls by (thread, provider, number) whose exits are missing, and the reverse."""
    entries, exits = set(), set()
    for event in events:
        provider, _, name = event.name.partition(":")
        call, _, role = name.rpartition("_")
        if role not in ("entry", "exit"):
            continue
        key = (event.vpid, event.vtid, provider == "kmt", call, event["call"])
        (entries if role == "entry" else exits).add(key)
    return entries - exits, exits - entries
