/* SPDX-License-Identifier: MIT */
/* What callers ask about the nodes of the snapshot. All take the global lock (topology.md 1). */
#ifndef KFDSCOPE_THUNK_TOPOLOGY_GETTERS_H
#define KFDSCOPE_THUNK_TOPOLOGY_GETTERS_H

#include "context.h"

/*
 * The node, with the memory banks counted that the library adds to a GPU's.
 * @return SUCCESS; INVALID_PARAMETER for NULL; KERNEL_IO_CHANNEL_NOT_OPENED; INVALID_NODE_UNIT
 *         without a snapshot and for unknown nodes. These statuses come in this order.
 */
HSAKMT_STATUS kmt_get_node_properties(struct kmt_context *ctx, HSAuint32 node_id,
				      HsaNodeProperties *out);
/*
 * The node's memory banks: sysfs's, then LDS, scratch, SVM and MMIO ranges of a GPU (topology.md 9).
 *
 * @param out  bank_count entries; those beyond the known banks are zeroed, a short array is fine.
 * @return as kmt_get_node_properties().
 */
HSAKMT_STATUS kmt_get_node_memory_properties(struct kmt_context *ctx, HSAuint32 node_id,
					     HSAuint32 bank_count, HsaMemoryProperties *out);
/*
 * The first cache_count caches of the node.
 *
 * @param processor_id  ignored.
 * @return as kmt_get_node_properties(); INVALID_PARAMETER when there are fewer.
 */
HSAKMT_STATUS kmt_get_node_cache_properties(struct kmt_context *ctx, HSAuint32 node_id,
					    HSAuint32 processor_id, HSAuint32 cache_count,
					    HsaCacheProperties *out);
/*
 * The first link_count links of the node.
 * @return as kmt_get_node_properties(); INVALID_PARAMETER when there are fewer.
 */
HSAKMT_STATUS kmt_get_node_io_link_properties(struct kmt_context *ctx, HSAuint32 node_id,
					      HSAuint32 link_count, HsaIoLinkProperties *out);
/*
 * Frequency of the GPU's clock counter, as the DRM driver says.
 *
 * @param frequency_hz  0 when it is not known.
 * @return as kmt_get_node_properties().
 */
HSAKMT_STATUS kmt_get_node_wallclock_frequency(struct kmt_context *ctx, HSAuint32 node_id,
					       uint64_t *frequency_hz);

#endif
