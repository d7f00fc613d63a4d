/* SPDX-License-Identifier: MIT */
/*
 * Clocks that a program read: watches a model and keeps the raw values of all of them for each node,
 * and what they say of each other: how fast the GPU's runs, how well its time converts to the host's,
 * where one jumped or went back.
 */
#ifndef KFDSCOPE_ANALYSIS_MODEL_CLOCKS_H
#define KFDSCOPE_ANALYSIS_MODEL_CLOCKS_H

#include "model.h"

/* Readings of one node that are kept; more are only counted. */
#define CLOCK_SAMPLES_MAX 65536u
/* A clock that went so much further than another has jumped. */
#define CLOCK_JUMP_NS INT64_C(100000000)

struct clock_sample {
	int64_t entry_ns, exit_ns;               /* of the call, by the recording's clock */
	uint64_t gpu, cpu, system, frequency_hz; /* of the system counter */
};

/* Between two readings the system clock went further, or less far, than the CPU's. */
struct clock_jump {
	uint32_t sample; /* the later one */
	int64_t jump_ns;
};

/* A clock that was lower than at the reading before. */
struct clock_back {
	uint32_t sample;
	const char *name;
	uint64_t by;
};

struct node_clocks {
	struct process *process; /* borrowed */
	uint32_t node_id;
	GArray *samples; /* owned, of struct clock_sample */
	uint64_t more;
	/* Made when asked for. */
	GArray *jumps, *backs;       /* owned, of struct clock_jump, struct clock_back */
	double gpu_hz;               /* measured against the CPU's clock; 0: not possible */
	int64_t conversion_error_ns; /* largest of a straight line from first to last reading */
};

struct clocks;

/* Starts watching. @param model  borrowed, must outlive the clocks. */
struct clocks *clocks_new(struct model *model);
void clocks_free(struct clocks *clocks);
/* All nodes that were read, of struct node_clocks, with what their readings say. */
const GPtrArray *clocks_nodes(const struct clocks *clocks);

#endif
