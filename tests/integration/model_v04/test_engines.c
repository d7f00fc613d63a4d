/* SPDX-License-Identifier: MIT */
/* A plug-in of interface 0.4 runs the queues behind our simulated KFD. */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "engines.h"
#include "hsakmt/hsakmt.h"

#define RING        4096
#define PAGE        4096
#define BARRIER_AND 3

struct fixture {
	struct engines_record *record;
	uint32_t gpu, nodes;
};

static int setup(void **state)
{
	static struct fixture fixture;
	HsaSystemProperties system;
	HsaNodeProperties node;
	void *library = dlopen(getenv("HSA_MODEL_LIB"), RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return -1;
	fixture.record = dlsym(library, ENGINES_RECORD);
	if (hsaKmtOpenKFD() != HSAKMT_STATUS_SUCCESS ||
	    hsaKmtAcquireSystemProperties(&system) != HSAKMT_STATUS_SUCCESS)
		return -1;
	fixture.nodes = system.NumNodes;
	for (uint32_t i = 0; i < system.NumNodes; i++)
		if (hsaKmtGetNodeProperties(i, &node) == HSAKMT_STATUS_SUCCESS &&
		    node.NumFComputeCores)
			fixture.gpu = i;
	*state = &fixture;
	return fixture.record ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	(void)hsaKmtReleaseSystemProperties(); /* always a success */
	return hsaKmtCloseKFD() == HSAKMT_STATUS_SUCCESS ? 0 : -1;
}

static void *host(uint64_t size)
{
	HsaMemFlags flags = { .ui32 = { .HostAccess = 1, .NonPaged = 1 } };
	void *memory = NULL;
	HSAuint64 alternate;

	assert_int_equal(hsaKmtAllocMemory(0, size, flags, &memory), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(hsaKmtMapMemoryToGPU(memory, size, &alternate), HSAKMT_STATUS_SUCCESS);
	memset(memory, 0, size);
	return memory;
}

static void release(void *memory, uint64_t size)
{
	assert_int_equal(hsaKmtUnmapMemoryToGPU(memory), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(hsaKmtFreeMemory(memory, size), HSAKMT_STATUS_SUCCESS);
}

static void each_gpu_gets_a_model_with_a_window(void **state)
{
	const struct fixture *f = *state;

	assert_int_equal(f->record->gpus, f->nodes - 1);
	assert_int_equal(f->record->aperture_bytes, 1ull << 38);
}

static void allocations_and_frees_are_told(void **state)
{
	const struct fixture *f = *state;
	struct engines_record before = *f->record;
	void *memory = host(2 * PAGE);

	assert_true((uintptr_t)memory < 1ull << 38);
	assert_int_equal(f->record->allocations, before.allocations + 1);
	assert_int_equal(f->record->bytes, before.bytes + 2 * PAGE);
	release(memory, 2 * PAGE);
	assert_int_equal(f->record->frees, before.frees + 1);
	assert_int_equal(f->record->bytes, before.bytes);
}

/* A barrier packet with a signal that names an event. */
static void fill_packet(char *ring, const char *signal)
{
	uint64_t address = (uintptr_t)signal;
	uint16_t header = BARRIER_AND;

	memset(ring, 0, 64);
	memcpy(ring + 56, &address, sizeof(address));
	memcpy(ring, &header, sizeof(header));
}

static void a_packet_is_carried_out_and_its_event_signalled(void **state)
{
	const struct fixture *f = *state;
	HsaEventDescriptor desc = { .EventType = HSA_EVENTTYPE_SIGNAL };
	char *ring = host(RING), *page = host(PAGE), *signal = host(PAGE);
	HsaQueueResource queue = { .Queue_write_ptr_aql = (HSAuint64 *)page,
				   .Queue_read_ptr_aql = (HSAuint64 *)(page + 64) };
	const int64_t one = 1;
	HsaEvent *event = NULL;
	int64_t value;

	assert_int_equal(hsaKmtCreateEvent(&desc, false, false, &event), HSAKMT_STATUS_SUCCESS);
	memcpy(signal + 8, &one, sizeof(one));
	memcpy(signal + 16, &event->EventData.HWData2, sizeof(uint64_t));
	memcpy(signal + 24, &event->EventId, sizeof(uint32_t));
	assert_int_equal(hsaKmtCreateQueue(f->gpu, HSA_QUEUE_COMPUTE_AQL, 100,
					   HSA_QUEUE_PRIORITY_NORMAL, ring, RING, NULL, &queue),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(f->record->queues, 1);
	assert_int_equal(f->record->queue_type, 2);
	assert_int_equal(f->record->ring_bytes, RING);

	fill_packet(ring, signal);
	__atomic_store_n(queue.Queue_write_ptr_aql, 1, __ATOMIC_RELEASE);
	*queue.Queue_DoorBell_aql = 0;
	assert_int_equal(hsaKmtWaitOnEvent(event, 10000), HSAKMT_STATUS_SUCCESS);
	memcpy(&value, signal + 8, sizeof(value));
	assert_int_equal(value, 0);
	assert_int_equal(__atomic_load_n(queue.Queue_read_ptr_aql, __ATOMIC_ACQUIRE), 1);
	assert_int_equal(f->record->packets, 1);

	/* stopped and started anew, it goes on where it was */
	assert_int_equal(
		hsaKmtUpdateQueue(queue.QueueId, 0, HSA_QUEUE_PRIORITY_NORMAL, ring, RING, NULL),
		HSAKMT_STATUS_SUCCESS);
	assert_int_equal(f->record->queues, 0);
	assert_int_equal(
		hsaKmtUpdateQueue(queue.QueueId, 100, HSA_QUEUE_PRIORITY_NORMAL, ring, RING, NULL),
		HSAKMT_STATUS_SUCCESS);
	fill_packet(ring + 64, signal);
	__atomic_store_n(queue.Queue_write_ptr_aql, 2, __ATOMIC_RELEASE);
	assert_int_equal(hsaKmtWaitOnEvent(event, 10000), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(f->record->packets, 2);

	assert_int_equal(hsaKmtDestroyQueue(queue.QueueId), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(f->record->queues, 0);
	assert_int_equal(hsaKmtDestroyEvent(event), HSAKMT_STATUS_SUCCESS);
	release(signal, PAGE);
	release(page, PAGE);
	release(ring, RING);
}

static void what_such_plug_ins_do_not_know_is_refused(void **state)
{
	const struct fixture *f = *state;
	void *ring = host(RING);
	HsaQueueResource queue = { 0 };

	assert_int_equal(hsaKmtCreateQueue(f->gpu, HSA_QUEUE_COMPUTE, 100,
					   HSA_QUEUE_PRIORITY_NORMAL, ring, RING, NULL, &queue),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(f->record->queues, 0);
	release(ring, RING);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_gpu_gets_a_model_with_a_window),
		cmocka_unit_test(allocations_and_frees_are_told),
		cmocka_unit_test(a_packet_is_carried_out_and_its_event_signalled),
		cmocka_unit_test(what_such_plug_ins_do_not_know_is_refused),
	};

	return cmocka_run_group_tests_name("model_v04", tests, setup, teardown);
}
