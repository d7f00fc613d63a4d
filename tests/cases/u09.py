# SPDX-License-Identifier: MIT
"""U09: caches and pools reported as leaks."""
from case import KFDSCOPE, Case, functions, main


class U09(Case):
    def test_a_pool_is_flat_and_a_leak_grows(self):
        recording = self.record("u09")
        self.assertRecorded(recording)
        report = self.report("allocs", recording)
        pool, leak = report["places"]
        self.assertIn("fill_pool", functions(pool))
        self.assertEqual((pool["live"], pool["growth"]),
                         ({"blocks": 64, "bytes": 64 << 20}, "flat"))
        filled_ms = (pool["flat_since_ns"] - pool["first_ns"]) / 1e6
        self.assertTrue(80 < filled_ms < 180, filled_ms)
        self.assertIn("leak_slowly", functions(leak))
        self.assertEqual((leak["live"], leak["growth"]),
                         ({"blocks": 200, "bytes": 200 << 16}, "growing"))
        self.assertTrue(6.0e6 < leak["slope_bytes_per_s"] < 7.0e6, leak["slope_bytes_per_s"])

    def test_the_order_can_be_chosen(self):
        recording = self.record("u09")

        def order(sort):
            places = self.report("allocs", recording, options=[f"--sort={sort}"])["places"]
            return ["pool" if "fill_pool" in functions(p) else "leak" for p in places]

        self.assertEqual(order("bytes"), ["pool", "leak"])
        self.assertEqual(order("growth"), ["leak", "pool"])
        self.assertEqual(order("age"), ["pool", "leak"])
        self.assertEqual(order("churn"), ["leak", "pool"])
        wrong = self.run_command(KFDSCOPE, "allocs", "--sort=colour", recording.path)
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("--sort is 'colour'", wrong.stderr)


if __name__ == "__main__":
    main()
