/* SPDX-License-Identifier: MIT */
/*
 * Times calls of whatever libhsakmt.so.1 the loader finds, and prints "NAME NANOSECONDS-A-CALL" lines
 * for the driver script to compare. Uses only calls whose structures never changed, so that the same
 * program runs on every release of the library.
 *
 *   calls [--live N] [--rounds N]
 */
#include <hsakmt/hsakmt.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BATCHES 11 /* the median of these is printed */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000ULL + (uint64_t)now.tv_nsec;
}

static void must(HSAKMT_STATUS status, const char *what)
{
	if (status == HSAKMT_STATUS_SUCCESS)
		return;
	fprintf(stderr, "calls: %s: status %d\n", what, (int)status);
	exit(1);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Runs body(i, data) rounds times a batch and prints the median batch. */
static void bench(const char *name, unsigned long rounds, void (*body)(unsigned long i, void *data),
		  void *data)
{
	double ns[BATCHES];

	for (unsigned long i = 0; i < rounds / 10 + 1; i++)
		body(i, data); /* warm caches and lazily bound symbols */
	for (int batch = 0; batch < BATCHES; batch++) {
		uint64_t begin = now_ns();

		for (unsigned long i = 0; i < rounds; i++)
			body(i, data);
		ns[batch] = (double)(now_ns() - begin) / (double)rounds;
	}
	qsort(ns, BATCHES, sizeof(ns[0]), by_value);
	printf("%s %.2f\n", name, ns[BATCHES / 2]);
	fflush(stdout);
}

struct live {
	void **blocks;
	unsigned long count;
	char *heap; /* addresses that the library does not know */
};

static void get_version(unsigned long i, void *data)
{
	HsaVersionInfo version;

	(void)i;
	(void)data;
	hsaKmtGetVersion(&version);
}

static void query_base(unsigned long i, void *data)
{
	const struct live *live = data;
	HsaPointerInfo info;

	hsaKmtQueryPointerInfo(live->blocks[i % live->count], &info);
}

static void query_inside(unsigned long i, void *data)
{
	const struct live *live = data;
	HsaPointerInfo info;

	hsaKmtQueryPointerInfo((char *)live->blocks[i % live->count] + 1234, &info);
}

static void query_unknown(unsigned long i, void *data)
{
	const struct live *live = data;
	HsaPointerInfo info;

	hsaKmtQueryPointerInfo(live->heap + i % 4096, &info);
}

static HsaMemFlags device_flags(void)
{
	HsaMemFlags flags = { 0 };

	flags.ui32.NonPaged = 1;
	flags.ui32.CoarseGrain = 1;
	return flags;
}

static void alloc_map_unmap_free(unsigned long i, void *data)
{
	void *address = NULL;

	(void)i;
	(void)data;
	must(hsaKmtAllocMemory(1, 65536, device_flags(), &address), "AllocMemory");
	must(hsaKmtMapMemoryToGPU(address, 65536, NULL), "MapMemoryToGPU");
	must(hsaKmtUnmapMemoryToGPU(address), "UnmapMemoryToGPU");
	must(hsaKmtFreeMemory(address, 65536), "FreeMemory");
}

static void set_reset_event(unsigned long i, void *data)
{
	(void)i;
	hsaKmtSetEvent(data);
	hsaKmtResetEvent(data);
}

static void acquire_held(unsigned long i, void *data)
{
	HsaSystemProperties properties;

	(void)i;
	(void)data;
	hsaKmtAcquireSystemProperties(&properties);
}

int main(int argc, char **argv)
{
	HsaEventDescriptor descriptor = { .EventType = HSA_EVENTTYPE_SIGNAL, .NodeId = 1 };
	HsaSystemProperties properties;
	struct live live = { .count = 1000 };
	unsigned long rounds = 20000;
	HsaEvent *event = NULL;

	for (int i = 1; i + 1 < argc; i += 2) {
		if (strcmp(argv[i], "--live") == 0)
			live.count = strtoul(argv[i + 1], NULL, 10);
		else if (strcmp(argv[i], "--rounds") == 0)
			rounds = strtoul(argv[i + 1], NULL, 10);
	}
	live.blocks = calloc(live.count, sizeof(*live.blocks));
	live.heap = malloc(4096);
	if (!live.blocks || !live.heap)
		return 1;
	must(hsaKmtOpenKFD(), "OpenKFD");
	must(hsaKmtAcquireSystemProperties(&properties), "AcquireSystemProperties");
	bench("get_version", rounds * 50, get_version, NULL);
	bench("acquire_held", rounds / 100 + 1, acquire_held, NULL);
	bench("alloc_map_unmap_free", rounds / 20 + 1, alloc_map_unmap_free, NULL);
	must(hsaKmtCreateEvent(&descriptor, true, false, &event), "CreateEvent");
	bench("set_reset_event", rounds, set_reset_event, event);
	for (unsigned long i = 0; i < live.count; i++)
		must(hsaKmtAllocMemory(1, 4096, device_flags(), &live.blocks[i]), "AllocMemory");
	bench("query_base", rounds, query_base, &live);
	bench("query_inside", rounds, query_inside, &live);
	bench("query_unknown", rounds, query_unknown, &live);
	for (unsigned long i = 0; i < live.count; i++)
		must(hsaKmtFreeMemory(live.blocks[i], 4096), "FreeMemory");
	return 0;
}
