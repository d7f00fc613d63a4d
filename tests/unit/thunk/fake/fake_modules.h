/* SPDX-License-Identifier: MIT */
/*
 * Stand-ins for memory manager, queues, events, debugger and counters, for tests of what is below
 * them: they count their objects, log the calls in order, and fail on demand. Link
 * kmt_fake_modules before kmt_thunk_archive.
 */
#ifndef KFDSCOPE_TESTS_FAKE_MODULES_H
#define KFDSCOPE_TESTS_FAKE_MODULES_H

#include "memory/fmm.h"

struct fake_modules {
	/* Objects made and not freed. */
	int live_fmms, live_queues, live_events, live_debugs, live_perfs;
	/* What the next calls answer. */
	HSAKMT_STATUS init_apertures_status, doorbells_status;
	bool fail_new_fmm, fail_new_queues, fail_new_events, fail_new_debug, fail_new_perf;
	/* What kmt_fmm_aperture() answers for GPU nodes; limit 0: there is none. */
	struct {
		uint64_t base, limit;
	} apertures[KMT_APERTURE_MMIO + 1];
	/* Node count of the last counter tables. */
	uint32_t perf_node_count;
	/* Names of the calls since the last reset, with spaces. */
	char sequence[1024];
};
extern struct fake_modules fake_modules;

/* Everything succeeds, no aperture is valid, the sequence is empty. Counts of objects stay. */
void fake_modules_reset(void);
/* Empties the sequence. */
void fake_modules_sequence_reset(void);

#endif
