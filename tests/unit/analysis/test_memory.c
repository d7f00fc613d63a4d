/* SPDX-License-Identifier: MIT */
/* Lifetimes of blocks and buffer objects in the model (analysis/model/memory.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "read_trace.h"

/* Every record of these tests is of one host, process and thread unless it says otherwise. */
#define P " h 10 10 app "

static struct process *process_at(const struct model *model, guint index)
{
	assert_true(index < model_processes(model)->len);
	return g_ptr_array_index(model_processes(model), index);
}

static struct memory *memory_of(const struct model *model)
{
	return process_at(model, 0)->memory;
}

/* The blocks of one class that are left, and their bytes. */
static uint64_t left(const struct memory *memory, enum block_class class, uint64_t *bytes)
{
	uint64_t count = 0, sum = 0;

	for (const GList *at = memory->blocks.head; at; at = at->next) {
		const struct block *block = at->data;

		if (block->site->class == class) {
			count++;
			sum += block->size_bytes;
		}
	}
	if (bytes)
		*bytes = sum;
	return count;
}

static const struct block *only_block(const struct memory *memory, enum block_class class)
{
	assert_int_equal(left(memory, class, NULL), 1);
	for (const GList *at = memory->blocks.head; at; at = at->next) {
		const struct block *block = at->data;

		if (block->site->class == class)
			return block;
	}
	return NULL;
}

/* An allocation of 4096 bytes at 0x10000 with its BO, as the thunk makes it. */
#define ALLOC(t, call, address, handle)                                                            \
	t "1" P "entry api hsaKmtAllocMemory call=" call                                           \
	  " size_bytes=4096 node_id=1 gpu_id=77 flags=1 stack=0x1001,0x2001\n" t "2" P             \
	  "entry ioctl ALLOC_MEMORY_OF_GPU call=1" call " address=" address                        \
	  " size_bytes=4096 gpu_id=77 ioctl_flags=1\n" t "3" P                                     \
	  "exit ioctl ALLOC_MEMORY_OF_GPU call=1" call " ret=0 handle=" handle "\n" t "4" P        \
	  "exit api hsaKmtAllocMemory call=" call " status=0 address=" address "\n"
#define FREE(t, call, address, handle)                                                             \
	t "1" P "entry api hsaKmtFreeMemory call=" call " address=" address                        \
	  " size_bytes=4096 stack=0x1003,0x2001\n" t "2" P                                         \
	  "entry ioctl FREE_MEMORY_OF_GPU call=1" call " handle=" handle "\n" t "3" P              \
	  "exit ioctl FREE_MEMORY_OF_GPU call=1" call " ret=0\n" t "4" P                           \
	  "exit api hsaKmtFreeMemory call=" call " status=0\n"

static void an_allocation_lives_until_its_free_succeeds(void **state)
{
	struct model *model = read_trace(ALLOC("1", "1", "0x10000", "5"));
	struct memory *memory = memory_of(model);
	const struct block *block = only_block(memory, BLOCK_ALLOCATION);

	(void)state;
	assert_int_equal(block->size_bytes, 4096);
	assert_int_equal(block->site->kind, MEMORY_DEVICE);
	assert_int_equal(block->site->node_id, 1);
	assert_int_equal(block->site->gpu_id, 77);
	assert_int_equal(block->bos.length, 1);
	assert_int_equal(block->site->stack->depth, 2);
	assert_int_equal(memory->usage.live_bytes, 4096);
	model_free(model);

	model = read_trace(ALLOC("1", "1", "0x10000", "5") FREE("2", "2", "0x10000", "5"));
	memory = memory_of(model);
	assert_int_equal(memory->blocks.length, 0);
	assert_int_equal(memory->all_bos.length, 0);
	assert_int_equal(memory->usage.live_bytes, 0);
	assert_int_equal(memory->usage.peak_bytes, 4096);
	assert_int_equal(memory->freed_count, 1);
	model_free(model);
}

static void a_reused_address_begins_a_new_lifetime(void **state)
{
	struct model *model = read_trace(ALLOC("1", "1", "0x10000", "5") FREE(
		"2", "2", "0x10000", "5") ALLOC("3", "3", "0x10000", "5"));
	struct memory *memory = memory_of(model);
	const struct block *block = only_block(memory, BLOCK_ALLOCATION);

	(void)state;
	assert_int_equal(block->site->taken_count, 2);
	assert_int_equal(block->site->ended_count, 1);
	assert_int_equal(memory->usage.peak_bytes, 4096);
	assert_int_equal(memory->replaced, 0);
	model_free(model);
}

static void a_refused_free_ends_no_lifetime(void **state)
{
	struct model *model = read_trace(
		ALLOC("1", "1", "0x10000",
		      "5") "21" P "entry ioctl MAP_MEMORY_TO_GPU call=21 handle=5 ids=77,88\n"
			   "22" P "exit ioctl MAP_MEMORY_TO_GPU call=21 ret=0\n"
			   "31" P "entry api hsaKmtFreeMemory call=2 address=0x10000 stack=0x9\n"
			   "32" P "entry ioctl FREE_MEMORY_OF_GPU call=22 handle=5\n"
			   "33" P "exit ioctl FREE_MEMORY_OF_GPU call=22 ret=-1 errno=16\n"
			   "34" P "exit api hsaKmtFreeMemory call=2 status=1 errno=16\n");
	struct memory *memory = memory_of(model);
	const struct block *block = only_block(memory, BLOCK_ALLOCATION);

	(void)state;
	assert_int_equal(block->refusal.count, 1);
	assert_int_equal(block->refusal.os_errno, 16);
	assert_int_equal(block->refusal.status, 1);
	assert_int_equal(block->refusal.mapped_count, 2);
	assert_int_equal(block->refusal.mapped_gpus[0], 77);
	assert_int_equal(block->refusal.mapped_gpus[1], 88);
	assert_int_equal(block->refusal.stack->address[0], 9);
	assert_int_equal(memory->usage.live_bytes, 4096);
	assert_int_equal(memory->failed_frees, 1);
	model_free(model);
}

static void an_unmapped_gpu_is_not_blamed_for_a_refused_free(void **state)
{
	struct model *model = read_trace(
		ALLOC("1", "1", "0x10000",
		      "5") "21" P "entry ioctl MAP_MEMORY_TO_GPU call=21 handle=5 ids=77,88\n"
			   "22" P "exit ioctl MAP_MEMORY_TO_GPU call=21 ret=0\n"
			   "23" P "entry ioctl UNMAP_MEMORY_FROM_GPU call=22 handle=5 ids=77\n"
			   "24" P "exit ioctl UNMAP_MEMORY_FROM_GPU call=22 ret=0\n"
			   "31" P "entry ioctl FREE_MEMORY_OF_GPU call=23 handle=5\n"
			   "33" P "exit ioctl FREE_MEMORY_OF_GPU call=23 ret=-1 errno=16\n");
	const struct block *block = only_block(memory_of(model), BLOCK_ALLOCATION);

	(void)state;
	assert_int_equal(block->refusal.mapped_count, 1);
	assert_int_equal(block->refusal.mapped_gpus[0], 88);
	model_free(model);
}

static void ioctls_alone_make_blocks_of_their_own(void **state)
{
	struct model *model = read_trace(
		"1" P "entry ioctl ALLOC_MEMORY_OF_GPU call=1 address=0x10000 size_bytes=8192 "
		"gpu_id=77 ioctl_flags=2 stack=0x1001\n"
		"2" P "exit ioctl ALLOC_MEMORY_OF_GPU call=1 ret=0 handle=5\n"
		"3" P "entry ioctl ALLOC_MEMORY_OF_GPU call=2 address=0x20000 size_bytes=100 "
		"gpu_id=77 ioctl_flags=1\n"
		"4" P "exit ioctl ALLOC_MEMORY_OF_GPU call=2 ret=0 handle=6\n"
		"5" P "entry ioctl FREE_MEMORY_OF_GPU call=3 handle=6\n"
		"6" P "exit ioctl FREE_MEMORY_OF_GPU call=3 ret=0\n");
	const struct block *block = only_block(memory_of(model), BLOCK_BO);

	(void)state;
	assert_int_equal(block->size_bytes, 8192);
	assert_int_equal(block->site->kind, MEMORY_HOST_GTT);
	assert_int_equal(block->site->stack->depth, 1);
	assert_int_equal(memory_of(model)->freed_bytes, 100);
	model_free(model);
}

static void a_failed_allocation_leaves_nothing(void **state)
{
	struct model *model = read_trace(
		"1" P "entry api hsaKmtAllocMemory call=1 size_bytes=4096 node_id=1\n"
		"2" P "entry ioctl ALLOC_MEMORY_OF_GPU call=1 address=0x10000 size_bytes=4096\n"
		"3" P "exit ioctl ALLOC_MEMORY_OF_GPU call=1 ret=-1 errno=12\n"
		"4" P "exit api hsaKmtAllocMemory call=1 status=6 errno=12\n");

	(void)state;
	assert_int_equal(memory_of(model)->blocks.length, 0);
	assert_int_equal(memory_of(model)->usage.peak_bytes, 0);
	model_free(model);
}

static void a_buffer_object_left_by_a_failed_call_is_kept_by_the_thunk(void **state)
{
	struct model *model = read_trace(
		"1" P "entry api hsaKmtAllocMemory call=1 size_bytes=4096 node_id=1\n"
		"2" P "entry ioctl ALLOC_MEMORY_OF_GPU call=1 address=0x10000 size_bytes=4096 "
		"ioctl_flags=1 gpu_id=77\n"
		"3" P "exit ioctl ALLOC_MEMORY_OF_GPU call=1 ret=0 handle=5\n"
		"4" P "exit api hsaKmtAllocMemory call=1 status=1\n");

	(void)state;
	assert_int_equal(only_block(memory_of(model), BLOCK_KEPT)->size_bytes, 4096);
	model_free(model);
}

static void a_buffer_object_left_by_a_free_is_kept_by_the_thunk(void **state)
{
	struct model *model =
		read_trace(ALLOC("1", "1", "0x10000",
				 "5") "21" P "entry api hsaKmtFreeMemory call=2 address=0x10000\n"
				      "24" P "exit api hsaKmtFreeMemory call=2 status=0\n");
	const struct block *block = only_block(memory_of(model), BLOCK_KEPT);

	(void)state;
	assert_int_equal(left(memory_of(model), BLOCK_ALLOCATION, NULL), 0);
	assert_int_equal(block->size_bytes, 4096);
	assert_int_equal(block->site->stack->address[0], 0x1001);
	assert_int_equal(memory_of(model)->usage.live_bytes, 4096);
	model_free(model);
}

static void an_address_given_out_before_the_free_reports_back_is_not_mixed_up(void **state)
{
	/* Thread 11 gets the address (and handle) that thread 10's free has released already. */
	struct model *model = read_trace(ALLOC(
		"1", "1", "0x10000",
		"5") "21" P "entry api hsaKmtFreeMemory call=2 address=0x10000\n"
		     "22" P "entry ioctl FREE_MEMORY_OF_GPU call=22 handle=5\n"
		     "23 h 10 11 app entry api hsaKmtAllocMemory call=1 size_bytes=8192 node_id=1\n"
		     "24 h 10 11 app entry ioctl ALLOC_MEMORY_OF_GPU call=1 address=0x10000 "
		     "size_bytes=8192 gpu_id=77 ioctl_flags=1\n"
		     "25 h 10 11 app exit ioctl ALLOC_MEMORY_OF_GPU call=1 ret=0 handle=5\n"
		     "26 h 10 11 app exit api hsaKmtAllocMemory call=1 status=0 address=0x10000\n"
		     "27" P "exit ioctl FREE_MEMORY_OF_GPU call=22 ret=0\n"
		     "28" P "exit api hsaKmtFreeMemory call=2 status=0\n");
	struct memory *memory = memory_of(model);
	const struct block *block = only_block(memory, BLOCK_ALLOCATION);

	(void)state;
	assert_int_equal(block->size_bytes, 8192);
	assert_int_equal(block->bos.length, 1);
	assert_int_equal(memory->all_bos.length, 1);
	assert_int_equal(memory->replaced, 0);
	assert_int_equal(left(memory, BLOCK_KEPT, NULL), 0);
	model_free(model);
}

static void internal_memory_of_a_queue_goes_with_the_queue(void **state)
{
#define QUEUE                                                                                      \
	"1" P "entry api hsaKmtCreateQueue call=1 node_id=1 queue_type=21 stack=0x1\n"             \
	"2" P "entry ioctl ALLOC_MEMORY_OF_GPU call=1 address=0x10000 size_bytes=4096 "            \
	"ioctl_flags=2 gpu_id=77\n"                                                                \
	"3" P "exit ioctl ALLOC_MEMORY_OF_GPU call=1 ret=0 handle=5\n"                             \
	"6" P "exit api hsaKmtCreateQueue call=1 status=0 queue_id=0x500\n"
	struct model *model = read_trace(QUEUE);
	struct memory *memory = memory_of(model);

	(void)state;
	assert_int_equal(only_block(memory, BLOCK_INTERNAL)->site->origin, ORIGIN_QUEUE);
	assert_int_equal(memory->origin_usage[ORIGIN_QUEUE].live_bytes, 4096);
	assert_int_equal(memory->usage.live_bytes, 0);
	model_free(model);

	model = read_trace(QUEUE "11" P "entry api hsaKmtDestroyQueue call=2 queue_id=0x500\n"
				 "12" P "entry ioctl FREE_MEMORY_OF_GPU call=2 handle=5\n"
				 "13" P "exit ioctl FREE_MEMORY_OF_GPU call=2 ret=0\n"
				 "14" P "exit api hsaKmtDestroyQueue call=2 status=0\n");
	memory = memory_of(model);
	assert_int_equal(memory->origin_usage[ORIGIN_QUEUE].live_bytes, 0);
	assert_int_equal(memory->origin_bytes[ORIGIN_QUEUE], 4096);
	assert_int_equal(memory->blocks.length, 0);
	assert_int_equal(memory->queues_destroyed, 1);
	model_free(model);

	/* The queue goes and its memory stays: that is the thunk's leak. */
	model = read_trace(QUEUE "11" P "entry api hsaKmtDestroyQueue call=2 queue_id=0x500\n"
				 "14" P "exit api hsaKmtDestroyQueue call=2 status=0\n");
	assert_int_equal(only_block(memory_of(model), BLOCK_KEPT)->size_bytes, 4096);
	assert_int_equal(memory_of(model)->origin_usage[ORIGIN_QUEUE].live_bytes, 0);
	model_free(model);
#undef QUEUE
}

static void registrations_are_counted_once_a_range(void **state)
{
	struct model *model = read_trace(
		"1" P "entry api hsaKmtRegisterMemory call=1 address=0x10000 size_bytes=4194304\n"
		"2" P "exit api hsaKmtRegisterMemory call=1 status=0\n"
		"3" P "entry api hsaKmtRegisterMemory call=2 address=0x10000 size_bytes=4194304\n"
		"4" P "exit api hsaKmtRegisterMemory call=2 status=0\n"
		"5" P "entry api hsaKmtRegisterMemory call=3 address=0x9000000 size_bytes=1048576\n"
		"6" P "exit api hsaKmtRegisterMemory call=3 status=0\n"
		"7" P "entry api hsaKmtDeregisterMemory call=4 address=0x9000000\n"
		"8" P "exit api hsaKmtDeregisterMemory call=4 status=0\n"
		"9" P "entry api hsaKmtDeregisterMemory call=5 address=0x10000\n"
		"10" P "exit api hsaKmtDeregisterMemory call=5 status=0\n");
	struct memory *memory = memory_of(model);
	const struct block *block = only_block(memory, BLOCK_REGISTRATION);

	(void)state;
	assert_int_equal(block->registered, 2);
	assert_int_equal(block->deregistered, 1);
	assert_int_equal(block->size_bytes, 4194304);
	assert_int_equal(memory->registered.peak_bytes, 5242880);
	model_free(model);
}

static void an_import_is_matched_with_the_export_by_its_handle(void **state)
{
	struct model *model = read_trace(ALLOC(
		"1", "1", "0x10000",
		"5") "21" P "entry api hsaKmtShareMemory call=2 address=0x10000 size_bytes=4096\n"
		     "22" P "exit api hsaKmtShareMemory call=2 status=0 share0=1 share1=2 share2=3 "
		     "share3=4\n"
		     "31 h 20 20 peer entry api hsaKmtRegisterSharedHandle call=1 share0=1 "
		     "share1=2 "
		     "share2=3 share3=4 stack=0x7\n"
		     "32 h 20 20 peer exit api hsaKmtRegisterSharedHandle call=1 status=0 "
		     "address=0x70000 size_bytes=4096\n");
	const struct block *import = only_block(process_at(model, 1)->memory, BLOCK_IMPORT);

	(void)state;
	assert_non_null(import->imported);
	assert_ptr_equal(import->imported->process, process_at(model, 0));
	assert_int_equal(import->imported->importers, 1);
	assert_int_equal(import->size_bytes, 4096);
	model_free(model);
}

static void an_exported_block_that_is_freed_is_remembered(void **state)
{
	struct model *model = read_trace(ALLOC(
		"1", "1", "0x10000",
		"5") "21" P
		     "entry api hsaKmtShareMemory call=2 address=0x10000 size_bytes=4096 stack=3\n"
		     "22" P "exit api hsaKmtShareMemory call=2 status=0 share0=1\n" FREE(
			     "3", "3", "0x10000", "5"));
	struct memory *memory = memory_of(model);
	const struct share *share = g_ptr_array_index(memory->shares, 0);

	(void)state;
	assert_int_equal(memory->blocks.length, 0);
	assert_int_equal(share->freed_ns, 34);
	assert_int_equal(share->importers, 0);
	assert_int_equal(share->stack->address[0], 3);
	assert_int_equal(share->free_stack->address[0], 0x1003);
	model_free(model);
}

static void a_state_dump_makes_what_is_unknown_and_confirms_the_rest(void **state)
{
#define DUMP(t)                                                                                    \
	t "1" P "begin\n" t "2" P "node node_id=1 gpu_id=77\n" t "3" P                             \
	  "allocation address=0x10000 size_bytes=4096 node_id=1 gpu_id=77 flags=1 "                \
	  "ioctl_flags=1 handles=5\n" t "4" P "end\n"
	struct model *model = read_trace(DUMP("1") DUMP("2") DUMP("3"));
	struct memory *memory = memory_of(model);

	(void)state;
	assert_int_equal(only_block(memory, BLOCK_ALLOCATION)->size_bytes, 4096);
	assert_int_equal(memory->usage.live_bytes, 4096);
	assert_true(only_block(memory, BLOCK_ALLOCATION)->from_dump);
	model_free(model);

	/* Known from its call: the dump adds nothing and takes nothing away. */
	model = read_trace(ALLOC("1", "1", "0x10000", "5") DUMP("2"));
	memory = memory_of(model);
	assert_false(only_block(memory, BLOCK_ALLOCATION)->from_dump);
	assert_int_equal(only_block(memory, BLOCK_ALLOCATION)->confirmed_ns, 23);
	assert_int_equal(memory->all_bos.length, 1);
	model_free(model);

	/* And a free of what only the dump told of ends it. */
	model = read_trace(DUMP("1") FREE("2", "1", "0x10000", "5"));
	assert_int_equal(memory_of(model)->blocks.length, 0);
	assert_int_equal(memory_of(model)->unknown_frees, 0);
	model_free(model);
}

static void an_allocation_in_flight_during_a_dump_is_counted_once(void **state)
{
	struct model *model = read_trace(
		"11" P "entry api hsaKmtAllocMemory call=1 size_bytes=4096 node_id=1 gpu_id=77 "
		"stack=0x1001\n"
		"12" P "entry ioctl ALLOC_MEMORY_OF_GPU call=1 address=0x10000 size_bytes=4096 "
		"ioctl_flags=1 gpu_id=77\n"
		"13" P "exit ioctl ALLOC_MEMORY_OF_GPU call=1 ret=0 handle=5\n"
		"14 h 10 99 app begin\n"
		"15 h 10 99 app allocation address=0x10000 size_bytes=4096 node_id=1 gpu_id=77 "
		"ioctl_flags=1 handles=5\n"
		"16 h 10 99 app end\n"
		"17" P "exit api hsaKmtAllocMemory call=1 status=0 address=0x10000\n");
	struct memory *memory = memory_of(model);
	const struct block *block = only_block(memory, BLOCK_ALLOCATION);

	(void)state;
	assert_false(block->from_dump);
	assert_non_null(block->site->stack);
	assert_int_equal(block->bos.length, 1);
	assert_int_equal(memory->usage.live_bytes, 4096);
	assert_int_equal(memory->blocks.length, 1);
	model_free(model);
}

static void what_a_complete_dump_does_not_list_is_gone(void **state)
{
	struct model *model = read_trace(ALLOC("1", "1", "0x20000", "6") DUMP("2"));
	struct memory *memory = memory_of(model);

	(void)state;
	assert_int_equal(memory->settled_by_dump, 1);
	assert_int_equal(only_block(memory, BLOCK_ALLOCATION)->address, 0x10000);
	model_free(model);

	/* Not when events were lost while it was written. */
	model = read_trace(ALLOC("1", "1", "0x20000", "6") "21" P "begin\n"
							   "22 h 0 0 - lost lost=3 until_ns=23\n"
							   "24" P "end\n");
	assert_int_equal(memory_of(model)->settled_by_dump, 0);
	assert_int_equal(left(memory_of(model), BLOCK_ALLOCATION, NULL), 1);
	model_free(model);
#undef DUMP
}

static void lost_events_after_an_allocation_leave_it_undecided(void **state)
{
	struct model *model = read_trace("5 h 0 0 - lost lost=9 until_ns=8\n" ALLOC(
		"1", "1", "0x10000", "5") "30 h 0 0 - lost lost=3 until_ns=40\n");
	const struct block *block = only_block(memory_of(model), BLOCK_ALLOCATION);

	(void)state;
	assert_non_null(model_doubt(model, block));
	assert_int_equal(model_doubt(model, block)->count, 3);
	assert_int_equal(model_lost_count(model), 12);
	model_free(model);

	/* Lost before it was taken, in another process, or before a dump that lists it: no doubt. */
	model = read_trace("5 h 0 0 - lost lost=9 until_ns=8\n"
			   "6 h 11 0 - lost lost=9 until_ns=50\n" ALLOC(
				   "1", "1", "0x10000",
				   "5") "30 h 0 0 - lost lost=3 until_ns=40\n"
					"41" P "begin\n"
					"42" P
					"allocation address=0x10000 size_bytes=4096 handles=5\n"
					"43" P "end\n");
	block = only_block(memory_of(model), BLOCK_ALLOCATION);
	assert_null(model_doubt(model, block));
	model_free(model);
}

static void memory_alive_at_the_final_close_is_left_over_there(void **state)
{
	struct model *model = read_trace(
		"1" P "entry api hsaKmtOpenKFD call=1\n"
		"2" P "exit api hsaKmtOpenKFD call=1 status=0\n"
		"3" P "entry api hsaKmtOpenKFD call=2\n"
		"4" P "exit api hsaKmtOpenKFD call=2 status=22\n" ALLOC(
			"1", "3", "0x10000", "5") "21" P "entry api hsaKmtCloseKFD call=4\n"
						  "22" P
						  "exit api hsaKmtCloseKFD call=4 status=0\n");

	(void)state;
	/* Opened twice: the first close is not the last. */
	assert_int_equal(process_at(model, 0)->closed_ns, 0);
	assert_int_equal(only_block(memory_of(model), BLOCK_ALLOCATION)->fate, FATE_LIVE);
	model_free(model);

	model = read_trace("1" P "entry api hsaKmtOpenKFD call=1\n"
			   "2" P "exit api hsaKmtOpenKFD call=1 status=0\n" ALLOC(
				   "1", "3", "0x10000",
				   "5") "21" P "entry api hsaKmtCloseKFD call=4\n"
					"22" P "exit api hsaKmtCloseKFD call=4 status=0\n"
					"31" P "entry api hsaKmtOpenKFD call=5\n"
					"32" P "exit api hsaKmtOpenKFD call=5 status=0\n" ALLOC(
						"4", "6", "0x10000", "6")
						FREE("5", "7", "0x10000", "6"));
	assert_int_equal(only_block(memory_of(model), BLOCK_ALLOCATION)->fate, FATE_AT_CLOSE);
	assert_int_equal(only_block(memory_of(model), BLOCK_ALLOCATION)->end_ns, 22);
	model_free(model);
}

static void a_lost_free_call_does_not_hide_the_freed_buffer_object(void **state)
{
	struct model *model = read_trace(
		ALLOC("1", "1", "0x10000",
		      "5") "22" P "entry ioctl FREE_MEMORY_OF_GPU call=12 api_call=2 handle=5\n"
			   "23" P "exit ioctl FREE_MEMORY_OF_GPU call=12 api_call=2 ret=0\n"
			   "24" P "exit api hsaKmtFreeMemory call=2 status=0\n");

	(void)state;
	assert_int_equal(memory_of(model)->blocks.length, 0);
	assert_int_equal(process_at(model, 0)->cut_began_before, 1);
	model_free(model);
}

static void churn_keeps_no_memory_of_ended_lifetimes(void **state)
{
	GString *text = g_string_new(NULL);
	struct model *model;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		g_string_append_printf(
			text,
			"%d" P "entry api hsaKmtAllocMemory call=%d size_bytes=1048576 node_id=1 "
			"stack=0x1001\n"
			"%d" P "exit api hsaKmtAllocMemory call=%d status=0 address=0x10000\n",
			10 * i + 1, 2 * i + 1, 10 * i + 2, 2 * i + 1);
		g_string_append_printf(text,
				       "%d" P "entry api hsaKmtFreeMemory call=%d address=0x10000\n"
				       "%d" P "exit api hsaKmtFreeMemory call=%d status=0\n",
				       10 * i + 3, 2 * i + 2, 10 * i + 4, 2 * i + 2);
	}
	g_string_append(text, "20001" P "entry api hsaKmtAllocMemory call=9001 size_bytes=1048576 "
			      "node_id=1 stack=0x1001\n"
			      "20002" P "exit api hsaKmtAllocMemory call=9001 status=0 "
			      "address=0x10000\n");
	model = read_trace(text->str);
	assert_int_equal(only_block(memory_of(model), BLOCK_ALLOCATION)->site->taken_count, 1001);
	assert_int_equal(only_block(memory_of(model), BLOCK_ALLOCATION)->site->ended_count, 1000);
	assert_int_equal(only_block(memory_of(model), BLOCK_ALLOCATION)->site->lifetime_sum_ns,
			 2000);
	assert_int_equal(g_hash_table_size(memory_of(model)->sites), 1);
	assert_int_equal(memory_of(model)->usage.peak_bytes, 1048576);
	model_free(model);
	g_string_free(text, TRUE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_allocation_lives_until_its_free_succeeds),
		cmocka_unit_test(a_reused_address_begins_a_new_lifetime),
		cmocka_unit_test(a_refused_free_ends_no_lifetime),
		cmocka_unit_test(an_unmapped_gpu_is_not_blamed_for_a_refused_free),
		cmocka_unit_test(ioctls_alone_make_blocks_of_their_own),
		cmocka_unit_test(a_failed_allocation_leaves_nothing),
		cmocka_unit_test(a_buffer_object_left_by_a_failed_call_is_kept_by_the_thunk),
		cmocka_unit_test(a_buffer_object_left_by_a_free_is_kept_by_the_thunk),
		cmocka_unit_test(an_address_given_out_before_the_free_reports_back_is_not_mixed_up),
		cmocka_unit_test(internal_memory_of_a_queue_goes_with_the_queue),
		cmocka_unit_test(registrations_are_counted_once_a_range),
		cmocka_unit_test(an_import_is_matched_with_the_export_by_its_handle),
		cmocka_unit_test(an_exported_block_that_is_freed_is_remembered),
		cmocka_unit_test(a_state_dump_makes_what_is_unknown_and_confirms_the_rest),
		cmocka_unit_test(an_allocation_in_flight_during_a_dump_is_counted_once),
		cmocka_unit_test(what_a_complete_dump_does_not_list_is_gone),
		cmocka_unit_test(lost_events_after_an_allocation_leave_it_undecided),
		cmocka_unit_test(memory_alive_at_the_final_close_is_left_over_there),
		cmocka_unit_test(a_lost_free_call_does_not_hide_the_freed_buffer_object),
		cmocka_unit_test(churn_keeps_no_memory_of_ended_lifetimes),
	};

	return cmocka_run_group_tests_name("analysis/model/memory", tests, NULL, NULL);
}
