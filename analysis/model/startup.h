/* SPDX-License-Identifier: MIT */
/*
 * Start-ups: what passes from the opening of the driver until the program has what it needs to work,
 * by phase, by call and by node. A process that closes the driver and opens it again starts up twice.
 */
#ifndef KFDSCOPE_ANALYSIS_MODEL_STARTUP_H
#define KFDSCOPE_ANALYSIS_MODEL_STARTUP_H

#include "model/messages.h"
#include "model/model.h"

/* Where the time went; a moment counts for the innermost call only. */
enum startup_phase {
	STARTUP_OPEN,    /* opening and closing the device's files */
	STARTUP_FILES,   /* reading the topology and other files */
	STARTUP_SETUP,   /* ioctls and libdrm calls that set devices up */
	STARTUP_MEMORY,  /* ioctls and system calls that map memory */
	STARTUP_LIBRARY, /* in the library's calls, but in none of the above */
	STARTUP_PHASE_COUNT,
};

/* The firsts of a start-up. */
enum startup_first {
	STARTUP_FIRST_OPEN,
	STARTUP_FIRST_TOPOLOGY, /* system properties */
	STARTUP_FIRST_APERTURES,
	STARTUP_FIRST_ALLOCATION,
	STARTUP_FIRST_MAP,
	STARTUP_FIRST_EVENT,
	STARTUP_FIRST_QUEUE,
	STARTUP_FIRST_COUNT,
};

/* What ended it; the first of these that there is. */
enum startup_end {
	STARTUP_TO_QUEUE,   /* the first queue was there */
	STARTUP_TO_MAP,     /* no queue was made: the first memory was mapped */
	STARTUP_TO_CLOSE,   /* neither: the driver was closed */
	STARTUP_TO_LAST,    /* nor that: the last that was recorded */
	STARTUP_TO_REFUSAL, /* the driver could not be opened */
};

struct startup_call {
	const struct call_type *type; /* borrowed */
	uint64_t count, failed;
	int64_t total_ns, self_ns, max_ns;
};

/* How a part of the work names its node. */
enum startup_key {
	STARTUP_BY_TOPOLOGY, /* the kernel's number */
	STARTUP_BY_GPU,
	STARTUP_BY_MINOR, /* of the render node */
	STARTUP_BY_NODE,  /* the library's number */
};

/* The work for one node. */
struct startup_node {
	enum startup_key key;
	uint32_t number;
	uint64_t files, directories, failed_reads, bytes, ioctls, opens;
	int64_t files_ns, open_ns, ioctl_ns, system_ns, library_ns;
};

/* Up to some moment. */
struct startup_work {
	int64_t phase_ns[STARTUP_PHASE_COUNT];
	GArray *calls; /* owned, of struct startup_call */
	GArray *nodes; /* owned, of struct startup_node */
};

struct startup {
	const struct process *process;  /* borrowed */
	const struct call_type *inside; /* borrowed: the runtime's call that opened; NULL: none */
	const struct stack *stack;      /* borrowed: of the open; may be NULL */
	uint32_t number;                /* 1, 2 … of the process */
	uint32_t threads;               /* that made calls; phases of several may overlap */
	int64_t begin_ns, end_ns;
	enum startup_end end;
	uint32_t status;                       /* of the open: not 0 for a refusal */
	int64_t first_ns[STARTUP_FIRST_COUNT]; /* 0: not there */
	struct startup_work work;
	bool reads_told; /* the recording has events of files that are read */
};

/* What names a node in the ways that its work is named. */
struct startup_names {
	const struct process *process; /* borrowed */
	uint32_t node_id, topology_node, gpu_id;
	int32_t render_minor;
};

struct startups;

/* Starts watching. @param model  borrowed, must outlive it. */
struct startups *startups_new(struct model *model);
void startups_free(struct startups *startups);
/*
 * Start-ups in the order of their beginnings, of struct startup; open ones end here.
 */
const GPtrArray *startups_list(const struct startups *startups);
/* @return the names of the node that a part of the work is for, or NULL: nobody told of it. */
const struct startup_names *startups_names(const struct startups *startups,
					   const struct startup *startup,
					   const struct startup_node *node);
/* What the library said, and the GPUs that it hides. */
const struct messages *startups_messages(const struct startups *startups);

#endif
