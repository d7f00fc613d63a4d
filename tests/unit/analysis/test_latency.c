/* SPDX-License-Identifier: MIT */
/* Sums, extremes and quantiles of durations (analysis/model/latency.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/latency.h"

static void few_calls_have_exact_quantiles(void **state)
{
	struct latency latency = { 0 };

	(void)state;
	assert_int_equal(latency_quantile(&latency, 500), 0);
	for (int i = 100; i >= 1; i--)
		latency_add(&latency, i * 1000, i);
	assert_true(latency_is_exact(&latency));
	assert_int_equal(latency.count, 100);
	assert_int_equal(latency.total_ns, 5050000);
	assert_int_equal(latency.self_ns, 5050);
	assert_int_equal(latency.min_ns, 1000);
	assert_int_equal(latency.max_ns, 100000);
	assert_int_equal(latency_quantile(&latency, 500), 50000);
	assert_int_equal(latency_quantile(&latency, 990), 99000);
	assert_int_equal(latency_quantile(&latency, 1000), 100000);
	latency_fini(&latency);
}

/* For every magnitude from nanoseconds to hours. */
static void many_calls_have_quantiles_within_three_percent(void **state)
{
	(void)state;
	for (int64_t unit = 1; unit < INT64_C(4000000000); unit *= 7) {
		struct latency latency = { 0 };
		int64_t median, p99;

		for (int64_t i = 1; i <= 1000; i++)
			latency_add(&latency, i * unit, 0);
		assert_false(latency_is_exact(&latency));
		median = latency_quantile(&latency, 500);
		p99 = latency_quantile(&latency, 990);
		assert_true(median * 100 >= 500 * unit * 97 && median * 100 <= 500 * unit * 103);
		assert_true(p99 * 100 >= 990 * unit * 97 && p99 * 100 <= 990 * unit * 103);
		assert_true(latency_quantile(&latency, 1000) <= latency.max_ns);
		assert_true(latency_quantile(&latency, 0) >= latency.min_ns);
		latency_fini(&latency);
	}
}

static void merging_gives_what_adding_gives(void **state)
{
	/* Exact with exact, exact with histogram, histogram with exact, and growing out of exact. */
	static const int counts[][2] = { { 1, 3 },     { 3, 2 },     { 4, 40 },   { 10, 20 },
					 { 10, 1000 }, { 1000, 10 }, { 200, 200 } };

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct latency left = { 0 }, right = { 0 }, both = { 0 };

		for (int j = 0; j < counts[i][0] + counts[i][1]; j++) {
			struct latency *half = j < counts[i][0] ? &left : &right;

			latency_add(half, 100 + 3 * j, j);
			latency_add(&both, 100 + 3 * j, j);
		}
		latency_merge(&left, &right);
		assert_int_equal(left.count, both.count);
		assert_int_equal(left.total_ns, both.total_ns);
		assert_int_equal(left.self_ns, both.self_ns);
		assert_int_equal(left.min_ns, both.min_ns);
		assert_int_equal(left.max_ns, both.max_ns);
		assert_int_equal(latency_is_exact(&left), latency_is_exact(&both));
		assert_int_equal(latency_quantile(&left, 500), latency_quantile(&both, 500));
		assert_int_equal(latency_quantile(&left, 990), latency_quantile(&both, 990));
		latency_fini(&left);
		latency_fini(&right);
		latency_fini(&both);
	}
}

static void merging_into_nothing_or_from_nothing_works(void **state)
{
	struct latency empty = { 0 }, one = { 0 };

	(void)state;
	latency_add(&one, 5, 5);
	latency_merge(&one, &empty);
	assert_int_equal(one.count, 1);
	latency_merge(&empty, &one);
	assert_int_equal(empty.min_ns, 5);
	latency_fini(&empty);
	latency_fini(&one);
}

static void a_negative_duration_stays_visible(void **state)
{
	struct latency latency = { 0 };

	(void)state;
	for (int i = 0; i < 300; i++)
		latency_add(&latency, -10, -10);
	assert_int_equal(latency.min_ns, -10);
	assert_int_equal(latency_quantile(&latency, 500), -10);
	latency_fini(&latency);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_calls_have_exact_quantiles),
		cmocka_unit_test(many_calls_have_quantiles_within_three_percent),
		cmocka_unit_test(merging_gives_what_adding_gives),
		cmocka_unit_test(merging_into_nothing_or_from_nothing_works),
		cmocka_unit_test(a_negative_duration_stays_visible),
	};

	return cmocka_run_group_tests_name("analysis/model/latency", tests, NULL, NULL);
}
