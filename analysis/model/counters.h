/* SPDX-License-Identifier: MIT */
/*
 * Performance counters: watches a model and keeps one run for each registration of counters (PMC) and
 * each acquisition of the streaming monitor (SPM), with what was refused meanwhile, by whom a node
 * was held, values that are zero or go down, and data that was lost.
 */
#ifndef KFDSCOPE_ANALYSIS_MODEL_COUNTERS_H
#define KFDSCOPE_ANALYSIS_MODEL_COUNTERS_H

#include "model.h"

#define COUNTERS_MAX 64u /* of one run */
/* Queries and buffers of one run that are kept in full; more are only summed up. */
#define COUNTER_SAMPLES_MAX 65536u

struct counter {
	uint32_t block;
	uint64_t id;
	uint64_t zeros, decreases, queries;
	uint64_t last;
};

struct counter_query {
	int64_t time_ns;
	uint32_t count, first; /* of values in the run */
};

/* A buffer that was given to the streaming monitor. */
struct spm_buffer {
	int64_t set_ns;  /* when it was handed over */
	int64_t told_ns; /* when the call came back that told its filling; 0: never */
	uint64_t size_bytes, filled_bytes;
	uint32_t timeout_ms, remaining_ms; /* asked of, and left by, the call that set it */
	bool has_loss;  /* the call that told its filling said that data was lost */
	int64_t gap_ns; /* between this buffer's being told and the one before */
};

enum counter_run_kind {
	RUN_PMC,
	RUN_SPM,
};

struct counter_run {
	enum counter_run_kind kind;
	struct process *process; /* borrowed */
	uint32_t number;         /* counted from 1 in the recording */
	uint32_t node_id, gpu_id;
	uint64_t trace_id;
	const struct stack *stack; /* borrowed: of the registration or acquisition */
	int64_t begin_ns;          /* when that ended; 0: before the recording */
	int64_t registered_ns, acquired_ns, started_ns, stopped_ns, released_ns, unregistered_ns;
	int64_t held_from_ns, held_to_ns; /* the hold on the node: 0: none; to 0: open */
	uint32_t counter_count;
	struct counter counters[COUNTERS_MAX]; /* in the order of the values */
	uint64_t query_count, bytes;
	GArray *queries; /* owned, of struct counter_query */
	GArray *values;  /* owned, of uint64_t */
	/* SPM */
	GArray *buffers; /* owned, of struct spm_buffer */
	uint64_t buffer_count, full, partial, empty, losses;
	int64_t last_told_ns;
};

/* A call about counters that was refused. */
struct counter_refusal {
	struct process *process;      /* borrowed */
	const struct call_type *type; /* borrowed */
	const struct stack *stack;    /* borrowed */
	int64_t time_ns;
	uint32_t node_id, status, os_errno;
	const struct counter_run *run;    /* borrowed: whose it is; NULL: none */
	const struct counter_run *holder; /* borrowed: who held the node then; NULL: nobody known */
};

/* Two runs on one node at the same time. */
struct counter_overlap {
	const struct counter_run *first, *second; /* borrowed */
	int64_t begin_ns, end_ns;
};

struct counters_process {
	struct process *process; /* borrowed */
	bool has_paranoid;
	int32_t paranoid; /* perf_event_paranoid of the system */
};

struct counters;

/* Starts watching. @param model  borrowed, must outlive the counters. */
struct counters *counters_new(struct model *model);
void counters_free(struct counters *counters);

/* Results, of the finished model. */
const GPtrArray *counters_runs(const struct counters *counters);     /* of struct counter_run */
const GPtrArray *counters_refusals(const struct counters *counters); /* of counter_refusal */
const GArray *counters_overlaps(const struct counters *counters);    /* of counter_overlap */
/* What the process said of the system; NULL when it said nothing. */
const struct counters_process *counters_process(const struct counters *counters,
						const struct process *process);

#endif
