/* SPDX-License-Identifier: MIT */
/*
 * Tells recordings which objects are mapped where, so that return addresses can be resolved
 * offline. LTTng-UST's own state dump misses what dlopen() brings later (trace-compass.md 9.6).
 */
#ifndef KFDSCOPE_TRACEPOINTS_MODULES_H
#define KFDSCOPE_TRACEPOINTS_MODULES_H

#include <stdint.h>

/*
 * Called with each recorded stack: when one of the addresses is new, looks whether objects have
 * come or gone, and emits kmt_state:module and kmt_state:module_gone for those. Does not block.
 */
void modules_seen(const uint64_t *frames, int count);
/* Emits kmt_state:module for all objects. */
void modules_dump(void);
/* In a forked child: everything is news to the recording again. */
void modules_forked(void);

#endif
