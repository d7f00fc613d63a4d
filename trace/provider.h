/* SPDX-License-Identifier: MIT */
/*
 * What the library and the provider object, libkfdscope-tracepoints.so, know of each other. The
 * provider exports one TRACE_PROVIDER_SYMBOL; the library looks for it and uses it only if version,
 * number of events and schema hash agree, since both sides share the event structures.
 */
#ifndef KFDSCOPE_TRACE_PROVIDER_H
#define KFDSCOPE_TRACE_PROVIDER_H

#include <stdbool.h>
#include <stdint.h>

#include "events.h" /* generated: enum trace_event and the event structures */

#define TRACE_PROVIDER_VERSION 4
#define TRACE_PROVIDER_SYMBOL  "kfdscope_trace_provider"

enum {
	TRACE_STACK_CAP = 64, /* frames recorded at most */
	TRACE_STACK_OWN = 12, /* our own frames that may stand before the caller's */
};

/* A stack that an object was made by. */
struct trace_kept_stack {
	uint16_t length;
	bool is_truncated;
	uint64_t frames[TRACE_STACK_CAP]; /* 0: in a library that has gone since */
};

/* What the provider calls in the library. All pointers set. */
struct trace_host {
	void (*dump)(void);   /* emits the state; any thread, no locks held */
	void (*forked)(void); /* in the child, before its first event */
};

/* What a flight recorder may write a snapshot for. */
enum trace_incident {
	TRACE_INCIDENT_FAULT = 1,   /* a wait brought a memory fault or a reset of a GPU */
	TRACE_INCIDENT_FAILURE = 2, /* a call failed */
	TRACE_INCIDENT_END = 4,     /* the process ends normally */
};

struct trace_provider {
	uint32_t version; /* TRACE_PROVIDER_VERSION; nothing below may be read if it differs */
	uint32_t event_count;
	uint64_t schema_hash;
	const char *library;                    /* the version it was built with */
	const char *(*walker)(void);            /* the name of how it walks stacks */
	const int *const *enabled;              /* by event: not 0 while a recording wants it */
	void (*const *fire)(const void *event); /* by event */
	int (*walk)(uint64_t *frames, int capacity); /* innermost first; frames, or below 1 */
	/* By event: its name without the provider's. */
	const char *(*name)(enum trace_event event);
	/*
	 * Told of each stack that was walked: its libraries may be news to a recording. Equal stacks
	 * have one number for ever; 0 when there is no room for more.
	 */
	uint32_t (*stack_number)(const uint64_t *frames, int count, bool is_truncated);
	/*
	 * Makes sure that the recordings know the stack of a number by kmt_state:stack.
	 * false: they do not, and no event may name it.
	 */
	bool (*stack_define)(uint32_t number);
	/* Counts the objects that are made, by all of ours together; atomic. */
	uint32_t *order;
	/* The stack of a number, in any thread. false: not known. */
	bool (*stack_get)(uint32_t number, struct trace_kept_stack *out);
	/*
	 * How many device calls that our objects record the calling thread is in. Whoever stands at the
	 * libc boundary below others leaves those alone.
	 */
	uint32_t *(*device_depth)(void);
	/*
	 * Told when something went wrong, after the event that says so. If the recorder asked for it
	 * (KFDSCOPE_SNAPSHOT) the state is dumped before this returns, since the program may end next.
	 */
	void (*incident)(enum trace_incident kind, const char *call, int32_t status);
	/* Called once by each copy of the library; the host stays valid for ever. */
	void (*attach)(const struct trace_host *host);
};

/*
 * Structures are shared, so everything about them must agree.
 * @return why the provider cannot be used, or NULL.
 */
static inline const char *trace_provider_mismatch(const struct trace_provider *provider)
{
	if (provider->version != TRACE_PROVIDER_VERSION)
		return "it speaks another interface version than the library";
	if (provider->event_count != TRACE_EVENT_COUNT ||
	    provider->schema_hash != TRACE_SCHEMA_HASH)
		return "it was built for another version of the events than the library";
	return NULL;
}

#endif
