# SPDX-License-Identifier: MIT
"""events.md for people and events.json for decoders."""
import json

from .events import SCHEMA


def describe_field(one):
    info = {"name": one.name, "kind": one.kind, "role": one.role, "size": one.size}
    if one.base == "hex":
        info["base"] = 16
    if one.ctype.startswith("int"):
        info["signed"] = True
    if one.enum:
        info["enum"] = one.enum
    if one.kind in ("sequence", "array", "string"):
        info["cap"] = one.cap
    return info


def emit_json(model):
    events = [{"name": e.full, "provider": e.provider, "role": e.role,
               "call": e.source.name if e.source else e.name.rsplit("_", 1)[0]
               if e.role != "point" else e.name,
               "largest": e.largest(), "fields": [describe_field(f) for f in e.shape.fields]}
              for e in model.events]
    enums = {name: constants for name, (_, constants) in model.types.enums.items()}
    return json.dumps({"schema": {"major": SCHEMA[0], "minor": SCHEMA[1],
                                  "hash": f"{model.schema_hash():#018x}"},
                       "enums": enums, "events": events}, indent=1) + "\n"


def field_text(one):
    what = {"integer": f"{'i' if one.ctype.startswith('int') else 'u'}{one.size * 8}",
            "float": "float", "enum": f"enum {one.enum}", "sequence": f"up to {one.cap} × u{one.size * 8}",
            "array": f"{one.cap} × u{one.size * 8}", "string": f"text, < {one.cap} bytes"}[one.kind]
    return f"| `{one.name}` | {what} | {one.role} |"


def emit_markdown(model):
    out = ["# Events", "", "Generated from `trace/*.def`. Roles: `valid` says whether the fields "
           "named like it apply; `bit` is a decoded part of the `flags` word before it; `count` "
           "is the length the caller gave, `truncated` says that the recorded array is shorter; "
           "`stack` holds return addresses, innermost first.", "",
           f"Schema {SCHEMA[0]}.{SCHEMA[1]}. No record is larger than 4 KiB."]
    provider = None
    for event in model.events:
        if event.provider != provider:
            provider = event.provider
            out += ["", f"## {provider}"]
        out += ["", f"### {event.full}", "", f"At most {event.largest()} bytes.", "",
                "| field | type | role |", "|---|---|---|"]
        out += [field_text(one) for one in event.shape.fields if one.role != "bit"]
        bits = [f"`{one.name}`" for one in event.shape.fields if one.role == "bit"]
        if bits:
            out += ["", "Decoded bits: " + ", ".join(bits) + "."]
    return "\n".join(out) + "\n"
