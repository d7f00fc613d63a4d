/* SPDX-License-Identifier: MIT */
/*
 * The kernel's uncore performance events, the only counters that this interface reads (perf.md
 * 3).
 */
#ifndef KFDSCOPE_THUNK_PERF_PERF_EVENT_H
#define KFDSCOPE_THUNK_PERF_PERF_EVENT_H

#include <stdbool.h>
#include <stdint.h>

/* All results are 0 (or a descriptor) or -errno. */
struct perf_event_ops {
	/* Opens a counter that is disabled at first. type is the PMU's, config the counter's id. */
	int (*open)(uint32_t type, uint64_t config);
	int (*enable)(int fd, bool enable);
	/* -EIO for a short read. */
	int (*read)(int fd, uint64_t *value);
	void (*close)(int fd);
};

/* The ones in use. */
const struct perf_event_ops *perf_event_ops(void);
/* Replaces them, for tests; NULL goes back to the kernel's. Not thread-safe. */
void perf_event_set_ops(const struct perf_event_ops *ops);

#endif
