/* SPDX-License-Identifier: MIT */
/*
 * What the driver's event streams told (kmt_smi, docs/events.md): watches a model and keeps evictions of
 * queues as spans, migrations, page faults and unmaps as sums, and the rest as notes. Sums and notes are
 * of the model's scope; a pair counts where it began.
 */
#ifndef KFDSCOPE_ANALYSIS_MODEL_DRIVER_EVENTS_H
#define KFDSCOPE_ANALYSIS_MODEL_DRIVER_EVENTS_H

#include "model.h"

/* Evictions, and notes, that are kept; more are only counted. */
#define DRIVER_EVENTS_MAX 4096u

/* The numbers of the driver's events (KFD_SMI_EVENT_*). */
enum driver_event {
	DRIVER_OTHER,
	DRIVER_VM_FAULT,
	DRIVER_THROTTLE,
	DRIVER_PRE_RESET,
	DRIVER_POST_RESET,
	DRIVER_MIGRATE_START,
	DRIVER_MIGRATE_END,
	DRIVER_FAULT_START,
	DRIVER_FAULT_END,
	DRIVER_EVICTION,
	DRIVER_RESTORE,
	DRIVER_UNMAP,
	DRIVER_PROCESS_START,
	DRIVER_PROCESS_END,
};

/* A GPU's stream was opened for a process, or refused. */
struct driver_stream {
	struct process *process; /* borrowed */
	uint32_t gpu_id, os_errno;
	bool is_open;
};

/* A time in which the queues of a process did not run on a GPU. */
struct eviction {
	struct process *process;  /* borrowed */
	uint32_t node;            /* as the driver names it: the gpu id */
	uint32_t trigger;         /* KFD_QUEUE_EVICTION_TRIGGERS */
	int64_t begin_ns, end_ns; /* 0: it began before the first line; it had no end */
	bool is_rescheduled;
	const struct call_type *before; /* borrowed: last call that changed memory; NULL: none */
	int64_t before_ns;
	const struct stack *before_stack; /* borrowed */
};

/* Things of one kind that had a beginning and an end. */
struct driver_sum {
	uint64_t count, bytes;
	uint64_t open, unbegun; /* whose end, or beginning, was not told: in no time */
	int64_t total_ns, longest_ns;
};

struct migration_sum {
	struct process *process; /* borrowed */
	uint32_t from, to;       /* gpu ids; 0: system memory */
	uint32_t trigger;        /* KFD_MIGRATE_TRIGGERS */
	uint64_t failed;
	struct driver_sum sum;
};

struct page_fault_sum {
	struct process *process; /* borrowed */
	uint32_t node;
	uint64_t writes, migrated;
	struct driver_sum sum;
};

struct unmap_sum {
	struct process *process; /* borrowed */
	uint32_t node;
	uint32_t trigger; /* KFD_SVM_UNMAP_TRIGGERS */
	uint64_t count, bytes;
};

/* Something that happened once, as it was told. */
struct driver_note {
	struct process *process; /* borrowed: whose stream told it */
	enum driver_event event; /* OTHER: text is the whole line */
	int64_t time_ns;
	uint32_t gpu_id, pid, sequence;
	uint64_t bitmask, counter;
	char *text; /* owned, may be NULL: task, cause, or the line */
};

struct driver_events;

/* What a viewer may want to know while the recording goes by. */
struct driver_observer {
	void *data;
	/* Queues were evicted, or are restored: end_ns tells which. */
	void (*eviction_changed)(void *data, const struct eviction *eviction, int64_t time_ns);
};

/* Starts watching. @param model  borrowed, must outlive it. */
struct driver_events *driver_events_new(struct model *model);
/* Sets the one observer; the structure is copied. */
void driver_events_observe(struct driver_events *events, const struct driver_observer *observer);
void driver_events_free(struct driver_events *events);

const GPtrArray *driver_streams(const struct driver_events *events);     /* struct driver_stream */
const GPtrArray *driver_evictions(const struct driver_events *events);   /* struct eviction */
uint64_t driver_evictions_count(const struct driver_events *events);     /* kept or not */
const GPtrArray *driver_migrations(const struct driver_events *events);  /* struct migration_sum */
const GPtrArray *driver_page_faults(const struct driver_events *events); /* struct page_fault_sum */
const GPtrArray *driver_unmaps(const struct driver_events *events);      /* struct unmap_sum */
const GPtrArray *driver_notes(const struct driver_events *events);       /* struct driver_note */
/* Of those that are beyond what is kept: the notes, and the lines that are not known. */
uint64_t driver_notes_beyond(const struct driver_events *events);
uint64_t driver_lines_beyond(const struct driver_events *events);

#endif
