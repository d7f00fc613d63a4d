/* SPDX-License-Identifier: MIT */
/*
 * The time that results are about. All records are taken; what is counted, and how high something was,
 * is of the scope alone.
 */
#ifndef KFDSCOPE_ANALYSIS_MODEL_SCOPE_H
#define KFDSCOPE_ANALYSIS_MODEL_SCOPE_H

#include <stdbool.h>
#include <stdint.h>

/* 0: no limit on that side. */
struct scope {
	int64_t begin_ns, end_ns;
};

/* Bytes over time. */
struct usage {
	uint64_t live_bytes, live_count; /* now */
	uint64_t peak_bytes;             /* within the scope */
	int64_t peak_ns;
	uint64_t end_bytes, end_count; /* at the scope's end, once it is over */
	bool is_begun, is_over;        /* a change was seen in the scope, and after it */
};

static inline bool scope_is_limited(const struct scope *scope)
{
	return scope->begin_ns || scope->end_ns;
}

static inline bool scope_is_over(const struct scope *scope, int64_t time_ns)
{
	return scope->end_ns && time_ns > scope->end_ns;
}

/* Whether what happens at a moment counts. */
static inline bool scope_counts(const struct scope *scope, int64_t time_ns)
{
	return time_ns >= scope->begin_ns && !scope_is_over(scope, time_ns);
}

/* Whether a part of a span does. */
static inline bool scope_overlaps(const struct scope *scope, int64_t from_ns, int64_t until_ns)
{
	return until_ns >= scope->begin_ns && !scope_is_over(scope, from_ns);
}

void usage_add(struct usage *usage, const struct scope *scope, uint64_t bytes, int64_t time_ns);
void usage_sub(struct usage *usage, const struct scope *scope, uint64_t bytes, int64_t time_ns);
/* @return what to report: the peak of the scope, and what was alive at its end. */
struct usage usage_result(const struct usage *usage, const struct scope *scope);

#endif
