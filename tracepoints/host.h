/* SPDX-License-Identifier: MIT */
/* The copies of libhsakmt that use this provider, and how the provider's own events are fired. */
#ifndef KFDSCOPE_TRACEPOINTS_HOST_H
#define KFDSCOPE_TRACEPOINTS_HOST_H

#include <stdbool.h>

#include "provider.h"

/* Calls visit for each attached copy of the library; lock-free. */
void host_for_each(void (*visit)(const struct trace_host *host));
/* True while a recording wants the event. */
bool provider_enabled(enum trace_event number);
/* Records an event of the provider's own if a recording wants it. */
void provider_fire(enum trace_event number, const void *event);

/* Makes state dumps follow the start of each recording; called once (statedump.c). */
void statedump_init(void);
/* Asks for a dump; false when there is no thread for it. */
bool statedump_request(void);
/* Dumps no more: the dump thread does not exist in a forked child (statedump.c). */
void statedump_forked(void);
/* Keeps LTTng-UST working in forked children; called once (fork.c). */
void fork_init(void);

#endif
