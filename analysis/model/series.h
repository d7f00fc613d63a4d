/* SPDX-License-Identifier: MIT */
/*
 * How a number went over time, in bounded memory: exact while the changes are few; after that, changes
 * that lie close together are merged, keeping the highest value and the last one.
 */
#ifndef KFDSCOPE_ANALYSIS_MODEL_SERIES_H
#define KFDSCOPE_ANALYSIS_MODEL_SERIES_H

#include <glib.h>
#include <stdint.h>

/* What happened within one grain of time, from its first change on. */
struct series_point {
	int64_t time_ns, peak_ns,
		last_ns; /* of the first change, of the highest value, of the last change */
	uint64_t peak, last;
};

struct series {
	GArray *points;   /* owned, of struct series_point; NULL: nothing yet */
	int64_t grain_ns; /* changes within one grain are one point; 0: every change is */
	guint limit;      /* of points */
};

/* @param limit  of points, at least 2. */
void series_init(struct series *series, guint limit);
void series_fini(struct series *series);
/* Sets another limit; memory that a lower one does not need is given back. */
void series_set_limit(struct series *series, guint limit);
/* The value from this time on; times must not decrease. */
void series_set(struct series *series, int64_t time_ns, uint64_t value);
guint series_count(const struct series *series);
const struct series_point *series_point(const struct series *series, guint index);

#endif
