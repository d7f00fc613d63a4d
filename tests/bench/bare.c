/* SPDX-License-Identifier: MIT */
/*
 * What a recorded call of ours costs beside the same two events written by hand and one bare walk of
 * the stack: prints "ours NS", "bare NS", "walk NS" and "ratio R". Both are measured in turn in one
 * process, so that a busy machine slows both; the best of many batches counts.
 *
 *   bare [--frames N] [--only ours|bare|walk --rounds N]
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "bare_events.h"

#include <hsakmt/hsakmt.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCHES = 400, CALLS_A_BATCH = 200, CAPACITY = 32 };

typedef void (*body)(void);

static int (*walk)(void **frames, int capacity);
static uint64_t calls;
static uint32_t frames_seen;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000ULL + (uint64_t)now.tv_nsec;
}

static void ours(void)
{
	HsaVersionInfo version;

	(void)hsaKmtGetVersion(&version); /* not open: the status is as good a payload as any */
}

static void bare(void)
{
	uint64_t frames[CAPACITY];
	int count = walk((void **)frames, CAPACITY);

	frames_seen = (uint32_t)count;
	calls++;
	lttng_ust_tracepoint(bare, call_entry, 0, calls, frames, (uint16_t)count, 0, 0);
	lttng_ust_tracepoint(bare, call_exit, 0, calls, 20, 0);
}

static void only_walk(void)
{
	void *frames[CAPACITY];

	frames_seen = (uint32_t)walk(frames, CAPACITY);
}

static double batch(body of, unsigned long rounds)
{
	uint64_t begin = now_ns();

	for (unsigned long i = 0; i < rounds; i++)
		of();
	return (double)(now_ns() - begin) / (double)rounds;
}

static void measure(const char *only, unsigned long rounds)
{
	static const struct {
		const char *name;
		body of;
	} bodies[] = { { "ours", ours }, { "bare", bare }, { "walk", only_walk } };
	double best[3] = { 1e9, 1e9, 1e9 };

	if (only) {
		for (int i = 0; i < 3; i++) {
			if (strcmp(bodies[i].name, only) == 0)
				(void)batch(bodies[i].of, rounds);
		}
		return;
	}
	for (int i = 0; i < BATCHES; i++) {
		for (int k = 0; k < 3; k++) {
			double ns = batch(bodies[k].of, CALLS_A_BATCH);

			if (ns < best[k])
				best[k] = ns;
		}
	}
	bare();
	printf("frames %u\n", frames_seen);
	for (int k = 0; k < 3; k++)
		printf("%s %.1f\n", bodies[k].name, best[k]);
	printf("ratio %.3f\n", best[0] / best[1]);
}

/* Stands for the program's own frames. */
static __attribute__((noinline)) void descend(int depth, const char *only, unsigned long rounds)
{
	if (depth > 0)
		descend(depth - 1, only, rounds);
	else
		measure(only, rounds);
	__asm__ volatile("" ::: "memory"); /* no tail call */
}

int main(int argc, char **argv)
{
	void *library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
	unsigned long rounds = 20000;
	const char *only = NULL;
	int frames = 16;

	for (int i = 1; i + 1 < argc; i += 2) {
		if (strcmp(argv[i], "--frames") == 0)
			frames = atoi(argv[i + 1]);
		else if (strcmp(argv[i], "--only") == 0)
			only = argv[i + 1];
		else if (strcmp(argv[i], "--rounds") == 0)
			rounds = strtoul(argv[i + 1], NULL, 10);
	}
	walk = library ? (int (*)(void **, int))dlsym(library, "unw_backtrace") : NULL;
	if (!walk) {
		fprintf(stderr, "bare: libunwind.so.8 is missing\n");
		return 1;
	}
	/* Besides descend(): the body, measure, main, and three around main. */
	descend(frames > 7 ? frames - 6 : 0, only, rounds);
	return 0;
}
