/* SPDX-License-Identifier: MIT */
/* What goes wrong in the program, for a recorder that writes a snapshot then (KFDSCOPE_SNAPSHOT). */
#ifndef KFDSCOPE_TRACEPOINTS_INCIDENT_H
#define KFDSCOPE_TRACEPOINTS_INCIDENT_H

#include "provider.h"

/* Reads the environment; called once. */
void incident_init(void);
/*
 * Tells of an incident: if the recorder asked for its kind, the state is dumped and the recorder told
 * before this returns, or a second has passed. At most once a second.
 */
void incident_tell(enum trace_incident kind, const char *call, int32_t status);

/* By the dump thread: a dump begins, which is an incident's if one waits; it ends, and is told. */
void incident_take(void);
void incident_done(void);

/* In a forked child: whoever waited is not there. */
void incident_forked(void);

#endif
