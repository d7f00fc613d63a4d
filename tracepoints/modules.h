/* SPDX-License-Identifier: MIT */
/*
 * Tells recordings which objects are mapped where, so that return addresses can be resolved
 * offline. LTTng-UST's own state dump misses what dlopen() brings later (trace-compass.md 9.6).
 */
#ifndef KFDSCOPE_TRACEPOINTS_MODULES_H
#define KFDSCOPE_TRACEPOINTS_MODULES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Called with recorded stacks: when one of the addresses is new, looks whether objects have come or
 * gone, and emits kmt_state:module and kmt_state:module_gone for those. Does not block.
 *
 * @return true when the recordings know of all of them, as long as modules_epoch() stays the same.
 */
bool modules_seen(const uint64_t *frames, int count);
/* Moves on whenever objects have come or gone as far as recordings were told; never 0. */
uint32_t modules_epoch(void);
/*
 * @param begin  first address of its first page.
 * @param name   as the loader has it; "" for the program.
 * @return whether the object was there at the last look. Blocks.
 */
bool modules_have(uint64_t begin, const char *name);
/* Looks anew, and emits kmt_state:module for all objects. */
void modules_dump(void);
/* In a forked child: everything is news to the recording again. */
void modules_forked(void);

#endif
