/* SPDX-License-Identifier: MIT */
/* Structure of the timeline file (analysis/output/perfetto.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "output/perfetto.h"
#include "text_trace.h"

static const char recording[] =
	"1000 h 1 1 a entry api hsaKmtAllocMemory call=1 size_bytes=4096 node_id=1 gpu_id=7 "
	"flags=1\n"
	"1100 h 1 1 a entry ioctl ALLOC_MEMORY_OF_GPU call=1 address=0x10 size_bytes=4096\n"
	"1200 h 1 1 a exit ioctl ALLOC_MEMORY_OF_GPU call=1 ret=0 handle=1\n"
	"1300 h 1 1 a exit api hsaKmtAllocMemory call=1 status=0 address=0x10\n"
	"2000 h 1 1 a entry api hsaKmtAllocMemory call=2 size_bytes=100 node_id=1 gpu_id=7 "
	"flags=1\n"
	"2300 h 1 1 a exit api hsaKmtAllocMemory call=2 status=0 address=0x20\n"
	"3000 h 1 1 a entry api hsaKmtFreeMemory call=3 address=0x20\n"
	"3300 h 1 1 a exit api hsaKmtFreeMemory call=3 status=0\n"
	"4000 h 1 2 a entry api hsaKmtWaitOnEvent call=1\n"
	"4100 h2 1 1 b entry api hsaKmtGetVersion call=1\n"
	"4200 h2 1 1 b exit api hsaKmtGetVersion call=1 status=0\n";

static json_t *make_timeline(const char *text, int64_t begin_ns, int64_t end_ns)
{
	struct model *model = model_new();
	char *buffer = NULL, *error;
	size_t size = 0;
	FILE *stream = open_memstream(&buffer, &size);
	struct perfetto *perfetto = perfetto_new(model, stream, begin_ns, end_ns, NULL);
	json_t *json;

	error = text_trace_read(model, text, NULL);
	if (error)
		fail_msg("%s", error);
	model_finish(model);
	assert_int_equal(perfetto_finish(perfetto, NULL), 0);
	fclose(stream);
	json = json_loads(buffer, 0, NULL);
	assert_non_null(json);
	perfetto_free(perfetto);
	model_free(model);
	free(buffer);
	return json;
}

static const char *phase(const json_t *event)
{
	return json_string_value(json_object_get(event, "ph"));
}

static int count_phase(const json_t *json, const char *wanted)
{
	const json_t *events = json_object_get(json, "traceEvents"), *event;
	int count = 0;
	size_t i;

	json_array_foreach(events, i, event) count += strcmp(phase(event), wanted) == 0;
	return count;
}

static void slices_are_balanced_and_in_order_on_every_track(void **state)
{
	json_t *json = make_timeline(recording, 0, 0);
	const json_t *events = json_object_get(json, "traceEvents"), *event;
	GHashTable *depths = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	GHashTable *times = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	GHashTableIter iter;
	void *value;
	size_t i;

	(void)state;
	json_array_foreach(events, i, event)
	{
		const char *ph = phase(event);
		double *last, now = json_number_value(json_object_get(event, "ts"));
		char *track = g_strdup_printf(
			"%d.%d", (int)json_integer_value(json_object_get(event, "pid")),
			(int)json_integer_value(json_object_get(event, "tid")));
		int depth = GPOINTER_TO_INT(g_hash_table_lookup(depths, track));

		if (strcmp(ph, "B") != 0 && strcmp(ph, "E") != 0) {
			g_free(track);
			continue;
		}
		last = g_hash_table_lookup(times, track);
		assert_true(!last || *last <= now);
		g_hash_table_replace(times, g_strdup(track), g_memdup2(&now, sizeof(now)));
		depth += strcmp(ph, "B") == 0 ? 1 : -1;
		assert_true(depth >= 0);
		g_hash_table_replace(depths, track, GINT_TO_POINTER(depth));
	}
	assert_int_equal(g_hash_table_size(depths), 3);
	g_hash_table_iter_init(&iter, depths);
	while (g_hash_table_iter_next(&iter, NULL, &value))
		assert_int_equal(GPOINTER_TO_INT(value), 0);
	assert_int_equal(count_phase(json, "B"), 6);
	g_hash_table_destroy(depths);
	g_hash_table_destroy(times);
	json_decref(json);
}

static void every_block_has_a_slice_that_ends(void **state)
{
	json_t *json = make_timeline(recording, 0, 0);
	const json_t *events = json_object_get(json, "traceEvents"), *event, *freed;
	int kept = 0;
	size_t i;

	(void)state;
	assert_int_equal(count_phase(json, "b"), 2);
	assert_int_equal(count_phase(json, "e"), 2);
	json_array_foreach(events, i, event)
	{
		freed = json_object_get(json_object_get(event, "args"), "freed");
		kept += freed && json_is_false(freed);
	}
	assert_int_equal(kept, 1);
	json_decref(json);
}

static void the_counter_follows_live_bytes_of_the_node(void **state)
{
	static const int expected[] = { 4096, 4196, 4096 };
	json_t *json = make_timeline(recording, 0, 0);
	const json_t *events = json_object_get(json, "traceEvents"), *event;
	size_t i, found = 0;

	(void)state;
	json_array_foreach(events, i, event)
	{
		if (strcmp(phase(event), "C") != 0)
			continue;
		assert_string_equal(json_string_value(json_object_get(event, "name")),
				    "live bytes on node 1");
		assert_true(found < 3);
		assert_int_equal(json_integer_value(
					 json_object_get(json_object_get(event, "args"), "bytes")),
				 expected[found++]);
	}
	assert_int_equal(found, 3);
	json_decref(json);
}

static void equal_process_ids_of_two_hosts_get_tracks_of_their_own(void **state)
{
	json_t *json = make_timeline(recording, 0, 0);
	const json_t *events = json_object_get(json, "traceEvents"), *event;
	int64_t first = -1, second = -1;
	size_t i;

	(void)state;
	json_array_foreach(events, i, event)
	{
		const char *name = json_string_value(json_object_get(event, "name"));
		int64_t pid = json_integer_value(json_object_get(event, "pid"));

		if (!name || strcmp(name, "process_name") != 0)
			continue;
		if (first < 0)
			first = pid;
		else
			second = pid;
	}
	assert_int_equal(first, 1);
	assert_true(second > 0 && second != first);
	json_decref(json);
}

static void limits_choose_what_is_written_and_stay_balanced(void **state)
{
	json_t *json = make_timeline(recording, 1050, 2100);

	(void)state;
	/* The first API call began too early, and so did not open a slice for what is inside it. */
	assert_int_equal(count_phase(json, "B"), 1);
	assert_int_equal(count_phase(json, "E"), 1);
	assert_int_equal(count_phase(json, "b"), 1);
	assert_int_equal(count_phase(json, "e"), 1);
	json_decref(json);
}

static void an_empty_recording_is_a_valid_file(void **state)
{
	json_t *json = make_timeline("", 0, 0);

	(void)state;
	assert_int_equal(json_array_size(json_object_get(json, "traceEvents")), 0);
	json_decref(json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slices_are_balanced_and_in_order_on_every_track),
		cmocka_unit_test(every_block_has_a_slice_that_ends),
		cmocka_unit_test(the_counter_follows_live_bytes_of_the_node),
		cmocka_unit_test(equal_process_ids_of_two_hosts_get_tracks_of_their_own),
		cmocka_unit_test(limits_choose_what_is_written_and_stay_balanced),
		cmocka_unit_test(an_empty_recording_is_a_valid_file),
	};

	return cmocka_run_group_tests_name("analysis/output/perfetto", tests, NULL, NULL);
}
