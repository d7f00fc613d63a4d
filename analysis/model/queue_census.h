/* SPDX-License-Identifier: MIT */
/* The counting of living queues against hardware slots. For queues.c. */
#ifndef KFDSCOPE_ANALYSIS_MODEL_QUEUE_CENSUS_H
#define KFDSCOPE_ANALYSIS_MODEL_QUEUE_CENSUS_H

#include "queues.h"

/* What a GPU's hardware can run at once, for each kind; 0: unknown. */
struct queue_limits {
	const char *hostname; /* interned, may be NULL */
	uint32_t gpu_id;
	uint64_t slots[QUEUE_KIND_COUNT];
};

struct queue_counts {
	const struct scope *scope; /* borrowed */
	GPtrArray *list;           /* of struct queue_census, owned */
	GArray *limits;            /* of struct queue_limits */
	bool is_begun, is_over;    /* time has gone on into the scope, and beyond it */
};

void queue_counts_init(struct queue_counts *counts, const struct scope *scope);
void queue_counts_fini(struct queue_counts *counts);
/* A GPU's slots are known. */
void queue_counts_limit(struct queue_counts *counts, const struct queue_limits *limits);
/*
 * Time goes on to a change: what lived until then did so when the scope began, or ended.
 * @param live  all living queues, before the change.
 */
void queue_counts_pass(struct queue_counts *counts, GHashTable *live, int64_t time_ns);
/* A queue has begun. @param live  all living queues, of struct queue, this one among them. */
void queue_counts_add(struct queue_counts *counts, const struct queue *queue, GHashTable *live,
		      int64_t time_ns);
/* A queue has ended. */
void queue_counts_remove(struct queue_counts *counts, const struct queue *queue, int64_t time_ns);
/* Ends what is open. @param live  as above. */
void queue_counts_finish(struct queue_counts *counts, GHashTable *live, int64_t time_ns);

#endif
