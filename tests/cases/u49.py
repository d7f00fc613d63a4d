# SPDX-License-Identifier: MIT
"""U49: pointer queries dominate."""
import os
import subprocess

from case import CLIENTS, Case, functions, main
from sessions import Session, client_env

QUERY = "hsaKmtQueryPointerInfo"
ONE, THREADS = 100_000, 8            # queries of a thread
ALL = ONE * (1 + THREADS)
PAST_THE_END = 2                     # one that is unknown, and one of the last byte


# Room for most of what is recorded, whoever gets the processors meanwhile: the tracer's own way to
# wait for room (--blocking-timeout) loses events all the same.
ROOM_BYTES, LEAST_BYTES, SUBBUFS = 1 << 30, 1 << 24, 8


def buffers():
    """Options of a channel with so much room in all, in a power of two for each processor."""
    each = max(LEAST_BYTES, ROOM_BYTES // os.cpu_count())
    return f"--subbuf-size={1 << ((each // SUBBUFS).bit_length() - 1)}", f"--num-subbuf={SUBBUFS}"


class U49(Case):
    timeout_s = 600

    def test_queries_by_result_caller_and_thread_count(self):
        with Session(self.folder, events=(f"kmt:{QUERY}*", "kmt_state:*"),
                     buffers=buffers()) as session:
            subprocess.run([CLIENTS / "u49"], check=True, timeout=self.timeout_s,
                           env={**client_env(self), "KFDSCOPE_STACK_DEPTH": "4"})
        report = self.report("latency", session.path)
        self.assertEqual((report["lost_spans"], report["partial_input"]), ([], []))
        query, = [call for call in report["calls"] if call["name"] == QUERY]
        self.assertEqual(query["count"], ALL + PAST_THE_END)
        self.assertGreater(query["calls_a_second"], 0)
        results = {s["status_name"]: s["count"] for s in query["by_status"]}
        self.assertEqual(results, {"SUCCESS": ALL // 2 + 1, "ERROR": ALL // 2 + 1})
        callers = {}
        for caller in query["callers"]:
            name = next(n for n in functions(caller) if n.startswith("ask_"))
            count, failed = callers.get(name, (0, 0))
            callers[name] = count + caller["count"], failed + caller["failed"]
        self.assertEqual(callers, {"ask_for_blocks": (ALL // 2, 0),
                                   "ask_for_the_heap": (ALL // 2, ALL // 2),
                                   "ask_one_past_the_end": (PAST_THE_END, 1)})
        # Side by side: the latency while one thread asked, and while eight did.
        steps = {step["threads_min"]: step for step in query["by_threads"]}
        self.assertEqual(sum(step["count"] for step in steps.values()), ALL + PAST_THE_END)
        self.assertGreaterEqual(steps[1]["count"], ONE + PAST_THE_END)
        self.assertGreater(steps[THREADS]["count"], 0)
        for threads in (1, THREADS):
            numbers = [steps[threads][name] for name in ("min_ns", "median_ns", "p99_ns", "max_ns")]
            self.assertEqual(numbers, sorted(numbers))
            self.assertGreater(steps[threads]["calls_a_second"], 0)
        text = self.text("latency", session.path)
        for words in ("from 1 or more threads at once", "from 8 or more threads at once",
                      "answered ERROR", "ask_for_the_heap"):
            self.assertIn(words, text)


if __name__ == "__main__":
    main()
