/* SPDX-License-Identifier: MIT */
/*
 * What every client of the case tests does: open the driver, allocate, and end loudly when a call
 * answers something else than the case is about.
 */
#ifndef KFDSCOPE_TESTS_CASES_CLIENT_H
#define KFDSCOPE_TESTS_CASES_CLIENT_H

#ifdef CLIENT_OF_STOCK_THUNK
#include <hsakmt.h>
#else
#include <hsakmt/hsakmt.h>
#endif

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Frames of the case's own functions must be there by name: no inlining, no tail calls. */
#define CASE_FUNCTION __attribute__((noinline, optimize("no-optimize-sibling-calls")))
#ifdef __clang__
#undef CASE_FUNCTION
#define CASE_FUNCTION __attribute__((noinline))
#endif

static inline void expect_status(HSAKMT_STATUS got, HSAKMT_STATUS wanted, const char *what)
{
	if (got == wanted)
		return;
	fprintf(stderr, "client: %s: status %d instead of %d\n", what, (int)got, (int)wanted);
	exit(99);
}

#define EXPECT(wanted, call) expect_status((call), (wanted), #call)
#define OK(call)             EXPECT(HSAKMT_STATUS_SUCCESS, call)

/* By the clock of the recordings, to tell how long something took at the most. */
static inline uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Opens the driver and takes the topology snapshot; node 1 is the first GPU in all cases. */
static inline HsaSystemProperties open_driver(void)
{
	HsaSystemProperties properties;

	OK(hsaKmtOpenKFD());
	OK(hsaKmtAcquireSystemProperties(&properties));
	return properties;
}

static inline void close_driver(void)
{
	OK(hsaKmtReleaseSystemProperties());
	OK(hsaKmtCloseKFD());
}

/* Device memory as most cases want it: not paged, coarse grained, not visible to the host. */
static inline HsaMemFlags device_flags(void)
{
	HsaMemFlags flags = { 0 };

	flags.ui32.NonPaged = 1;
	flags.ui32.CoarseGrain = 1;
	return flags;
}

static inline void *alloc_device(HSAuint32 node, HSAuint64 size_bytes)
{
	void *address = NULL;

	OK(hsaKmtAllocMemory(node, size_bytes, device_flags(), &address));
	return address;
}

#endif
