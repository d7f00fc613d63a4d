/* SPDX-License-Identifier: MIT */
/*
 * Times the topology of whatever libhsakmt.so.1 the loader finds: a first open with everything that a
 * runtime asks, a new snapshot, and an acquisition while one is held. Prints "NAME NANOSECONDS" lines
 * for topology-run.
 */
#include <hsakmt/hsakmt.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BATCHES 7 /* the median of these is printed */

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

static void must(HSAKMT_STATUS status, const char *what)
{
	if (status == HSAKMT_STATUS_SUCCESS)
		return;
	fprintf(stderr, "topology: %s: status %d\n", what, (int)status);
	exit(1);
}

static void print(const char *name, double *ns)
{
	qsort(ns, BATCHES, sizeof(ns[0]), by_value);
	printf("%s %.0f\n", name, ns[BATCHES / 2]);
}

int main(void)
{
	double snapshot[BATCHES], held[BATCHES];
	HsaSystemProperties system;
	uint64_t begin = now_ns();

	must(hsaKmtOpenKFD(), "open");
	must(hsaKmtAcquireSystemProperties(&system), "acquire");
	printf("first_open %.0f\n", (double)(now_ns() - begin));
	/*
	 * 5.2.3 reads everything at each acquisition; newer releases when none is held, and set up the
	 * apertures then, which 5.2.3 did at the open.
	 */
	for (int i = 0; i < BATCHES; i++) {
		must(hsaKmtReleaseSystemProperties(), "release");
		begin = now_ns();
		must(hsaKmtAcquireSystemProperties(&system), "acquire");
		snapshot[i] = (double)(now_ns() - begin);
	}
	print("snapshot", snapshot);
	for (int i = 0; i < BATCHES; i++) {
		begin = now_ns();
		must(hsaKmtAcquireSystemProperties(&system), "acquire");
		held[i] = (double)(now_ns() - begin);
	}
	print("held", held);
	if (system.NumNodes < 64) {
		fprintf(stderr, "topology: only %u nodes\n", system.NumNodes);
		return 1;
	}
	return 0;
}
