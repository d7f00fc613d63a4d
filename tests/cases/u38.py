# SPDX-License-Identifier: MIT
"""U38: entries without exits and exits without entries.

In our library the wait on one event makes no recorded call of the wait on many: what is nested is the
ioctl that both end in.
"""
from case import Case, main
from sessions import Session, start_client


class U38(Case):
    def recorded(self):
        client = start_client(self, "u38")
        self.assertEqual(client.stdout.readline(), "A waits\n")
        with Session(self.folder) as session:
            client.stdin.write("\n")
            client.stdin.flush()
            self.c_took_ns = int(client.stdout.readline())
            self.assertEqual(client.stdout.readline(), "B waits\n")
        client.stdin.write("\n")
        client.stdin.flush()
        self.assertEqual(client.wait(20), 0)
        return session.path

    def test_cut_calls_are_marked_and_in_no_statistics(self):
        path = self.recorded()
        leaks = self.report("leaks", path)
        process, = leaks["processes"]
        # A: the outer and the inner wait (and its ioctl) had begun before.
        self.assertGreater(process["cut_began_before"], 0)
        # B waits when the recording stops, and D never came back.
        waiting = [c["call"] for c in process["unfinished_calls"]]
        self.assertEqual(waiting, ["hsaKmtWaitOnEvent"] * 2)
        self.assertEqual(len({c["vtid"] for c in process["unfinished_calls"]}), 2)
        self.assertEqual(process["cut_abandoned"], 0)
        text = self.text("leaks", path)
        self.assertIn("calls are cut and in no statistics", text)

        # C alone has ended inside the recording: one outer call with one inner call.
        rows = {row["name"]: row for row in self.report("chains", path)["calls"]}
        outer, inner = rows["hsaKmtWaitOnEvent"], rows["WAIT_EVENTS"]
        self.assertEqual((outer["count"], inner["count"]), (1, 1))
        self.assertAlmostEqual(outer["self_ns"] + inner["total_ns"], outer["total_ns"],
                               delta=1e6)
        self.assertGreaterEqual(outer["total_ns"], inner["total_ns"])
        self.assertLess(outer["self_ns"], outer["total_ns"])
        self.assertTrue(90e6 < outer["total_ns"] < self.c_took_ns, outer["total_ns"])
        self.assertEqual(outer["cut"], 2)


if __name__ == "__main__":
    main()
