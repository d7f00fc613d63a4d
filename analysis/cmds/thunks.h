/* SPDX-License-Identifier: MIT */
/* Whose thunk each process of a recording has, when its driver calls were recorded without it. */
#ifndef KFDSCOPE_ANALYSIS_CMDS_THUNKS_H
#define KFDSCOPE_ANALYSIS_CMDS_THUNKS_H

#include <glib.h>
#include <stdbool.h>

/* So many events are looked at; which thunk a process has shows soon. */
#define THUNKS_EVENTS_MAX 100000u

/* A process whose calls were recorded at the libc boundary, without any of the library. */
struct bare_process {
	char *name;   /* owned: "app (pid 10 on host)" */
	char *module; /* owned: file whose code calls the driver; NULL: not known */
	char *thunk;  /* owned: the libhsakmt that it has loaded; NULL: none */
};

/*
 * Looks at the begin of a trace.
 * @param directory  that of the trace's metadata.
 * @return of struct bare_process, owned, in the order of their first event.
 */
GPtrArray *thunks_find_bare(const char *directory);

#endif
