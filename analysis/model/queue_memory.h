/* SPDX-License-Identifier: MIT */
/* What the library takes for a queue beside its ring, told apart by what the driver is given. */
#ifndef KFDSCOPE_ANALYSIS_MODEL_QUEUE_MEMORY_H
#define KFDSCOPE_ANALYSIS_MODEL_QUEUE_MEMORY_H

#include "model/model.h"

enum queue_role {
	QUEUE_ROLE_EOP,     /* end-of-pipe buffer */
	QUEUE_ROLE_CONTEXT, /* context-save area */
	QUEUE_ROLE_RECORD,  /* read and write pointers, and what else the library notes */
	QUEUE_ROLE_UNKNOWN, /* the ioctl is not recorded */
	QUEUE_ROLE_COUNT,
};

struct queue_memory {
	bool is_told;
	uint64_t eop_va, context_va; /* as given to the driver; 0: none */
	uint64_t bytes[QUEUE_ROLE_COUNT], blocks[QUEUE_ROLE_COUNT];
};

/* Takes the addresses from the entry of the ioctl that makes the queue. */
void queue_memory_take(struct queue_memory *memory, const struct record *entry);
/* Counts what the library holds for a living queue. @return the sum of bytes. */
uint64_t queue_memory_count(struct queue_memory *memory, const struct process *process,
			    uint64_t queue_id);
/* "end-of-pipe buffer" … */
const char *queue_role_name(enum queue_role role);

#endif
