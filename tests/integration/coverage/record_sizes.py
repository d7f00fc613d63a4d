# SPDX-License-Identifier: MIT
"""How many bytes each record of a recording takes, read from the packets themselves.

Knows CTF 1.8 as LTTng's user-space tracer writes it on little-endian machines: whole bytes, no
alignment beyond them. A packet whose records do not end where its content ends raises.
"""
import os
import re
import struct

METADATA_MAGIC, PACKET_MAGIC = 0x75D11D57, 0xC1FC1FC1
METADATA_HEADER, PACKET_HEADER, PACKET_CONTEXT = 37, 32, 52
COMPACT_IDS, LARGE_IDS = 31, 65535
FIELD = re.compile(r"(?P<type>(?:integer|floating_point) \{[^}]*\}|enum : integer \{[^}]*\} \{[^}]*\}|string(?: \{[^}]*\})?) "
                   r"(?P<name>\w+)(?:\[ ?(?P<length>\w+) ?\])?;", re.S)
NUMBERS = {1: "<B", 2: "<H", 4: "<I", 8: "<Q"}


def metadata(folder):
    with open(os.path.join(folder, "metadata"), "rb") as file:
        data = file.read()
    text, at = b"", 0
    while at + METADATA_HEADER <= len(data):
        magic, = struct.unpack_from("<I", data, at)
        content, packet = struct.unpack_from("<II", data, at + 24)
        if magic != METADATA_MAGIC:
            raise ValueError(f"{folder}: no packet of metadata at {at}")
        text += data[at + METADATA_HEADER:at + content // 8]
        at += packet // 8
    return text.decode()


class Fields:
    """A structure's fields: (name, bytes of an element, length); bytes 0 is a string."""

    def __init__(self, text):
        self.list = []
        rest = FIELD.sub("", text).strip()
        if rest:
            raise ValueError(f"unknown fields: {rest[:200]}")
        for match in FIELD.finditer(text):
            bits = sum(map(int, re.findall(r"(?:size|exp_dig|mant_dig) = (\d+);", match["type"])))
            if bits % 8 or (bits == 0) != match["type"].startswith("string"):
                raise ValueError(f"not whole bytes: {match[0]}")
            self.list.append((match["name"], bits // 8, match["length"]))

    def skip(self, data, at):
        """@return where the fields that begin at 'at' end."""
        numbers = {}
        for name, size, length in self.list:
            if size == 0:
                at = data.index(b"\0", at) + 1
            elif length is None:
                numbers[name], = struct.unpack_from(NUMBERS[size], data, at)
                at += size
            else:
                at += size * (int(length) if length.isdigit() else numbers[length])
        return at


class Trace:
    def __init__(self, folder):
        text = metadata(folder)
        self.events, self.contexts, self.is_large = {}, {}, {}
        for body in re.findall(r"^event \{\n(.*?)^\};", text, re.S | re.M):
            head, _, fields = body.partition("fields := struct {")
            name, = re.findall(r'name = "([^"]+)";', head)
            number, = re.findall(r"\tid = (\d+);", head)
            stream, = re.findall(r"stream_id = (\d+);", head)
            self.events[int(stream), int(number)] = (name, Fields(fields.rpartition("};")[0]))
        for body in re.findall(r"^stream \{\n(.*?)^\};", text, re.S | re.M):
            stream = int(re.findall(r"\tid = (\d+);", body)[0])
            context = re.search(r"event\.context := struct \{(.*?)\n\t\};", body, re.S)
            self.contexts[stream] = Fields(context[1] if context else "")
            self.is_large[stream] = "event_header_large" in body

    def header(self, data, at, stream):
        """@return the event's number, and where its header ends."""
        if self.is_large[stream]:
            number, = struct.unpack_from("<H", data, at)
            return (number, at + 6) if number < LARGE_IDS else (
                struct.unpack_from("<I", data, at + 2)[0], at + 14)
        number = data[at] & 31
        return (number, at + 4) if number < COMPACT_IDS else (
            struct.unpack_from("<I", data, at + 1)[0], at + 13)

    def records(self, data):
        """(name, bytes) of every record in a stream's file."""
        packet = 0
        while packet < len(data):
            magic, = struct.unpack_from("<I", data, packet)
            stream, = struct.unpack_from("<I", data, packet + 20)
            content, size = struct.unpack_from("<QQ", data, packet + PACKET_HEADER + 16)
            if magic != PACKET_MAGIC:
                raise ValueError(f"no packet at {packet}")
            at, end = packet + PACKET_HEADER + PACKET_CONTEXT, packet + content // 8
            while at < end:
                begin = at
                number, at = self.header(data, at, stream)
                name, fields = self.events[stream, number]
                at = fields.skip(data, self.contexts[stream].skip(data, at))
                yield name, at - begin
            if at != end:
                raise ValueError(f"the records of the packet at {packet} end at {at}, not {end}")
            packet += size // 8


def largest_records(folder):
    """{name: bytes of its largest record} of all traces below a folder."""
    found = {}
    for path, folders, files in os.walk(folder):
        if "metadata" not in files:
            continue
        folders[:] = []     # indexes
        trace = Trace(path)
        for name in files:
            if name == "metadata":
                continue
            with open(os.path.join(path, name), "rb") as file:
                for event, size in trace.records(file.read()):
                    found[event] = max(found.get(event, 0), size)
    return found
