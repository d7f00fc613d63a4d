/* SPDX-License-Identifier: MIT */
/*
 * Calls the library at a steady rate from several threads and prints "calls N" and "seconds S" for the
 * driver (tests/bench/rate). Every millisecond each thread makes its share of the calls.
 *
 *   rate [--rate CALLS-A-SECOND] [--seconds N] [--threads N]
 */
#include <hsakmt/hsakmt.h>

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { THREADS_MAX = 64, BLOCK_BYTES = 4096, TICK_NS = 1000000, NS_A_SECOND = 1000000000 };

static unsigned long calls_a_tick, ticks;
static void *block;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_A_SECOND + (uint64_t)now.tv_nsec;
}

static void wait_until(uint64_t time_ns)
{
	const struct timespec until = {
		.tv_sec = (time_t)(time_ns / NS_A_SECOND),
		.tv_nsec = (long)(time_ns % NS_A_SECOND),
	};

	(void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

/* Who is late catches up, so that the rate is kept on a busy machine, too. */
static void *run(void *unused)
{
	const uint64_t begin = now_ns();
	HsaPointerInfo info;

	(void)unused;
	for (unsigned long tick = 0; tick < ticks; tick++) {
		for (unsigned long i = 0; i < calls_a_tick; i++)
			(void)hsaKmtQueryPointerInfo(block, &info);
		wait_until(begin + (tick + 1) * TICK_NS);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned long rate = 100000, seconds = 5, threads = 2;
	HsaMemFlags flags = { 0 };
	HsaSystemProperties properties;
	pthread_t ids[THREADS_MAX];
	uint64_t begin;

	for (int i = 1; i + 1 < argc; i += 2) {
		const unsigned long value = strtoul(argv[i + 1], NULL, 10);

		if (strcmp(argv[i], "--rate") == 0)
			rate = value;
		else if (strcmp(argv[i], "--seconds") == 0)
			seconds = value;
		else if (strcmp(argv[i], "--threads") == 0)
			threads = value < THREADS_MAX ? value : THREADS_MAX;
	}
	flags.ui32.NonPaged = 1;
	if (threads == 0 || hsaKmtOpenKFD() != 0 ||
	    hsaKmtAcquireSystemProperties(&properties) != 0 ||
	    hsaKmtAllocMemory(1, BLOCK_BYTES, flags, &block) != 0) {
		fprintf(stderr, "rate: no GPU, simulated or not\n");
		return 1;
	}
	calls_a_tick = rate / 1000 / threads;
	ticks = seconds * 1000;
	begin = now_ns();
	for (unsigned long i = 0; i < threads; i++) {
		if (pthread_create(&ids[i], NULL, run, NULL) != 0)
			return 1;
	}
	for (unsigned long i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	printf("calls %lu\nseconds %.3f\n", calls_a_tick * ticks * threads,
	       (double)(now_ns() - begin) / NS_A_SECOND);
	return 0;
}
