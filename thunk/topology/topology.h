/* SPDX-License-Identifier: MIT */
/*
 * The topology snapshot (topology.md) and the look-ups that other modules need. All node ids here
 * are the dense user ids of the snapshot.
 */
#ifndef KFDSCOPE_THUNK_TOPOLOGY_TOPOLOGY_H
#define KFDSCOPE_THUNK_TOPOLOGY_TOPOLOGY_H

#include "context.h"

struct kmt_topology *kmt_topology_new(void);
/* Drops the snapshot too; accepts NULL. */
void kmt_topology_free(struct kmt_topology *topology);

/* Version number of an engine id: major<<16 | minor<<8 | stepping. */
#define KMT_GFX(major, minor, stepping) ((uint32_t)(((major) << 16) | ((minor) << 8) | (stepping)))

/* True while a snapshot is held. */
bool kmt_topology_held(const struct kmt_context *ctx);
/* Number of nodes of the snapshot; 0 without one. */
uint32_t kmt_topology_node_count(const struct kmt_context *ctx);
/* Number of nodes in sysfs, the hidden ones included. */
uint32_t kmt_topology_raw_node_count(const struct kmt_context *ctx);

/*
 * Node id to gpu id; 0 for CPU nodes.
 * @return HSAKMT_STATUS_SUCCESS, or HSAKMT_STATUS_INVALID_NODE_UNIT without a snapshot or such a node.
 */
HSAKMT_STATUS kmt_topology_gpu_id(const struct kmt_context *ctx, uint32_t node_id,
				  uint32_t *gpu_id);
/* Gpu id to node id, first match (a CPU node has gpu id 0). INVALID_NODE_UNIT when unknown. */
HSAKMT_STATUS kmt_topology_node_of_gpu(const struct kmt_context *ctx, uint32_t gpu_id,
				       uint32_t *node_id);
/*
 * Node array to a new gpu id array.
 * @param out  array of count gpu ids; the caller frees it. Untouched on failure.
 * @return SUCCESS; INVALID_PARAMETER for count 0 or a NULL array; NO_MEMORY; INVALID_NODE_UNIT.
 */
HSAKMT_STATUS kmt_topology_gpu_ids(const struct kmt_context *ctx, const uint32_t *node_ids,
				   uint64_t count, uint32_t **out);

/*
 * Properties of a node as parsed, without the banks that the library adds. Borrowed until the
 * snapshot is released; NULL for an unknown node.
 */
const HsaNodeProperties *kmt_topology_properties(const struct kmt_context *ctx, uint32_t node_id);
/* KMT_GFX() number of a GPU node; 0 for CPU nodes and unknown nodes. */
uint32_t kmt_topology_gfx(const struct kmt_context *ctx, uint32_t node_id);
/* Node id in sysfs of a user node (they differ when nodes are hidden); the same id if unknown. */
uint32_t kmt_topology_sysfs_id(const struct kmt_context *ctx, uint32_t node_id);
/* CPU node nearest to a GPU node (topology.md 8), or INVALID_NODEID. */
uint32_t kmt_topology_nearest_cpu(const struct kmt_context *ctx, uint32_t node_id);
/* Links of a node, *count of them; borrowed until the snapshot is released. */
const HsaIoLinkProperties *kmt_topology_links(const struct kmt_context *ctx, uint32_t node_id,
					      uint32_t *count);

/* How a snapshot came about. */
struct kmt_topology_info {
	uint32_t node_count, raw_node_count, hidden_count;
	uint32_t generation;
	uint32_t retry_count; /* how often the topology changed while it was read */
};
/* Takes the global lock. @return false without a snapshot. */
bool kmt_topology_info(struct kmt_context *ctx, struct kmt_topology_info *info);

/* A node as sysfs has it, shown to callers or hidden from them. */
struct kmt_node_info {
	uint32_t node_id; /* INVALID_NODEID: hidden */
	uint32_t sysfs_id, gpu_id, domain, location_id;
	uint32_t render_minor; /* 0: none, or not known */
	int hidden_errno;      /* why it is hidden: EPERM (cgroup) or ENOENT (no render node) */
	const HsaNodeProperties *properties; /* NULL when hidden; borrowed for the call */
	uint32_t gfx;                        /* KMT_GFX() of the hardware; 0: none */
	uint32_t override_gfx;               /* what the override says; valid with the variable */
	const char *override_variable;       /* NULL: none; borrowed for the call */
};
/*
 * Calls visit for each user node in order, then for each hidden one. No call without a snapshot. The
 * caller holds the global lock, and visit must not call the thunk.
 */
void kmt_topology_for_each_node(const struct kmt_context *ctx,
				void (*visit)(const struct kmt_node_info *info, void *data),
				void *data);

#endif
