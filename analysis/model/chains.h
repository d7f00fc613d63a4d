/* SPDX-License-Identifier: MIT */
/*
 * What each call cost, by call path: watches a model and keeps one node for each distinct stack, API
 * function and ioctl below it. Calls that were cut are counted and in no statistics.
 */
#ifndef KFDSCOPE_ANALYSIS_MODEL_CHAINS_H
#define KFDSCOPE_ANALYSIS_MODEL_CHAINS_H

#include "model/latency.h"
#include "model/model.h"

struct chain {
	const struct process *process; /* borrowed */
	const struct stack *stack;    /* borrowed: of an outermost call; NULL inside or when none */
	const struct call_type *type; /* borrowed */
	const struct chain *parent;   /* borrowed; NULL: outermost */
	struct latency latency;
	uint64_t failed, cut;
	uint64_t bytes; /* that successful allocations asked for */
	/* Owned: calls inside, few of each, in order of first appearance; and the next one beside. */
	struct chain *first_child, *last_child, *next;
};

struct chains;

/* Starts watching. @param model  borrowed, must outlive the chains. */
struct chains *chains_new(struct model *model);
void chains_free(struct chains *chains);
/* The outermost nodes, of struct chain, in order of first appearance. */
const GPtrArray *chains_roots(const struct chains *chains);

#endif
