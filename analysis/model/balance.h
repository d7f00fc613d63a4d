/* SPDX-License-Identifier: MIT */
/*
 * Watches whether what belongs together is done in pairs: registrations and their ends, maps and
 * unmaps, allocations and frees; and what the driver says is available against what the process took.
 * Everything is bounded: of a list that grows too long the rest is only counted.
 */
#ifndef KFDSCOPE_ANALYSIS_MODEL_BALANCE_H
#define KFDSCOPE_ANALYSIS_MODEL_BALANCE_H

#include "model.h"

#define BALANCE_STACKS_MAX  8u    /* of one registered range */
#define BALANCE_HISTORY_MAX 32u   /* maps and unmaps of one block */
#define BALANCE_LIST_MAX    1024u /* entries of every other list */
#define BALANCE_FREED_MAX   4096u /* freed addresses that are remembered */

/* A range of host memory that is registered, or was. */
struct registration {
	uint64_t address, size_bytes;
	uint64_t registered, deregistered;
	int64_t first_ns, last_ns; /* of registering */
	/* Borrowed, of the first and the latest registrations; NULL where none was recorded. */
	const struct stack *stacks[BALANCE_STACKS_MAX];
	uint32_t stack_count;
};

/* A range was registered while another one that overlaps it still was. */
struct overlap {
	struct process *process; /* borrowed */
	struct registration older, newer;
	uint64_t bytes;
	int64_t time_ns;
};

struct map_event {
	int64_t time_ns;
	bool is_map, ok;
	uint32_t id_count;
	uint32_t ids[16]; /* node ids as the call named them; none: all nodes */
};

/* The maps and unmaps of a living block, oldest first. */
struct block_history {
	const struct block *block; /* borrowed */
	uint64_t dropped;
	uint32_t count, room;
	struct map_event events[];
};

/* Frees of addresses that were not allocated, by place. */
struct bad_free {
	struct process *process;   /* borrowed */
	const struct stack *stack; /* borrowed */
	const struct stack *alloc,
		*freed_by; /* borrowed: of an earlier free of it; NULL: none known */
	bool is_double;
	uint64_t count, address;
	uint32_t status;
	int64_t time_ns, freed_ns; /* of the last one; of the earlier free */
};

/* One answer of the driver about how much memory of a node is free. */
struct available {
	struct process *process; /* borrowed */
	int64_t time_ns;
	uint32_t node_id;
	uint64_t available_bytes, live_bytes;
	/* Since the first answer, used (or, negative, given back) by somebody else. */
	int64_t outside_bytes;
};

struct balance;

struct balance *balance_new(struct model *model);
void balance_free(struct balance *balance);

/* Results of the finished model. */
/* Of struct registration, not ended, in the order of their addresses. @return new, borrowed items. */
GPtrArray *balance_registrations(const struct balance *balance, const struct process *process);
const GArray *balance_overlaps(const struct balance *balance);     /* of struct overlap */
const GArray *balance_available(const struct balance *balance);    /* of struct available */
const GPtrArray *balance_bad_frees(const struct balance *balance); /* of struct bad_free */
/* @return the history of a living block, or NULL: it was never mapped. */
const struct block_history *balance_history(const struct balance *balance,
					    const struct block *block);

#endif
