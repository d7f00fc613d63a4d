/* SPDX-License-Identifier: MIT */
/*
 * The last event of a process that ends normally. This file is linked last, behind the tracepoints:
 * destructors run in reverse, and after those of the tracepoints nothing is recorded any more.
 */
#include <unistd.h>

#include "host.h"
#include "incident.h"

/* What is alive now is alive at the process's exit. */
static void __attribute__((destructor)) tell_exit(void)
{
	const struct kmt_state_exiting event = { .pid = getpid() };

	incident_tell(TRACE_INCIDENT_END, "", 0);
	provider_fire(TRACE_kmt_state_exiting, &event);
}
