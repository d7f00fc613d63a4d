# SPDX-License-Identifier: MIT
"""U09: caches and pools reported as leaks."""
from case import KFDSCOPE, Case, functions, main


class U09(Case):
    def test_a_pool_is_flat_and_a_leak_grows(self):
        recording = self.record("u09")
        self.assertRecorded(recording)
        report = self.report("allocs", recording)
        pool, leak = report["places"]
        pool_took, leak_took = ([int(word) for word in line.split()]
                                for line in recording.stdout.splitlines())
        self.assertIn("fill_pool", functions(pool))
        self.assertEqual((pool["live"], pool["growth"]),
                         ({"blocks": 64, "bytes": 64 << 20}, "flat"))
        filled_ns = pool["flat_since_ns"] - pool["first_ns"]
        self.assertTrue(pool_took[0] < filled_ns < pool_took[1], (pool_took, filled_ns))
        self.assertIn("leak_slowly", functions(leak))
        self.assertEqual((leak["live"], leak["growth"]),
                         ({"blocks": 200, "bytes": 200 << 16}, "growing"))
        slopes = [(199 << 16) * 10 ** 9 / took for took in leak_took]
        self.assertTrue(slopes[1] <= leak["slope_bytes_per_s"] + 1 and
                        leak["slope_bytes_per_s"] <= slopes[0],
                        (slopes, leak["slope_bytes_per_s"]))

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
