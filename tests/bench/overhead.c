/* SPDX-License-Identifier: MIT */
/*
 * The two loops of user case U44, timed: pointer queries below a deep stack, and pairs of an
 * allocation and its free. Prints "NAME NANOSECONDS-A-CALL" of the whole run by all threads, for the
 * driver (tests/bench/overhead) to compare.
 *
 *   overhead [--threads N] [--queries N] [--pairs N] [--depth N]
 */
#include <hsakmt/hsakmt.h>

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { THREADS_MAX = 64, BLOCK_BYTES = 4096 };

struct work {
	unsigned long rounds; /* of one thread */
	int depth;
	void *block;
	int failures;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000ULL + (uint64_t)now.tv_nsec;
}

static HSAKMT_STATUS alloc(void **address)
{
	HsaMemFlags flags = { 0 };

	flags.ui32.NonPaged = 1;
	flags.ui32.CoarseGrain = 1;
	return hsaKmtAllocMemory(1, BLOCK_BYTES, flags, address);
}

static void query_loop(struct work *work)
{
	HsaPointerInfo info;

	for (unsigned long i = 0; i < work->rounds; i++)
		work->failures += hsaKmtQueryPointerInfo(work->block, &info) != 0;
}

static void pair_loop(struct work *work)
{
	for (unsigned long i = 0; i < work->rounds; i++) {
		void *address = NULL;

		work->failures += alloc(&address) != 0;
		work->failures += hsaKmtFreeMemory(address, BLOCK_BYTES) != 0;
	}
}

/* Stands for the program's own frames. */
static __attribute__((noinline)) void descend(struct work *work, int depth,
					      void (*loop)(struct work *work))
{
	if (depth > 0)
		descend(work, depth - 1, loop);
	else
		loop(work);
	__asm__ volatile("" ::: "memory"); /* no tail call */
}

static void *query_thread(void *data)
{
	struct work *work = data;

	descend(work, work->depth, query_loop);
	return NULL;
}

static void *pair_thread(void *data)
{
	struct work *work = data;

	descend(work, work->depth, pair_loop);
	return NULL;
}

/* @return nanoseconds a call, of calls made by all threads together; below 0 when one failed. */
static double run(void *(*thread)(void *), const struct work *work, int threads)
{
	struct work works[THREADS_MAX];
	pthread_t ids[THREADS_MAX];
	uint64_t begin = now_ns();
	int failures = 0, started = 0;

	for (; started < threads; started++) {
		works[started] = *work;
		works[started].rounds /= (unsigned long)threads;
		if (pthread_create(&ids[started], NULL, thread, &works[started]) != 0)
			break;
	}
	for (int i = 0; i < started; i++) {
		pthread_join(ids[i], NULL);
		failures += works[i].failures;
	}
	return failures || started < threads ? -1.0
					     : (double)(now_ns() - begin) / (double)work->rounds;
}

int main(int argc, char **argv)
{
	struct work queries = { .rounds = 100000, .depth = 60 };
	struct work pairs = { .rounds = 10000, .depth = 60 };
	HsaSystemProperties properties;
	double query_ns, pair_ns;
	int threads = 1;

	for (int i = 1; i + 1 < argc; i += 2) {
		unsigned long value = strtoul(argv[i + 1], NULL, 10);

		if (strcmp(argv[i], "--threads") == 0)
			threads = value < THREADS_MAX ? (int)value : THREADS_MAX;
		else if (strcmp(argv[i], "--queries") == 0)
			queries.rounds = value;
		else if (strcmp(argv[i], "--pairs") == 0)
			pairs.rounds = value;
		else if (strcmp(argv[i], "--depth") == 0)
			queries.depth = pairs.depth = (int)value;
	}
	if (hsaKmtOpenKFD() != 0 || hsaKmtAcquireSystemProperties(&properties) != 0 ||
	    alloc(&queries.block) != 0) {
		fprintf(stderr, "overhead: no GPU, simulated or not\n");
		return 1;
	}
	query_ns = run(query_thread, &queries, threads);
	pair_ns = run(pair_thread, &pairs, threads);
	if (query_ns < 0 || pair_ns < 0) {
		fprintf(stderr, "overhead: calls failed\n");
		return 1;
	}
	printf("query %.2f\nalloc-free %.2f\n", query_ns, pair_ns);
	hsaKmtFreeMemory(queries.block, BLOCK_BYTES);
	hsaKmtReleaseSystemProperties();
	hsaKmtCloseKFD();
	return 0;
}
