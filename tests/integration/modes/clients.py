# SPDX-License-Identifier: MIT
"""Clients that run while a test does things to their recording."""
import json
import os
import select
import signal
import subprocess

from case import CLIENTS, KFDSCOPE, LIBRARIES, Case, main  # noqa: F401

MIB = 1 << 20


class Talk:
    """A process that is told lines on its standard input and answers each."""

    def __init__(self, case, command, env):
        self.process = subprocess.Popen([str(word) for word in command], env=env, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        case.addCleanup(self.close)
        case.assertEqual(self.answer(), "ready")

    def answer(self):
        ready, _, _ = select.select([self.process.stdout], [], [], 20)
        if not ready:
            raise AssertionError("the client does not answer")
        return self.process.stdout.readline().rstrip("\n")

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.answer()

    def finish(self):
        """Ends the input. @return the status and what it said last."""
        self.process.stdin.close()
        rest = self.process.stdout.read()
        return self.process.wait(30), rest

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(30)
        for stream in (self.process.stdin, self.process.stdout):
            stream.close()


class Modes(Case):
    def env(self, scenario=None, provider="1", **more):
        """Of a client on the model that is not started by a recorder."""
        env = {**os.environ, **self.model_env(), **more}
        if provider:
            env["KFDSCOPE_PROVIDER"] = provider
        if scenario is not None:
            file = self.folder / "scenario.json"
            file.write_text(json.dumps(scenario))
            env["KFDSCOPE_MODEL_SCENARIO"] = str(file)
        return env

    def start_command(self, command, **more):
        return Talk(self, command, self.env(**more))

    def start(self, name="holder", **more):
        return self.start_command([CLIENTS / name], **more)

    def left(self, path):
        """Blocks and bytes that a leak report finds."""
        left = self.report("leaks", path)["left"]
        return left["blocks"], left["bytes"]

    def left_of_each(self, path):
        """The bytes left by process number."""
        left = {}
        for group in self.report("leaks", path)["groups"]:
            left[group["vpid"]] = left.get(group["vpid"], 0) + group["bytes"]
        return left


class Recorder:
    """kfdscope in the background; its messages go to a file."""

    def __init__(self, case, *words, env=None, prefix=()):
        self.case = case
        self.log = case.folder / f"recorder-{id(self)}"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen([*prefix, KFDSCOPE, *map(str, words)], env=env,
                                            stderr=log)
        case.addCleanup(self.close)

    def messages(self):
        return self.log.read_text()

    def wait_for(self, text, seconds=20):
        """Until the recorder says something."""
        waiting = ["timeout", str(seconds), "sh", "-c",
                   'until grep -q -- "$1" "$2"; do sleep 0.02; done', "sh", text, str(self.log)]
        done = subprocess.run(waiting, check=False)
        self.case.assertEqual(done.returncode, 0, f"no '{text}' in: {self.messages()}")

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)
        return self.wait()

    def wait(self, seconds=30):
        return self.process.wait(seconds)

    def close(self):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait(30)
