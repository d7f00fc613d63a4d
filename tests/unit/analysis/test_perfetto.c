/* SPDX-License-Identifier: MIT */
/* Structure of the timeline file (analysis/output/perfetto.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/*
 * Event 3 is set while thread 2 waits for it, then once more with nobody waiting, which ends the next
 * wait at once; event 4's set is seen by two waits; event 5's by none.
 */
static const char signals[] =
	"1000 h 1 1 a entry api hsaKmtCreateEvent call=1\n"
	"1100 h 1 1 a exit api hsaKmtCreateEvent call=1 status=0 .Event_EventId=3\n"
	"2000 h 1 2 a entry api hsaKmtWaitOnEvent call=1 .Event_id=3 .Milliseconds=1000\n"
	"3000 h 1 1 a entry api hsaKmtSetEvent call=2 .Event_id=3\n"
	"3010 h 1 1 a entry ioctl SET_EVENT call=1 api_call=2 .event_id=3\n"
	"3030 h 1 1 a exit ioctl SET_EVENT call=1 api_call=2 ret=0\n"
	"3100 h 1 2 a exit api hsaKmtWaitOnEvent call=1 status=0\n"
	"3200 h 1 1 a exit api hsaKmtSetEvent call=2 status=0\n"
	"4000 h 1 1 a entry api hsaKmtSetEvent call=3 .Event_id=3\n"
	"4100 h 1 1 a exit api hsaKmtSetEvent call=3 status=0\n"
	"5000 h 1 2 a entry api hsaKmtWaitOnEvent call=2 .Event_id=3 .Milliseconds=1000\n"
	"5100 h 1 2 a exit api hsaKmtWaitOnEvent call=2 status=0\n"
	"6000 h 1 2 a entry api hsaKmtWaitOnEvent call=3 .Event_id=4 .Milliseconds=1000\n"
	"6100 h 1 3 a entry api hsaKmtWaitOnEvent call=1 .Event_id=4 .Milliseconds=1000\n"
	"6200 h 1 1 a entry api hsaKmtSetEvent call=4 .Event_id=4\n"
	"6300 h 1 1 a exit api hsaKmtSetEvent call=4 status=0\n"
	"6400 h 1 2 a exit api hsaKmtWaitOnEvent call=3 status=0\n"
	"6500 h 1 3 a exit api hsaKmtWaitOnEvent call=1 status=0\n"
	"7000 h 1 1 a entry api hsaKmtSetEvent call=5 .Event_id=5\n"
	"7100 h 1 1 a exit api hsaKmtSetEvent call=5 status=0\n"
	"8000 h 1 2 a entry api hsaKmtWaitOnEvent call=4 .Event_id=6 .Milliseconds=1\n"
	"8100 h 1 2 a exit api hsaKmtWaitOnEvent call=4 status=31\n"
	"9000 h 1 2 a entry api hsaKmtWaitOnEvent call=5 .Event_id=5 .Milliseconds=1000\n";

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

/* Numbers that tie the recording's events together mean nothing to who looks at the slices. */
static void slices_have_the_arguments_of_their_calls_alone(void **state)
{
	static const char *const left_out[] = { "call", "api_call", "errno", "bt_truncated" };
	json_t *json = make_timeline(recording, 0, 0);
	const json_t *events = json_object_get(json, "traceEvents"), *event;
	size_t i, with_status = 0;

	(void)state;
	json_array_foreach(events, i, event)
	{
		const json_t *args = json_object_get(event, "args");

		if (strcmp(phase(event), "B") != 0 && strcmp(phase(event), "E") != 0)
			continue;
		for (size_t j = 0; j < sizeof(left_out) / sizeof(left_out[0]); j++)
			assert_null(json_object_get(args, left_out[j]));
		with_status += json_object_get(args, "status") != NULL;
	}
	assert_true(with_status > 0);
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

/* Seconds in which signal N is sent and received; a checker's view, without a look at the order. */
struct arrow {
	double sent, received;
	int from, to; /* threads */
};

static size_t read_arrows(const json_t *json, struct arrow *arrows, size_t max)
{
	const json_t *events = json_object_get(json, "traceEvents"), *event;
	size_t i, highest = 0;

	json_array_foreach(events, i, event)
	{
		size_t id = (size_t)json_integer_value(json_object_get(event, "id"));
		double time = json_number_value(json_object_get(event, "ts"));
		int tid = (int)json_integer_value(json_object_get(event, "tid"));

		if (strcmp(phase(event), "s") != 0 && strcmp(phase(event), "f") != 0)
			continue;
		assert_true(id > 0 && id <= max);
		highest = MAX(highest, id);
		if (*phase(event) == 's') {
			assert_int_equal(arrows[id - 1].from, 0);
			arrows[id - 1].sent = time;
			arrows[id - 1].from = tid;
		} else {
			assert_int_equal(arrows[id - 1].to, 0);
			assert_string_equal(json_string_value(json_object_get(event, "bp")), "e");
			arrows[id - 1].received = time;
			arrows[id - 1].to = tid;
		}
	}
	return highest;
}

static void arrows_lead_from_signals_to_the_waits_they_end(void **state)
{
	static const struct arrow expected[] = {
		{ 2.0, 2.1, 1, 2 }, { 3.0, 4.1, 1, 2 }, { 5.2, 5.4, 1, 2 }, { 5.2, 5.5, 1, 3 }
	};
	json_t *json = make_timeline(signals, 0, 0);
	struct arrow arrows[8] = { { 0 } };
	size_t count = read_arrows(json, arrows, 8);

	(void)state;
	assert_int_equal(count, G_N_ELEMENTS(expected));
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(arrows[i].from, expected[i].from);
		assert_int_equal(arrows[i].to, expected[i].to);
		assert_true(arrows[i].sent == expected[i].sent);
		assert_true(arrows[i].received == expected[i].received);
	}
	json_decref(json);
}

/* Not only slices: each event of a track is behind the one before it, in the order of the file. */
static void time_never_runs_back_on_a_track(void **state)
{
	static const char *const recordings[] = { recording, signals };

	(void)state;
	for (size_t r = 0; r < G_N_ELEMENTS(recordings); r++) {
		json_t *json = make_timeline(recordings[r], 0, 0);
		const json_t *events = json_object_get(json, "traceEvents"), *event;
		double last[4][4] = { { 0 } };
		size_t i;

		json_array_foreach(events, i, event)
		{
			int64_t pid = json_integer_value(json_object_get(event, "pid"));
			int64_t tid = json_integer_value(json_object_get(event, "tid"));
			double now = json_number_value(json_object_get(event, "ts"));

			if (strcmp(phase(event), "M") == 0)
				continue;
			assert_true(last[pid % 4][tid] <= now);
			last[pid % 4][tid] = now;
		}
		json_decref(json);
	}
}

static void arrows_need_both_slices(void **state)
{
	struct arrow arrows[8] = { { 0 } };
	json_t *json = make_timeline(signals, 3500, 6050);

	(void)state;
	/* The first signal is too early; of event 4's, the slice is not written, nor of its waits. */
	assert_int_equal(read_arrows(json, arrows, 8), 1);
	assert_true(arrows[0].sent == 3.0 && arrows[0].received == 4.1);
	json_decref(json);
}

static void counters_follow_the_living_queues_of_a_gpu(void **state)
{
	static const struct {
		const char *name;
		int compute, copy;
	} expected[] = { { "queues on node 1", 1, 0 },
			 { "queues on node 1", 2, 0 },
			 { "queues on GPU 77", 0, 1 },
			 { "queues on node 1", 1, 0 },
			 { "queues on GPU 77", 0, 0 } };
	json_t *json = make_timeline(
		"2000 h 1 1 a entry api hsaKmtCreateQueue call=1 node_id=1 gpu_id=77 queue_type=1\n"
		"2100 h 1 1 a exit api hsaKmtCreateQueue call=1 status=0 queue_id=0x1000\n"
		"3000 h 1 1 a entry api hsaKmtCreateQueue call=2 node_id=1 gpu_id=77 queue_type=1\n"
		"3100 h 1 1 a exit api hsaKmtCreateQueue call=2 status=0 queue_id=0x2000\n"
		"4000 h 2 2 b entry ioctl CREATE_QUEUE call=1 gpu_id=77 "
		".queue_type=1:KFD_IOC_QUEUE_TYPE_SDMA\n"
		"4100 h 2 2 b exit ioctl CREATE_QUEUE call=1 ret=0 .queue_id=5\n"
		"5000 h 1 1 a entry api hsaKmtDestroyQueue call=3 queue_id=0x2000\n"
		"5100 h 1 1 a exit api hsaKmtDestroyQueue call=3 status=0\n"
		"6000 h 2 2 b entry ioctl DESTROY_QUEUE call=2 queue_id=5\n"
		"6100 h 2 2 b exit ioctl DESTROY_QUEUE call=2 ret=0\n",
		0, 0);
	const json_t *events = json_object_get(json, "traceEvents"), *event;
	size_t i, found = 0;

	(void)state;
	json_array_foreach(events, i, event)
	{
		const json_t *args = json_object_get(event, "args");

		if (strcmp(phase(event), "C") != 0)
			continue;
		assert_true(found < G_N_ELEMENTS(expected));
		assert_string_equal(json_string_value(json_object_get(event, "name")),
				    expected[found].name);
		assert_int_equal(json_integer_value(json_object_get(args, "compute")),
				 expected[found].compute);
		assert_int_equal(json_integer_value(json_object_get(args, "copy")),
				 expected[found].copy);
		found++;
	}
	assert_int_equal(found, G_N_ELEMENTS(expected));
	json_decref(json);
}

/* What cannot be rewritten in place gets the same bytes: a pipe, and a file that is appended to. */
static void a_pipe_gets_the_same_file(void **state)
{
	struct model *model = model_new();
	int ends[2];
	char buffer[16384] = "";
	ssize_t size;
	struct perfetto *perfetto;
	FILE *stream;
	json_t *whole = make_timeline(signals, 0, 0), *piped;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	stream = fdopen(ends[1], "w");
	perfetto = perfetto_new(model, stream, 0, 0, NULL);
	assert_null(text_trace_read(model, signals, NULL));
	model_finish(model);
	assert_int_equal(perfetto_finish(perfetto, NULL), 0);
	fclose(stream); /* the pipe's buffer has room for it all */
	perfetto_free(perfetto);
	model_free(model);
	size = read(ends[0], buffer, sizeof(buffer));
	assert_true(size > 0 && size < (ssize_t)sizeof(buffer));
	close(ends[0]);
	piped = json_loads(buffer, 0, NULL);
	assert_true(json_equal(piped, whole));
	json_decref(piped);
	json_decref(whole);
}

static void an_empty_recording_is_a_valid_file(void **state)
{
	json_t *json = make_timeline("", 0, 0);

	(void)state;
	assert_int_equal(json_array_size(json_object_get(json, "traceEvents")), 0);
	json_decref(json);
}

/* A sample of a queue, an eviction with its end, one without, and a restore of an older one. */
static const char told[] =
	"1000 h 1 1 a node node_id=1 gpu_id=77\n"
	"2000 h 1 2 a sample .queue_id=4 .gpu_id=77 .ring_va=0x50 .indices_valid=1 .pending=7 "
	".looks=1 .busy_looks=1 .packets_valid=1\n"
	"2500 h 1 2 a sample .queue_id=4 .gpu_id=77 .ring_va=0x50 .looks=1\n"
	"2600 h 1 2 a told .number=10 .gpu_id=77 .node=76\n"
	"3000 h 1 2 a told .number=9 .gpu_id=77 .node=77 .trigger=1\n"
	"4000 h 1 2 a told .number=10 .gpu_id=77 .node=77\n"
	"5000 h 1 2 a told .number=9 .gpu_id=77 .node=77 .trigger=2\n"
	"6000 h 1 1 a exiting\n";

static void samples_and_evictions_are_drawn(void **state)
{
	static const struct {
		const char *phase, *name;
		double ts;
	} expected[] = { { "C", "waiting in queue 0x4", 1.0 },
			 { "b", "queues evicted from GPU 77", 2.0 },
			 { "e", "queues evicted from GPU 77", 3.0 },
			 { "b", "queues evicted from GPU 77", 4.0 },
			 { "e", "queues evicted from GPU 77", 5.0 } };
	json_t *json = make_timeline(told, 0, 0);
	const json_t *events = json_object_get(json, "traceEvents"), *event;
	size_t i, found = 0;

	(void)state;
	json_array_foreach(events, i, event)
	{
		const json_t *args = json_object_get(event, "args");

		if (strcmp(phase(event), "M") == 0)
			continue;
		assert_true(found < G_N_ELEMENTS(expected));
		assert_string_equal(phase(event), expected[found].phase);
		assert_string_equal(json_string_value(json_object_get(event, "name")),
				    expected[found].name);
		assert_true(json_number_value(json_object_get(event, "ts")) == expected[found].ts);
		if (found == 0)
			assert_int_equal(json_integer_value(json_object_get(args, "packets")), 7);
		found++;
	}
	assert_int_equal(found, G_N_ELEMENTS(expected));
	json_decref(json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_and_evictions_are_drawn),
		cmocka_unit_test(slices_are_balanced_and_in_order_on_every_track),
		cmocka_unit_test(slices_have_the_arguments_of_their_calls_alone),
		cmocka_unit_test(every_block_has_a_slice_that_ends),
		cmocka_unit_test(the_counter_follows_live_bytes_of_the_node),
		cmocka_unit_test(equal_process_ids_of_two_hosts_get_tracks_of_their_own),
		cmocka_unit_test(limits_choose_what_is_written_and_stay_balanced),
		cmocka_unit_test(arrows_lead_from_signals_to_the_waits_they_end),
		cmocka_unit_test(time_never_runs_back_on_a_track),
		cmocka_unit_test(arrows_need_both_slices),
		cmocka_unit_test(counters_follow_the_living_queues_of_a_gpu),
		cmocka_unit_test(a_pipe_gets_the_same_file),
		cmocka_unit_test(an_empty_recording_is_a_valid_file),
	};

	return cmocka_run_group_tests_name("analysis/output/perfetto", tests, NULL, NULL);
}
