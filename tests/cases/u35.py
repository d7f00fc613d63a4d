# SPDX-License-Identifier: MIT
"""U35: streaming counters lose data."""
from case import Case, main
from counter_trace import MS, CounterTrace

SIZE = 32768


class U35(Case):
    def test_fillings_belong_to_the_buffer_before(self):
        trace = CounterTrace()
        trace.stream(1 * MS, "Acquire")
        for call in range(1, 21):
            copied = {1: 0, 5: 0, 9: 12000}.get(call, SIZE)
            trace.set_buffer((1 + 10 * call) * MS, SIZE, 0x10000, 0 if call == 5 else 4, copied,
                             call in (7, 15))
        trace.set_buffer(211 * MS, 0, 0, 10, SIZE, 0)
        trace.stream(221 * MS, "Release")
        path = trace.write(self.folder)
        run, = self.report("counters", path)["runs"]
        self.assertEqual((run["kind"], run["node_id"], run["buffer_count"], run["bytes"]),
                         ("spm", 1, 20, 601824))
        self.assertEqual((run["full"], run["partial"], run["empty"], run["loss_count"]),
                         (18, 1, 1, 2))
        filled = {b["buffer"]: b["filled_bytes"] for b in run["buffers"]}
        self.assertEqual((filled[4], filled[8], sum(filled.values())), (0, 12000, 601824))
        self.assertEqual([loss["buffer"] for loss in run["losses"]], [6, 14])
        for loss in run["losses"]:
            self.assertEqual(loss["gap_ns"], 10 * MS)
            self.assertGreater(loss["time_ns"], 0)
        self.assertEqual({b["timeout_ms"] for b in run["buffers"]}, {10})
        self.assertEqual([b["remaining_ms"] for b in run["buffers"][3:6]], [4, 0, 4])
        self.assertAlmostEqual(run["bytes_per_second"], 601824 / 0.22, delta=1)
        self.assertFalse(run["open"])
        text = self.text("counters", path, options=("--top=0",))
        for words in ("601824 bytes", "18 / 1 / 1", "2 losses", "12000 of 32768 bytes"):
            self.assertIn(words, text)

    def test_recorded_from_the_simulated_gpu(self):
        recording = self.record("u35")
        self.assertRecorded(recording)
        run, = self.report("counters", recording)["runs"]
        self.assertEqual((run["kind"], run["node_id"], run["buffer_count"], run["bytes"]),
                         ("spm", 1, 3, 0))
        self.assertEqual((run["empty"], run["loss_count"], run["open"]), (3, 0, False))
        self.assertEqual({b["size_bytes"] for b in run["buffers"]}, {SIZE})


if __name__ == "__main__":
    main()
