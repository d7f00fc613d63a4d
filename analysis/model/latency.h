/* SPDX-License-Identifier: MIT */
/*
 * Durations of one kind of call in bounded memory: count, sums and extremes are exact; quantiles are
 * exact for up to LATENCY_EXACT calls and beyond that within 1/32 (about 3 %), from a logarithmic
 * histogram.
 */
#ifndef KFDSCOPE_ANALYSIS_MODEL_LATENCY_H
#define KFDSCOPE_ANALYSIS_MODEL_LATENCY_H

#include <stdbool.h>
#include <stdint.h>

#define LATENCY_EXACT 256u
#define LATENCY_FEW   4u /* durations that need no memory beside the structure: most paths have few */

struct latency_histogram;

struct latency {
	uint64_t count;
	int64_t total_ns, self_ns; /* self: without the calls inside */
	int64_t min_ns, max_ns;
	int64_t few[LATENCY_FEW]; /* the durations, as long as there is room */
	int64_t *exact;           /* owned: then all of them here, until there are too many */
	struct latency_histogram *histogram; /* owned: from then on */
};

void latency_add(struct latency *latency, int64_t duration_ns, int64_t self_ns);
/* Adds all of another one. */
void latency_merge(struct latency *latency, const struct latency *other);
/*
 * @param permille  500 is the median, 990 the 99th percentile.
 * @return a duration that so many of 1000 calls did not exceed; 0 without calls.
 */
int64_t latency_quantile(const struct latency *latency, unsigned int permille);
/* Whether quantiles are exact. */
bool latency_is_exact(const struct latency *latency);
void latency_fini(struct latency *latency);

#endif
