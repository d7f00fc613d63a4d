/* SPDX-License-Identifier: MIT */
/* The snapshot of the machine, as the files of this folder share it (topology.md 2 to 7). */
#ifndef KFDSCOPE_THUNK_TOPOLOGY_SNAPSHOT_H
#define KFDSCOPE_THUNK_TOPOLOGY_SNAPSHOT_H

#include "topology/topology.h"

struct cpuinfo;

/* Where the kernel describes the processors of a NUMA node. */
#define TOPOLOGY_NUMA_ROOT "/sys/devices/system/node"

/* A node of the snapshot. Filled by node.c, engine.c, cpu_caches.c, links.c in this order. */
struct topology_node {
	HsaNodeProperties properties;
	uint32_t sysfs_id;
	uint32_t nearest_cpu; /* user node, or INVALID_NODEID */

	/* As printed by the kernel, before they are combined into properties. */
	uint32_t io_link_count, p2p_link_count;
	uint32_t array_count, simd_arrays_per_engine;
	uint32_t fw_version, sdma_fw_version;
	uint32_t gfx_target_version;
	bool has_p2p_key;
	bool lacks_numa_caches; /* a CPU node without caches in its NUMA directory */

	const char *override_variable; /* NULL: none; points into override_name */
	char override_name[40];

	/* Each owned; lengths are in properties. */
	HsaMemoryProperties *banks;
	HsaCacheProperties *caches;
	HsaIoLinkProperties *links;
	uint32_t link_room;
};

/* A sysfs node that is not shown, with the reason. */
struct topology_hidden {
	uint32_t sysfs_id, gpu_id, render_minor, location_id, domain; /* 0: not known */
	int err;                                                      /* errno that hid it */
};

struct topology_snapshot {
	HsaSystemProperties system;
	uint32_t raw_count; /* nodes in sysfs */
	uint32_t node_count;
	uint32_t hidden_count;
	uint32_t retry_count; /* how often the generation changed under the reader */
	uint32_t generation;
	struct topology_node *nodes;    /* owned; node_count of raw_count */
	struct topology_hidden *hidden; /* owned; hidden_count of raw_count */
	uint32_t *user_of_sysfs;        /* owned; raw_count; INVALID_NODEID for hidden ones */
};

/*
 * Takes a snapshot. The caller holds the global lock.
 * @param out  the snapshot, for topology_snapshot_free().
 * @return SUCCESS; ERROR; NO_MEMORY; INVALID_NODE_UNIT (a link of another node).
 */
HSAKMT_STATUS topology_snapshot_take(struct kmt_context *ctx, struct topology_snapshot **out);
/* Accepts NULL and half-made ones. */
void topology_snapshot_free(struct topology_snapshot *snapshot);

/*
 * Reads the system properties and decides which nodes are usable (topology.md 3); their properties
 * are parsed, nothing else is read.
 */
HSAKMT_STATUS topology_nodes_read(struct kmt_context *ctx, struct topology_snapshot *snapshot);

/* Reads a node's memory banks and, unless the CPU's take their place, its caches. */
HSAKMT_STATUS topology_node_read_banks(struct kmt_context *ctx, struct topology_node *node);
HSAKMT_STATUS topology_node_read_caches(struct kmt_context *ctx, struct topology_node *node);

/*
 * Engine version, names, register file sizes of a GPU node (topology.md 6).
 * @return SUCCESS; ERROR for an override that cannot be read.
 */
HSAKMT_STATUS topology_engine_derive(struct kmt_context *ctx, struct topology_node *node,
				     uint32_t node_id);

/* Name of a CPU node. */
void topology_cpu_name(const struct cpuinfo *cpuinfo, struct topology_node *node);
/*
 * Caches of a CPU node, from the directories of the kernel's CPU devices (topology.md 5). What is
 * missing there is left out; only memory can fail it.
 */
HSAKMT_STATUS topology_cpu_caches(struct kmt_context *ctx, const struct cpuinfo *cpuinfo,
				  struct topology_node *node, uint32_t node_id);

/* Reads all links of all nodes, and adds indirect ones for kernels that do not list them. */
HSAKMT_STATUS topology_links_read(struct kmt_context *ctx, struct topology_snapshot *snapshot);
/* Adds a link to a node. @return false when the node has all it can have. */
bool topology_link_add(struct topology_node *node, const HsaIoLinkProperties *link);
/* The missing links between nodes that are not neighbours (topology.md 7.3). */
HSAKMT_STATUS topology_indirect_links(struct topology_snapshot *snapshot);
/* The CPU node that a GPU node hangs on, or INVALID_NODEID. */
uint32_t topology_direct_cpu(const struct topology_snapshot *snapshot, uint32_t node_id);

/* The current snapshot of a context, or NULL. */
const struct topology_snapshot *topology_current(const struct kmt_context *ctx);
/* Publishes a snapshot, which may be NULL, in place of the current one; takes it over. */
void topology_publish(struct kmt_context *ctx, struct topology_snapshot *snapshot);

static inline bool topology_is_gpu(const struct topology_node *node)
{
	return node->properties.KFDGpuID != 0;
}

#endif
