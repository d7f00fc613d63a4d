/* SPDX-License-Identifier: MIT */
/*
 * Submits kernel dispatches and barriers to AQL queues, the first of which it leaves alone in the end,
 * and runs them all. Arguments: dispatches and barriers of the first queue, size of its ring in bytes;
 * with a fourth one it waits for its input before it submits. "churn N" instead makes and destroys a queue
 * under load N times, its memory with it.
 */
#include "queues.h"

#include <stdint.h>
#include <unistd.h>

enum { DISPATCH = 2, BARRIER = 3, INVALID = 1, SECOND_DISPATCHES = 7, CHURN_BARRIERS = 4 };

struct aql {
	unsigned char *ring;
	uint64_t ring_bytes, packets;
	volatile HSAuint64 *read, *write;
	volatile HSAuint64 *doorbell;
	HSA_QUEUEID id;
};

static void *shared_memory(HSAuint64 size_bytes)
{
	HsaMemFlags flags = { 0 };
	HSAuint64 gpu_va;
	void *memory = NULL;

	flags.ui32.HostAccess = 1;
	flags.ui32.ExecuteAccess = 1;
	OK(hsaKmtAllocMemory(0, size_bytes, flags, &memory));
	OK(hsaKmtMapMemoryToGPU(memory, size_bytes, &gpu_va));
	return memory;
}

static CASE_FUNCTION struct aql make_aql(uint64_t ring_bytes)
{
	struct aql aql = { .ring_bytes = ring_bytes, .packets = ring_bytes / 64 };
	HsaQueueResource resource;

	memset(&resource, 0, sizeof(resource));
	aql.ring = shared_memory(ring_bytes);
	for (uint64_t at = 0; at < ring_bytes; at += 64)
		aql.ring[at] = INVALID;
	aql.read = shared_memory(4096);
	aql.write = aql.read + 8;
	resource.Queue_read_ptr_aql = (HSAuint64 *)aql.read;
	resource.Queue_write_ptr_aql = (HSAuint64 *)aql.write;
	OK(hsaKmtCreateQueue(1, HSA_QUEUE_COMPUTE_AQL, 100, HSA_QUEUE_PRIORITY_NORMAL, aql.ring,
			     ring_bytes, NULL, &resource));
	aql.doorbell = resource.Queue_DoorBell_aql;
	aql.id = resource.QueueId;
	return aql;
}

static void submit(struct aql *aql, uint8_t type, uint64_t kernel)
{
	uint64_t index = *aql->write;
	unsigned char *packet = aql->ring + index % aql->packets * 64;
	const uint16_t setup = 1, size = 1;

	while (index - __atomic_load_n(aql->read, __ATOMIC_ACQUIRE) >= aql->packets)
		usleep(100);
	memset(packet + 1, 0, 63);
	if (type == DISPATCH) {
		memcpy(packet + 2, &setup, 2);
		for (int i = 0; i < 3; i++)
			memcpy(packet + 4 + 2 * i, &size, 2);
		for (int i = 0; i < 3; i++)
			packet[12 + 4 * i] = 1;
		memcpy(packet + 32, &kernel, 8);
	}
	__atomic_store_n(packet, type, __ATOMIC_RELEASE);
	__atomic_store_n(aql->write, index + 1, __ATOMIC_RELEASE);
	*aql->doorbell = index;
}

static void finish(const struct aql *aql)
{
	while (__atomic_load_n(aql->read, __ATOMIC_ACQUIRE) != *aql->write)
		usleep(1000);
}

static void release(void *memory, HSAuint64 size_bytes)
{
	OK(hsaKmtUnmapMemoryToGPU(memory));
	OK(hsaKmtFreeMemory(memory, size_bytes));
}

/* Each queue ends with its packets on their way. */
static int churn(int times)
{
	open_driver();
	for (int i = 0; i < times; i++) {
		struct aql aql = make_aql(RING_BYTES);

		for (int packet = 0; packet < CHURN_BARRIERS; packet++)
			submit(&aql, BARRIER, 0);
		OK(hsaKmtDestroyQueue(aql.id));
		release(aql.ring, RING_BYTES);
		release((void *)aql.read, 4096);
	}
	close_driver();
	return 0;
}

int main(int argc, char **argv)
{
	int dispatches = argc > 1 ? atoi(argv[1]) : 0, barriers = argc > 2 ? atoi(argv[2]) : 0;
	uint64_t kernel;
	struct aql first, second;

	if (argc == 3 && strcmp(argv[1], "churn") == 0)
		return churn(atoi(argv[2]));
	open_driver();
	kernel = (uint64_t)(uintptr_t)shared_memory(4096);
	first = make_aql(argc > 3 ? strtoull(argv[3], NULL, 0) : RING_BYTES);
	second = make_aql(RING_BYTES);
	if (argc > 4) {
		puts("ready");
		fflush(stdout);
		(void)getchar();
	}
	for (int i = 0; i < dispatches || i < barriers; i++) {
		if (i < dispatches)
			submit(&first, DISPATCH, kernel);
		if (i < barriers)
			submit(&first, BARRIER, 0);
	}
	for (int i = 0; i < SECOND_DISPATCHES; i++)
		submit(&second, DISPATCH, kernel);
	finish(&first);
	finish(&second);
	OK(hsaKmtDestroyQueue(second.id));
	printf("%llu %llu\n", (unsigned long long)first.id, (unsigned long long)second.id);
	return 0;
}
