# SPDX-License-Identifier: MIT
"""One machine: a session that is sent to a relay daemon, and a client that waits for its cue.

    host.py SESSION CONTROL_PORT DATA_PORT TAKEN LEFT

Prints "ready" when it records; a line on standard input lets the client run, then it prints "done".
A second line ends the session.
"""
import os
import subprocess
import sys

session, control, data, taken, left = sys.argv[1:]


def lttng(*words):
    subprocess.run(["lttng", *words], check=True, stdout=subprocess.DEVNULL)


lttng("create", session, "--live=100000", "--set-url", f"net://127.0.0.1:{control}:{data}")
for event in ("kmt:*", "kfd:*", "kmt_os:*", "kmt_state:*"):
    lttng("enable-event", "-u", "-s", session, event)
lttng("add-context", "-u", "-s", session, "-t", "vpid", "-t", "vtid", "-t", "procname")
lttng("start", session)
# The client's trace provider registers when its libraries are loaded: nothing is missed.
client = subprocess.Popen([os.environ["CLIENT"], taken, left], stdin=subprocess.PIPE)
print("ready", flush=True)
sys.stdin.readline()
client.communicate(b"\n")
print("done", flush=True)
sys.stdin.readline()
lttng("stop", session)
lttng("destroy", session)
sys.exit(client.returncode)
