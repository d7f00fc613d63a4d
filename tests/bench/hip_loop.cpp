/* SPDX-License-Identifier: MIT */
/*
 * An allocation loop as HIP programs have it: take, fill, give back. Prints "hip-loop NANOSECONDS" a
 * round, for tests/bench/hip-loop.
 *
 *   hip_loop ROUNDS BYTES
 */
#include <hip/hip_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>

static double now_ns()
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int round_of(size_t bytes)
{
	void *memory = nullptr;

	if (hipMalloc(&memory, bytes) != hipSuccess || hipMemset(memory, 1, bytes) != hipSuccess)
		return 1;
	return hipFree(memory) != hipSuccess;
}

int main(int argc, char **argv)
{
	const long rounds = argc > 1 ? atol(argv[1]) : 200;
	const size_t bytes = argc > 2 ? strtoull(argv[2], nullptr, 0) : 8u << 20;
	double begin;

	if (round_of(bytes)) /* makes the runtime ready */
		return 1;
	begin = now_ns();
	for (long i = 0; i < rounds; i++) {
		if (round_of(bytes))
			return 1;
	}
	printf("hip-loop %.1f\n", (now_ns() - begin) / (double)rounds);
	return 0;
}
