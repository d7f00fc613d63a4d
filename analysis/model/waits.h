/* SPDX-License-Identifier: MIT */
/*
 * Who waits for what: watches a model and keeps living events, open waits, and sums for each place
 * that makes events or waits for them. Threads that only spin (poll, or wait for what is signalled
 * already) make one episode, however often they call. Sums are of the calls that began in the model's
 * scope; waits, spins and events are known beyond it.
 */
#ifndef KFDSCOPE_ANALYSIS_MODEL_WAITS_H
#define KFDSCOPE_ANALYSIS_MODEL_WAITS_H

#include "latency.h"
#include "model.h"

#define WAIT_EVENTS_MAX  64u /* of one wait that are remembered */
#define WAIT_SETTERS_MAX 8u  /* distinct setters that a waiting place remembers */
/* A wait that returns sooner has not slept to any purpose. */
#define WAIT_QUICK_NS INT64_C(1000000)
/* So many quick waits one after the other, at so many a second, are a spin. */
#define SPIN_MIN_COUNT 1000u
#define SPIN_MIN_RATE  1000u

/* A place that makes events. */
struct event_site {
	struct process *process;   /* borrowed */
	const struct stack *stack; /* borrowed; NULL: made before the recording, or no stack */
	uint64_t created, destroyed;
	uint64_t waited_sets, idle_sets;    /* sets while somebody, and nobody, waited */
	int64_t waited_set_ns, idle_set_ns; /* time in the library's calls */
	int64_t waited_set_ioctl_ns, idle_set_ioctl_ns; /* of which in the kernel */
	uint64_t lost_sets; /* that nobody had waited for when a reset or destroy took them back */
};

struct wait_event {
	struct event_site *site; /* borrowed */
	uint64_t id;             /* the driver's number */
	int64_t created_ns;      /* 0: before the recording */
	char *type;              /* owned; NULL: unknown */
	bool is_auto_reset;
	int64_t set_ns; /* entry of the last set; 0: never */
	uint32_t set_vtid;
	const struct stack *set_stack; /* borrowed */
	uint64_t pending_sets;         /* since the last wait that could see them */
	uint32_t waiters;              /* open waits for it */
	struct pending *destroyer;     /* borrowed: the open call that destroys it; or NULL */
};

/* Who signalled what was waited for. */
struct wait_setter {
	const struct stack *stack; /* borrowed */
	uint32_t vtid;
	uint64_t count;
};

/* A place that waits. */
struct wait_site {
	struct process *process;      /* borrowed */
	const struct call_type *type; /* borrowed */
	const struct stack *stack;    /* borrowed */
	uint64_t succeeded, timed_out, failed, cut;
	uint64_t already_signalled; /* succeeded, and the last set was before the wait */
	uint64_t unknown_signals;   /* succeeded, and no set was recorded: the GPU's, say */
	struct latency latency;     /* of all that returned */
	struct latency wake;        /* from the entry of the set to the exit of the wait */
	int64_t longest_entry_ns;
	GArray *setters; /* owned, of struct wait_setter */
};

/* A wait that has begun. */
struct wait {
	struct wait_site *site; /* borrowed */
	uint32_t vtid;
	int64_t entry_ns;
	uint32_t timeout_ms; /* UINT32_MAX: for ever */
	bool for_all;
	uint32_t count;
	uint64_t ids[WAIT_EVENTS_MAX];
};

/* What is known of an event when the recording ends inside a wait for it. */
struct open_wait {
	struct wait wait;
	GPtrArray *events; /* owned, of borrowed struct wait_event; NULL members are unknown */
};

/* A stretch of time in which a thread did nothing but quick waits. */
struct spin {
	struct process *process;      /* borrowed */
	const struct call_type *type; /* borrowed */
	const struct stack *stack;    /* borrowed */
	uint32_t vtid;
	bool is_poll; /* timeout 0; otherwise woken at once */
	int64_t begin_ns, end_ns;
	uint64_t succeeded, timed_out, failed;
	struct latency latency;
	uint32_t count; /* of ids */
	uint64_t ids[WAIT_EVENTS_MAX];
};

struct waits_process {
	struct process *process; /* borrowed */
	uint64_t events_created, events_destroyed;
	uint64_t events_alive; /* at the end of the scope */
	uint64_t waits, cut_waits;
};

/* What a viewer may want to know while the recording goes by. Every member may be NULL. */
struct waits_observer {
	void *data;
	/* A call that sets the event has begun. */
	void (*event_set)(void *data, const struct wait_event *event, const struct call *call);
	/* The event's last set has ended the wait, or had been there before it. */
	void (*wait_woken)(void *data, const struct wait_event *event, const struct call *call,
			   int64_t time_ns);
	/* The event is about to be forgotten. */
	void (*event_gone)(void *data, const struct wait_event *event);
};

struct waits;

/* Starts watching. @param model  borrowed, must outlive the waits. */
struct waits *waits_new(struct model *model);
/* Sets the one observer; the structure is copied. */
void waits_observe(struct waits *waits, const struct waits_observer *observer);
void waits_free(struct waits *waits);

/* Results, of the finished model. */
const GPtrArray *waits_event_sites(const struct waits *waits); /* of struct event_site */
const GPtrArray *waits_sites(const struct waits *waits);       /* of struct wait_site */
const GPtrArray *waits_open(const struct waits *waits);        /* of struct open_wait */
const GPtrArray *waits_spins(const struct waits *waits);       /* of struct spin */
const GPtrArray *waits_processes(const struct waits *waits);   /* of struct waits_process */

#endif
