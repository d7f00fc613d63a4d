/* SPDX-License-Identifier: MIT */
/* U11 to U15, U20: limits and refusals. */
#include "cases.h"

#include <stdlib.h>

/* The scenario: 1 GiB of device memory, 256 MiB of it visible; the first USERPTR of the case fails. */
static void each_limit_has_its_status(void **state)
{
	HsaMemFlags paged = { .ui32 = { .HostAccess = 1 } };
	void *large = NULL, *more = NULL;
	uint32_t gpu;

	(void)state;
	session_begin();
	gpu = gpu_number(0);
	assert_status(allocate_device(gpu, 900 * MIB, false, &large), SUCCESS);
	assert_status(allocate_device(gpu, 200 * MIB, false, &more), NO_MEMORY);
	assert_null(more);
	assert_status(hsaKmtAllocMemory(0, 32 * GIB, paged, &more), ERROR);
	assert_null(more);
	assert_status(hsaKmtFreeMemory(large, 900 * MIB), SUCCESS);
	assert_status(allocate_device(gpu, 512 * MIB, true, &more), NO_MEMORY);
	assert_null(more);
	assert_status(allocate_device(gpu, 512 * MIB, false, &more), SUCCESS);
	assert_status(hsaKmtFreeMemory(more, 512 * MIB), SUCCESS);
	session_end();
}

#define EVENTS_MAX 4095 /* slots of the page; the driver never uses the first (kfd.md 7.1) */

static void one_event_too_many_is_refused(void **state)
{
	HsaEventDescriptor desc = { .EventType = HSA_EVENTTYPE_SIGNAL };
	static HsaEvent *events[EVENTS_MAX + 1];
	int count = 0;

	(void)state;
	session_begin();
	while (count <= EVENTS_MAX &&
	       hsaKmtCreateEvent(&desc, true, false, &events[count]) == HSAKMT_STATUS_SUCCESS)
		count++;
	assert_int_equal(count, EVENTS_MAX);
	assert_status(hsaKmtCreateEvent(&desc, true, false, &events[count]), ERROR);
	assert_null(events[count]);
	while (count--)
		assert_status(hsaKmtDestroyEvent(events[count]), SUCCESS);
	assert_status(hsaKmtCreateEvent(&desc, true, false, &events[0]), SUCCESS);
	assert_status(hsaKmtDestroyEvent(events[0]), SUCCESS);
	session_end();
}

/* The scenario lets three queues through and then answers four errors in turn. */
static void a_queue_says_why_it_was_refused(void **state)
{
	static const HSAKMT_STATUS expected[] = { HSAKMT_STATUS_NO_MEMORY,
						  HSAKMT_STATUS_INVALID_PARAMETER,
						  HSAKMT_STATUS_ERROR, HSAKMT_STATUS_ERROR };
	struct test_queue good[3], refused;
	uint32_t gpu;

	(void)state;
	session_begin();
	gpu = gpu_number(0);
	for (int i = 0; i < 3; i++)
		assert_status(queue_begin(&good[i], gpu, HSA_QUEUE_COMPUTE_AQL), SUCCESS);
	for (int i = 0; i < 4; i++) {
		uint64_t before = available(gpu);

		assert_int_equal(queue_begin(&refused, gpu, HSA_QUEUE_COMPUTE_AQL), expected[i]);
		queue_end(&refused, false);
		assert_int_equal(available(gpu), before);
	}
	for (int i = 0; i < 3; i++)
		queue_end(&good[i], true);
	session_end();
}

/* The scenario refuses the device once, and then does not. */
static void a_device_that_cannot_be_opened_is_tried_again(void **state)
{
	(void)state;
	assert_status(hsaKmtOpenKFD(), KERNEL_IO_CHANNEL_NOT_OPENED);
	session_begin();
	session_end();
}

/* Of two GPUs the second one's render node may not be opened (EPERM): it is not there. */
static void a_hidden_gpu_is_left_out(void **state)
{
	(void)state;
	assert_int_equal(session_begin(), 2);
	session_end();
}

/* EACCES: the user is in the wrong group, which is an error, and not one of resources. */
static void a_forbidden_render_node_fails_the_open(void **state)
{
	(void)state;
	assert_status(hsaKmtOpenKFD(), ERROR);
	session_begin();
	session_end();
}

static void each_rule_has_its_status(void **state)
{
	HsaMemFlags vram = { .ui32 = { .NonPaged = 1, .HostAccess = 1 } }, odd;
	void *memory = NULL;
	uint32_t gpu;

	(void)state;
	session_begin();
	gpu = gpu_number(0);
	assert_status(hsaKmtAllocMemory(gpu, 0, vram, &memory), INVALID_PARAMETER);
	assert_status(hsaKmtAllocMemory(gpu, 4097, vram, &memory), INVALID_PARAMETER);
	assert_status(hsaKmtAllocMemoryAlign(gpu, MIB, 3 * MIB, vram, &memory), INVALID_PARAMETER);
	assert_status(hsaKmtAllocMemoryAlign(gpu, MIB, 2048, vram, &memory), INVALID_PARAMETER);
	odd = vram;
	odd.ui32.CoarseGrain = odd.ui32.ExtendedCoherent = 1;
	assert_status(hsaKmtAllocMemory(gpu, MIB, odd, &memory), INVALID_PARAMETER);
	odd = vram;
	odd.ui32.FixedAddress = 1;
	memory = NULL;
	assert_status(hsaKmtAllocMemory(gpu, MIB, odd, &memory), INVALID_PARAMETER);
	odd.Value = 0;
	odd.ui32.Scratch = 1;
	assert_status(hsaKmtAllocMemoryAlign(gpu, MIB, MIB, odd, &memory), NOT_IMPLEMENTED);
	assert_status(hsaKmtAllocMemory(99, MIB, vram, &memory), INVALID_NODE_UNIT);
	assert_status(hsaKmtAllocMemory(gpu, MIB, vram, NULL), INVALID_PARAMETER);
	memory = device_memory(gpu, MIB);
	assert_status(hsaKmtRegisterMemory(memory, MIB), INVALID_HANDLE);
	release(memory, MIB);
	session_end();
}

static void a_queue_of_no_type_leaves_nothing_behind(void **state)
{
	struct test_queue queues[5], wrong;
	uint64_t before;
	uint32_t gpu;

	(void)state;
	session_begin();
	gpu = gpu_number(0);
	before = available(gpu);
	for (int i = 0; i < 5; i++)
		assert_status(queue_begin(&queues[i], gpu, HSA_QUEUE_COMPUTE_AQL), SUCCESS);
	for (int i = 0; i < 4; i++)
		queue_end(&queues[i], true);
	assert_status(queue_begin(&wrong, gpu, (HSA_QUEUE_TYPE)99), INVALID_PARAMETER);
	queue_end(&wrong, false);
	queue_end(&queues[4], true);
	assert_int_equal(available(gpu), before);
	session_end();
}

const struct user_case limit_cases[] = {
	{ "u11", each_limit_has_its_status },
	{ "u12", one_event_too_many_is_refused },
	{ "u13", a_queue_says_why_it_was_refused },
	{ "u14-device", a_device_that_cannot_be_opened_is_tried_again },
	{ "u14-hidden", a_hidden_gpu_is_left_out },
	{ "u14-forbidden", a_forbidden_render_node_fails_the_open },
	{ "u15", each_rule_has_its_status },
	{ "u20", a_queue_of_no_type_leaves_nothing_behind },
	{ NULL, NULL },
};
