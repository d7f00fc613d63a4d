/* SPDX-License-Identifier: MIT */
/*
 * How much memory a queue needs beside its ring: pure arithmetic on a node's properties (queues.md
 * 4). Kernels since 6.12 refuse queues whose sizes differ from their own.
 */
#ifndef KFDSCOPE_THUNK_QUEUE_SIZES_H
#define KFDSCOPE_THUNK_QUEUE_SIZES_H

#include <stdbool.h>
#include <stdint.h>

#include "hsakmt/hsakmttypes.h"

struct kmt_save_area_sizes {
	uint32_t ctl_stack_bytes; /* a part of ctx_bytes */
	uint32_t ctx_bytes;       /* per XCC: control stack and wave state */
	uint32_t debug_bytes;     /* per XCC */
	uint32_t xcc_count;       /* at least 1 */
	uint64_t total_bytes;     /* of all XCCs */
};

/* Bytes of the end-of-pipe buffer; 0: the queue has none. */
uint32_t kmt_queue_eop_bytes(uint32_t gfx, HSA_QUEUE_TYPE type);

/* Compute units of one XCC, or of the node; 0 when the properties do not tell. */
uint32_t kmt_queue_cu_count(const HsaNodeProperties *properties);

/*
 * Sizes of the wave save area. What the kernel reports in the properties wins over the formula.
 *
 * @param gfx              KMT_GFX() number of the node.
 * @param page_size_bytes  of the system.
 * @return false when queues of this node have no save area: before gfx 8.0.1, for unusable
 *         properties, and for a newer generation than the formula knows and the kernel reports.
 */
bool kmt_queue_save_area_sizes(uint32_t gfx, const HsaNodeProperties *properties,
			       uint64_t page_size_bytes, struct kmt_save_area_sizes *sizes);

#endif
