/* SPDX-License-Identifier: MIT */
/* Pairing of entries and exits by thread, and identity of processes (analysis/model/model.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "model/chains.h"
#include "text_trace.h"

static struct chains *chains; /* of the model that read_trace() made last */

static struct model *read_trace(const char *text)
{
	struct model *model = model_new();
	char *error;

	chains = chains_new(model);
	error = text_trace_read(model, text, NULL);
	if (error)
		fail_msg("%s", error);
	model_finish(model);
	return model;
}

static void done(struct model *model)
{
	chains_free(chains);
	model_free(model);
}

static const struct process *process_at(const struct model *model, guint index)
{
	assert_true(index < model_processes(model)->len);
	return g_ptr_array_index(model_processes(model), index);
}

static const struct chain *root(const char *name)
{
	for (guint i = 0; i < chains_roots(chains)->len; i++) {
		const struct chain *chain = g_ptr_array_index(chains_roots(chains), i);

		if (strcmp(chain->type->name, name) == 0)
			return chain;
	}
	fail_msg("no chain begins with %s", name);
	return NULL;
}

static void a_call_has_the_time_between_its_entry_and_exit(void **state)
{
	struct model *model =
		read_trace("1000 h 1 1 a entry api hsaKmtGetVersion call=1\n"
			   "1250 h 1 1 a exit api hsaKmtGetVersion call=1 status=0\n");

	(void)state;
	assert_int_equal(root("hsaKmtGetVersion")->latency.count, 1);
	assert_int_equal(root("hsaKmtGetVersion")->latency.total_ns, 250);
	done(model);
}

static void threads_do_not_end_each_others_calls(void **state)
{
	struct model *model = read_trace("1000 h 1 1 a entry api hsaKmtSetEvent call=1\n"
					 "1100 h 1 2 a entry api hsaKmtSetEvent call=1\n"
					 "1200 h 1 2 a exit api hsaKmtSetEvent call=1 status=0\n"
					 "1900 h 1 1 a exit api hsaKmtSetEvent call=1 status=0\n");

	(void)state;
	assert_int_equal(root("hsaKmtSetEvent")->latency.count, 2);
	assert_int_equal(root("hsaKmtSetEvent")->latency.min_ns, 100);
	assert_int_equal(root("hsaKmtSetEvent")->latency.max_ns, 900);
	done(model);
}

static void time_inside_another_call_is_not_counted_twice(void **state)
{
	struct model *model =
		read_trace("1000 h 1 1 a entry api hsaKmtWaitOnEvent call=1\n"
			   "1100 h 1 1 a entry api hsaKmtWaitOnMultipleEvents call=2\n"
			   "1200 h 1 1 a entry ioctl WAIT_EVENTS call=1\n"
			   "1700 h 1 1 a exit ioctl WAIT_EVENTS call=1 ret=0\n"
			   "1800 h 1 1 a exit api hsaKmtWaitOnMultipleEvents call=2 status=0\n"
			   "2000 h 1 1 a exit api hsaKmtWaitOnEvent call=1 status=0\n");
	const struct chain *outer = root("hsaKmtWaitOnEvent"), *inner;

	(void)state;
	assert_int_equal(chains_roots(chains)->len, 1);
	assert_int_equal(outer->latency.total_ns, 1000);
	assert_int_equal(outer->latency.self_ns, 300);
	inner = outer->first_child;
	assert_non_null(inner);
	assert_null(inner->next);
	assert_int_equal(inner->latency.total_ns, 700);
	assert_int_equal(inner->latency.self_ns, 200);
	done(model);
}

static void an_exit_without_entry_began_before_the_recording(void **state)
{
	struct model *model = read_trace("1000 h 1 1 a exit api hsaKmtWaitOnEvent call=7 status=0\n"
					 "1100 h 1 1 a entry api hsaKmtSetEvent call=8\n"
					 "1200 h 1 1 a exit api hsaKmtSetEvent call=8 status=0\n");

	(void)state;
	assert_int_equal(process_at(model, 0)->cut_began_before, 1);
	assert_int_equal(root("hsaKmtSetEvent")->latency.total_ns, 100);
	done(model);
}

static void an_exit_of_another_number_is_not_taken_for_this_calls(void **state)
{
	/* The exit of call 1 and the entry of call 2 are lost; naive pairing gives 1000 ns. */
	struct model *model = read_trace("1000 h 1 1 a entry api hsaKmtSetEvent call=1\n"
					 "2000 h 1 1 a exit api hsaKmtSetEvent call=2 status=0\n"
					 "3000 h 1 1 a entry api hsaKmtSetEvent call=3\n"
					 "3100 h 1 1 a exit api hsaKmtSetEvent call=3 status=0\n");

	(void)state;
	assert_int_equal(root("hsaKmtSetEvent")->latency.count, 1);
	assert_int_equal(root("hsaKmtSetEvent")->latency.total_ns, 100);
	assert_int_equal(process_at(model, 0)->cut_began_before, 1);
	done(model);
}

static void an_open_call_at_the_end_is_unfinished_and_named(void **state)
{
	struct model *model = read_trace("1000 h 1 1 a entry api hsaKmtWaitOnEvent call=1 stack=5\n"
					 "1100 h 1 1 a entry ioctl WAIT_EVENTS call=1\n"
					 "9000 h 1 2 a entry api hsaKmtSetEvent call=1\n"
					 "9100 h 1 2 a exit api hsaKmtSetEvent call=1 status=0\n");
	const struct process *process = process_at(model, 0);
	const struct unfinished *call;

	(void)state;
	assert_int_equal(process->cut_unfinished, 2);
	assert_int_equal(process->unfinished->len, 1);
	call = &g_array_index(process->unfinished, struct unfinished, 0);
	assert_string_equal(call->type->name, "hsaKmtWaitOnEvent");
	assert_int_equal(call->vtid, 1);
	assert_int_equal(call->since_ns, 1000);
	assert_int_equal(call->stack->address[0], 5);
	assert_int_equal(root("hsaKmtWaitOnEvent")->latency.count, 0);
	assert_int_equal(root("hsaKmtWaitOnEvent")->cut, 1);
	done(model);
}

static void a_reused_thread_id_abandons_the_old_threads_calls(void **state)
{
	/* Thread 2 is cancelled inside call 9; a new thread gets its id and counts from 1 again. */
	struct model *model =
		read_trace("1000 h 1 2 a entry api hsaKmtWaitOnEvent call=9\n"
			   "5000 h 1 2 a entry api hsaKmtWaitOnEvent call=1\n"
			   "5200 h 1 2 a exit api hsaKmtWaitOnEvent call=1 status=0\n");

	(void)state;
	assert_int_equal(model_processes(model)->len, 1);
	assert_int_equal(process_at(model, 0)->cut_abandoned, 1);
	assert_int_equal(process_at(model, 0)->cut_unfinished, 0);
	assert_int_equal(root("hsaKmtWaitOnEvent")->latency.total_ns, 200);
	done(model);
}

static void a_reused_process_id_makes_another_process(void **state)
{
	struct model *model = read_trace(
		"500 h 1 1 a module address=0x1000 size_bytes=4096 text=/lib/x\n"
		"1000 h 1 1 a entry api hsaKmtAllocMemory call=1 size_bytes=10 node_id=1 "
		"stack=0x1001\n"
		"1100 h 1 1 a exit api hsaKmtAllocMemory call=1 status=0 address=0x10\n"
		"2000 h 1 1 b entry api hsaKmtAllocMemory call=1 size_bytes=20 node_id=1 "
		"stack=0x1001\n"
		"2100 h 1 1 b exit api hsaKmtAllocMemory call=1 status=0 address=0x10\n");

	(void)state;
	assert_int_equal(model_processes(model)->len, 2);
	assert_int_equal(process_at(model, 0)->memory->usage.live_bytes, 10);
	assert_int_equal(process_at(model, 1)->memory->usage.live_bytes, 20);
	assert_int_equal(process_at(model, 1)->instance, 1);
	/* What was loaded last is the new process's. */
	assert_non_null(modules_find(&process_at(model, 1)->modules, 0x1001, 0));
	done(model);
}

static void equal_ids_on_two_hosts_are_two_processes(void **state)
{
	struct model *model =
		read_trace("1000 h1 1 1 a entry api hsaKmtGetVersion call=1\n"
			   "1001 h2 1 1 a entry api hsaKmtGetVersion call=1\n"
			   "1100 h1 1 1 a exit api hsaKmtGetVersion call=1 status=0\n"
			   "1201 h2 1 1 a exit api hsaKmtGetVersion call=1 status=0\n");

	(void)state;
	assert_int_equal(model_processes(model)->len, 2);
	assert_int_equal(process_at(model, 0)->cut_unfinished, 0);
	assert_int_equal(process_at(model, 1)->instance, 0);
	done(model);
}

static void a_forked_child_knows_its_parent_and_owns_nothing_of_it(void **state)
{
	struct model *model = read_trace(
		"1000 h 1 1 a entry api hsaKmtAllocMemory call=1 size_bytes=10 node_id=1\n"
		"1100 h 1 1 a exit api hsaKmtAllocMemory call=1 status=0 address=0x10\n"
		"2000 h 2 2 a forked ppid=1\n"
		"2100 h 2 2 a entry api hsaKmtAllocMemory call=2 size_bytes=10 node_id=1\n"
		"2200 h 2 2 a exit api hsaKmtAllocMemory call=2 status=20\n");

	(void)state;
	assert_true(process_at(model, 1)->forked);
	assert_int_equal(process_at(model, 1)->ppid, 1);
	assert_int_equal(process_at(model, 1)->memory->usage.live_bytes, 0);
	assert_int_equal(process_at(model, 0)->memory->usage.live_bytes, 10);
	done(model);
}

static void the_name_of_a_process_is_not_its_tracers_threads(void **state)
{
	struct model *model = read_trace("1000 h 1 9 app-ust schema major=1 minor=2 ppid=7\n"
					 "1001 h 2 9 svc-ust schema major=1\n"
					 "1100 h 1 1 app entry api hsaKmtGetVersion call=1\n");
	uint32_t major, minor;

	(void)state;
	assert_string_equal(process_at(model, 0)->name, "app");
	assert_string_equal(process_at(model, 1)->name, "svc");
	assert_int_equal(process_at(model, 0)->ppid, 7);
	model_schema(model, &major, &minor);
	assert_int_equal(major, 1);
	assert_int_equal(minor, 2);
	done(model);
}

static void endless_nesting_is_cut_at_the_limit(void **state)
{
	GString *text = g_string_new(NULL);
	struct model *model;

	(void)state;
	for (unsigned int i = 1; i <= THREAD_CALLS_MAX + 10; i++)
		g_string_append_printf(text, "%u h 1 1 a entry api hsaKmtMadeUp%u call=%u\n", i, i,
				       i);
	model = read_trace(text->str);
	assert_int_equal(process_at(model, 0)->cut_abandoned, 10);
	assert_int_equal(process_at(model, 0)->cut_unfinished, THREAD_CALLS_MAX);
	done(model);
	g_string_free(text, TRUE);
}

static void an_ending_known_from_outside_is_of_the_last_process_of_the_id(void **state)
{
	struct model *model = model_new();
	char *error = text_trace_read(model,
				      "1000 h 1 1 a entry api hsaKmtGetVersion call=1\n"
				      "1100 h 1 1 a exit api hsaKmtGetVersion call=1 status=0\n"
				      "2000 h 1 1 b entry api hsaKmtGetVersion call=1\n",
				      NULL);

	(void)state;
	assert_null(error);
	model_end_process(model, NULL, 1, -1, 9);
	model_finish(model);
	assert_int_equal(process_at(model, 0)->end, PROCESS_END_UNKNOWN);
	assert_int_equal(process_at(model, 1)->end, PROCESS_END_SIGNAL);
	assert_int_equal(process_at(model, 1)->end_code, 9);
	model_free(model);
}

static void a_stack_without_its_definition_is_not_known(void **state)
{
	struct model *model =
		read_trace("1000 h 1 1 a entry api hsaKmtGetVersion call=1 stack_id=7\n"
			   "1001 h 1 1 a exit api hsaKmtGetVersion call=1 status=0\n"
			   "1010 h 1 1 a stack stack_id=7 stack=0x100,0x200\n"
			   "1020 h 1 1 a entry api hsaKmtGetVersion call=2 stack_id=7\n"
			   "1030 h 2 2 b entry api hsaKmtGetVersion call=1 stack_id=7\n");
	const struct unfinished *known, *other;

	(void)state;
	assert_int_equal(process_at(model, 0)->unknown_stacks, 1);
	known = &g_array_index(process_at(model, 0)->unfinished, struct unfinished, 0);
	assert_int_equal(known->stack->depth, 2);
	assert_int_equal(known->stack->address[1], 0x200);
	/* Numbers are each process's own. */
	assert_int_equal(process_at(model, 1)->unknown_stacks, 1);
	other = &g_array_index(process_at(model, 1)->unfinished, struct unfinished, 0);
	assert_null(other->stack);
	done(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_has_the_time_between_its_entry_and_exit),
		cmocka_unit_test(threads_do_not_end_each_others_calls),
		cmocka_unit_test(time_inside_another_call_is_not_counted_twice),
		cmocka_unit_test(an_exit_without_entry_began_before_the_recording),
		cmocka_unit_test(an_exit_of_another_number_is_not_taken_for_this_calls),
		cmocka_unit_test(an_open_call_at_the_end_is_unfinished_and_named),
		cmocka_unit_test(a_reused_thread_id_abandons_the_old_threads_calls),
		cmocka_unit_test(a_reused_process_id_makes_another_process),
		cmocka_unit_test(equal_ids_on_two_hosts_are_two_processes),
		cmocka_unit_test(a_forked_child_knows_its_parent_and_owns_nothing_of_it),
		cmocka_unit_test(the_name_of_a_process_is_not_its_tracers_threads),
		cmocka_unit_test(endless_nesting_is_cut_at_the_limit),
		cmocka_unit_test(a_stack_without_its_definition_is_not_known),
		cmocka_unit_test(an_ending_known_from_outside_is_of_the_last_process_of_the_id),
	};

	return cmocka_run_group_tests_name("analysis/model/model", tests, NULL, NULL);
}
