# SPDX-License-Identifier: MIT
"""U12: event limit reached. The driver gives out no id 0, so that 4095 signals fit, not 4096."""
from case import Case, functions, main


class U12(Case):
    def test_the_limit_its_time_and_its_creators(self):
        recording = self.record("u12")
        self.assertRecorded(recording)
        failure, = self.report("failures", recording)["failures"]
        self.assertEqual((failure["call"], failure["status_name"], failure["live_count"]),
                         ("hsaKmtCreateEvent", "ERROR", 4095))
        self.assertIn("errno_name", failure)
        self.assertGreater(failure["time_ns"], 0)
        self.assertIn("4095 event slots", failure["reason"])
        creators = failure["holders"]
        self.assertEqual([c["count"] for c in creators], [3072, 1023])
        self.assertIn("make_stream_signal", functions(creators[0]))
        self.assertIn("make_copy_signal", functions(creators[1]))
        self.assertIn("make_one_too_many", functions(failure))
        # Nothing is outstanding after all were destroyed.
        waits = self.report("waits", recording)
        self.assertEqual(waits["processes"][0]["events_alive"], 0)
        self.assertEqual(waits["processes"][0]["events_created"], 4095)


if __name__ == "__main__":
    main()
