/* SPDX-License-Identifier: MIT */
/* U02, U06, U08, U10, U49: lives of allocations. */
#include "cases.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void exported_memory_stays_taken_when_it_is_freed(void **state)
{
	HsaSharedMemoryHandle handle;
	uint64_t before;
	uint32_t gpu;

	(void)state;
	session_begin();
	gpu = gpu_number(0);
	before = available(gpu);
	for (int i = 0; i < 3; i++) {
		void *memory = NULL;

		assert_status(allocate_device(gpu, 512 * MIB, false, &memory), SUCCESS);
		assert_status(hsaKmtShareMemory(memory, 512 * MIB, &handle), SUCCESS);
		assert_status(hsaKmtFreeMemory(memory, 512 * MIB), SUCCESS);
	}
	assert_int_equal(before - available(gpu), 3 * 512 * MIB);
	session_end();
}

static void a_range_that_went_while_registered_does_no_harm(void **state)
{
	void *first, *second;

	(void)state;
	session_begin();
	first = mmap(NULL, 128 * KIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(first, MAP_FAILED);
	munmap((char *)first + 64 * KIB, 64 * KIB);
	assert_status(hsaKmtRegisterMemory(first, 64 * KIB), SUCCESS);
	munmap(first, 64 * KIB);
	second = mmap(first, 128 * KIB, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	assert_ptr_equal(second, first);
	assert_status(hsaKmtRegisterMemory(second, 128 * KIB), SUCCESS);
	assert_status(hsaKmtDeregisterMemory(second), SUCCESS);
	/* the registration that is left ends as well; nothing is counted below zero */
	assert_status(hsaKmtDeregisterMemory(second), SUCCESS);
	assert_status(hsaKmtRegisterMemory(second, 128 * KIB), SUCCESS);
	assert_status(hsaKmtDeregisterMemory(second), SUCCESS);
	munmap(second, 128 * KIB);
	session_end();
}

static void memory_that_a_peer_maps_is_not_freed(void **state)
{
	const HsaMemFlags none = { 0 };
	HSAuint32 nodes[2];
	HsaPointerInfo info;
	HSAuint64 alternate;
	void *memory = NULL;
	uint64_t before;

	(void)state;
	session_begin();
	nodes[0] = gpu_number(0);
	nodes[1] = gpu_number(1);
	before = available(nodes[0]);
	assert_status(allocate_device(nodes[0], 16 * MIB, false, &memory), SUCCESS);
	assert_status(hsaKmtMapMemoryToGPUNodes(memory, 16 * MIB, &alternate, none, 2, nodes),
		      SUCCESS);
	assert_status(hsaKmtFreeMemory(memory, 16 * MIB), ERROR);
	/* a free that failed ended nothing */
	assert_status(hsaKmtQueryPointerInfo(memory, &info), SUCCESS);
	assert_int_equal(info.NMappedNodes, 2);
	assert_int_equal(before - available(nodes[0]), 16 * MIB);
	release(memory, 16 * MIB);
	assert_int_equal(available(nodes[0]), before);
	session_end();
}

static void what_the_library_takes_for_itself_it_gives_back(void **state)
{
	HsaEventDescriptor desc = { .EventType = HSA_EVENTTYPE_SIGNAL };

	(void)state;
	for (int round = 0; round < 2; round++) {
		struct test_queue queue;
		HsaEvent *event = NULL;
		uint64_t before;
		uint32_t gpu;

		session_begin();
		gpu = gpu_number(0);
		before = available(gpu);
		assert_status(queue_begin(&queue, gpu, HSA_QUEUE_COMPUTE_AQL), SUCCESS);
		assert_true(available(gpu) <= before);
		queue_end(&queue, true);
		assert_status(hsaKmtCreateEvent(&desc, false, false, &event), SUCCESS);
		assert_status(hsaKmtDestroyEvent(event), SUCCESS);
		assert_int_equal(available(gpu), before);
		session_end();
	}
}

#define BLOCKS  30000
#define THREADS 8
#define QUERIES 100000

static char *blocks[BLOCKS];

/* Half on live pointers (start, middle, last byte), half on pointers of the heap. */
static void *ask(void *data)
{
	char *heap = malloc(64);
	uintptr_t wrong = 0;

	for (uintptr_t i = (uintptr_t)data; i < QUERIES; i++) {
		static const uint64_t offsets[] = { 0, PAGE / 2, PAGE - 1 };
		char *block = blocks[i * 7919 % BLOCKS];
		HsaPointerInfo info;

		if (i % 2) {
			wrong += hsaKmtQueryPointerInfo(heap, &info) != HSAKMT_STATUS_ERROR;
			continue;
		}
		wrong += hsaKmtQueryPointerInfo(block + offsets[i % 3], &info) !=
				 HSAKMT_STATUS_SUCCESS ||
			 info.CPUAddress != block || info.SizeInBytes != PAGE;
	}
	free(heap);
	return (void *)wrong;
}

static void pointer_queries_name_the_right_block(void **state)
{
	pthread_t threads[THREADS];
	HsaPointerInfo info;
	uint32_t gpu;

	(void)state;
	session_begin();
	gpu = gpu_number(0);
	for (int i = 0; i < BLOCKS; i++) {
		void *block = NULL;

		assert_status(allocate_device(gpu, PAGE, false, &block), SUCCESS);
		blocks[i] = block;
	}
	/* there is a guard page behind each block */
	for (int i = 0; i < BLOCKS; i += 1000) {
		assert_status(hsaKmtQueryPointerInfo(blocks[i] + PAGE - 1, &info), SUCCESS);
		assert_ptr_equal(info.CPUAddress, blocks[i]);
		assert_status(hsaKmtQueryPointerInfo(blocks[i] + PAGE, &info), ERROR);
	}
	assert_null(ask(NULL));
	for (uintptr_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, ask, (void *)i), 0);
	for (int i = 0; i < THREADS; i++) {
		void *wrong;

		pthread_join(threads[i], &wrong);
		assert_null(wrong);
	}
	for (int i = 0; i < BLOCKS; i++)
		assert_status(hsaKmtFreeMemory(blocks[i], PAGE), SUCCESS);
	session_end();
}

const struct user_case memory_cases[] = {
	{ "u02", exported_memory_stays_taken_when_it_is_freed },
	{ "u06", a_range_that_went_while_registered_does_no_harm },
	{ "u08", memory_that_a_peer_maps_is_not_freed },
	{ "u10", what_the_library_takes_for_itself_it_gives_back },
	{ "u49", pointer_queries_name_the_right_block },
	{ NULL, NULL },
};
