/* SPDX-License-Identifier: MIT */
/*
 * U50: sixteen threads call memory functions at random, two create and destroy events, and one opens
 * and closes the driver. Each thread knows what it holds; at checkpoints the counts must agree with
 * the library, and at the end nothing is left. The thread sanitizer looks on where it is built in.
 *
 *   thread_walk OPERATIONS-A-THREAD
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "hsakmt/hsakmt.h"

#define WORKERS     16
#define HELD_MAX    8
#define BLOCK       65536u
#define CHECKPOINTS 4

struct block {
	char *address;
	bool mapped;
};

struct worker {
	pthread_t thread;
	unsigned long operations;
	unsigned int seed;
	struct block held[HELD_MAX];
	unsigned int count;
	unsigned long allocated, freed;
};

static uint32_t gpu;
static atomic_bool stop;
static atomic_ulong wrong;
static pthread_barrier_t checkpoint;

static void expect(HSAKMT_STATUS got, HSAKMT_STATUS expected, const char *what)
{
	if (got == expected)
		return;
	if (atomic_fetch_add(&wrong, 1) < 20)
		fprintf(stderr, "thread_walk: %s: status %d\n", what, (int)got);
}

static void allocate(struct worker *w)
{
	HsaMemFlags flags = { .ui32 = { .NonPaged = 1, .CoarseGrain = 1 } };
	void *memory = NULL;

	if (w->count == HELD_MAX)
		return;
	expect(hsaKmtAllocMemory(gpu, BLOCK, flags, &memory), HSAKMT_STATUS_SUCCESS, "allocate");
	w->held[w->count].address = memory;
	w->held[w->count++].mapped = false;
	w->allocated++;
}

static void map(struct block *block)
{
	HSAuint64 alternate;

	expect(hsaKmtMapMemoryToGPU(block->address, BLOCK, &alternate), HSAKMT_STATUS_SUCCESS,
	       "map");
	block->mapped = true;
}

static void unmap(struct block *block)
{
	expect(hsaKmtUnmapMemoryToGPU(block->address), HSAKMT_STATUS_SUCCESS, "unmap");
	block->mapped = false;
}

static void release(struct worker *w, unsigned int i)
{
	if (w->held[i].mapped)
		unmap(&w->held[i]);
	expect(hsaKmtFreeMemory(w->held[i].address, BLOCK), HSAKMT_STATUS_SUCCESS, "free");
	w->held[i] = w->held[--w->count];
	w->freed++;
}

static void query(struct worker *w, struct block *block)
{
	HsaPointerInfo info;

	expect(hsaKmtQueryPointerInfo(block->address + rand_r(&w->seed) % BLOCK, &info),
	       HSAKMT_STATUS_SUCCESS, "query");
	if (info.CPUAddress != block->address || info.SizeInBytes != BLOCK ||
	    info.NMappedNodes != block->mapped)
		expect(HSAKMT_STATUS_ERROR, HSAKMT_STATUS_SUCCESS, "answer of a query");
}

static void operate(struct worker *w)
{
	unsigned int i = w->count ? (unsigned int)rand_r(&w->seed) % w->count : 0;

	if (!w->count) {
		allocate(w);
		return;
	}
	switch (rand_r(&w->seed) % 6) {
	case 0:
		allocate(w);
		break;
	case 1:
		map(&w->held[i]);
		break;
	case 2:
		unmap(&w->held[i]);
		break;
	case 3:
		release(w, i);
		break;
	case 4:
		query(w, &w->held[i]);
		break;
	case 5:
		expect(hsaKmtSetMemoryUserData(w->held[i].address, w), HSAKMT_STATUS_SUCCESS,
		       "user data");
		break;
	}
}

static void *work(void *data)
{
	struct worker *w = data;

	for (unsigned long i = 0; i < w->operations; i++) {
		operate(w);
		if ((i + 1) % (w->operations / CHECKPOINTS) == 0) {
			pthread_barrier_wait(&checkpoint); /* all counts stand still ... */
			pthread_barrier_wait(&checkpoint); /* ... until they were looked at */
		}
	}
	while (w->count)
		release(w, 0);
	return NULL;
}

static void *make_events(void *data)
{
	HsaEventDescriptor desc = { .EventType = HSA_EVENTTYPE_SIGNAL };
	HsaEvent *event;

	(void)data;
	while (!atomic_load(&stop)) {
		event = NULL;
		expect(hsaKmtCreateEvent(&desc, false, true, &event), HSAKMT_STATUS_SUCCESS,
		       "create event");
		expect(hsaKmtWaitOnEvent(event, 1000), HSAKMT_STATUS_SUCCESS, "wait");
		expect(hsaKmtDestroyEvent(event), HSAKMT_STATUS_SUCCESS, "destroy event");
	}
	return NULL;
}

static void *open_and_close(void *data)
{
	(void)data;
	while (!atomic_load(&stop)) {
		expect(hsaKmtOpenKFD(), HSAKMT_STATUS_KERNEL_ALREADY_OPENED, "open");
		expect(hsaKmtCloseKFD(), HSAKMT_STATUS_SUCCESS, "close");
	}
	return NULL;
}

static HSAuint64 available(void)
{
	HSAuint64 bytes = 0;

	expect(hsaKmtAvailableMemory(gpu, &bytes), HSAKMT_STATUS_SUCCESS, "available");
	return bytes;
}

/* What the driver has given must be what the threads hold; it counts in steps of 2 MiB. */
static void look(const struct worker *workers, HSAuint64 before)
{
	unsigned long live = 0;
	HSAuint64 taken = before - available(), granule = 2u << 20;

	for (int i = 0; i < WORKERS; i++)
		live += workers[i].allocated - workers[i].freed;
	if (taken / granule * granule > live * BLOCK + granule || taken + granule < live * BLOCK) {
		fprintf(stderr, "thread_walk: %lu blocks are live, %llu bytes taken\n", live,
			(unsigned long long)taken);
		atomic_fetch_add(&wrong, 1);
	}
}

int main(int argc, char **argv)
{
	static struct worker workers[WORKERS];
	unsigned long operations = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
	pthread_t makers[2], opener;
	HsaSystemProperties system;
	HsaNodeProperties node;
	HSAuint64 before;

	if (operations < CHECKPOINTS) {
		fprintf(stderr, "usage: thread_walk OPERATIONS-A-THREAD\n");
		return 2;
	}
	operations -= operations % CHECKPOINTS;
	expect(hsaKmtOpenKFD(), HSAKMT_STATUS_SUCCESS, "first open");
	expect(hsaKmtAcquireSystemProperties(&system), HSAKMT_STATUS_SUCCESS, "acquire");
	for (uint32_t i = 0; i < system.NumNodes; i++)
		if (hsaKmtGetNodeProperties(i, &node) == HSAKMT_STATUS_SUCCESS &&
		    node.NumFComputeCores)
			gpu = i;
	before = available();
	pthread_barrier_init(&checkpoint, NULL, WORKERS + 1);
	for (int i = 0; i < 2; i++)
		pthread_create(&makers[i], NULL, make_events, NULL);
	pthread_create(&opener, NULL, open_and_close, NULL);
	for (int i = 0; i < WORKERS; i++) {
		workers[i].operations = operations;
		workers[i].seed = 1234u + (unsigned int)i;
		pthread_create(&workers[i].thread, NULL, work, &workers[i]);
	}
	for (int i = 0; i < CHECKPOINTS; i++) {
		pthread_barrier_wait(&checkpoint);
		look(workers, before);
		pthread_barrier_wait(&checkpoint);
	}
	for (int i = 0; i < WORKERS; i++)
		pthread_join(workers[i].thread, NULL);
	atomic_store(&stop, true);
	for (int i = 0; i < 2; i++)
		pthread_join(makers[i], NULL);
	pthread_join(opener, NULL);
	if (available() != before) {
		fprintf(stderr, "thread_walk: not everything was given back\n");
		atomic_fetch_add(&wrong, 1);
	}
	expect(hsaKmtReleaseSystemProperties(), HSAKMT_STATUS_SUCCESS, "release");
	expect(hsaKmtCloseKFD(), HSAKMT_STATUS_SUCCESS, "last close");
	printf("%d threads, %lu operations each, %lu wrong\n", WORKERS, operations,
	       atomic_load(&wrong));
	return atomic_load(&wrong) != 0;
}
