/* SPDX-License-Identifier: MIT */
/* Memory over time and calls in pairs (analysis/model/series.h, usages.h, balance.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/balance.h"
#include "model/lanes.h"
#include "model/usages.h"
#include "text_trace.h"

#define P " h 10 10 app "

static struct model *model;

static void read_trace(const char *text)
{
	char *error = text_trace_read(model, text, NULL);

	if (error)
		fail_msg("%s", error);
	model_finish(model);
}

static const struct process *process_of_trace(void)
{
	assert_int_equal(model_processes(model)->len, 1);
	return g_ptr_array_index(model_processes(model), 0);
}

static const struct site_usage *site_of(const struct usages *usages, uint64_t address)
{
	const struct process_usage *process = usages_process(usages, process_of_trace());

	for (guint i = 0; i < process->sites->len; i++) {
		const struct site_usage *site = g_ptr_array_index(process->sites, i);

		if (site && site->site->stack && site->site->stack->address[0] == address)
			return site;
	}
	fail_msg("no site with stack 0x%lx", (unsigned long)address);
	return NULL;
}

static int new_model(void **state)
{
	(void)state;
	model = model_new();
	return 0;
}

static int free_model(void **state)
{
	(void)state;
	model_free(model);
	return 0;
}

static void a_series_is_exact_while_it_is_short(void **state)
{
	struct series series;

	(void)state;
	series_init(&series, 8);
	for (int i = 0; i < 8; i++)
		series_set(&series, i * 10, (uint64_t)i * 100);
	assert_int_equal(series_count(&series), 8);
	assert_int_equal(series_point(&series, 7)->time_ns, 70);
	assert_int_equal(series_point(&series, 7)->last, 700);
	series_fini(&series);
}

static void a_series_keeps_its_limit_its_peak_and_its_last_value(void **state)
{
	struct series series;
	uint64_t peak = 0;

	(void)state;
	series_init(&series, 16);
	for (int i = 0; i < 100000; i++)
		series_set(&series, i * 7, i == 777 ? 1000000 : (uint64_t)(i % 13));
	assert_true(series_count(&series) <= 16);
	assert_true(series_count(&series) >= 4);
	for (guint i = 0; i < series_count(&series); i++) {
		const struct series_point *point = series_point(&series, i);

		if (i)
			assert_true(point->time_ns > series_point(&series, i - 1)->last_ns);
		if (point->peak == 1000000)
			assert_int_equal(point->peak_ns, 777 * 7);
		peak = MAX(peak, point->peak);
	}
	assert_int_equal(peak, 1000000);
	assert_int_equal(series_point(&series, series_count(&series) - 1)->last, 99999 % 13);
	assert_int_equal(series_point(&series, series_count(&series) - 1)->last_ns, 99999 * 7);
	series_fini(&series);
}

static void a_series_with_a_lower_limit_keeps_its_peak_and_its_last_value(void **state)
{
	struct series series;
	uint64_t peak = 0;

	(void)state;
	series_init(&series, 128);
	for (int i = 0; i < 100; i++)
		series_set(&series, i * 7, i == 33 ? 1000 : (uint64_t)(i % 13));
	series_set_limit(&series, 200);
	assert_int_equal(series_count(&series), 100);
	series_set_limit(&series, 4);
	assert_true(series_count(&series) <= 4);
	for (guint i = 0; i < series_count(&series); i++)
		peak = MAX(peak, series_point(&series, i)->peak);
	assert_int_equal(peak, 1000);
	assert_int_equal(series_point(&series, series_count(&series) - 1)->last, 99 % 13);
	series_set_limit(&series, 128);
	for (int i = 100; i < 120; i++)
		series_set(&series, i * 7, (uint64_t)i);
	assert_true(series_count(&series) >= 20); /* exact again */
	series_fini(&series);
}

/* Two places: A holds 100 throughout, B takes 300 for a while and later 50. */
#define TWO_PLACES                                                                                 \
	"1000" P "entry api hsaKmtAllocMemory call=1 size_bytes=100 node_id=1 gpu_id=7 flags=1 "   \
	"stack=0xa\n"                                                                              \
	"1010" P "exit api hsaKmtAllocMemory call=1 status=0 address=0x1000\n"                     \
	"2000" P "entry api hsaKmtAllocMemory call=2 size_bytes=300 node_id=1 gpu_id=7 flags=1 "   \
	"stack=0xb\n"                                                                              \
	"2010" P "exit api hsaKmtAllocMemory call=2 status=0 address=0x2000\n"                     \
	"3000" P "entry api hsaKmtFreeMemory call=3 address=0x2000\n"                              \
	"3010" P "exit api hsaKmtFreeMemory call=3 status=0\n"                                     \
	"4000" P "entry api hsaKmtAllocMemory call=4 size_bytes=50 node_id=1 gpu_id=7 flags=1 "    \
	"stack=0xb\n"                                                                              \
	"4010" P "exit api hsaKmtAllocMemory call=4 status=0 address=0x2000\n"                     \
	"9000" P "exiting exit_code=0\n"

static void who_held_the_peak_is_known_although_it_changed_since(void **state)
{
	struct usages *usages = usages_new(model);
	const struct process_usage *process;
	uint64_t bytes, count;

	(void)state;
	read_trace(TWO_PLACES);
	process = usages_process(usages, process_of_trace());
	assert_int_equal(process->peak_bytes, 400);
	assert_int_equal(process->peak_ns, 2010);
	site_usage_at_peak(process, site_of(usages, 0xa), &bytes, &count);
	assert_int_equal(bytes, 100);
	site_usage_at_peak(process, site_of(usages, 0xb), &bytes, &count);
	assert_int_equal(bytes, 300);
	assert_int_equal(count, 1);
	usages_free(usages);
}

static void the_state_of_a_moment_is_that_before_later_changes(void **state)
{
	struct usages *usages = usages_new(model);
	uint64_t bytes, count;

	(void)state;
	usages_add_moment(usages, 2500);
	usages_add_moment(usages, -2500); /* 2500 after the first record: 3500 */
	read_trace(TWO_PLACES);
	site_usage_at_moment(site_of(usages, 0xb), 0, &bytes, &count);
	assert_int_equal(bytes, 300);
	site_usage_at_moment(site_of(usages, 0xb), 1, &bytes, &count);
	assert_int_equal(bytes, 0);
	assert_int_equal(count, 0);
	site_usage_at_moment(site_of(usages, 0xa), 1, &bytes, &count);
	assert_int_equal(bytes, 100);
	usages_free(usages);
}

static void memory_given_back_before_anything_else_is_temporary(void **state)
{
	struct usages *usages = usages_new(model);

	(void)state;
	read_trace(TWO_PLACES);
	assert_int_equal(site_of(usages, 0xb)->temporary_count, 1);
	assert_int_equal(site_of(usages, 0xa)->temporary_count, 0);
	usages_free(usages);
}

/* A stack address that takes and gives back bytes at the time of call*10. */
static void append_use(GString *text, int call, unsigned int stack, unsigned int bytes)
{
	g_string_append_printf(text,
			       "%d0" P
			       "entry api hsaKmtAllocMemory call=%d size_bytes=%u node_id=1 "
			       "gpu_id=7 flags=1 stack=0x%x\n%d1" P
			       "exit api hsaKmtAllocMemory call=%d status=0 address=0x9000\n",
			       call, call, bytes, stack, call, call);
	g_string_append_printf(text,
			       "%d2" P "entry api hsaKmtFreeMemory call=%d address=0x9000\n%d3" P
			       "exit api hsaKmtFreeMemory call=%d status=0\n",
			       call, call + 1, call, call + 1);
}

static void of_very_many_places_only_the_large_ones_keep_each_change(void **state)
{
	enum { PLACES = 2000, ROUNDS = 40, LARGE = 50 };
	struct usages *usages = usages_new(model);
	GString *text = g_string_new(NULL);
	const struct process_usage *process;
	guint points = 0;

	(void)state;
	usages_keep_series(usages);
	for (int i = 0; i < PLACES * ROUNDS; i++)
		append_use(text, 2 * i + 1, 0x1000 + (unsigned int)(i % PLACES),
			   i % PLACES < LARGE ? 4096 : 16);
	read_trace(text->str);
	g_string_free(text, TRUE);
	process = usages_process(usages, process_of_trace());
	for (guint i = 0; i < process->sites->len; i++) {
		const struct site_usage *site = g_ptr_array_index(process->sites, i);

		points += series_count(&site->series);
		assert_int_equal(series_point(&site->series, 0)->peak,
				 site->site->usage.peak_bytes);
	}
	assert_int_equal(series_count(&site_of(usages, 0x1000)->series), 2 * ROUNDS);
	assert_true(points < PLACES * ROUNDS); /* of twice as many changes */
	assert_int_equal(process->site_points, points);
	usages_free(usages);
}

/* Else each change of so many places would look at all of them again. */
static void places_are_thinned_out_rarely_however_many_there_are(void **state)
{
	enum { PLACES = 40000, ROUNDS = 4 };
	struct usages *usages = usages_new(model);
	GString *text = g_string_new(NULL);
	const struct process_usage *process;

	(void)state;
	usages_keep_series(usages);
	for (int i = 0; i < PLACES * ROUNDS; i++)
		append_use(text, 2 * i + 1, 0x1000 + (unsigned int)(i % PLACES), 16);
	read_trace(text->str);
	g_string_free(text, TRUE);
	process = usages_process(usages, process_of_trace());
	assert_int_equal(process->sites->len, PLACES);
	/* What thinning leaves is little enough for as many changes before the next time. */
	assert_true(process->site_points_next >= PLACES);
	assert_true(process->site_points <= process->site_points_next);
	assert_true(process->site_points_next < 2 * PLACES * 5);
	usages_free(usages);
}

static void growth_tells_a_full_cache_from_a_slow_leak(void **state)
{
	struct usages *usages = usages_new(model);
	GString *text = g_string_new(NULL);
	const struct site *cache, *leak;

	(void)state;
	for (int i = 0; i < 200; i++)
		g_string_append_printf(
			text,
			"%d000" P "entry api hsaKmtAllocMemory call=%d size_bytes=10 node_id=1 "
			"gpu_id=7 flags=1 stack=%s\n%d010" P
			"exit api hsaKmtAllocMemory call=%d status=0 address=0x%x\n",
			i + 1, i, i < 20 ? "0xa" : "0xb", i + 1, i, 0x10000 * (i + 1));
	g_string_append(text, "201000" P "exiting exit_code=0\n");
	read_trace(text->str);
	cache = site_of(usages, 0xa)->site;
	leak = site_of(usages, 0xb)->site;
	assert_int_equal(site_growth(cache), GROWTH_FLAT);
	assert_int_equal(cache->usage.peak_ns, 20010);
	assert_int_equal(site_growth(leak), GROWTH_GROWING);
	assert_int_equal(site_slope_bytes(leak), 10000000); /* 10 bytes each microsecond */
	g_string_free(text, TRUE);
	usages_free(usages);
}

static void scratch_is_reserved_not_memory(void **state)
{
	struct usages *usages = usages_new(model);
	const struct process_usage *process;

	(void)state;
	read_trace("1000" P "entry api hsaKmtAllocMemory call=1 size_bytes=4096 node_id=1 gpu_id=7 "
		   "flags=512 stack=0xa\n"
		   "1010" P "exit api hsaKmtAllocMemory call=1 status=0 address=0x1000\n");
	process = usages_process(usages, process_of_trace());
	assert_int_equal(process->peak_bytes, 0);
	assert_int_equal(process->process->memory->reserved.peak_bytes, 4096);
	assert_int_equal(process->process->memory->usage.peak_bytes, 0);
	usages_free(usages);
}

static void a_registration_over_a_stale_one_is_found(void **state)
{
	struct balance *balance = balance_new(model);
	const struct overlap *overlap;
	GPtrArray *ranges;

	(void)state;
	read_trace("1000" P "entry api hsaKmtRegisterMemory call=1 address=0x10000 "
		   "size_bytes=0x10000 stack=0xa\n"
		   "1010" P "exit api hsaKmtRegisterMemory call=1 status=0\n"
		   "2000" P "entry api hsaKmtRegisterMemory call=2 address=0x10000 "
		   "size_bytes=0x20000 stack=0xb\n"
		   "2010" P "exit api hsaKmtRegisterMemory call=2 status=0\n"
		   "3000" P "entry api hsaKmtRegisterMemory call=3 address=0x30000 "
		   "size_bytes=0x1000 stack=0xb\n"
		   "3010" P "exit api hsaKmtRegisterMemory call=3 status=0\n"
		   "4000" P "entry api hsaKmtDeregisterMemory call=4 address=0x10000\n"
		   "4010" P "exit api hsaKmtDeregisterMemory call=4 status=0\n");
	assert_int_equal(balance_overlaps(balance)->len, 1);
	overlap = &g_array_index(balance_overlaps(balance), struct overlap, 0);
	assert_int_equal(overlap->bytes, 0x10000);
	assert_int_equal(overlap->older.size_bytes, 0x10000);
	assert_int_equal(overlap->newer.size_bytes, 0x20000);
	assert_int_equal(overlap->older.stacks[0]->address[0], 0xa);
	assert_int_equal(overlap->newer.stacks[0]->address[0], 0xb);
	ranges = balance_registrations(balance, process_of_trace());
	assert_int_equal(ranges->len, 2); /* the newest at that address was ended */
	assert_int_equal(((struct registration *)g_ptr_array_index(ranges, 0))->size_bytes,
			 0x10000);
	g_ptr_array_free(ranges, TRUE);
	balance_free(balance);
}

static void a_range_that_is_registered_twice_keeps_both_stacks(void **state)
{
	struct balance *balance = balance_new(model);
	const struct registration *range;
	GPtrArray *ranges;

	(void)state;
	read_trace("1000" P "entry api hsaKmtRegisterMemory call=1 address=0x10000 "
		   "size_bytes=0x10000 stack=0xa\n"
		   "1010" P "exit api hsaKmtRegisterMemory call=1 status=0\n"
		   "2000" P "entry api hsaKmtRegisterMemory call=2 address=0x10000 "
		   "size_bytes=0x10000 stack=0xb\n"
		   "2010" P "exit api hsaKmtRegisterMemory call=2 status=0\n"
		   "4000" P "entry api hsaKmtDeregisterMemory call=4 address=0x10000\n"
		   "4010" P "exit api hsaKmtDeregisterMemory call=4 status=0\n");
	assert_int_equal(balance_overlaps(balance)->len, 0);
	ranges = balance_registrations(balance, process_of_trace());
	assert_int_equal(ranges->len, 1);
	range = g_ptr_array_index(ranges, 0);
	assert_int_equal(range->registered, 2);
	assert_int_equal(range->deregistered, 1);
	assert_int_equal(range->stack_count, 2);
	g_ptr_array_free(ranges, TRUE);
	balance_free(balance);
}

static void a_double_free_names_the_first_one(void **state)
{
	struct balance *balance = balance_new(model);
	const struct bad_free *bad;

	(void)state;
	read_trace("1000" P "entry api hsaKmtAllocMemory call=1 size_bytes=100 node_id=1 gpu_id=7 "
		   "flags=1 stack=0xa\n"
		   "1010" P "exit api hsaKmtAllocMemory call=1 status=0 address=0x1000\n"
		   "2000" P "entry api hsaKmtFreeMemory call=2 address=0x1000 stack=0xb\n"
		   "2010" P "exit api hsaKmtFreeMemory call=2 status=0\n"
		   "3000" P "entry api hsaKmtFreeMemory call=3 address=0x1000 stack=0xc\n"
		   "3010" P "exit api hsaKmtFreeMemory call=3 status=1\n"
		   "4000" P "entry api hsaKmtFreeMemory call=4 address=0x5000 stack=0xd\n"
		   "4010" P "exit api hsaKmtFreeMemory call=4 status=1\n");
	assert_int_equal(balance_bad_frees(balance)->len, 2);
	bad = g_ptr_array_index(balance_bad_frees(balance), 0);
	assert_true(bad->is_double);
	assert_int_equal(bad->alloc->address[0], 0xa);
	assert_int_equal(bad->freed_by->address[0], 0xb);
	assert_int_equal(bad->stack->address[0], 0xc);
	assert_int_equal(bad->freed_ns, 2010);
	bad = g_ptr_array_index(balance_bad_frees(balance), 1);
	assert_false(bad->is_double);
	balance_free(balance);
}

/* Where the SVM interface is in use, the library answers SUCCESS. */
static void a_free_of_nothing_that_succeeds_is_bad_when_all_is_known(void **state)
{
	static const char *const before[] = { "",
					      "500" P "entry api hsaKmtOpenKFD call=1\n"
					      "510" P "exit api hsaKmtOpenKFD call=1 status=0\n",
					      "500" P "entry api hsaKmtOpenKFD call=1\n"
					      "510" P "exit api hsaKmtOpenKFD call=1 status=0\n"
					      "520 h 0 0 - lost lost=3 until_ns=530\n" };
	static const guint count[] = { 1, 2, 1 };

	(void)state;
	for (guint i = 0; i < G_N_ELEMENTS(before); i++) {
		struct balance *balance;
		char *text = g_strconcat(
			before[i],
			"1000" P "entry api hsaKmtAllocMemory call=2 size_bytes=100 node_id=1 "
			"gpu_id=7 flags=1 stack=0xa\n"
			"1010" P "exit api hsaKmtAllocMemory call=2 status=0 address=0x1000\n"
			"2000" P "entry api hsaKmtFreeMemory call=3 address=0x1000 stack=0xb\n"
			"2010" P "exit api hsaKmtFreeMemory call=3 status=0\n"
			"3000" P "entry api hsaKmtFreeMemory call=4 address=0x1000 stack=0xc\n"
			"3010" P "exit api hsaKmtFreeMemory call=4 status=0\n"
			"4000" P "entry api hsaKmtFreeMemory call=5 address=0x5000 stack=0xd\n"
			"4010" P "exit api hsaKmtFreeMemory call=5 status=0\n",
			NULL);

		free_model(NULL);
		new_model(NULL);
		balance = balance_new(model);
		read_trace(text);
		assert_int_equal(balance_bad_frees(balance)->len, count[i]);
		assert_true(((struct bad_free *)g_ptr_array_index(balance_bad_frees(balance), 0))
				    ->is_double);
		balance_free(balance);
		g_free(text);
	}
}

static void a_wait_without_an_end_is_a_bar_to_the_end(void **state)
{
	struct lanes *lanes = lanes_new(model);
	const struct lane *lane;
	const struct lane_bar *bar;

	(void)state;
	read_trace("1000" P "entry api hsaKmtWaitOnEvent call=1\n"
		   "1010" P "entry api hsaKmtWaitOnMultipleEvents call=2\n"
		   "1500" P "exit api hsaKmtWaitOnMultipleEvents call=2 status=0\n"
		   "1510" P "exit api hsaKmtWaitOnEvent call=1 status=0\n"
		   "2000" P "entry api hsaKmtWaitOnEvent call=3\n"
		   "9000 h 10 11 app exiting exit_code=0\n");
	assert_int_equal(lanes_list(lanes, LANE_WAIT)->len, 1);
	lane = g_ptr_array_index(lanes_list(lanes, LANE_WAIT), 0);
	assert_int_equal(lane->bars->len, 2); /* the inner wait is part of the outer one */
	bar = &g_array_index(lane->bars, struct lane_bar, 0);
	assert_int_equal(bar->begin_ns, 1000);
	assert_int_equal(bar->end_ns, 1510);
	bar = &g_array_index(lane->bars, struct lane_bar, 1);
	assert_true(bar->is_open);
	assert_int_equal(bar->end_ns, 9000);
	lanes_free(lanes);
}

static void a_lane_has_a_limit_on_its_bars(void **state)
{
	struct lanes *lanes = lanes_new(model);
	GString *text = g_string_new(NULL);
	const struct lane *lane;
	uint64_t waits = 0;
	const int count = 100000;

	(void)state;
	for (int i = 1; i <= count; i++)
		g_string_append_printf(text,
				       "%d000" P "entry api hsaKmtWaitOnEvent call=%d\n"
				       "%d100" P "exit api hsaKmtWaitOnEvent call=%d status=0\n",
				       i, i, i, i);
	read_trace(text->str);
	lane = g_ptr_array_index(lanes_list(lanes, LANE_WAIT), 0);
	assert_true(lane->bars->len <= LANE_BARS_MAX);
	for (guint i = 0; i < lane->bars->len; i++)
		waits += g_array_index(lane->bars, struct lane_bar, i).count;
	assert_int_equal(waits, count);
	/* However many there are, what is joined was close: the gaps are of 900. */
	assert_true(lane->grain_ns <= count * INT64_C(1000) / LANE_BARS_MAX);
	g_string_free(text, TRUE);
	lanes_free(lanes);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, new_model, free_model)
	const struct CMUnitTest tests[] = {
		TEST(a_series_is_exact_while_it_is_short),
		TEST(a_series_keeps_its_limit_its_peak_and_its_last_value),
		TEST(a_series_with_a_lower_limit_keeps_its_peak_and_its_last_value),
		TEST(of_very_many_places_only_the_large_ones_keep_each_change),
		TEST(places_are_thinned_out_rarely_however_many_there_are),
		TEST(who_held_the_peak_is_known_although_it_changed_since),
		TEST(the_state_of_a_moment_is_that_before_later_changes),
		TEST(memory_given_back_before_anything_else_is_temporary),
		TEST(growth_tells_a_full_cache_from_a_slow_leak),
		TEST(scratch_is_reserved_not_memory),
		TEST(a_registration_over_a_stale_one_is_found),
		TEST(a_range_that_is_registered_twice_keeps_both_stacks),
		TEST(a_double_free_names_the_first_one),
		TEST(a_free_of_nothing_that_succeeds_is_bad_when_all_is_known),
		TEST(a_wait_without_an_end_is_a_bar_to_the_end),
		TEST(a_lane_has_a_limit_on_its_bars),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
