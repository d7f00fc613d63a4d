/* SPDX-License-Identifier: MIT */
/* Buffers that a checkpoint brings, and how they are told apart (analysis/model/memory_restore.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/balance.h"
#include "read_trace.h"

#define P " h 10 10 app "

/* Three buffers of GPU 77 (0x4d) and one of GPU 78; only the first two are alike. */
#define LISTED                                                                                     \
	" .bos_values_count=4 .bos_values_addr=0x10000,0x20000,0x30000,0x40000"                    \
	" .bos_values_size=4096,4096,8192,65536 .bos_values_gpu_id=77,77,77,78"                    \
	" .bos_values_alloc_flags=1,1,1,2\n"
#define RESTORE                                                                                    \
	"100" P "entry ioctl CRIU_OP_RESTORE call=1 stack=0x1001\n"                                \
	"101" P "exit ioctl CRIU_OP_RESTORE call=1 ret=0" LISTED
#define IOCTL(t, call, name, words)                                                                \
	t "1" P "entry ioctl " name " call=" call words "\n" t "2" P "exit ioctl " name            \
	  " call=" call " ret=0\n"
#define FREE(t, call, handle) IOCTL(t, call, "FREE_MEMORY_OF_GPU", " handle=" handle)
#define API_FREE(t, call, address, handle)                                                         \
	t "1" P "entry api hsaKmtFreeMemory call=" call " address=" address " stack=0x2001\n" t    \
	  "2" P "entry ioctl FREE_MEMORY_OF_GPU call=1" call " handle=" handle "\n" t "3" P        \
	  "exit ioctl FREE_MEMORY_OF_GPU call=1" call " ret=0\n" t "4" P                           \
	  "exit api hsaKmtFreeMemory call=" call " status=0\n"

static struct memory *memory_of(const struct model *model, uint32_t vpid)
{
	const GPtrArray *processes = model_processes(model);

	for (guint i = 0; i < processes->len; i++) {
		struct process *process = g_ptr_array_index(processes, i);

		if (process->vpid == vpid)
			return process->memory;
	}
	fail_msg("no process %u", vpid);
	return NULL;
}

/* What is left of process 10: sizes in the order of their beginnings, and whether they are unclear. */
static void assert_left(const char *text, const char *expected)
{
	struct model *model = read_trace(text);
	const struct memory *memory = memory_of(model, 10);
	GString *left = g_string_new(NULL);
	uint64_t sum = 0;

	for (const GList *item = memory->blocks.head; item; item = item->next) {
		const struct block *block = item->data;

		g_string_append_printf(left, "%s%d%s", left->len ? " " : "", (int)block->size_bytes,
				       block_is_unclear(block) ? "?" : "");
		sum += block->size_bytes;
	}
	assert_string_equal(left->str, expected);
	assert_true(memory->usage.live_bytes == sum);
	assert_int_equal(memory->unknown_frees, 0);
	g_string_free(left, TRUE);
	model_free(model);
}

static void restored_buffers_are_live_allocations(void **state)
{
	struct model *model = read_trace(RESTORE);
	const struct memory *memory = memory_of(model, 10);
	const struct block *block = memory->blocks.tail->data;

	(void)state;
	assert_int_equal(memory->blocks.length, 4);
	assert_int_equal(memory->usage.live_bytes, 4096 + 4096 + 8192 + 65536);
	assert_int_equal(memory->restored_count, 4);
	assert_int_equal(memory->restored_unlisted, 0);
	assert_int_equal(block->address, 0x40000);
	assert_int_equal(block->site->class, BLOCK_ALLOCATION);
	assert_string_equal(block_origin_name(block->site->origin), "restored");
	assert_int_equal(block->site->kind, MEMORY_HOST_GTT);
	assert_string_equal(block->site->type->name, "CRIU_OP_RESTORE");
	assert_int_equal(block->site->stack->address[0], 0x1001);
	model_free(model);
}

static void a_refused_restore_brings_nothing(void **state)
{
	(void)state;
	assert_left("100" P "entry ioctl CRIU_OP_RESTORE call=1\n"
		    "101" P "exit ioctl CRIU_OP_RESTORE call=1 ret=-22" LISTED,
		    "");
}

/* The ioctl inside has a handle that nothing in the recording made. */
static void a_call_s_address_tells_which_one_is_freed(void **state)
{
	struct model *model;
	const struct memory *memory;

	(void)state;
	assert_left(RESTORE API_FREE("20", "2", "0x30000", "0x4d00000007"), "4096 4096 65536");
	model = read_trace(RESTORE API_FREE("20", "2", "0x30000", "0x4d00000007"));
	memory = memory_of(model, 10);
	assert_int_equal(memory->freed_count, 1);
	assert_int_equal(memory->freed_bytes, 8192);
	assert_int_equal(memory->all_bos.length, 3);
	model_free(model);
}

static void a_handle_that_a_map_has_told_is_known(void **state)
{
	(void)state;
	assert_left(RESTORE
		    "201" P "entry api hsaKmtMapMemoryToGPU call=2 address=0x30000\n"
		    "202" P "entry ioctl MAP_MEMORY_TO_GPU call=12 handle=0x4d00000007 ids=77\n"
		    "203" P "exit ioctl MAP_MEMORY_TO_GPU call=12 ret=0\n"
		    "204" P "exit api hsaKmtMapMemoryToGPU call=2 status=0\n" FREE("30", "13",
										   "0x4d00000007"),
		    "4096 4096 65536");
}

static void the_only_one_of_a_gpu_needs_no_address(void **state)
{
	(void)state;
	assert_left(RESTORE FREE("20", "2", "0x4e00000001"), "4096 4096 8192");
}

/* Which one is gone is not known; that all are is, in the end. */
static void a_handle_that_can_be_any_leaves_them_unclear(void **state)
{
	(void)state;
	assert_left(RESTORE FREE("20", "2", "0x4d00000001"), "4096? 4096? 8192? 65536");
	assert_left(RESTORE FREE("20", "2", "0x4d00000001") FREE("30", "3", "0x4d00000002"),
		    "4096? 4096? 8192? 65536");
	assert_left(RESTORE FREE("20", "2", "0x4d00000001") FREE("30", "3", "0x4d00000002")
			    FREE("40", "4", "0x4d00000003"),
		    "65536");
}

static void those_that_are_alike_need_not_be_told_apart(void **state)
{
	(void)state;
	assert_left(RESTORE API_FREE("20", "2", "0x30000", "0x4d00000007")
			    FREE("30", "13", "0x4d00000001"),
		    "4096 65536");
}

static void a_handle_of_this_recording_s_own_is_not_mixed_up(void **state)
{
	(void)state;
	assert_left(RESTORE
		    "201" P "entry ioctl ALLOC_MEMORY_OF_GPU call=2 address=0x50000 "
		    "size_bytes=12288 gpu_id=78 ioctl_flags=1\n"
		    "202" P
		    "exit ioctl ALLOC_MEMORY_OF_GPU call=2 ret=0 handle=0x4e00000002\n" FREE(
			    "30", "3", "0x4e00000002"),
		    "4096 4096 8192 65536");
}

#define A " h 20 20 rank0 "
#define TAKE(t, who, call, address, size, gpu, flags, handle)                                      \
	t "1" who "entry ioctl ALLOC_MEMORY_OF_GPU call=" call " address=" address                 \
	  " size_bytes=" size " gpu_id=" gpu " ioctl_flags=" flags "\n" t "2" who                  \
	  "exit ioctl ALLOC_MEMORY_OF_GPU call=" call " ret=0 handle=" handle "\n"
#define TAKE_ALL(t, who)                                                                           \
	TAKE(t "1", who, "1", "0x10000", "4096", "77", "1", "0x4d00000001")                        \
	TAKE(t "2", who, "2", "0x20000", "4096", "77", "1", "0x4d00000002")                        \
	TAKE(t "3", who, "3", "0x30000", "8192", "77", "1", "0x4d00000003")                        \
	TAKE(t "4", who, "4", "0x40000", "65536", "78", "2", "0x4e00000001")
#define CHECKPOINT(t, who, call, pid)                                                              \
	t "1" who "entry ioctl CRIU_OP_CHECKPOINT call=" call "\n" t "2" who                       \
	  "exit ioctl CRIU_OP_CHECKPOINT call=" call " ret=0 .pid=" pid LISTED

/* The process that was checkpointed is in the recording: its handles are those of the restored one. */
static void a_recorded_checkpoint_tells_all_handles(void **state)
{
	(void)state;
	assert_left(TAKE_ALL("1", A) CHECKPOINT(
			    "2", A, "5", "0") "300" P "entry ioctl CRIU_OP_RESTORE call=1\n"
					      "301" P
					      "exit ioctl CRIU_OP_RESTORE call=1 ret=0" LISTED FREE(
						      "40", "2", "0x4d00000003"),
		    "4096 4096 65536");
}

/* Two ranks with equal addresses: the call says whose checkpoint it is, or nothing is known. */
static void equal_addresses_do_not_tell_whose_checkpoint_it_is(void **state)
{
#define B  " h 30 30 rank1 "
#define BY " h 40 40 criu "
	const char *told = TAKE_ALL("1", A) TAKE(
		"21", B, "1", "0x10000", "4096", "77", "1",
		"0x4d00000011") TAKE("22", B, "2", "0x20000", "4096", "77", "1", "0x4d00000012")
		TAKE("23", B, "3", "0x30000", "8192", "77", "1", "0x4d00000013") TAKE(
			"24", B, "4", "0x40000", "65536", "78", "2", "0x4e00000011")
			CHECKPOINT("30", BY, "1",
				   "30") "400" P "entry ioctl CRIU_OP_RESTORE call=1\n"
					 "401" P
					 "exit ioctl CRIU_OP_RESTORE call=1 ret=0" LISTED FREE(
						 "50", "2", "0x4d00000013");
	char *untold = g_strdup(told), *pid = strstr(untold, ".pid=30");

	(void)state;
	assert_left(told, "4096 4096 65536");
	pid[5] = pid[6] = '0';
	assert_left(untold, "4096? 4096? 8192? 65536");
	g_free(untold);
}

/* More than an event can list: a free of what it does not know proves nothing. */
static void what_is_not_listed_is_counted(void **state)
{
	struct model *model = model_new();
	struct balance *balance = balance_new(model);
	char *error = text_trace_read(
		model,
		"50" P "entry api hsaKmtOpenKFD call=1\n"
		"51" P "exit api hsaKmtOpenKFD call=1 status=0\n"
		"100" P "entry ioctl CRIU_OP_RESTORE call=11\n"
		"101" P "exit ioctl CRIU_OP_RESTORE call=11 ret=0 .bos_values_count=7"
		" .bos_values_addr=0x10000,0x20000 .bos_values_size=4096,4096"
		" .bos_values_gpu_id=77,77 .bos_values_alloc_flags=1,1\n" API_FREE(
			"20", "2", "0x70000", "0x4d00000007") FREE("30", "13", "0x4d00000001"),
		NULL);
	const struct memory *memory;

	(void)state;
	assert_null(error);
	model_finish(model);
	memory = memory_of(model, 10);
	assert_int_equal(memory->restored_count, 2);
	assert_int_equal(memory->restored_unlisted, 5);
	assert_int_equal(memory->blocks.length, 2);
	assert_true(block_is_unclear(memory->blocks.head->data));
	assert_int_equal(balance_bad_frees(balance)->len, 0);
	balance_free(balance);
	model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(restored_buffers_are_live_allocations),
		cmocka_unit_test(a_refused_restore_brings_nothing),
		cmocka_unit_test(a_call_s_address_tells_which_one_is_freed),
		cmocka_unit_test(a_handle_that_a_map_has_told_is_known),
		cmocka_unit_test(the_only_one_of_a_gpu_needs_no_address),
		cmocka_unit_test(a_handle_that_can_be_any_leaves_them_unclear),
		cmocka_unit_test(those_that_are_alike_need_not_be_told_apart),
		cmocka_unit_test(a_handle_of_this_recording_s_own_is_not_mixed_up),
		cmocka_unit_test(a_recorded_checkpoint_tells_all_handles),
		cmocka_unit_test(equal_addresses_do_not_tell_whose_checkpoint_it_is),
		cmocka_unit_test(what_is_not_listed_is_counted),
	};

	return cmocka_run_group_tests_name("analysis/model/restore", tests, NULL, NULL);
}
