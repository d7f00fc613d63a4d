/* SPDX-License-Identifier: MIT */
/* System management events of a GPU. */
#ifndef KFDSCOPE_THUNK_SMI_SMI_H
#define KFDSCOPE_THUNK_SMI_SMI_H

#include "context.h"

/*
 * Opens a stream of events: write a 64-bit mask (bit n-1 for event n), then poll and read lines of
 * text (kfd.md 9).
 *
 * @param fd  the stream, the caller's to close().
 * @return SUCCESS; KERNEL_IO_CHANNEL_NOT_OPENED; INVALID_PARAMETER for NULL; INVALID_NODE_UNIT;
 *         ERROR, also for a node without a GPU.
 */
HSAKMT_STATUS kmt_open_smi(struct kmt_context *ctx, HSAuint32 node_id, int *fd);

#endif
