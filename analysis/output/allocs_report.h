/* SPDX-License-Identifier: MIT */
/*
 * What became of all memory: each place that takes some with its churn, growth and peak, what the
 * library took for itself, and what was not done in pairs.
 */
#ifndef KFDSCOPE_ANALYSIS_OUTPUT_ALLOCS_REPORT_H
#define KFDSCOPE_ANALYSIS_OUTPUT_ALLOCS_REPORT_H

#include <stdio.h>

#include "output/allocs_places.h"

struct allocs;

struct allocs *allocs_new(struct model *model);
void allocs_free(struct allocs *allocs);
/* Asks for the state at a moment, too; see usages_add_moment(). */
void allocs_add_moment(struct allocs *allocs, int64_t time_ns);

/* The places, of the finished model; the caller's. @param allocs, document  borrowed by them. */
struct allocs_places *allocs_take_places(const struct allocs *allocs,
					 const struct document *document, enum allocs_sort sort);
/*
 * The report as a new JSON object, schema "kfdscope.allocs". In its lists of places is null for each:
 * there can be very many, and allocs_place_build() makes them one by one.
 */
json_t *allocs_json(const struct allocs *allocs, const struct document *document,
		    const struct allocs_places *places);
/* Writes that object as text. @return 0 or -errno. */
int allocs_text(FILE *stream, const json_t *json, const struct document *document,
		struct allocs_places *places);

#endif
