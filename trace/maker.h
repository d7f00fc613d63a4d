/* SPDX-License-Identifier: MIT */
/*
 * Who makes an object: a function and the stack it was called by, and when, in one number that fits into the
 * object. Kept also while nothing is recorded, so that a recording that starts later can tell.
 * KFDSCOPE_KEEP_STACKS=0 switches it off, any other number is how many distinct stacks are kept at most.
 */
#ifndef KFDSCOPE_TRACE_MAKER_H
#define KFDSCOPE_TRACE_MAKER_H

#include "trace.h"

/* What an event tells of a maker; all empty when it is not known. */
struct trace_made_by {
	char name[48];  /* of the function or ioctl */
	uint64_t order; /* grows from object to object; 0: not known */
	struct trace_kept_stack stack;
};

/* The maker of what the current API call of this thread makes; 0: not known, or not kept. */
uint64_t trace_maker_here(void);
/*
 * The same where function and caller are at hand.
 *
 * @param entry   the function's entry event.
 * @param caller  its return address: the first frame that counts.
 */
uint64_t trace_maker_of(enum trace_event entry, const void *caller);
/* What is known of a maker, in any thread. */
void trace_maker_tell(uint64_t maker, struct trace_made_by *out);

/* Puts the maker into a state event that has the fields for it. */
#define TRACE_MAKER_FILL(event, by)                                                                \
	do {                                                                                       \
		memcpy((event)->created_by, (by)->name, sizeof((event)->created_by));              \
		(event)->bt = (by)->stack.frames;                                                  \
		(event)->bt_len = (by)->stack.length;                                              \
		(event)->bt_truncated = (by)->stack.is_truncated;                                  \
		(event)->bt_id = 0;                                                                \
		(event)->made = (by)->order;                                                       \
	} while (0)

#endif
