# SPDX-License-Identifier: MIT
"""U10: library-internal allocations mixed with the application's."""
from case import Case, functions, main

EVENTS_PAGE = 32768   # 4096 slots of 8 bytes
ROLES = {"end-of-pipe buffer", "context-save area", "queue record"}


class U10(Case):
    def process(self, *arguments):
        """The process of a run, with what it leaks."""
        recording = self.record("u10", *arguments)
        self.assertRecorded(recording)
        leaks = self.report("leaks", recording)
        process, = leaks["processes"]
        return recording, leaks, process

    def test_what_a_queue_holds_is_told_under_it(self):
        recording, _, process = self.process("create")
        queue, = self.report("queues", recording)["outstanding"]
        self.assertIn("use_a_queue", functions(queue))
        self.assertEqual({part["for"] for part in queue["internal"]}, ROLES)
        self.assertEqual(sum(part["bytes"] for part in queue["internal"]), queue["internal_bytes"])
        self.assertEqual(process["internal"]["queues"]["live_bytes"], queue["internal_bytes"])
        text = self.text("queues", recording)
        for part in queue["internal"]:
            self.assertIn(f"{part['bytes']} bytes", text)
            self.assertIn(part["for"], text)

    def test_a_destroyed_queue_holds_nothing(self):
        recording, leaks, process = self.process("destroy")
        internal = process["internal"]["queues"]
        self.assertGreater(internal["taken_bytes"], 1 << 20)
        self.assertEqual(internal["live_bytes"], 0)
        self.assertEqual(leaks["groups"], [])
        self.assertEqual(self.report("queues", recording)["outstanding"], [])

    def test_the_events_page_stays_until_the_close(self):
        _, leaks, process = self.process("event")
        self.assertEqual(process["internal"]["events"],
                         {"live_bytes": EVENTS_PAGE, "taken_bytes": EVENTS_PAGE, "taken_blocks": 1})
        self.assertEqual(leaks["groups"], [])

    def test_twice_in_a_process_nothing_is_left_of_either(self):
        recording, leaks, process = self.process()
        _, _, once = self.process("destroy")
        self.assertEqual(leaks["groups"], [])
        self.assertEqual(leaks["left"], {"blocks": 0, "bytes": 0})
        for origin, sums in process["internal"].items():
            self.assertEqual(sums["live_bytes"], 0, origin)
        self.assertEqual(process["internal"]["queues"]["taken_bytes"],
                         2 * once["internal"]["queues"]["taken_bytes"])
        self.assertEqual(process["internal"]["queues"]["taken_blocks"], 2 * len(ROLES))
        # The application's own: two rings and their pointers.
        for place in self.report("allocs", recording)["places"]:
            self.assertEqual(place["live"], {"blocks": 0, "bytes": 0})
        text = self.text("leaks", recording)
        self.assertIn("TAKEN BY THE LIBRARY FOR ITSELF", text)
        self.assertIn("Nothing leaked", text)


if __name__ == "__main__":
    main()
