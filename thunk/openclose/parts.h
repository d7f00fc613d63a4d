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
/* Makes debug flags and counter tables anew; a failure is only logged (openclose.md 2, step k). */
void kmt_parts_make_counted(struct kmt_context *ctx, uint32_t node_count);
/* Frees debug flags and counter tables: what a last close always frees. */
void kmt_parts_free_counted(struct kmt_context *ctx);
/* Frees all parts, the render nodes excepted. Issues no ioctl. */
void kmt_parts_free(struct kmt_context *ctx);

#endif
