/* SPDX-License-Identifier: MIT */
/* The one thing this object exports: the table that libhsakmt fires its events through. */
#include "provider.h"

#include "host.h"
#include "incident.h"
#include "stacks.h"
#include "table.h"
#include "walker.h"

/* Copies of libhsakmt in one process; events of further ones are recorded, but not their state. */
enum { HOSTS_MAX = 4 };

static const struct trace_host *hosts[HOSTS_MAX]; /* borrowed for ever; filled in order */

void host_for_each(void (*visit)(const struct trace_host *host))
{
	for (int i = 0; i < HOSTS_MAX; i++) {
		const struct trace_host *host = __atomic_load_n(&hosts[i], __ATOMIC_ACQUIRE);

		if (host)
			visit(host);
	}
}

bool provider_enabled(enum trace_event number)
{
	return __atomic_load_n(tp_enabled[number], __ATOMIC_RELAXED) != 0;
}

void provider_fire(enum trace_event number, const void *event)
{
	if (provider_enabled(number))
		tp_fire[number](event);
}

static uint32_t order;

static const char *event_name(enum trace_event number)
{
	return tp_name[number];
}

static __thread uint32_t depth __attribute__((tls_model("initial-exec")));

static uint32_t *device_depth(void)
{
	return &depth;
}

static void attach(const struct trace_host *host)
{
	for (int i = 0; i < HOSTS_MAX; i++) {
		const struct trace_host *none = NULL;

		if (__atomic_compare_exchange_n(&hosts[i], &none, host, false, __ATOMIC_RELEASE,
						__ATOMIC_RELAXED))
			return;
	}
}

/*
 * All of it is static: the constructor of libhsakmt may find a preloaded provider before the
 * constructors here have run, and until LTTng-UST is up the events are merely not enabled.
 */
extern const struct trace_provider kfdscope_trace_provider;
__attribute__((visibility("default"))) const struct trace_provider kfdscope_trace_provider = {
	.version = TRACE_PROVIDER_VERSION,
	.event_count = TRACE_EVENT_COUNT,
	.schema_hash = TRACE_SCHEMA_HASH,
	.library = KFDSCOPE_VERSION,
	.walker = walker_name,
	.enabled = tp_enabled,
	.fire = tp_fire,
	.walk = walker_walk,
	.name = event_name,
	.stack_number = stacks_number,
	.stack_define = stacks_define,
	.order = &order,
	.stack_get = stacks_get,
	.device_depth = device_depth,
	.incident = incident_tell,
	.attach = attach,
};

static void __attribute__((constructor)) provider_init(void)
{
	walker_init();
	stacks_init();
	fork_init();
	statedump_init();
	incident_init();
}
