/* SPDX-License-Identifier: MIT */
/*
 * Numbers that are given out again while the call that gave them back is still recorded as open: the driver
 * and the library reuse them at once, and a thread may be held up before its exit event. What is new must
 * not end with the old, and nothing may be counted twice.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "model/counters.h"
#include "model/lanes.h"
#include "model/memory.h"
#include "model/timeline.h"
#include "model/queues.h"
#include "text_trace.h"
#include "model/waits.h"

#define A " h 10 1 app "
#define B " h 10 2 app "

/* Thread 1's destroy ends after thread 2 was given a queue of the same number. */
static const char queue_again[] =
	"1000" A "entry api hsaKmtCreateQueue call=1 node_id=1 gpu_id=7 queue_type=1\n"
	"1010" A
	"entry ioctl ALLOC_MEMORY_OF_GPU call=1 api_call=1 address=0x10000 size_bytes=4096\n"
	"1020" A "exit ioctl ALLOC_MEMORY_OF_GPU call=1 api_call=1 ret=0 handle=1\n"
	"1100" A "exit api hsaKmtCreateQueue call=1 status=0 queue_id=0x10000\n"
	"2000" A "entry api hsaKmtDestroyQueue call=2 queue_id=0x10000\n"
	"2010" A "entry ioctl FREE_MEMORY_OF_GPU call=2 api_call=2 handle=1\n"
	"2020" A "exit ioctl FREE_MEMORY_OF_GPU call=2 api_call=2 ret=0\n"
	"2100" B "entry api hsaKmtCreateQueue call=1 node_id=1 gpu_id=7 queue_type=1\n"
	"2110" B
	"entry ioctl ALLOC_MEMORY_OF_GPU call=1 api_call=1 address=0x10000 size_bytes=4096\n"
	"2120" B "exit ioctl ALLOC_MEMORY_OF_GPU call=1 api_call=1 ret=0 handle=2\n"
	"2200" B "exit api hsaKmtCreateQueue call=1 status=0 queue_id=0x10000\n"
	"2300" A "exit api hsaKmtDestroyQueue call=2 status=0\n";

static const char queue_end[] =
	"3000" B "entry api hsaKmtDestroyQueue call=2 queue_id=0x10000\n"
	"3010" B "entry ioctl FREE_MEMORY_OF_GPU call=2 api_call=2 handle=2\n"
	"3020" B "exit ioctl FREE_MEMORY_OF_GPU call=2 api_call=2 ret=0\n"
	"3100" B "exit api hsaKmtDestroyQueue call=2 status=0\n";

static void read_into(struct model *model, const char *first, const char *second)
{
	char *text = g_strconcat(first, second, NULL);
	char *error = text_trace_read(model, text, NULL);

	if (error)
		fail_msg("%s", error);
	model_finish(model);
	g_free(text);
}

static struct memory *memory_of(const struct model *model)
{
	const struct process *process = g_ptr_array_index(model_processes(model), 0);

	return process->memory;
}

static void new_queue_keeps_its_memory_and_takes_it_along(void **state)
{
	(void)state;
	for (int ends = 0; ends <= 1; ends++) {
		struct model *model = model_new();
		const struct memory *memory;

		read_into(model, queue_again, ends ? queue_end : "");
		memory = memory_of(model);
		assert_int_equal(memory->internal.live_bytes, ends ? 0 : 4096);
		assert_int_equal(memory->internal.peak_bytes, 4096);
		assert_int_equal(memory->freed_count, 0); /* of the program's own memory */
		assert_int_equal(memory->usage.peak_bytes, 0);
		assert_int_equal(memory->queues_created, 2);
		assert_int_equal(memory->queues_destroyed, 1 + ends);
		model_free(model);
	}
}

static void new_queue_lives_and_is_counted_once(void **state)
{
	(void)state;
	for (int ends = 0; ends <= 1; ends++) {
		struct model *model = model_new();
		struct queues *queues = queues_new(model);
		const struct queues_process *process;
		const struct queue_census *census;

		read_into(model, queue_again, ends ? queue_end : "");
		assert_int_equal(queues_outstanding(queues)->len, 1 - ends);
		if (!ends)
			assert_int_equal(
				((struct queue *)g_ptr_array_index(queues_outstanding(queues), 0))
					->created_ns,
				2200);
		process = g_ptr_array_index(queues_processes(queues), 0);
		assert_int_equal(process->created, 2);
		assert_int_equal(process->destroyed, 1 + ends);
		census = g_ptr_array_index(queues_census(queues), 0);
		assert_int_equal(census->peak, 1);
		assert_int_equal(census->alive, 1 - ends);
		queues_free(queues);
		model_free(model);
	}
}

static void each_queue_has_a_bar_that_ends_once(void **state)
{
	(void)state;
	for (int ends = 0; ends <= 1; ends++) {
		struct model *model = model_new();
		struct lanes *lanes = lanes_new(model);
		const GPtrArray *list;
		const struct lane_bar *bars[2];

		read_into(model, queue_again, ends ? queue_end : "");
		list = lanes_list(lanes, LANE_QUEUE);
		assert_int_equal(list->len, 2);
		for (guint i = 0; i < 2; i++) {
			const struct lane *lane = g_ptr_array_index(list, i);

			assert_int_equal(lane->bars->len, 1);
			bars[i] = &g_array_index(lane->bars, struct lane_bar, 0);
		}
		assert_int_equal(bars[0]->begin_ns, 1100);
		assert_int_equal(bars[0]->end_ns, 2200);
		assert_false(bars[0]->is_open);
		assert_int_equal(bars[1]->begin_ns, 2200);
		assert_int_equal(bars[1]->end_ns, ends ? 3100 : 2300);
		assert_int_equal(bars[1]->is_open, !ends);
		lanes_free(lanes);
		model_free(model);
	}
}

static void collect(void *data, const struct timeline_item *item)
{
	GString *states = data;

	if (item->kind == TIMELINE_QUEUE || item->kind == TIMELINE_COUNTERS)
		g_string_append_printf(states, "%s ", item->texts[1]);
}

static char *states_of(const char *first, const char *second)
{
	struct model *model = model_new();
	GString *states = g_string_new(NULL);
	struct timeline *timeline = timeline_new(model, collect, states);

	read_into(model, first, second);
	timeline_finish(timeline);
	timeline_free(timeline);
	model_free(model);
	return g_string_free(states, FALSE);
}

static void timeline_ends_with_the_last_queue(void **state)
{
	char *states;

	(void)state;
	states = states_of(queue_again, "");
	assert_string_equal(states, "active active ");
	g_free(states);
	states = states_of(queue_again, queue_end);
	assert_string_equal(states, "active active destroyed ");
	g_free(states);
}

/* Event 5 is destroyed and made again; a set of the new one has a waiter, one of the old had none. */
static const char event_again[] =
	"1000" A "entry api hsaKmtCreateEvent call=1\n"
	"1100" A "exit api hsaKmtCreateEvent call=1 status=0 event_id=5 .Event_EventId=5\n"
	"1200" A "entry api hsaKmtSetEvent call=2 .Event_id=5\n"
	"1300" A "exit api hsaKmtSetEvent call=2 status=0\n"
	"2000" A "entry api hsaKmtDestroyEvent call=3 event_id=5 .Event_id=5\n"
	"2100" B "entry api hsaKmtCreateEvent call=1\n"
	"2200" B "exit api hsaKmtCreateEvent call=1 status=0 event_id=5 .Event_EventId=5\n"
	"2300" A "exit api hsaKmtDestroyEvent call=3 status=0\n";

static const char event_end[] =
	"3000" B "entry api hsaKmtDestroyEvent call=2 event_id=5 .Event_id=5\n"
	"3100" B "exit api hsaKmtDestroyEvent call=2 status=0\n";

static void new_event_lives_and_is_counted_once(void **state)
{
	(void)state;
	for (int ends = 0; ends <= 1; ends++) {
		struct model *model = model_new();
		struct waits *waits = waits_new(model);
		const struct waits_process *process;
		const struct event_site *site;

		read_into(model, event_again, ends ? event_end : "");
		process = g_ptr_array_index(waits_processes(waits), 0);
		assert_int_equal(process->events_created, 2);
		assert_int_equal(process->events_destroyed, 1 + ends);
		assert_int_equal(process->events_alive, 1 - ends);
		site = g_ptr_array_index(waits_event_sites(waits), 0);
		assert_int_equal(site->destroyed, 1 + ends);
		assert_int_equal(site->lost_sets, 1); /* nobody can see it any more */
		assert_int_equal(memory_of(model)->events_destroyed, 1 + ends);
		assert_int_equal(g_hash_table_size(memory_of(model)->owners), 1 - ends);
		waits_free(waits);
		model_free(model);
	}
}

static void refused_destroy_ends_nothing(void **state)
{
	struct model *model = model_new();
	struct waits *waits = waits_new(model);
	const struct waits_process *process;

	(void)state;
	read_into(model,
		  "1000" A "entry api hsaKmtCreateEvent call=1\n"
		  "1100" A "exit api hsaKmtCreateEvent call=1 status=0 .Event_EventId=5\n"
		  "2000" A "entry api hsaKmtDestroyEvent call=2 .Event_id=5\n"
		  "2100" A "exit api hsaKmtDestroyEvent call=2 status=1\n",
		  "3000" A "entry api hsaKmtCreateEvent call=3\n"
		  "3100" A "exit api hsaKmtCreateEvent call=3 status=0 .Event_EventId=5\n");
	process = g_ptr_array_index(waits_processes(waits), 0);
	assert_int_equal(process->events_destroyed, 0);
	assert_int_equal(process->events_alive, 1); /* the end of the first was lost */
	waits_free(waits);
	model_free(model);
}

static void new_counter_run_stays_registered(void **state)
{
	static const char again[] =
		"1000" A "entry api hsaKmtPmcRegisterTrace call=1 node_id=1 gpu_id=7\n"
		"1100" A "exit api hsaKmtPmcRegisterTrace call=1 status=0 .TraceRoot_TraceId=9\n"
		"2000" A "entry api hsaKmtPmcUnregisterTrace call=2 node_id=1 .TraceId=9\n"
		"2100" B "entry api hsaKmtPmcRegisterTrace call=1 node_id=1 gpu_id=7\n"
		"2200" B "exit api hsaKmtPmcRegisterTrace call=1 status=0 .TraceRoot_TraceId=9\n"
		"2300" A "exit api hsaKmtPmcUnregisterTrace call=2 status=0\n";
	struct model *model = model_new();
	struct counters *counters = counters_new(model);
	const struct counter_run *first, *second;
	char *states;

	(void)state;
	read_into(model, again, "");
	assert_int_equal(counters_runs(counters)->len, 2);
	first = g_ptr_array_index(counters_runs(counters), 0);
	second = g_ptr_array_index(counters_runs(counters), 1);
	assert_int_equal(first->unregistered_ns, 2300);
	assert_int_equal(second->unregistered_ns, 0);
	counters_free(counters);
	model_free(model);
	states = states_of(again, "");
	assert_string_equal(states, "registered registered ");
	g_free(states);
}

/* Thread 2 is given the addresses of an import that thread 1 has closed: no block was replaced. */
static void closed_import_is_not_taken_for_a_lost_free(void **state)
{
	struct model *model = model_new();
	const struct memory *memory;

	(void)state;
	read_into(model,
		  "1000" A "entry api hsaKmtRegisterSharedHandle call=1\n"
		  "1100" A "exit api hsaKmtRegisterSharedHandle call=1 status=0 address=0x10000 "
		  "size_bytes=4096\n"
		  "2000" A "entry api hsaKmtDeregisterMemory call=2 address=0x10000\n",
		  "2100" B "entry api hsaKmtAllocMemory call=1 size_bytes=8192 node_id=1 gpu_id=7\n"
		  "2200" B "exit api hsaKmtAllocMemory call=1 status=0 address=0x10000\n"
		  "2300" A "exit api hsaKmtDeregisterMemory call=2 status=0\n");
	memory = memory_of(model);
	assert_int_equal(memory->replaced, 0);
	assert_int_equal(memory->freed_count, 1);
	assert_int_equal(memory->freed_bytes, 4096);
	assert_int_equal(memory->usage.live_bytes, 8192);
	model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(new_queue_keeps_its_memory_and_takes_it_along),
		cmocka_unit_test(new_queue_lives_and_is_counted_once),
		cmocka_unit_test(each_queue_has_a_bar_that_ends_once),
		cmocka_unit_test(timeline_ends_with_the_last_queue),
		cmocka_unit_test(new_event_lives_and_is_counted_once),
		cmocka_unit_test(refused_destroy_ends_nothing),
		cmocka_unit_test(new_counter_run_stays_registered),
		cmocka_unit_test(closed_import_is_not_taken_for_a_lost_free),
	};

	return cmocka_run_group_tests_name("analysis/reuse", tests, NULL, NULL);
}
