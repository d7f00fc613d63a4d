/* SPDX-License-Identifier: MIT */
/*
 * A counter trace and the list of them. One lock serialises everything: traces are rare, and a
 * trace id that comes back from a caller is looked up before it is followed.
 */
#ifndef KFDSCOPE_THUNK_PERF_TRACE_INTERNAL_H
#define KFDSCOPE_THUNK_PERF_TRACE_INTERNAL_H

#include "perf/claim.h"
#include "perf/perf-internal.h"

struct trace_counter {
	uint64_t id;
	int fd; /* owned; -1: not open */
};

/* The counters of one block. */
struct trace_block {
	enum pmc_block_index index;
	uint32_t capacity;     /* slots */
	uint32_t first, count; /* in the trace's counters */
	struct pmc_claim claim;
};

struct trace {
	struct trace *next;          /* owned */
	const struct kmt_perf *perf; /* whose it is; not followed */
	uint32_t gpu_id, sysfs_node;
	bool is_claimed, is_started;
	void *buffer; /* borrowed, from start to the end */
	uint64_t buffer_bytes;
	uint32_t block_count, counter_count;
	struct trace_block blocks[PMC_BLOCK_COUNT];
	struct trace_counter counters[]; /* by block */
};

/* Takes the lock of all traces. */
void traces_begin(void);
/* Ends what traces_begin() began. */
void traces_end(void);
/* Puts a new trace into the list, which owns it from now on. Takes the lock itself. */
void trace_add(struct trace *trace);
/* The live trace with this id, or NULL. Between begin and end, as all that follow. */
struct trace *trace_find(HSATraceId id);
/* Takes it out, gives back what it holds, and frees it. */
void trace_remove(struct trace *trace);
/* Closes the counters and gives back the claims; harmless without any. */
void trace_give_back(struct trace *trace);
/*
 * Claims the slots of every block and opens the counters that can be; nothing stays after a
 * failure.
 * @return SUCCESS; UNAVAILABLE when others hold the slots; ERROR when a counter cannot be opened.
 */
HSAKMT_STATUS trace_acquire(struct kmt_context *ctx, struct trace *trace);

#endif
