/* SPDX-License-Identifier: MIT */
/*
 * Memory access faults: watches a model and, for each fault that a wait reports, finds what was at the
 * address: a living block, one that was freed, or the nearest ones. Of freed blocks the last
 * FAULT_HISTORY of each process are remembered.
 */
#ifndef KFDSCOPE_ANALYSIS_MODEL_FAULTS_H
#define KFDSCOPE_ANALYSIS_MODEL_FAULTS_H

#include "driver_events.h"
#include "model.h"

#define FAULT_HISTORY 16384u
/* Addresses below are taken for a NULL pointer with an offset. */
#define FAULT_NEAR_NULL 65536u

/* A block as it was, copied: it may be gone. */
struct fault_block {
	const struct site *site; /* borrowed */
	uint64_t id, address, size_bytes;
	int64_t begin_ns, end_ns;       /* end 0: alive */
	const struct stack *free_stack; /* borrowed; NULL: alive, or not recorded */
};

enum fault_place {
	FAULT_IN_LIVE,
	FAULT_IN_FREED,
	FAULT_OUTSIDE,
	FAULT_NULL,
};

struct fault {
	struct process *process;      /* borrowed */
	uint32_t vtid;                /* of the thread whose wait reported it */
	const struct call_type *type; /* borrowed: that wait */
	const struct stack *stack;    /* borrowed */
	int64_t time_ns, last_ns;
	uint64_t count; /* how many waits reported the same */
	uint32_t node_id, event_id;
	bool is_memory; /* a memory fault; otherwise a reset or hang of the hardware */
	uint64_t address;
	uint32_t flags; /* HSA_EVENTID_MEMORYFLAGS */
	char *reasons;  /* owned: names of the failure's bits, ", " between */
	uint32_t raw_failure, reset_type, reset_cause, memory_lost;
	enum fault_place place;
	struct fault_block at;           /* for the first two places */
	struct fault_block below, above; /* nearest living ones; size 0: none */
};

struct faults;

/* Starts watching. @param model  borrowed, must outlive the faults. */
struct faults *faults_new(struct model *model);
void faults_free(struct faults *faults);
/* What the driver told meanwhile. */
const struct driver_events *faults_driver(const struct faults *faults);
const GPtrArray *faults_list(const struct faults *faults); /* of struct fault */

#endif
