# SPDX-License-Identifier: MIT
"""Recordings of counter runs, written without a GPU: the simulated one counts nothing (docs/simulation.md).

The events have the fields that the recorder gives them (trace/api.def).
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "unit" / "analysis"))
from ctf_trace import Trace  # noqa: E402  (the path above finds it)

MS = 1000000
NODE = (("NodeId", "u32", 1), ("NodeId_gpu_id", "u32", 77))


class CounterTrace:
    def __init__(self):
        self.trace = Trace()
        self.calls = {}

    def schema(self, time, paranoid, vpid=10):
        self.trace.event(time, "kmt_state:schema",
                         [("schema_major", "u32", 1), ("schema_minor", "u32", 0),
                          ("perf_event_paranoid", "i32", paranoid),
                          ("perf_event_paranoid_valid", "u8", 1)], vpid=vpid, vtid=vpid)

    def call(self, time, name, entry=(), leave=(), status=0, errno=0, vpid=10):
        number = self.calls[vpid] = self.calls.get(vpid, 0) + 1
        head = [("ctx", "u32", 0), ("call", "u64", number)]
        who = {"vpid": vpid, "vtid": vpid, "procname": "prof"}
        self.trace.event(time, f"kmt:{name}_entry", head + list(entry), **who)
        self.trace.event(time + 1000, f"kmt:{name}_exit",
                         head + [("status", "i32", status), ("os_errno", "i32", errno)] +
                         list(leave), **who)

    def register(self, time, trace_id, counters, vpid=10):
        self.call(time, "hsaKmtPmcRegisterTrace",
                  [*NODE, ("Counters_CounterId", "seq u64", [c for _, c in counters]),
                   ("Counters_BlockIndex", "seq u32", [b for b, _ in counters])],
                  [("TraceRoot_valid", "u8", 1), ("TraceRoot_TraceId", "u64", trace_id)],
                  vpid=vpid)

    def on_node(self, time, verb, trace_id, status=0, errno=0, vpid=10):
        """Acquire, release and unregister."""
        self.call(time, f"hsaKmtPmc{verb}", [*NODE, ("TraceId", "u64", trace_id)], (), status,
                  errno, vpid)

    def start(self, time, trace_id, status=0, errno=0, vpid=10):
        self.call(time, "hsaKmtPmcStartTrace", [("TraceId", "u64", trace_id)], (), status, errno,
                  vpid)

    def stop(self, time, trace_id, vpid=10):
        self.call(time, "hsaKmtPmcStopTrace", [("TraceId", "u64", trace_id)], vpid=vpid)

    def query(self, time, trace_id, values, vpid=10):
        self.call(time, "hsaKmtPmcQueryTrace", [("TraceId", "u64", trace_id)],
                  [("TraceId", "u64", trace_id), ("TraceId_counter_values", "seq u64", values)],
                  vpid=vpid)

    def set_buffer(self, time, size, address, remaining, copied, loss, timeout=10):
        self.call(time, "hsaKmtSPMSetDestBuffer",
                  [("PreferredNode", "u32", 1), ("PreferredNode_gpu_id", "u32", 77),
                   ("SizeInBytes", "u32", size), ("timeout_valid", "u8", 1),
                   ("timeout", "u32", timeout), ("DestMemoryAddress", "u64", address)],
                  [("timeout_valid", "u8", 1), ("timeout", "u32", remaining),
                   ("SizeCopied_valid", "u8", 1), ("SizeCopied", "u32", copied),
                   ("isSPMDataLoss_valid", "u8", 1), ("isSPMDataLoss", "u8", loss)])

    def stream(self, time, verb):
        self.call(time, f"hsaKmtSPM{verb}",
                  [("PreferredNode", "u32", 1), ("PreferredNode_gpu_id", "u32", 77)])

    def write(self, folder):
        path = folder / "written"
        self.trace.write(path)
        return path
