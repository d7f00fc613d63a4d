/* SPDX-License-Identifier: MIT */
/*
 * Times pointer queries of whatever libhsakmt.so.1 the loader finds: the first byte of a block, the
 * middle of one, and addresses that the library does not know, with so many blocks live. Prints
 * "NAME NANOSECONDS-A-CALL" lines for topology-run. Uses only calls whose structures never changed.
 *
 *   pointer LIVE-BLOCKS
 */
#include <hsakmt/hsakmt.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BLOCK   4096u
#define BATCHES 25    /* the quickest of these is printed: others are disturbed */
#define SPREAD  7919u /* a prime: neighbours in time are not neighbours in memory */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Queries address(i) for so many i, and checks each answer. */
static void bench(const char *name, char **blocks, unsigned long count, unsigned long offset,
		  HSAKMT_STATUS expected)
{
	/* 5.2.3 looks at every block for an unknown address */
	unsigned long rounds = expected == HSAKMT_STATUS_SUCCESS ? 20000 : 200000 / count + 10;
	double ns[BATCHES];
	HsaPointerInfo info;

	for (int batch = 0; batch < BATCHES; batch++) {
		uint64_t begin = now_ns();

		for (unsigned long i = 0; i < rounds; i++)
			if (hsaKmtQueryPointerInfo(blocks[i * SPREAD % count] + offset, &info) !=
			    expected) {
				fprintf(stderr, "pointer: %s: wrong answer\n", name);
				exit(1);
			}
		ns[batch] = (double)(now_ns() - begin) / (double)rounds;
	}
	qsort(ns, BATCHES, sizeof(ns[0]), by_value);
	printf("%s %.2f\n", name, ns[0]);
}

static void must(HSAKMT_STATUS status, const char *what)
{
	if (status == HSAKMT_STATUS_SUCCESS)
		return;
	fprintf(stderr, "pointer: %s: status %d\n", what, (int)status);
	exit(1);
}

int main(int argc, char **argv)
{
	unsigned long count = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
	/*
	 * Memory that the host does not see, so that blocks side by side are one mapping of the host:
	 * it has no more than 65530. topology-run turns the pages between blocks off.
	 */
	HsaMemFlags flags = { .ui32 = { .NonPaged = 1, .CoarseGrain = 1 } };
	HsaSystemProperties system;
	char **blocks, **heap;

	if (!count) {
		fprintf(stderr, "usage: pointer LIVE-BLOCKS\n");
		return 2;
	}
	blocks = calloc(count, sizeof(*blocks));
	heap = calloc(count, sizeof(*heap));
	if (!blocks || !heap)
		return 1;
	must(hsaKmtOpenKFD(), "open");
	must(hsaKmtAcquireSystemProperties(&system), "acquire");
	for (unsigned long i = 0; i < count; i++) {
		void *block = NULL;

		must(hsaKmtAllocMemory(0, BLOCK, flags, &block), "allocate");
		blocks[i] = block;
		heap[i] = malloc(64);
	}
	bench("base", blocks, count, 0, HSAKMT_STATUS_SUCCESS);
	bench("inside", blocks, count, BLOCK / 2, HSAKMT_STATUS_SUCCESS);
	bench("unknown", heap, count, 0, HSAKMT_STATUS_ERROR);
	return 0;
}
