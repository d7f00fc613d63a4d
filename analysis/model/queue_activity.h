/* SPDX-License-Identifier: MIT */
/* What samples of queues add up to. For queues.c and for whoever shows samples. */
#ifndef KFDSCOPE_ANALYSIS_MODEL_QUEUE_ACTIVITY_H
#define KFDSCOPE_ANALYSIS_MODEL_QUEUE_ACTIVITY_H

#include "process.h"

struct queue;

/* Queues that have a row of their own; further ones of a process share its last row. */
#define QUEUE_ACTIVITY_MAX 1024u

/* Packets of AQL queues, by what they are; barriers: of both kinds, as the GPU hides which. */
struct packet_sums {
	uint64_t submitted; /* sum of the rest */
	uint64_t kernel_dispatches, barriers, barriers_and, barriers_or;
	uint64_t agent_dispatches, vendor_packets, unseen;
};

/* One sample as the event has it. */
struct queue_sample {
	uint32_t kernel_id, gpu_id;
	uint64_t ring_va, ring_bytes;
	bool is_readable; /* the indices are known */
	uint32_t os_errno;
	uint64_t read_index, write_index;
	uint64_t pending; /* packets of AQL queues, else bytes */
	uint64_t looks, busy_looks;
	bool is_last;
	bool has_packets;
	struct packet_sums packets;
};

struct queue_activity {
	struct process *process; /* borrowed */
	uint64_t queue_id;       /* the handle where it is known, else the driver's number */
	uint64_t queues;         /* 1, or how many share this row */
	const char *kind;        /* static; NULL: it was not seen being made */
	char *type;              /* owned, may be NULL */
	uint32_t node_id, gpu_id;
	int64_t created_ns;        /* 0: unknown */
	const struct stack *stack; /* borrowed: of the creation; NULL: unknown or many */
	uint64_t looks, busy_looks, unreadable;
	uint32_t os_errno; /* of the last look that could not read */
	uint64_t peak_pending;
	int64_t peak_ns;
	bool has_packets;
	struct packet_sums packets;
};

/* Reads a sample's event. */
struct queue_sample queue_sample_of(const struct args_reader *reader);
/* Adds a sample to a row. */
void queue_activity_add(struct queue_activity *activity, const struct queue_sample *sample,
			int64_t time_ns);
/*
 * The row of a queue that has none yet; rows beyond the limit are shared by the process's queues.
 * @param rows   of struct queue_activity.
 * @param queue  NULL: one that was not seen being made.
 */
struct queue_activity *queue_activity_row(GPtrArray *rows, struct process *process,
					  const struct queue *queue,
					  const struct queue_sample *sample);
/* Puts rows in the order in which their queues were made. */
void queue_activity_sort(GPtrArray *rows);
/* For containers. */
void queue_activity_free(void *activity);

#endif
