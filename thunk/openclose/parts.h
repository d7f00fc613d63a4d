/* SPDX-License-Identifier: MIT */
/* The parts of a context, as a whole (context.md 1). */
#ifndef KFDSCOPE_THUNK_OPENCLOSE_PARTS_H
#define KFDSCOPE_THUNK_OPENCLOSE_PARTS_H

#include "context.h"

/*
 * Makes the parts that ctx does not have yet, the counter tables and debug flags excepted: those
 * need a node count.
 *
 * @return SUCCESS; NO_MEMORY with what could be made in place.
 */
HSAKMT_STATUS kmt_parts_make(struct kmt_context *ctx);
/* Makes debug flags and counter tables; a failure is only logged (openclose.md 2, step k). */
void kmt_parts_make_counted(struct kmt_context *ctx, uint32_t node_count);

/* Debug flags and counter tables: what a last close always frees. */
struct kmt_counted_parts {
	struct kmt_debug *debug; /* owned */
	struct kmt_perf *perf;   /* owned */
};
/*
 * Takes them out of the context. Freeing waits until the global lock is given back, since the
 * counters have a lock of their own that a fork takes before the global one.
 */
struct kmt_counted_parts kmt_parts_take_counted(struct kmt_context *ctx);
void kmt_counted_parts_free(struct kmt_counted_parts parts);

/* Frees all parts, the render nodes excepted. Issues no ioctl. */
void kmt_parts_free(struct kmt_context *ctx);

#endif
