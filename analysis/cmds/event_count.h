/* SPDX-License-Identifier: MIT */
/* How many events a recording has. */
#ifndef KFDSCOPE_ANALYSIS_CMDS_EVENT_COUNT_H
#define KFDSCOPE_ANALYSIS_CMDS_EVENT_COUNT_H

#include <stdbool.h>
#include <stdint.h>

struct event_counts {
	uint64_t all;   /* but LTTng-UST's own */
	uint64_t calls; /* those that begin or end a call */
};

/*
 * Counts the events of all traces below a directory, lttng-ust's own ones left out.
 *
 * @return false when a trace could not be read to its end; *counts is then what was read.
 */
bool event_count(const char *directory, struct event_counts *counts);

#endif
