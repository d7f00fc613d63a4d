# SPDX-License-Identifier: MIT
"""Runs data-driven analyses as far as ours go: state providers, call stacks, one-state patterns.

The result of an analysis is {path: [(time, value), …]}, of a view the set of paths that have a row.
"""
import fnmatch
import re
import subprocess
import xml.etree.ElementTree as ElementTree


def read_events(directory):
    """Events of a trace as dictionaries, with context fields named as in the viewer."""
    done = subprocess.run(["babeltrace2", "--clock-cycles", directory], capture_output=True,
                          text=True, check=True)
    assert not done.stderr, done.stderr
    events = []
    for line in done.stdout.splitlines():
        head = re.match(r"\[(\d+)\] \([^)]*\) (?:\S+ )?(\S+:\S+): \{ cpu_id = \d+ \}, "
                        r"\{ ([^}]*) \}, \{ (.*) \}$", line)
        assert head, line
        time, name, context, payload = head.groups()
        fields = {"event": name, "time": int(time)}
        for prefix, text in (("context._", context), ("", payload)):
            for key, quoted, number in re.findall(r'(\w+) = (?:"([^"]*)"|(-?\d+))', text):
                fields[prefix + key] = int(number) if number else quoted
        events.append(fields)
    return events


def _value(node, event, defined):
    kind, value = node.get("type"), node.get("value")
    if kind == "null":
        return None
    if kind == "eventField":
        assert value in event, f"{event['event']} has no field {value}"
        return event[value]
    if kind == "eventName":
        return event["event"]
    if kind in ("int", "long"):
        return int(value)
    assert kind == "string", kind
    return defined[value[1:]] if value.startswith("$") else value


def _apply(change, event, defined, states):
    condition = change.find("if/condition")
    if condition is not None:
        field = event[condition.find("field").get("name")]
        assert condition.get("operator", "eq") == "eq"
        holds = field == _value(condition.find("stateValue"), event, defined)
        branch = change.find("then" if holds else "else")
        if branch is not None:
            _apply(branch, event, defined, states)
        return
    path = []
    for attribute in change.findall("stateAttribute"):
        assert attribute.get("type") in ("constant", "eventField")
        value = attribute.get("value")
        path.append(value if attribute.get("type") == "constant" else str(event[value]))
    node = change.find("stateValue")
    history = states.setdefault("/".join(path), [])
    if node.get("stack") == "push":
        history.append((event["time"], (history[-1][1] if history else ()) +
                        (_value(node, event, defined),)))
    elif node.get("stack") == "pop":
        assert history and history[-1][1], f"{path}: nothing to pop"
        history.append((event["time"], history[-1][1][:-1]))
    else:
        history.append((event["time"], _value(node, event, defined)))


def run_provider(provider, events):
    defined = {d.get("name"): d.get("value") for d in provider.findall("definedValue")}
    states = {}
    for event in events:
        for handler in provider.findall("eventHandler"):
            if fnmatch.fnmatchcase(event["event"], handler.get("eventName")):
                for change in handler.findall("stateChange"):
                    _apply(change, event, defined, states)
    return states


def run_pattern(pattern, events):
    """Segments (name, begin, duration, content) of a pattern with one state and one transition."""
    handler = pattern.find("patternHandler")
    transition, = handler.findall("fsm/state/transition")
    action, = (a for a in handler.findall("action") if a.get("id") == transition.get("action"))
    segment = action.find("segment")
    result = []
    for event in events:
        if fnmatch.fnmatchcase(event["event"], transition.get("event")):
            content = {f.get("name"): _value(f.find("stateValue"), event, {})
                       for f in segment.findall("segContent/segField")}
            result.append((_value(segment.find("segType/segName/stateValue"), event, {}),
                           _value(segment.find("segTime/begin"), event, {}),
                           _value(segment.find("segTime/duration"), event, {}), content))
    return result


def rows(view, states):
    """The paths that a time graph or XY view draws."""
    def below(entry, prefix):
        pattern = prefix + entry.get("path")
        inner = entry.findall("entry")
        if inner:
            return {path for child in inner for path in below(child, pattern + "/")}
        depth = pattern.count("/")
        return {path for path in states
                if path.count("/") == depth and fnmatch.fnmatchcase(path, pattern)}

    return {path for entry in view.findall("entry") for path in below(entry, "")}


def load(path):
    return ElementTree.parse(path).getroot()
