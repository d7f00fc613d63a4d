# SPDX-License-Identifier: MIT
"""Recordings made with LTTng's own command, as kfdscope record would not make them."""
import os
import pathlib
import subprocess
import uuid

from case import CLIENTS, LIBRARIES


class Session:
    """A recording session; in a with statement it is started, then stopped and removed."""

    def __init__(self, folder, events=("kmt:*", "kfd:*", "kmt_state:*"),
                 contexts=("vpid", "vtid", "procname"), buffers=("--subbuf-size=1M",)):
        self.name = f"case-{uuid.uuid4().hex[:8]}"
        self.path = folder / self.name
        self.events, self.contexts, self.buffers = events, contexts, buffers
        self.running = False

    def lttng(self, *words):
        subprocess.run(["lttng", *words], check=True, stdout=subprocess.DEVNULL, timeout=60)

    def __enter__(self):
        self.lttng("create", self.name, "-o", str(self.path))
        self.lttng("enable-channel", "-u", "-s", self.name, *self.buffers, "c")
        for event in self.events:
            self.lttng("enable-event", "-u", "-s", self.name, "-c", "c", event)
        for context in self.contexts:
            self.lttng("add-context", "-u", "-s", self.name, "-c", "c", "-t", context)
        self.lttng("start", self.name)
        self.running = True
        return self

    def stop(self):
        if self.running:
            self.lttng("stop", self.name)
            self.lttng("destroy", self.name)
        self.running = False

    def __exit__(self, *_):
        self.stop()


def daemon_pid():
    """Of this test's own session daemon (private-lttng.sh)."""
    folder = "/run/lttng" if os.geteuid() == 0 else f"{os.environ['LTTNG_HOME']}/.lttng"
    return int((pathlib.Path(folder) / "lttng-sessiond.pid").read_text())


def client_env(case):
    """Of a client whose calls are recorded by whatever session there is."""
    return {**os.environ, **case.model_env(),
            "KFDSCOPE_PROVIDER": str(LIBRARIES / "libkfdscope-tracepoints.so")}


def start_client(case, name, *arguments):
    """A client that talks with the test over its standard input and output."""
    process = subprocess.Popen([str(CLIENTS / name), *map(str, arguments)], env=client_env(case),
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    case.addCleanup(process.wait, 30)
    case.addCleanup(process.stdin.close)
    case.addCleanup(process.stdout.close)
    return process
