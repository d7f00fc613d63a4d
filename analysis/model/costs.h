/* SPDX-License-Identifier: MIT */
/*
 * What calls of each function cost a process, and what the dear ones have in common: watches a model
 * and keeps, for each function, its latency, the calls inside it, the slowest ones, and its latency by
 * the nodes it was about, by how many threads called it at that time, by status and by caller.
 */
#ifndef KFDSCOPE_ANALYSIS_MODEL_COSTS_H
#define KFDSCOPE_ANALYSIS_MODEL_COSTS_H

#include "latency.h"
#include "model.h"

#define COST_SLOWEST      32u   /* calls kept of each function */
#define COST_NODE_SETS    64u   /* distinct sets of nodes; later ones count as one */
#define COST_CALLERS      4096u /* distinct stacks; later ones count as one */
#define COST_THREAD_STEPS 5u    /* 1, 2 to 3, 4 to 7, 8 to 15, 16 threads and more */

/* Calls inside that are of one type. */
struct cost_inside {
	const struct call_type *type; /* borrowed */
	uint64_t count;
	int64_t total_ns;
};

/* Calls that were about exactly these nodes. */
struct cost_nodes {
	char *nodes; /* owned: "1 2 3"; "" for none, NULL for the sets beyond the limit */
	struct latency latency;
	GArray *ids; /* owned, of uint32_t, rising */
};

struct cost_status {
	uint32_t status; /* of an API call; errno of an ioctl or system call */
	struct latency latency;
};

struct cost_caller {
	const struct stack *stack; /* borrowed; NULL: none recorded, or beyond the limit */
	guint number;              /* in the order of their first calls */
	uint64_t count, failed;
	int64_t total_ns;
};

struct cost_slow {
	int64_t entry_ns, duration_ns, inside_ns;
	uint32_t vtid;
	const struct stack *stack; /* borrowed: of the call, or of the one around it */
	char *nodes;               /* owned */
};

struct cost {
	const struct process *process; /* borrowed */
	const struct call_type *type;  /* borrowed */
	struct latency latency;
	uint64_t failed, cut;
	int64_t first_ns, last_ns; /* entries */
	GArray *inside;            /* of struct cost_inside */
	GArray *nodes;             /* of struct cost_nodes */
	GArray *statuses;          /* of struct cost_status */
	GHashTable *callers;       /* stack -> struct cost_caller, owned */
	GArray *slowest;           /* of struct cost_slow, in no order */
	struct latency by_threads[COST_THREAD_STEPS];
	int64_t threads_first_ns[COST_THREAD_STEPS], threads_last_ns[COST_THREAD_STEPS];
	GHashTable *recent; /* struct thread -> its last call, for by_threads */
	GQueue order;       /* the same, oldest first */
};

struct costs;

/* Starts watching. @param model  borrowed, must outlive the costs. */
struct costs *costs_new(struct model *model);
void costs_free(struct costs *costs);
/* Of struct cost, in the order of first use. */
const GPtrArray *costs_list(const struct costs *costs);
/* The smallest number of threads of a step of by_threads. */
uint32_t cost_step_threads(uint32_t step);

#endif
