/* SPDX-License-Identifier: MIT */
/*
 * The profile from the runtime function that the program called down to the ioctl, as numbers: a
 * table of all calls, and the tree of call paths. Functions above the thunk are known from stacks
 * only: they have counts and the time that was spent below them, no time of their own.
 */
#ifndef KFDSCOPE_ANALYSIS_OUTPUT_CHAINS_REPORT_H
#define KFDSCOPE_ANALYSIS_OUTPUT_CHAINS_REPORT_H

#include "model/chains.h"
#include "output/header.h"
#include "output/stackview.h"

/* All calls of one function, ioctl or system call. */
struct chain_row {
	const struct call_type *type; /* borrowed */
	struct latency latency;
	int64_t ioctl_ns; /* of an API function: time in ioctls and system calls inside */
	uint64_t failed, cut;
};

struct chain_node {
	char *name;                   /* owned */
	const char *layer;            /* "hip", "hsa", "thunk", "kernel", "system call" */
	const struct call_type *type; /* borrowed; NULL: a function known from stacks */
	struct latency latency;       /* of stack functions: of the outermost calls below them */
	uint64_t failed, cut;
	GPtrArray *children; /* owned, of struct chain_node, most time first */
};

struct chains_report {
	const struct model *model; /* borrowed */
	GPtrArray *rows;           /* of struct chain_row, owned: most time first, by layer */
	struct chain_node *tree;   /* owned; the root stands for nothing */
	uint64_t cut;
	uint32_t top;
};

struct chains_report *chains_report_new(const struct model *model, const struct chains *chains,
					const char *debug_dirs, uint32_t top);
void chains_report_free(struct chains_report *report);

/* @param notes  may be NULL. */
void chains_text(GString *text, const struct chains_report *report,
		 const struct report_notes *notes);
json_t *chains_json(const struct chains_report *report, const struct report_notes *notes);

#endif
