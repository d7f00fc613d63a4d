/* SPDX-License-Identifier: MIT */
/*
 * The places that take memory, in an order, each with its churn, growth and peak. There can be so many
 * that they are not all made at once.
 */
#ifndef KFDSCOPE_ANALYSIS_OUTPUT_ALLOCS_PLACES_H
#define KFDSCOPE_ANALYSIS_OUTPUT_ALLOCS_PLACES_H

#include "model/usages.h"
#include "output/document.h"
#include "output/json_build.h"

enum allocs_sort {
	ALLOCS_BY_BYTES, /* alive at the end, then taken */
	ALLOCS_BY_GROWTH,
	ALLOCS_BY_AGE,
	ALLOCS_BY_CHURN, /* how often */
	ALLOCS_BY_PEAK,  /* alive at the peak of the process */
	ALLOCS_SORT_COUNT,
};

/* Two lists: "places" of the program's memory, "internal" of what the library took for itself. */
struct allocs_places;

/*
 * Of the finished model.
 * @param usages, document  borrowed.
 * @param moments           how many were added to the usages.
 */
struct allocs_places *allocs_places_new(struct usages *usages, uint32_t moments,
					const struct document *document, enum allocs_sort sort);
/* Accepts NULL. */
void allocs_places_free(struct allocs_places *places);
enum allocs_sort allocs_places_sort(const struct allocs_places *places);
/* @param list  "places" or "internal". */
size_t allocs_places_count(const struct allocs_places *places, const char *list);
/* Makes one of them as docs/json.md has it. @param data  the places. */
void allocs_place_build(void *data, const char *list, size_t index, struct json_build *build);

/* What is alive of one of "places". */
struct allocs_state {
	uint64_t blocks, bytes;
};

/* The site of one of "places". */
const struct site *allocs_place_site(const struct allocs_places *places, size_t index);
/* @param moment  index of an added one; -1: the end. */
struct allocs_state allocs_place_state(const struct allocs_places *places, size_t index,
				       int moment);
/* What they are of. */
const struct document *allocs_places_document(const struct allocs_places *places);

const char *allocs_sort_name(enum allocs_sort sort);
/* @return false when there is no sort of that name. */
bool allocs_sort_by_name(const char *name, enum allocs_sort *sort);

#endif
