# SPDX-License-Identifier: MIT
"""The events of a recording, as babeltrace2 prints them."""
import re
import subprocess

LINE = re.compile(r"^\[(?P<time>\d+\.\d+)\] \S+ (?P<name>\w+:\w+): \{ [^}]* \}, "
                  r"\{ vpid = (?P<vpid>\d+), vtid = (?P<vtid>\d+), "
                  r"procname = \"(?P<procname>[^\"]*)\" \}, \{ ?(?P<fields>.*?) ?\}$")


class Event:
    def __init__(self, match):
        seconds, _, fraction = match["time"].partition(".")
        self.time_ns = int(seconds) * 10**9 + int(fraction)
        self.name = match["name"]
        self.vpid, self.vtid = int(match["vpid"]), int(match["vtid"])
        self.text = match["fields"]

    def __getitem__(self, field):
        """A number, a label of an enumeration, or a string."""
        found = re.search(rf'(?:^|, ){re.escape(field)} = (\( "(?P<label>\w+)" : [^)]*\)|'
                          r'(?P<number>-?(?:0x)?[0-9A-Fa-f]+)|"(?P<string>[^"]*)")', self.text)
        if not found:
            raise KeyError(f"{self.name} has no {field}: {self.text}")
        if found["label"]:
            return found["label"]
        return found["string"] if found["string"] is not None else int(found["number"], 0)

    def array(self, field):
        body = re.search(rf"(?:^|, ){re.escape(field)} = \[ ?((?:\[\d+\] = \S+ ?)*)\]", self.text)
        if not body:
            raise KeyError(f"{self.name} has no array {field}: {self.text}")
        return [int(v.rstrip(","), 0) for v in re.findall(r"\] = (\S+)", body[1])]


def read_with_warnings(path):
    """@return the events and what babeltrace2 warns of; raises when a line is none."""
    done = subprocess.run(["babeltrace2", "--clock-seconds", "--no-delta", path],
                          capture_output=True, text=True, check=True)
    events = []
    for line in done.stdout.splitlines():
        match = LINE.match(line)
        if not match:
            raise ValueError(f"not an event: {line}")
        events.append(Event(match))
    return events, done.stderr


def read_events(path):
    return read_with_warnings(path)[0]


def named(events, name):
    return [event for event in events if event.name == name]
