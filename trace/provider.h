/* SPDX-License-Identifier: MIT */
/*
 * What the library and the provider object, libkfdscope-tracepoints.so, know of each other. The
 * provider exports one TRACE_PROVIDER_SYMBOL; the library looks for it and uses it only if version,
 * number of events and schema hash agree, since both sides share the event structures.
 */
#ifndef KFDSCOPE_TRACE_PROVIDER_H
#define KFDSCOPE_TRACE_PROVIDER_H

#include <stdint.h>

#include "events.h" /* generated: enum trace_event and the event structures */

#define TRACE_PROVIDER_VERSION 4
#define TRACE_PROVIDER_SYMBOL  "kfdscope_trace_provider"

enum {
	TRACE_STACK_CAP = 64, /* frames recorded at most */
	TRACE_STACK_OWN = 12, /* our own frames that may stand before the caller's */
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
	/* Told of each stack that an event is to carry: its libraries may be news to a recording. */
	void (*seen)(const uint64_t *frames, int count);
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
