/* SPDX-License-Identifier: MIT */
/* Threads that do nothing but quick waits (analysis/model/spins.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/model.h"
#include "model/spins.h"
#include "model/waits.h"

enum { MICROSECOND = 1000, MILLISECOND = 1000 * MICROSECOND };

static struct thread thread;
static struct wait_site site;
static struct spins *spins;
static int64_t now_ns;

static int new_spins(void **state)
{
	(void)state;
	spins = spins_new();
	now_ns = 1;
	return 0;
}

static int free_spins(void **state)
{
	(void)state;
	spins_free(spins);
	return 0;
}

/* Waits for what is signalled for good, shortly after the wait before. */
static void wait_for(int64_t duration_ns)
{
	const struct wait wait = { .site = &site,
				   .entry_ns = now_ns + MICROSECOND,
				   .timeout_ms = UINT32_MAX,
				   .count = 1,
				   .ids = { 7 } };

	now_ns = wait.entry_ns + duration_ns;
	spins_add(spins, &thread, &wait, now_ns, SPIN_SUCCEEDED);
}

static void wait_quickly(uint32_t times)
{
	for (uint32_t i = 0; i < times; i++)
		wait_for(2 * MICROSECOND);
}

static void assert_spins(uint32_t count, uint64_t calls_of_each)
{
	const GPtrArray *found = spins_finish(spins);

	assert_int_equal(found->len, count);
	for (uint32_t i = 0; i < found->len; i++)
		assert_int_equal(((struct spin *)g_ptr_array_index(found, i))->succeeded,
				 calls_of_each);
}

static void few_quick_waits_are_no_spin(void **state)
{
	(void)state;
	wait_quickly(SPIN_MIN_COUNT - 1);
	assert_spins(0, 0);
}

static void many_quick_waits_are_one_spin(void **state)
{
	(void)state;
	wait_quickly(SPIN_MIN_COUNT);
	assert_spins(1, SPIN_MIN_COUNT);
}

/* However often a busy machine keeps the thread from running. */
static void a_spin_goes_on_over_some_slow_waits(void **state)
{
	(void)state;
	wait_quickly(1000);
	for (int i = 0; i < 8; i++)
		wait_for(20 * MILLISECOND);
	wait_quickly(1000);
	wait_for(20 * MILLISECOND);
	wait_quickly(1000);
	assert_spins(1, 3009);
}

static void slow_waits_at_the_end_belong_to_no_spin(void **state)
{
	(void)state;
	wait_quickly(1000);
	wait_for(20 * MILLISECOND);
	assert_spins(1, 1000);
}

static void a_thread_that_sleeps_properly_ends_its_spin(void **state)
{
	(void)state;
	wait_quickly(1000);
	for (int i = 0; i < 9; i++)
		wait_for(20 * MILLISECOND);
	wait_quickly(1000);
	assert_spins(2, 1000);
}

static void a_thread_that_does_something_else_ends_its_spin(void **state)
{
	(void)state;
	wait_quickly(1000);
	now_ns += 600 * MILLISECOND;
	wait_quickly(1000);
	assert_spins(2, 1000);
}

/* Half of the waits are quick, but the thread is asleep most of the time. */
static void waits_that_mostly_sleep_are_no_spin(void **state)
{
	(void)state;
	for (int i = 0; i < 1000; i++) {
		wait_quickly(1);
		wait_for(5 * MILLISECOND);
	}
	assert_spins(0, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, new_spins, free_spins)
	const struct CMUnitTest tests[] = {
		TEST(few_quick_waits_are_no_spin),
		TEST(many_quick_waits_are_one_spin),
		TEST(a_spin_goes_on_over_some_slow_waits),
		TEST(slow_waits_at_the_end_belong_to_no_spin),
		TEST(a_thread_that_sleeps_properly_ends_its_spin),
		TEST(a_thread_that_does_something_else_ends_its_spin),
		TEST(waits_that_mostly_sleep_are_no_spin),
	};

	return cmocka_run_group_tests_name("analysis/spins", tests, NULL, NULL);
}
