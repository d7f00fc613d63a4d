/* SPDX-License-Identifier: MIT */
/* Taking and giving back the topology snapshot, with all that depends on it. */
#ifndef KFDSCOPE_THUNK_TOPOLOGY_ACQUIRE_H
#define KFDSCOPE_THUNK_TOPOLOGY_ACQUIRE_H

#include "context.h"

/*
 * Takes the snapshot and initialises apertures and doorbells, or copies what is held: no file is
 * read then, and nothing is counted. Takes the global lock (topology.md 1).
 *
 * @return SUCCESS; KERNEL_IO_CHANNEL_NOT_OPENED; INVALID_PARAMETER for NULL; NO_MEMORY; ERROR, also
 *         when the topology does not stop to change; INVALID_NODE_UNIT for a link in the wrong
 *         place. Nothing is held after a failure.
 */
HSAKMT_STATUS kmt_acquire_system_properties(struct kmt_context *ctx, HsaSystemProperties *out);
/*
 * Gives back doorbells, apertures and snapshot, whatever the number of acquires; harmless without.
 * In a forked child only the snapshot, since the rest is the parent's.
 *
 * @return SUCCESS; INVALID_PARAMETER for a context that does not exist.
 */
HSAKMT_STATUS kmt_release_system_properties(struct kmt_context *ctx);

/*
 * What the first open looks at: which nodes are usable. Opens their render nodes. The caller holds
 * the global lock.
 *
 * @param node_count  number of usable nodes.
 * @return SUCCESS; ERROR; NO_MEMORY.
 */
HSAKMT_STATUS kmt_topology_probe(struct kmt_context *ctx, uint32_t *node_count);

#endif
