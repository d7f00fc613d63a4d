/* SPDX-License-Identifier: MIT */
/*
 * What became of all memory: each place that takes some with its churn, growth and peak, what the
 * library took for itself, and what was not done in pairs.
 */
#ifndef KFDSCOPE_ANALYSIS_OUTPUT_ALLOCS_REPORT_H
#define KFDSCOPE_ANALYSIS_OUTPUT_ALLOCS_REPORT_H

#include "output/document.h"

enum allocs_sort {
	ALLOCS_BY_BYTES, /* alive at the end, then taken */
	ALLOCS_BY_GROWTH,
	ALLOCS_BY_AGE,
	ALLOCS_BY_CHURN, /* how often */
	ALLOCS_BY_PEAK,  /* alive at the peak of the process */
	ALLOCS_SORT_COUNT,
};

struct allocs;

struct allocs *allocs_new(struct model *model);
void allocs_free(struct allocs *allocs);
/* Asks for the state at a moment, too; see usages_add_moment(). */
void allocs_add_moment(struct allocs *allocs, int64_t time_ns);

/* The places of the finished model in their order; there can be very many. */
struct allocs_places;

/* @param allocs, document  borrowed. */
struct allocs_places *allocs_places_new(const struct allocs *allocs,
					const struct document *document, enum allocs_sort sort);
void allocs_places_free(struct allocs_places *places);
/* One of them as JSON. @param list  "places" or "internal", as in the report. @param data  the places. */
json_t *allocs_place_json(void *data, const char *list, size_t index);
/*
 * The report as a new JSON object, schema "kfdscope.allocs".
 * @param made  so many entries of each of the two lists are there, the others are null.
 */
json_t *allocs_json(const struct allocs_places *places, size_t made);
void allocs_text(GString *text, const json_t *json, const struct document *document);
/* @return false when there is no sort of that name. */
bool allocs_sort_by_name(const char *name, enum allocs_sort *sort);

#endif
