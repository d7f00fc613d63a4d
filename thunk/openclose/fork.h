/* SPDX-License-Identifier: MIT */
/* What a forked child must drop before it can open the KFD for itself. */
#ifndef KFDSCOPE_THUNK_OPENCLOSE_FORK_H
#define KFDSCOPE_THUNK_OPENCLOSE_FORK_H

#include "context.h"

/*
 * Drops everything inherited, in the order of openclose.md 4, without an ioctl; open count 0, no
 * descriptor, not forked afterwards. The caller holds the global lock.
 */
void kmt_fork_cleanup(struct kmt_context *ctx);

#endif
