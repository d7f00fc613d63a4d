#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the README's pictures from the demo's recording, in headless Chromium.

    docs/pictures/make_pictures.py KFDSCOPE RECORDING

After ./demo: docs/pictures/make_pictures.py build/default/bin/kfdscope demo-output/leaking
"""
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tests/integration/report_page"))
import browser  # noqa: E402 (it lies beside the test of the page)

KFDSCOPE, RECORDING = sys.argv[1:]


def kfdscope(*words):
    subprocess.run([KFDSCOPE, *map(str, words)], check=True)


def outermost_calls(events):
    """Begin and end of all calls that are in no other."""
    open_calls = {}
    for event in events:
        track = (event.get("pid"), event.get("tid"))
        if event["ph"] == "B":
            open_calls.setdefault(track, []).append(event)
        elif event["ph"] == "E":
            begun = open_calls[track].pop()
            if not open_calls[track]:
                yield begun["ts"], event["ts"], begun


def take(page, picture, height=None):
    with browser.Browser() as chromium:
        chromium.open(page)
        if height is None:
            height = chromium.run("return Number(document.body.dataset.height)")
        # The window has a frame, which the picture has not.
        inner = chromium.run("return window.outerHeight - window.innerHeight")
        chromium.command("POST", "/window/rect", {"width": 1200, "height": int(height) + inner})
        chromium.screenshot(picture)
        if chromium.complaints():
            sys.exit(f"{page}: {chromium.complaints()}")


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    kfdscope("report", "-o", folder / "report.html", RECORDING)
    take(folder / "report.html", HERE / "report.png", 1000)

    kfdscope("timeline", "-o", folder / "timeline.json", RECORDING)
    events = json.loads((folder / "timeline.json").read_text())["traceEvents"]
    # The longest call of the program is the runtime's start: the picture shows what comes then.
    calls = [call for call in outermost_calls(events) if call[2]["cat"] == "hip"]
    begin = max(calls, key=lambda call: call[1] - call[0])[1]
    end = max(call[1] for call in calls)
    data = {"events": events, "begin": begin - (end - begin) * 0.02,
            "end": end + (end - begin) * 0.02}
    page = (HERE / "timeline.html").read_text().replace("TIMELINE", json.dumps(data), 1)
    (folder / "timeline.html").write_text(page.replace("</head>", ""))
    take(folder / "timeline.html", HERE / "timeline.png")
