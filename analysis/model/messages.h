/* SPDX-License-Identifier: MIT */
/*
 * What the library said of itself, and the GPUs of the topology that it hides from the program. Filled by
 * whoever is told of states.
 */
#ifndef KFDSCOPE_ANALYSIS_MODEL_MESSAGES_H
#define KFDSCOPE_ANALYSIS_MODEL_MESSAGES_H

#include "model/process.h"

/* So many different messages are kept; those beyond are counted. */
#define MESSAGES_MAX 1024u

struct message {
	const struct process *process; /* borrowed */
	int64_t time_ns;               /* of the first one that says this */
	uint64_t count;
	char *level, *text; /* owned */
};

struct hidden_node {
	const struct process *process; /* borrowed */
	uint32_t topology_node, gpu_id, domain, location_id;
	int32_t render_minor;
	uint32_t os_errno; /* why */
};

struct messages {
	GArray *list;   /* owned, of struct message */
	GArray *hidden; /* owned, of struct hidden_node: each node of a process once */
	uint64_t beyond;
};

void messages_init(struct messages *messages);
void messages_fini(struct messages *messages);
/* Takes RECORD_MESSAGE and RECORD_DUMP_HIDDEN; other records are none of its business. */
void messages_take(struct messages *messages, const struct process *process,
		   const struct record *record);

#endif
