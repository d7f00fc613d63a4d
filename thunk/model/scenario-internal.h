/* SPDX-License-Identifier: MIT */
/* The body of a scenario, for the file that reads it and the file that plays it. */
#ifndef KFDSCOPE_THUNK_MODEL_SCENARIO_INTERNAL_H
#define KFDSCOPE_THUNK_MODEL_SCENARIO_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "scenario.h"

#define SCENARIO_ITEMS_MAX 1024 /* rules, actions, paths: bounds what a file can make us keep */

/* Refuse or delay calls. */
struct scenario_rule {
	uint32_t nr, node_index;
	uint64_t after, times; /* let this many through, then hit this many */
	uint64_t seen;         /* protected by the scenario's lock */
	uint64_t delay_us;
	int error;
};

enum scenario_deed {
	SCENARIO_MEMORY_EXCEPTION,
	SCENARIO_HW_EXCEPTION,
	SCENARIO_SMI,
	SCENARIO_OUTSIDE,
	SCENARIO_BOOTTIME_JUMP,
	SCENARIO_DEED_COUNT,
};

/* Something that happens once, at a time or when a call was made often enough. */
struct scenario_action {
	enum scenario_deed deed;
	bool is_timed;
	uint64_t at_ms;
	uint32_t on_nr;
	uint64_t calls, seen; /* seen: protected by the scenario's lock */
	bool done;            /* same lock */
	uint32_t node_index;
	uint64_t address, bytes, ns;
	bool not_present, read_only, no_execute, memory_lost;
	uint32_t error_type, cause, reset_type;
	char *text; /* owned */
};

struct scenario_open {
	char *path; /* owned */
	int error;
	uint64_t times; /* hit so often */
	uint64_t seen;  /* protected by the scenario's lock */
	uint64_t delay_us;
};

struct scenario_node {
	uint64_t vram_bytes, visible_bytes, clock_hz;
	int64_t clock_drift_ppb;
	bool is_listed; /* the file has settings for it */
	_Atomic uint64_t outside_bytes;
};

struct kfd_model_scenario {
	pthread_mutex_t lock;
	pthread_cond_t stop;
	bool stopping, has_thread; /* protected by lock */
	pthread_t thread;
	struct kfd_model *model; /* borrowed, set by the first open */
	uint64_t start_ns;

	uint32_t minor;
	bool dkms, reuse;
	uint64_t system_bytes;
	_Atomic int64_t boottime_shift_ns;
	_Atomic uint64_t dispatches;
	uint32_t node_count;
	struct scenario_node *nodes; /* owned, by topology index */
	struct scenario_rule *rules; /* owned */
	uint32_t rule_count;
	struct scenario_action *actions; /* owned */
	uint32_t action_count;
	struct scenario_open *opens; /* owned */
	uint32_t open_count;
	uint64_t ruled[4]; /* bit an ioctl number that any rule or action names */
};

#endif
