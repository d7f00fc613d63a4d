/* SPDX-License-Identifier: MIT */
/*
 * Processes, their threads and the calls that are open in each thread. A process is known by host
 * and process id; a reused id makes a new process. Everything here is written by the model only;
 * reports and observers read.
 */
#ifndef KFDSCOPE_ANALYSIS_MODEL_PROCESS_H
#define KFDSCOPE_ANALYSIS_MODEL_PROCESS_H

#include <glib.h>

#include "modules.h"
#include "record.h"
#include "scope.h"

struct block;
struct bo;
struct model;
struct process;
struct request;
struct requests;
struct thread;

/* Deeper nesting than this is damage; the oldest call is then given up. */
#define THREAD_CALLS_MAX 64u
/* Node or gpu ids of one call; more than any machine has. */
#define CALL_IDS_MAX 128u
#define CALL_IDS_FEW 4u /* that need no memory beside the call */

/* A call that has begun and not ended. */
struct call {
	const struct call_type *type;
	struct thread *thread; /* borrowed */
	int64_t entry_ns;
	int64_t inside_ns;         /* spent in the calls that ended inside this one */
	const struct stack *stack; /* borrowed from the process; NULL when none was recorded */
	uint32_t id_count;
	union {
		uint64_t few[CALL_IDS_FEW];
		uint64_t *many; /* owned */
	} ids;                  /* by their count: see call_ids() */
	GPtrArray *bos;       /* owned, of counted struct bo: made inside and not yet given away */
	struct block *target; /* counted: what a free or deregister is about */
	struct bo *bo_target; /* counted: the same for an ioctl */
	struct request *request;        /* counted: the same for a runtime's free */
	const struct call_type *served; /* the outermost runtime call around it, or itself */
	uint32_t inner_errno;           /* of the last ioctl inside that failed */
	bool is_foreign;                /* of another tracer: nothing but its name tells its exit */
	bool is_doubtful;               /* events were lost: its exit may be among them */
	bool freed_bo;                  /* an ioctl inside has freed a buffer object */
	bool gives_up;        /* a host's, for a guest that closes: no free is the program's */
	struct values values; /* of the entry; last, for it is not cleared */
};

static inline const uint64_t *call_ids(const struct call *call)
{
	return call->id_count > CALL_IDS_FEW ? call->ids.many : call->ids.few;
}

struct thread {
	struct process *process; /* borrowed */
	uint32_t vtid;
	char *name;    /* owned, may be NULL */
	GArray *calls; /* of struct call, outermost first */
	uint64_t last_number[LAYER_COUNT];
};

/* A call that was open when the recording ended. */
struct unfinished {
	const struct call_type *type; /* borrowed, as all of it */
	const struct stack *stack;
	uint32_t vtid;
	int64_t since_ns;
};

/* What the process says of a node. */
struct node {
	uint32_t node_id, gpu_id;
	char *name; /* owned, may be NULL */
};

/* How a process ended, as far as the recording says. */
enum process_end {
	PROCESS_END_UNKNOWN, /* killed, crashed, or still running when the recording stopped */
	PROCESS_END_EXIT,
	PROCESS_END_SIGNAL,
};

struct process {
	struct model *model;  /* borrowed */
	const char *hostname; /* interned, may be NULL */
	const char *
		recording; /* interned, may be NULL: equal ids of two recordings are two processes */
	uint32_t vpid;
	uint32_t instance; /* 0, then 1 … for each reuse of the id */
	uint32_t ppid;     /* 0: unknown */
	char *name;        /* owned: procname of its first event; may be NULL */
	char *command;     /* owned: command line of the schema record; may be NULL */
	bool forked, has_name;
	int64_t first_ns, last_ns;
	enum process_end end;
	int32_t end_code; /* exit code or signal number; -1: unknown */

	GHashTable *threads;        /* vtid -> struct thread, owned */
	struct thread *last_thread; /* borrowed: the last one that was looked up */
	struct modules modules;
	struct stacks stacks;
	/* Stack id -> struct stack (borrowed from stacks); NULL: no recording of ids. */
	GHashTable *defined_stacks;
	uint64_t unknown_stacks; /* calls whose stack has an id that nothing defines */
	GPtrArray *nodes;        /* of struct node, owned */

	struct memory *memory;     /* owned: memory.h */
	struct requests *requests; /* owned: requests.h */
	bool has_hip, has_api, has_ioctl;
	/* Opens minus closes; -1 while unknown, because the recording began later. */
	int32_t open_count;
	int64_t closed_ns;      /* of the last final close; 0: none, or opened again since */
	uint64_t memlock_bytes; /* 0: unknown */

	GArray *unfinished;  /* of struct unfinished: outermost calls only, one a thread */
	uint64_t own_events; /* records of kfdscope's own events */
	uint64_t events;
	uint64_t cut_began_before; /* exits without an entry */
	uint64_t cut_abandoned;    /* entries whose thread went on without the exit */
	uint64_t cut_unfinished;   /* open at the end of the recording */
	uint64_t lost_events;      /* that can have been this process's */
};

/* Makes a process. @param before  the one that had the same id, or NULL. */
struct process *process_new(struct model *model, const struct record *record,
			    const struct process *before);
void process_free(struct process *process);
/* Takes the name of the process from an event's; the first good one stays. */
void process_set_name(struct process *process, const char *name);
/* The thread of the record; made when needed. Borrowed. */
struct thread *process_thread(struct process *process, const struct record *record);
/* The stack of a record, given or by its id; NULL: none, or not known. */
const struct stack *process_stack(struct process *process, const struct record *record);
/* An id stands for the record's stack from now on. */
void process_define_stack(struct process *process, const struct record *record);
/* Records what a node is called; fills gaps of an earlier record. */
void process_set_node(struct process *process, uint32_t node_id, uint32_t gpu_id, const char *name);
/* @return the node, or NULL. */
const struct node *process_node(const struct process *process, uint32_t node_id);
const struct node *process_node_of_gpu(const struct process *process, uint32_t gpu_id);

/* True when the number cannot follow what the thread did: another thread or process has its id. */
bool thread_is_reused(const struct thread *thread, const struct record *entry);
/* Opens the call of an entry record. @return the call; valid until the next push or pop. */
struct call *thread_push(struct thread *thread, const struct record *entry);
/*
 * Finds the open call that the exit record ends, which need not be the innermost one.
 * @return its index, or -1: the entry was before the recording, or is lost.
 */
int thread_match(const struct thread *thread, const struct record *exit);
/* @return the innermost open call, or NULL. */
struct call *thread_top(const struct thread *thread);
/* Drops the innermost call. */
void thread_pop(struct thread *thread);

#endif
