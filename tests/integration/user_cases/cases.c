/* SPDX-License-Identifier: MIT */
/* Runs the case that the command line names. */
#include "cases.h"

#include <stdio.h>
#include <string.h>

uint32_t gpu_number(unsigned int n)
{
	HsaNodeProperties node;

	for (uint32_t i = 0; hsaKmtGetNodeProperties(i, &node) == HSAKMT_STATUS_SUCCESS; i++)
		if (node.NumFComputeCores && n-- == 0)
			return i;
	fail_msg("there are not so many GPUs");
	return 0;
}

uint32_t session_begin(void)
{
	HsaSystemProperties system = { 0 };

	assert_status(hsaKmtOpenKFD(), SUCCESS);
	assert_status(hsaKmtAcquireSystemProperties(&system), SUCCESS);
	return system.NumNodes;
}

void session_end(void)
{
	assert_status(hsaKmtReleaseSystemProperties(), SUCCESS);
	assert_status(hsaKmtCloseKFD(), SUCCESS);
}

HSAKMT_STATUS allocate_device(uint32_t node, uint64_t size, bool host_access, void **memory)
{
	HsaMemFlags flags = { .ui32 = { .NonPaged = 1, .CoarseGrain = 1 } };

	flags.ui32.HostAccess = host_access;
	return hsaKmtAllocMemory(node, size, flags, memory);
}

void *device_memory(uint32_t node, uint64_t size)
{
	void *memory = NULL;
	HSAuint64 alternate;

	assert_status(allocate_device(node, size, false, &memory), SUCCESS);
	assert_status(hsaKmtMapMemoryToGPU(memory, size, &alternate), SUCCESS);
	return memory;
}

void *host_memory(uint64_t size)
{
	HsaMemFlags flags = { .ui32 = { .NonPaged = 1, .HostAccess = 1, .ExecuteAccess = 1 } };
	void *memory = NULL;
	HSAuint64 alternate;

	assert_status(hsaKmtAllocMemory(0, size, flags, &memory), SUCCESS);
	assert_status(hsaKmtMapMemoryToGPU(memory, size, &alternate), SUCCESS);
	return memory;
}

void release(void *memory, uint64_t size)
{
	assert_status(hsaKmtUnmapMemoryToGPU(memory), SUCCESS);
	assert_status(hsaKmtFreeMemory(memory, size), SUCCESS);
}

uint64_t available(uint32_t node)
{
	HSAuint64 bytes = 0;

	assert_status(hsaKmtAvailableMemory(node, &bytes), SUCCESS);
	return bytes;
}

HSAKMT_STATUS queue_begin(struct test_queue *queue, uint32_t node, HSA_QUEUE_TYPE type)
{
	memset(queue, 0, sizeof(*queue));
	queue->ring = host_memory(PAGE);
	queue->pointers = host_memory(PAGE);
	memset(queue->ring, 0, PAGE);
	memset(queue->pointers, 0, PAGE);
	queue->resource.Queue_read_ptr_aql = queue->pointers;
	queue->resource.Queue_write_ptr_aql = (HSAuint64 *)queue->pointers + 8;
	return hsaKmtCreateQueue(node, type, 100, HSA_QUEUE_PRIORITY_NORMAL, queue->ring, PAGE,
				 NULL, &queue->resource);
}

void queue_end(struct test_queue *queue, bool created)
{
	if (created)
		assert_status(hsaKmtDestroyQueue(queue->resource.QueueId), SUCCESS);
	release(queue->pointers, PAGE);
	release(queue->ring, PAGE);
}

int main(int argc, char **argv)
{
	static const struct user_case *const groups[] = { memory_cases, limit_cases, process_cases,
							  machine_cases };
	const struct user_case *found = NULL;

	for (size_t g = 0; argc == 2 && g < sizeof(groups) / sizeof(groups[0]); g++)
		for (const struct user_case *c = groups[g]; c->name; c++)
			if (strcmp(c->name, argv[1]) == 0)
				found = c;
	if (!found) {
		fprintf(stderr, "usage: user_cases CASE\n");
		return 2;
	}
	const struct CMUnitTest tests[] = { { .name = found->name, .test_func = found->run } };

	return cmocka_run_group_tests_name("user cases", tests, NULL, NULL);
}
