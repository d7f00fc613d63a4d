# SPDX-License-Identifier: MIT
"""A headless Chromium, driven through chromedriver's WebDriver protocol.

Only what the test of the page needs, so that no package beside the browser's own is wanted.
"""
import base64
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--disable-dev-shm-usage", "--window-size=1200,1600"]


def is_there():
    return bool(shutil.which("chromium") and shutil.which("chromedriver"))


class Browser:
    """One browser with a profile of its own; use it in a with statement."""

    def __enter__(self):
        self.profile = tempfile.mkdtemp(prefix="kfdscope-chromium-")
        self.log = pathlib.Path(self.profile, "driver.log")
        with self.log.open("w") as log:
            self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=log, stderr=log)
        self.session = None
        try:
            self.base = f"http://127.0.0.1:{self.wait_for_port()}"
            self.start_session()
        except BaseException:
            self.__exit__()
            raise
        return self

    def wait_for_port(self):
        for _ in range(300):
            found = re.search(r"started successfully on port (\d+)", self.log.read_text())
            if found:
                return int(found.group(1))
            if self.driver.poll() is not None:
                break
            time.sleep(0.1)
        raise RuntimeError(f"chromedriver does not start: {self.log.read_text()}")

    def start_session(self):
        options = {"args": FLAGS + [f"--user-data-dir={self.profile}"],
                   "binary": shutil.which("chromium")}
        answer = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL"}}}})
        self.session = answer["sessionId"]

    def __exit__(self, *_):
        if self.session:
            self.ask("DELETE", f"/session/{self.session}")
        self.driver.terminate()
        self.driver.wait(20)
        shutil.rmtree(self.profile, ignore_errors=True)

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, method=method,
                                         headers={"Content-Type": "application/json"})
        try:
            # The machine's proxy settings are not for the loopback.
            opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
            with opener.open(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from error

    def command(self, method, path, body=None):
        return self.ask(method, f"/session/{self.session}{path}", body)

    def open(self, path):
        self.command("POST", "/url", {"url": pathlib.Path(path).as_uri()})

    def run(self, script, *arguments):
        """Runs the body of a function in the page and returns its result."""
        return self.command("POST", "/execute/sync",
                            {"script": script, "args": list(arguments)})

    def find(self, selector):
        return self.command("POST", "/element", {"using": "css selector", "value": selector})

    def click(self, selector):
        element = next(iter(self.find(selector).values()))
        self.command("POST", f"/element/{element}/click", {})

    def press(self, selector, key):
        """Presses a key in an element that takes the focus."""
        element = next(iter(self.find(selector).values()))
        self.command("POST", f"/element/{element}/value", {"text": key})

    def size(self, width, height):
        self.command("POST", "/window/rect", {"width": width, "height": height})

    def drag(self, selector, begin, end):
        """Drags over an element from one share of its width to another, as a hand does."""
        self.run("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", selector)
        box = self.run("const r = document.querySelector(arguments[0]).getBoundingClientRect();"
                       "return [r.left, r.top, r.width, r.height]", selector)
        across = round(box[1] + box[3] / 2)
        moves = [{"type": "pointerMove", "duration": 50, "x": round(box[0] + box[2] * at),
                  "y": across} for at in (begin, (begin + end) / 2, end)]
        press, release = {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}
        self.command("POST", "/actions", {"actions": [{
            "type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"},
            "actions": [moves[0], press, moves[1], moves[2], release]}]})

    def complaints(self):
        """What the page and the browser logged as errors, network requests among them."""
        entries = self.command("POST", "/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries if entry["level"] == "SEVERE"]

    def screenshot(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self.command("GET", "/screenshot")))
