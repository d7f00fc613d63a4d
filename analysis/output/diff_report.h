/* SPDX-License-Identifier: MIT */
/*
 * Two states of memory compared place by place: of two recordings, or of two moments of one. Places
 * are the same when their code path is: functions by name, so that a rebuilt program still compares.
 */
#ifndef KFDSCOPE_ANALYSIS_OUTPUT_DIFF_REPORT_H
#define KFDSCOPE_ANALYSIS_OUTPUT_DIFF_REPORT_H

#include <glib.h>
#include <jansson.h>
#include <stdint.h>

/* A state: a report of allocs_report.h, and which of its states is meant. */
struct diff_side {
	const json_t *allocs; /* borrowed */
	const char *name;     /* borrowed: for readers */
	int moment;           /* index into "at_moments"; -1: the end */
};

/*
 * The difference as a new JSON object, schema "kfdscope.diff"; places with the largest change first,
 * those that did not change only counted.
 */
json_t *diff_json(const struct diff_side *before, const struct diff_side *after);
/* @param top  places printed; 0: all. */
void diff_text(GString *text, const json_t *json, uint32_t top);

#endif
