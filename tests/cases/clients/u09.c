/* SPDX-License-Identifier: MIT */
/*
 * U09: a pool that fills up at once, and a slow leak. Prints of each how long it took at least and at the
 * most, in nanoseconds.
 */
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

/* Between the first block and the last one lie at least and at most so many nanoseconds. */
struct span {
	uint64_t before_first, after_first, before_last;
};

static CASE_FUNCTION void take(HSAuint64 size_bytes, struct span *span)
{
	span->before_last = now_ns();
	alloc_device(1, size_bytes);
	if (span->after_first)
		return;
	span->before_first = span->before_last;
	span->after_first = now_ns();
}

static void print(const struct span *span)
{
	printf("%llu %llu\n", (unsigned long long)(span->before_last - span->after_first),
	       (unsigned long long)(now_ns() - span->before_first));
}

static CASE_FUNCTION void fill_pool(const struct timespec *begin)
{
	struct span span = { 0 };

	for (int i = 0; i < 64; i++) {
		take(1 << 20, &span);
		if (i == 63)
			print(&span);
		wait_until(begin, (i + 1) * 100 / 64);
	}
}

static CASE_FUNCTION void leak_slowly(const struct timespec *begin)
{
	struct span span = { 0 };

	for (int i = 0; i < 200; i++) {
		wait_until(begin, 100 + i * 10);
		take(64 << 10, &span);
	}
	print(&span);
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
