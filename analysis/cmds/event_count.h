/* SPDX-License-Identifier: MIT */
/* How many events a recording has. */
#ifndef KFDSCOPE_ANALYSIS_CMDS_EVENT_COUNT_H
#define KFDSCOPE_ANALYSIS_CMDS_EVENT_COUNT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Counts the events of all traces below a directory, lttng-ust's own ones left out.
 *
 * @return false when a trace could not be read to its end; *events is then what was read.
 */
bool event_count(const char *directory, uint64_t *events);

#endif
