/* SPDX-License-Identifier: MIT */
/*
 * U49: queries of pointers, half of them into living blocks and half into the heap, from one thread
 * and then from eight.
 */
#include "client.h"

#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

#define BLOCKS      100000
#define BYTES       4096u
#define QUERIES     100000
#define THREADS_MAX 8
#define PAUSE_US    300000
#define HEAP_BYTES  65536u

/* Where nobody else maps anything. */
#define PLACE ((char *)(uintptr_t)0x200000000000)

static char *blocks[BLOCKS];
static char *heap;

/*
 * Blocks next to each other, since a process cannot have so many mappings (vm.max_map_count), and
 * what the library places itself has gaps.
 */
static void make_blocks(void)
{
	HsaMemFlags flags = device_flags();

	flags.ui32.FixedAddress = 1;
	for (unsigned int i = 0; i < BLOCKS; i++) {
		void *address = PLACE + (size_t)i * BYTES;

		OK(hsaKmtAllocMemory(1, BYTES, flags, &address));
		blocks[i] = address;
	}
}

static void expect_block(const HsaPointerInfo *info, const char *block)
{
	if (info->Type == HSA_POINTER_ALLOCATED &&
	    info->GPUAddress == (HSAuint64)(uintptr_t)block && info->SizeInBytes == BYTES)
		return;
	fprintf(stderr, "client: %p is not named rightly\n", (const void *)block);
	exit(99);
}

static CASE_FUNCTION void ask_for_blocks(unsigned int first)
{
	static const unsigned int offsets[] = { 0, BYTES / 2, BYTES - 1 };

	for (unsigned int i = 0; i < QUERIES / 2; i++) {
		char *block = blocks[(first + i) % BLOCKS];
		HsaPointerInfo info;

		OK(hsaKmtQueryPointerInfo(block + offsets[i % 3], &info));
		expect_block(&info, block);
	}
}

static CASE_FUNCTION void ask_for_the_heap(void)
{
	for (unsigned int i = 0; i < QUERIES / 2; i++) {
		HsaPointerInfo info;

		EXPECT(HSAKMT_STATUS_ERROR, hsaKmtQueryPointerInfo(heap + i % HEAP_BYTES, &info));
		if (info.Type != HSA_POINTER_UNKNOWN) {
			fprintf(stderr, "client: the heap is taken for a block\n");
			exit(99);
		}
	}
}

static void *ask(void *number)
{
	ask_for_blocks((unsigned int)(uintptr_t)number * 1000);
	ask_for_the_heap();
	return NULL;
}

static void ask_from(unsigned int count)
{
	pthread_t threads[THREADS_MAX];

	for (unsigned int i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, ask, (void *)(uintptr_t)i) != 0)
			exit(99);
	for (unsigned int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

/* What lies behind the last block is not its. */
static CASE_FUNCTION void ask_one_past_the_end(void)
{
	HsaPointerInfo info;

	OK(hsaKmtQueryPointerInfo(blocks[BLOCKS - 1] + BYTES - 1, &info));
	expect_block(&info, blocks[BLOCKS - 1]);
	EXPECT(HSAKMT_STATUS_ERROR, hsaKmtQueryPointerInfo(blocks[BLOCKS - 1] + BYTES, &info));
}

int main(void)
{
	open_driver();
	make_blocks();
	ask_one_past_the_end();
	heap = malloc(HEAP_BYTES);
	if (!heap)
		return 99;
	/* Threads that asked shortly before one another count as asking together. */
	usleep(PAUSE_US);
	ask_from(1);
	usleep(PAUSE_US);
	ask_from(THREADS_MAX);
	for (unsigned int i = 0; i < BLOCKS; i++)
		OK(hsaKmtFreeMemory(blocks[i], BYTES));
	free(heap);
	close_driver();
	return 0;
}
