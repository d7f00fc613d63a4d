/* SPDX-License-Identifier: MIT */
/*
 * The distinct stacks of the process, by number. Programs call from few places: what was once learned of
 * a stack need not be looked up again, and an object can remember where it was made by a number.
 *
 * A stack is its addresses and the libraries they lie in: one that comes to the place of another makes
 * new stacks. Numbers stay valid for ever. The table has a fixed size; when it is full, further stacks
 * have no number.
 */
#ifndef KFDSCOPE_TRACEPOINTS_STACKS_H
#define KFDSCOPE_TRACEPOINTS_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "provider.h"

/* Reads how many stacks are wanted at most (KFDSCOPE_KEEP_STACKS). */
void stacks_init(void);
/*
 * Called with each stack that was walked, in its thread. A recording that wants to know of libraries is
 * told when one of them is news to it (modules.h). Does not block.
 *
 * @return the number of the stack; 0 when the table is full.
 */
uint32_t stacks_number(const uint64_t *frames, int count, bool is_truncated);
/*
 * Gives the addresses of a stack back, in any thread. Addresses in libraries that have gone since are
 * 0: something else may be there now.
 *
 * @return false for 0 and for what is no number.
 */
bool stacks_get(uint32_t number, struct trace_kept_stack *out);
/*
 * Makes sure that recordings have the definition of a stack, which its thread has just walked.
 * @return false when they cannot: there is no such stack, or no recording wants definitions.
 */
bool stacks_define(uint32_t number);
/* A recording starts: it has none of the definitions. */
void stacks_recording_started(void);
/* In a forked child, before its first event. */
void stacks_forked(void);

#endif
