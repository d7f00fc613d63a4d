/* SPDX-License-Identifier: MIT */
/* The clocks of GPU and host, read together. */
#ifndef KFDSCOPE_THUNK_CLOCK_CLOCK_H
#define KFDSCOPE_THUNK_CLOCK_CLOCK_H

#include "context.h"

/*
 * Counters of a node. Of a GPU node four samples are taken, and the one that took the least time is
 * kept, so that its counters belong together as closely as can be. A CPU node has no GPU counter.
 *
 * @param out  counters in ticks; system counter in ticks of the frequency, which is in Hz.
 * @return SUCCESS; KERNEL_IO_CHANNEL_NOT_OPENED; INVALID_PARAMETER for NULL; INVALID_NODE_UNIT;
 *         ERROR when the kernel refuses a sample.
 */
HSAKMT_STATUS kmt_get_clock_counters(struct kmt_context *ctx, HSAuint32 node_id,
				     HsaClockCounters *out);
/* Another name of the same: it once was the only one that took several samples. */
HSAKMT_STATUS kmt_get_clock_counters_precise(struct kmt_context *ctx, HSAuint32 node_id,
					     HsaClockCounters *out);

#endif
