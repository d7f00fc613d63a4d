# SPDX-License-Identifier: MIT
"""When running programs have told a recording that starts what they hold.

They do so in threads of their own, and what they tell is in no file before the recording stops.
"""
import contextlib
import subprocess

WAIT_S = 60  # a hang, not a measurement


@contextlib.contextmanager
def dumps_awaited(folder, children):
    """Starts the recording in its body, and ends when each of the children has told its state.

    folder is where the program await_dumps lies."""
    with subprocess.Popen([f"{folder}/await_dumps", *(str(child.pid) for child in children)],
                          stdout=subprocess.PIPE, text=True) as listener:
        try:
            if listener.stdout.readline() != "ready\n":
                raise RuntimeError("the session daemon does not tell of events")
            yield
            if listener.wait(WAIT_S) != 0:
                raise RuntimeError("the session daemon has gone")
        finally:
            listener.kill()
