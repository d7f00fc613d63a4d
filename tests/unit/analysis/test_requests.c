/* SPDX-License-Identifier: MIT */
/* Requests to a runtime above the thunk in the model (analysis/model/requests.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/requests.h"
#include "read_trace.h"

#define P " h 10 10 app "
#define Q " h 10 11 app "

static const struct process *process_of(const struct model *model)
{
	assert_int_equal(model_processes(model)->len, 1);
	return g_ptr_array_index(model_processes(model), 0);
}

static uint64_t live(const struct model *model)
{
	return g_hash_table_size(process_of(model)->requests->live);
}

static void a_request_lives_until_the_free_of_its_address(void **state)
{
	struct model *model =
		read_trace("1" P "entry hip hipMalloc call=1\n"
			   "2" P "exit hip hipMalloc call=1 status=0 address=0x1000 size_bytes=10\n"
			   "3" P "entry hip hipMalloc call=2\n"
			   "4" P "exit hip hipMalloc call=2 status=0 address=0x2000 size_bytes=20\n"
			   "5" P "entry hip hipFree call=3 address=0x1000\n"
			   "6" P "exit hip hipFree call=3 status=0\n");
	const struct requests *requests = process_of(model)->requests;

	(void)state;
	assert_int_equal(live(model), 1);
	assert_int_equal(requests->taken_count, 2);
	assert_int_equal(requests->freed_count, 1);
	assert_int_equal(requests->usage.live_bytes, 20);
	assert_int_equal(requests->usage.peak_bytes, 30);
	model_free(model);
}

static void a_free_that_fails_ends_nothing(void **state)
{
	struct model *model =
		read_trace("1" P "entry hip hipMalloc call=1\n"
			   "2" P "exit hip hipMalloc call=1 status=0 address=0x1000 size_bytes=10\n"
			   "3" P "entry hip hipFree call=2 address=0x1000\n"
			   "4" P "exit hip hipFree call=2 status=1\n");

	(void)state;
	assert_int_equal(live(model), 1);
	model_free(model);
}

static void an_address_given_out_before_its_free_has_returned_is_another_request(void **state)
{
	struct model *model =
		read_trace("1" P "entry hip hipMalloc call=1\n"
			   "2" P "exit hip hipMalloc call=1 status=0 address=0x1000 size_bytes=10\n"
			   "3" P "entry hip hipFree call=2 address=0x1000\n"
			   "4" Q "entry hip hipMalloc call=1\n"
			   "5" Q "exit hip hipMalloc call=1 status=0 address=0x1000 size_bytes=30\n"
			   "6" P "exit hip hipFree call=2 status=0\n");
	const struct requests *requests = process_of(model)->requests;

	(void)state;
	assert_int_equal(live(model), 1);
	assert_int_equal(requests->usage.live_bytes, 30);
	assert_int_equal(requests->replaced, 0);
	model_free(model);
}

static void a_function_that_calls_another_one_makes_one_request(void **state)
{
	struct model *model = read_trace(
		"1" P "entry hip hipMallocHost call=1\n"
		"2" P "entry hip hipHostMalloc call=2\n"
		"3" P "exit hip hipHostMalloc call=2 status=0 address=0x1000 size_bytes=10\n"
		"4" P "exit hip hipMallocHost call=1 status=0 address=0x1000 size_bytes=10\n"
		"5" P "entry hip hipMalloc call=3\n"
		"6" P "exit hip hipMalloc call=3 status=0 address=0x5000 size_bytes=1\n"
		"7" P "entry hip hipFreeHost call=4 address=0x1000\n"
		"8" P "entry hip hipHostFree call=5 address=0x1000\n"
		"9" P "exit hip hipHostFree call=5 status=0\n"
		"10" P "exit hip hipFreeHost call=4 status=0\n");
	const struct requests *requests = process_of(model)->requests;

	(void)state;
	assert_int_equal(live(model), 1);
	assert_int_equal(requests->freed_count, 1);
	assert_int_equal(requests->replaced, 0);
	assert_int_equal(requests->unknown_frees, 0);
	model_free(model);
}

static void a_block_knows_the_outermost_call_that_it_was_taken_for(void **state)
{
	struct model *model = read_trace(
		"1" P "entry hip hipMallocHost call=1\n"
		"2" P "entry hip hipHostMalloc call=2\n"
		"3" P "entry hsa hsa_memory_allocate call=1\n"
		"4" P "entry api hsaKmtAllocMemory call=1 size_bytes=4096\n"
		"5" P "exit api hsaKmtAllocMemory call=1 status=0 address=0x1000\n"
		"6" P "exit hsa hsa_memory_allocate call=1 status=0\n"
		"7" P "exit hip hipHostMalloc call=2 status=0 address=0x1800 size_bytes=10\n"
		"8" P "exit hip hipMallocHost call=1 status=0 address=0x1800 size_bytes=10\n");
	const struct process *process = process_of(model);
	GHashTable *found = requests_match(process->requests, process->memory);
	GHashTableIter iter;
	void *request, *block;

	(void)state;
	assert_int_equal(g_hash_table_size(found), 1);
	g_hash_table_iter_init(&iter, found);
	assert_true(g_hash_table_iter_next(&iter, &request, &block));
	assert_int_equal(((struct block *)block)->address, 0x1000);
	assert_string_equal(((struct block *)block)->served->name, "hipMallocHost");
	assert_true(requests_gives(process->requests, ((struct block *)block)->served));
	g_hash_table_destroy(found);
	model_free(model);
}

static void memory_beside_a_block_is_not_found_in_it(void **state)
{
	struct model *model = read_trace(
		"1" P "entry api hsaKmtAllocMemory call=1 size_bytes=4096\n"
		"2" P "exit api hsaKmtAllocMemory call=1 status=0 address=0x1000\n"
		"3" P "entry hip hipMalloc call=1\n"
		"4" P "exit hip hipMalloc call=1 status=0 address=0x2000 size_bytes=10\n");
	const struct process *process = process_of(model);
	GHashTable *found = requests_match(process->requests, process->memory);

	(void)state;
	assert_int_equal(g_hash_table_size(found), 0);
	g_hash_table_destroy(found);
	model_free(model);
}

static void calls_of_all_layers_nest(void **state)
{
	struct model *model = read_trace(
		"10" P "entry hip hipMalloc call=1\n"
		"11" P "entry hsa hsa_amd_memory_pool_allocate call=1\n"
		"12" P "entry api hsaKmtAllocMemory call=1 size_bytes=4096\n"
		"13" P "entry ioctl ALLOC_MEMORY_OF_GPU call=1\n"
		"14" P "exit ioctl ALLOC_MEMORY_OF_GPU call=1 ret=0 handle=1\n"
		"15" P "exit api hsaKmtAllocMemory call=1 status=0 address=0x1000\n"
		"16" P "exit hsa hsa_amd_memory_pool_allocate call=1 status=0\n"
		"17" P "exit hip hipMalloc call=1 status=0 address=0x1000 size_bytes=1\n");
	const struct process *process = process_of(model);

	(void)state;
	assert_int_equal(process->cut_abandoned, 0);
	assert_int_equal(process->cut_unfinished, 0);
	assert_int_equal(process->cut_began_before, 0);
	model_free(model);
}

static void what_was_held_when_the_recording_began_is_known_and_can_be_freed(void **state)
{
	struct model *model = read_trace(
		"1" P "request address=0x1000 size_bytes=10 asked=1 made=3 text=hipMalloc "
		"stack=0x10,0x20\n"
		"2" P "request address=0x2000 size_bytes=20 asked=3 made=5 text=hipMalloc\n"
		"3" P "requests\n"
		/* A second dump is a statement, not news. */
		"4" P "request address=0x1000 size_bytes=10 asked=1 made=3 text=hipMalloc\n"
		"5" P "requests\n"
		"6" P "entry hip hipFree call=1 address=0x2000\n"
		"7" P "exit hip hipFree call=1 status=0\n");
	const struct requests *requests = process_of(model)->requests;
	const struct request *left;
	GHashTableIter iter;
	void *key;

	(void)state;
	assert_true(requests->is_dumped);
	assert_int_equal(live(model), 1);
	assert_int_equal(requests->unknown_frees, 0);
	g_hash_table_iter_init(&iter, requests->live);
	assert_true(g_hash_table_iter_next(&iter, &key, NULL));
	left = key;
	assert_int_equal(left->size_bytes, 10);
	assert_string_equal(left->site->type->name, "hipMalloc");
	assert_int_equal(left->site->stack->depth, 2);
	model_free(model);
}

static void a_free_that_a_dump_overtakes_ends_what_the_dump_listed(void **state)
{
	struct model *model = read_trace(
		"1" P "entry api hsaKmtFreeMemory call=1 address=0x1000 size_bytes=4096\n"
		"2" P "entry ioctl FREE_MEMORY_OF_GPU call=1 handle=7\n"
		"2" P "begin\n"
		"3" P "allocation address=0x1000 size_bytes=4096 handles=7 text=hsaKmtAllocMemory\n"
		"4" P "allocation address=0x9000 size_bytes=4096 handles=8 text=hsaKmtAllocMemory\n"
		"5" P "end\n"
		"6" P "exit ioctl FREE_MEMORY_OF_GPU call=1 ret=0\n"
		"7" P "exit api hsaKmtFreeMemory call=1 status=0\n");
	const struct memory *memory = process_of(model)->memory;

	(void)state;
	assert_int_equal(memory->usage.live_count, 1);
	assert_int_equal(memory->unknown_frees, 0);
	assert_string_equal(memory_block_at(memory, 0, 0x9000)->site->type->name,
			    "hsaKmtAllocMemory");
	model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_lives_until_the_free_of_its_address),
		cmocka_unit_test(a_free_that_fails_ends_nothing),
		cmocka_unit_test(
			an_address_given_out_before_its_free_has_returned_is_another_request),
		cmocka_unit_test(a_function_that_calls_another_one_makes_one_request),
		cmocka_unit_test(a_block_knows_the_outermost_call_that_it_was_taken_for),
		cmocka_unit_test(memory_beside_a_block_is_not_found_in_it),
		cmocka_unit_test(calls_of_all_layers_nest),
		cmocka_unit_test(what_was_held_when_the_recording_began_is_known_and_can_be_freed),
		cmocka_unit_test(a_free_that_a_dump_overtakes_ends_what_the_dump_listed),
	};

	return cmocka_run_group_tests_name("analysis/requests", tests, NULL, NULL);
}
