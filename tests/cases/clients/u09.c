/* SPDX-License-Identifier: MIT */
/* U09: a pool that fills up at once, and a slow leak. */
#include <time.h>
#include <unistd.h>

#include "client.h"

static void wait_until(const struct timespec *begin, long after_ms)
{
	struct timespec until = *begin;

	until.tv_sec += after_ms / 1000;
	until.tv_nsec += after_ms % 1000 * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0)
		continue;
}

static CASE_FUNCTION void fill_pool(const struct timespec *begin)
{
	for (int i = 0; i < 64; i++) {
		alloc_device(1, 1 << 20);
		wait_until(begin, (i + 1) * 100 / 64);
	}
}

static CASE_FUNCTION void leak_slowly(const struct timespec *begin)
{
	for (int i = 0; i < 200; i++) {
		wait_until(begin, 100 + i * 10);
		alloc_device(1, 64 << 10);
	}
}

int main(void)
{
	struct timespec begin;

	open_driver();
	clock_gettime(CLOCK_MONOTONIC, &begin);
	fill_pool(&begin);
	leak_slowly(&begin);
	close_driver();
	return 0;
}
