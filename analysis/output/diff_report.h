/* SPDX-License-Identifier: MIT */
/*
 * Two states of memory compared place by place: of two recordings, or of two moments of one. Places
 * are the same when their code path is: functions by name, so that a rebuilt program still compares.
 */
#ifndef KFDSCOPE_ANALYSIS_OUTPUT_DIFF_REPORT_H
#define KFDSCOPE_ANALYSIS_OUTPUT_DIFF_REPORT_H

#include <stdio.h>

#include "output/allocs_places.h"
#include "output/stack_json.h"

enum diff_side { DIFF_BEFORE, DIFF_AFTER, DIFF_SIDES };

/* Whether a recording has the state of a side. */
struct diff_told {
	bool is_told;
	const char *name; /* of the state, for readers; borrowed */
	int moment;       /* as of allocs_place_state() */
};

/* What is known of both states so far: one entry a place, whichever state has it. */
struct diff;

struct diff *diff_new(void);
/* Accepts NULL. */
void diff_free(struct diff *diff);
/* Takes all that a recording tells. @param told  of each side. @param report  of allocs. */
void diff_take(struct diff *diff, const struct diff_told *told, const json_t *report,
	       const struct allocs_places *places);
/*
 * The same step by step: what the report says beside its places, then place by place.
 * @param frames  of the resolver that names the stacks; borrowed until the next recording or the end.
 */
void diff_take_report(struct diff *diff, const struct diff_told *told, const json_t *report,
		      struct frames_json *frames);
/* @param states  of each side; read for those that are told. */
void diff_take_place(struct diff *diff, const struct site *site, const struct stackview *view,
		     const struct allocs_state *states);
/* Both states are there: puts the places with the largest change first. */
void diff_finish(struct diff *diff);
/*
 * The difference as a new JSON object, schema "kfdscope.diff". In the list of places is null for each
 * that changed; the others are only counted.
 */
json_t *diff_json(const struct diff *diff);
/* Makes one of them. @param data  the finished diff. @param list  "places". */
void diff_place_build(void *data, const char *list, size_t index, struct json_build *build);
/* Writes the difference as text. @param top  places written; 0: all. @return 0 or -errno. */
int diff_text(FILE *stream, struct diff *diff, const json_t *json, uint32_t top);

#endif
