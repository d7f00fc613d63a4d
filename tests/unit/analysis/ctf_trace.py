# SPDX-License-Identifier: MIT
"""Writes CTF 1.8 traces with the layout of LTTng's user-space tracer, for tests.

A trace is a list of events; each goes into one of its streams (one file a stream, as LTTng makes one
for each processor). Metadata is plain text, which every CTF reader takes as well as packetized one.
"""
import os
import struct

MAGIC = 0xC1FC1FC1
UUID = bytes(range(16))
CLOCK_OFFSET = 1_700_000_000_000_000_000  # stream time 0 in Unix nanoseconds

# name: (TSDL type, struct format)
NUMBERS = {
    "u8": ("integer { size = 8; align = 8; signed = false; }", "<B"),
    "u16": ("integer { size = 16; align = 8; signed = false; }", "<H"),
    "u32": ("integer { size = 32; align = 8; signed = false; }", "<I"),
    "i32": ("integer { size = 32; align = 8; signed = true; }", "<i"),
    "u64": ("integer { size = 64; align = 8; signed = false; }", "<Q"),
}
CONTEXTS = {"vpid": "i32", "vtid": "i32", "procname": "str"}

METADATA = """/* CTF 1.8 */
typealias integer {{ size = 8; align = 8; signed = false; }} := uint8_t;
typealias integer {{ size = 16; align = 8; signed = false; }} := uint16_t;
typealias integer {{ size = 32; align = 8; signed = false; }} := uint32_t;
typealias integer {{ size = 64; align = 8; signed = false; }} := uint64_t;
trace {{
	major = 1; minor = 8;
	uuid = "{uuid}";
	byte_order = le;
	packet.header := struct {{
		uint32_t magic; uint8_t uuid[16]; uint32_t stream_id; uint64_t stream_instance_id;
	}};
}};
env {{
{env}
}};
clock {{
	name = "monotonic";
	uuid = "{uuid}";
	freq = 1000000000;
	offset = {offset};
}};
typealias integer {{
	size = 64; align = 8; signed = false; map = clock.monotonic.value;
}} := uint64_clock_t;
stream {{
	id = 0;
	packet.context := struct {{
		uint64_clock_t timestamp_begin; uint64_clock_t timestamp_end;
		uint64_t content_size; uint64_t packet_size; uint64_t packet_seq_num;
		uint64_t events_discarded; uint32_t cpu_id;
	}};
	event.header := struct {{ uint16_t id; uint64_clock_t timestamp; }} align(8);
{context}}};
"""


def _type_text(kind, name):
    if kind == "str":
        return f"string _{name};"
    if kind.startswith("seq "):
        element = NUMBERS[kind[4:]][0]
        return f"uint16_t __{name}_length; {element} _{name}[__{name}_length];"
    if kind.startswith("array "):
        _, element, count = kind.split()
        return f"{NUMBERS[element][0]} _{name}[{count}];"
    return f"{NUMBERS[kind][0]} _{name};"


def _value_bytes(kind, value):
    if kind == "str":
        return value.encode() + b"\0"
    if kind.startswith("seq "):
        code = NUMBERS[kind[4:]][1]
        return struct.pack("<H", len(value)) + b"".join(struct.pack(code, v) for v in value)
    if kind.startswith("array "):
        _, element, count = kind.split()
        padded = list(value) + [0] * (int(count) - len(value))
        return b"".join(struct.pack(NUMBERS[element][1], v) for v in padded)
    return struct.pack(NUMBERS[kind][1], value)


class Trace:
    """Collects events; write() makes the directory."""

    def __init__(self, domain="ust", hostname="host", contexts=("vpid", "vtid", "procname"),
                 tracer="lttng-ust", env=None, streams=1, events_a_packet=8, uuid=UUID):
        self.uuid = uuid
        self.env = {"domain": domain, "tracer_name": tracer, "tracer_major": 2,
                    "tracer_minor": 13, "hostname": hostname, **(env or {})}
        self.contexts = contexts
        self.classes = {}
        self.streams = [[] for _ in range(streams)]
        self.events_a_packet = events_a_packet

    def event(self, time, name, fields, vpid=10, vtid=10, procname="app", stream=0):
        """fields: (name, kind, value) in order; the same for all events of a name."""
        shape = tuple((field, kind) for field, kind, _ in fields)
        known = self.classes.setdefault(name, (len(self.classes), shape))
        assert known[1] == shape, f"{name} had other fields before"
        values = {"vpid": vpid, "vtid": vtid, "procname": procname}
        body = struct.pack("<HQ", known[0], time)
        for context in self.contexts:
            body += _value_bytes(CONTEXTS[context], values[context])
        for _, kind, value in fields:
            body += _value_bytes(kind, value)
        self.streams[stream].append((time, body))

    def lose(self, count, stream=0):
        """Events that were discarded after the last one: begins a new packet."""
        self.streams[stream].append((None, count))

    def _metadata(self):
        env = "\n".join(f'\t{key} = "{value}";' if isinstance(value, str)
                        else f"\t{key} = {value};" for key, value in self.env.items())
        context = ""
        if self.contexts:
            inside = " ".join(_type_text(CONTEXTS[name], name) for name in self.contexts)
            context = f"\tevent.context := struct {{ {inside} }};\n"
        digits = self.uuid.hex()
        text = "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
        text = METADATA.format(uuid=text, env=env, offset=CLOCK_OFFSET, context=context)
        for name, (number, shape) in self.classes.items():
            inside = " ".join(_type_text(kind, field) for field, kind in shape)
            text += (f'event {{ name = "{name}"; id = {number}; stream_id = 0;\n'
                     f"\tfields := struct {{ {inside} }}; }};\n")
        return text

    def _packets(self, events):
        """Yields (begin, end, discarded so far, bodies)."""
        bodies, begin, end, discarded = [], None, 0, 0
        for time, body in events:
            full = len(bodies) == self.events_a_packet
            if bodies and (time is None or full):
                yield begin, end, discarded, bodies
                bodies, begin = [], None
            if time is None:
                discarded += body
                continue
            begin = end if begin is None and end else begin
            begin = time if begin is None else begin
            bodies.append(body)
            end = time
        if bodies:
            yield begin, end, discarded, bodies

    def write(self, directory):
        os.makedirs(os.path.join(directory, "index"))
        with open(os.path.join(directory, "metadata"), "w", encoding="utf-8") as file:
            file.write(self._metadata())
        for number, events in enumerate(self.streams):
            data, index = b"", struct.pack(">IIII", 0xC1F1DCC1, 1, 1, 72)
            for sequence, packet in enumerate(self._packets(events)):
                begin, end, discarded, bodies = packet
                content = b"".join(bodies)
                head = 32 + 52
                size = (head + len(content) + 4095) // 4096 * 4096
                index += struct.pack(">QQQQQQQQQ", len(data), 8 * size, 8 * (head + len(content)),
                                     begin, end, discarded, 0, number, sequence)
                data += struct.pack("<I", MAGIC) + self.uuid + struct.pack("<IQ", 0, number)
                data += struct.pack("<QQQQQQI", begin, end, 8 * (head + len(content)), 8 * size,
                                    sequence, discarded, number)
                data += content + bytes(size - head - len(content))
            with open(os.path.join(directory, f"channel_{number}"), "wb") as file:
                file.write(data)
            with open(os.path.join(directory, "index", f"channel_{number}.idx"), "wb") as file:
                file.write(index)


class Program:
    """What one thread of a traced program does, as kfdscope records it."""

    def __init__(self, trace, vpid=10, vtid=10, procname="app", stream=0):
        self.trace, self.stream = trace, stream
        self.who = {"vpid": vpid, "vtid": vtid, "procname": procname}
        self.calls = self.ioctls = 0

    def fire(self, time, name, *fields, stream=None):
        self.trace.event(time, name, list(fields), **self.who,
                         stream=self.stream if stream is None else stream)

    def schema(self, time, major=1, minor=0):
        self.fire(time, "kmt_state:schema", ("schema_major", "u32", major),
                  ("schema_minor", "u32", minor), ("ppid", "i32", 1),
                  ("memlock_bytes", "u64", 8388608), ("command_line", "str", "app --run"))

    def exiting(self, time):
        self.fire(time, "kmt_state:exiting", ("pid", "i32", self.who["vpid"]))

    def alloc(self, time, size, address, handle, api=True, ioctl=True, exit_stream=None,
              stack=(0x1001, 0x2001), status=0):
        if api:
            self.calls += 1
            call = self.calls
            self.fire(time, "kmt:hsaKmtAllocMemory_entry", ("call", "u64", call),
                      ("ctx", "u32", 0), ("PreferredNode", "u32", 1),
                      ("PreferredNode_gpu_id", "u32", 77), ("SizeInBytes", "u64", size),
                      ("MemFlags", "u32", 1), ("MemoryAddress_valid", "u8", 1),
                      ("MemoryAddress", "u64", 0), ("bt", "seq u64", stack),
                      ("bt_truncated", "u8", 0))
        if ioctl:
            self.ioctls += 1
            self.fire(time + 1, "kfd:ALLOC_MEMORY_OF_GPU_entry", ("call", "u64", self.ioctls),
                      ("api_call", "u64", self.calls), ("va_addr", "u64", address),
                      ("size", "u64", size), ("gpu_id", "u32", 77), ("flags", "u32", 1),
                      ("bt", "seq u64", () if api else stack))
            self.fire(time + 2, "kfd:ALLOC_MEMORY_OF_GPU_exit", ("call", "u64", self.ioctls),
                      ("api_call", "u64", self.calls), ("ret", "i32", 0),
                      ("os_errno", "i32", 0), ("handle", "u64", handle))
        if api:
            self.fire(time + 3, "kmt:hsaKmtAllocMemory_exit", ("call", "u64", call),
                      ("ctx", "u32", 0), ("status", "u32", status), ("os_errno", "i32", 0),
                      ("MemoryAddress_valid", "u8", status == 0),
                      ("MemoryAddress", "u64", address), stream=exit_stream)

    def free(self, time, address, handle):
        self.calls += 1
        self.ioctls += 1
        self.fire(time, "kmt:hsaKmtFreeMemory_entry", ("call", "u64", self.calls),
                  ("ctx", "u32", 0), ("MemoryAddress", "u64", address),
                  ("SizeInBytes", "u64", 0), ("bt", "seq u64", (0x3001,)))
        self.fire(time + 1, "kfd:FREE_MEMORY_OF_GPU_entry", ("call", "u64", self.ioctls),
                  ("api_call", "u64", self.calls), ("handle", "u64", handle))
        self.fire(time + 2, "kfd:FREE_MEMORY_OF_GPU_exit", ("call", "u64", self.ioctls),
                  ("api_call", "u64", self.calls), ("ret", "i32", 0), ("os_errno", "i32", 0))
        self.fire(time + 3, "kmt:hsaKmtFreeMemory_exit", ("call", "u64", self.calls),
                  ("ctx", "u32", 0), ("status", "u32", 0), ("os_errno", "i32", 0))

    def queue(self, time, address):
        """A queue whose id is its address."""
        self.calls += 1
        self.fire(time, "kmt:hsaKmtCreateQueue_entry", ("call", "u64", self.calls),
                  ("ctx", "u32", 0), ("NodeId", "u32", 1), ("NodeId_gpu_id", "u32", 77),
                  ("Type", "u32", 1), ("QueueSizeInBytes", "u64", 4096),
                  ("bt", "seq u64", (0x4001,)))
        self.fire(time + 3, "kmt:hsaKmtCreateQueue_exit", ("call", "u64", self.calls),
                  ("ctx", "u32", 0), ("status", "u32", 0), ("os_errno", "i32", 0),
                  ("QueueResource_QueueId", "u64", address))
