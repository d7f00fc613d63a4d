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

enum diff_side { DIFF_BEFORE, DIFF_AFTER, DIFF_SIDES };

/* What is known of both states so far: one entry a place, whichever state has it. */
struct diff;

struct diff *diff_new(void);
/* Accepts NULL. */
void diff_free(struct diff *diff);
/*
 * Takes what a report of allocs says of a state beside its places.
 * @param name  of the state, for readers; copied.
 */
void diff_take_report(struct diff *diff, enum diff_side side, const char *name,
		      const json_t *report);
/*
 * Takes a place of a state.
 * @param moment  index into "at_moments"; -1: the end.
 */
void diff_take_place(struct diff *diff, enum diff_side side, int moment, const json_t *place);
/* Both states are there: puts the places with the largest change first. */
void diff_finish(struct diff *diff);
/*
 * The difference as a new JSON object, schema "kfdscope.diff"; places that did not change are only
 * counted.
 * @param made  so many of the places are there, the others are null.
 */
json_t *diff_json(const struct diff *diff, size_t made);
/* A place of that object. @param data  the finished diff. @param list  "places". */
json_t *diff_place_json(void *data, const char *list, size_t index);
/* @param top  places printed; 0: all. */
void diff_text(GString *text, const json_t *json, uint32_t top);

#endif
