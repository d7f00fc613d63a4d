/* SPDX-License-Identifier: MIT */
/* A provider that was built for other events: the library must not use it. */
#include <stdlib.h>

#include "provider.h"

static void attach(const struct trace_host *host)
{
	(void)host;
	abort(); /* the library took it */
}

extern const struct trace_provider kfdscope_trace_provider;
__attribute__((visibility("default"))) const struct trace_provider kfdscope_trace_provider = {
	.version = TRACE_PROVIDER_VERSION,
	.event_count = TRACE_EVENT_COUNT,
	.schema_hash = TRACE_SCHEMA_HASH + 1,
	.attach = attach,
};
