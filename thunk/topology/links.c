/* SPDX-License-Identifier: MIT */
/* The links that the kernel lists, with sysfs node ids turned into user ids (topology.md 7). */
#include "topology/snapshot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "topology/sysfs.h"

/* clang-format off */
static const struct sysfs_key link_keys[] = {
	SYSFS_KEY("type",                            HsaIoLinkProperties, IoLinkType),
	SYSFS_KEY("version_major",                   HsaIoLinkProperties, VersionMajor),
	SYSFS_KEY("version_minor",                   HsaIoLinkProperties, VersionMinor),
	SYSFS_KEY("node_from",                       HsaIoLinkProperties, NodeFrom),
	SYSFS_KEY("node_to",                         HsaIoLinkProperties, NodeTo),
	SYSFS_KEY("weight",                          HsaIoLinkProperties, Weight),
	SYSFS_KEY("min_latency",                     HsaIoLinkProperties, MinimumLatency),
	SYSFS_KEY("max_latency",                     HsaIoLinkProperties, MaximumLatency),
	SYSFS_KEY("min_bandwidth",                   HsaIoLinkProperties, MinimumBandwidth),
	SYSFS_KEY("max_bandwidth",                   HsaIoLinkProperties, MaximumBandwidth),
	SYSFS_KEY("recommended_transfer_size",       HsaIoLinkProperties, RecTransferSize),
	SYSFS_KEY("recommended_sdma_engine_id_mask", HsaIoLinkProperties, RecSdmaEngIdMask),
	SYSFS_KEY("flags",                           HsaIoLinkProperties, Flags.LinkProperty),
};
/* clang-format on */
#define LINK_KEY_COUNT (sizeof(link_keys) / sizeof(*link_keys))

/* A direct link is one step: PCIe counts 20, XGMI 15 a hop. */
#define MAX_DIRECT_WEIGHT 20

bool topology_link_add(struct topology_node *node, const HsaIoLinkProperties *link)
{
	if (node->properties.NumIOLinks >= node->link_room) {
		kmt_log(KMT_LOG_WARNING, "sysfs node %u: more links than other nodes; dropped",
			node->sysfs_id);
		return false;
	}
	node->links[node->properties.NumIOLinks++] = *link;
	return true;
}

static HSAKMT_STATUS read_link(struct kmt_context *ctx, const struct topology_snapshot *snapshot,
			       struct topology_node *node, const char *directory, uint32_t index)
{
	HsaIoLinkProperties link = { 0 };
	char buf[SYSFS_BUFFER_SIZE];
	uint32_t user_id;
	ssize_t rc = sysfs_read(ctx, buf, "%s/nodes/%u/%s/%u/properties",
				ctx->device->topology_root, node->sysfs_id, directory, index);

	if (rc == -EPERM || rc == 0) /* the other end is hidden by a cgroup */
		return HSAKMT_STATUS_SUCCESS;
	if (rc < 0) {
		kmt_log(KMT_LOG_ERR, "sysfs node %u: cannot read %s %u: errno %d", node->sysfs_id,
			directory, index, (int)-rc);
		return HSAKMT_STATUS_ERROR;
	}
	sysfs_parse(buf, link_keys, LINK_KEY_COUNT, &link);
	if (link.NodeFrom != node->sysfs_id) {
		kmt_log(KMT_LOG_ERR, "sysfs node %u: %s %u begins at node %u", node->sysfs_id,
			directory, index, link.NodeFrom);
		return HSAKMT_STATUS_INVALID_NODE_UNIT;
	}
	if (link.NodeTo >= snapshot->raw_count) {
		kmt_log(KMT_LOG_ERR, "sysfs node %u: %s %u ends at node %u, which is missing",
			node->sysfs_id, directory, index, link.NodeTo);
		return HSAKMT_STATUS_ERROR;
	}
	user_id = snapshot->user_of_sysfs[link.NodeTo];
	if (user_id == INVALID_NODEID)
		return HSAKMT_STATUS_SUCCESS;
	link.NodeTo = user_id;
	link.NodeFrom = snapshot->user_of_sysfs[node->sysfs_id];
	(void)topology_link_add(node, &link); /* one too many is dropped */
	return HSAKMT_STATUS_SUCCESS;
}

static HSAKMT_STATUS read_links(struct kmt_context *ctx, const struct topology_snapshot *snapshot,
				struct topology_node *node)
{
	uint64_t listed = (uint64_t)node->io_link_count + node->p2p_link_count;
	HSAKMT_STATUS status;

	node->link_room = snapshot->node_count - 1;
	if (listed < node->link_room)
		node->link_room = (uint32_t)listed;
	node->properties.NumIOLinks = 0;
	node->links = calloc(node->link_room + 1, sizeof(*node->links)); /* never of 0 bytes */
	if (!node->links)
		return HSAKMT_STATUS_NO_MEMORY;
	for (uint32_t i = 0; i < node->io_link_count; i++) {
		status = read_link(ctx, snapshot, node, "io_links", i);
		if (status != HSAKMT_STATUS_SUCCESS)
			return status;
	}
	for (uint32_t i = 0; i < node->p2p_link_count; i++) {
		status = read_link(ctx, snapshot, node, "p2p_links", i);
		if (status != HSAKMT_STATUS_SUCCESS)
			return status;
	}
	return HSAKMT_STATUS_SUCCESS;
}

uint32_t topology_direct_cpu(const struct topology_snapshot *snapshot, uint32_t node_id)
{
	const struct topology_node *node = &snapshot->nodes[node_id];

	for (uint32_t i = 0; topology_is_gpu(node) && i < node->properties.NumIOLinks; i++) {
		const HsaIoLinkProperties *link = &node->links[i];
		bool fits = link->IoLinkType == HSA_IOLINKTYPE_PCIEXPRESS ||
			    link->IoLinkType == HSA_IOLINK_TYPE_XGMI;

		if (fits && link->Weight <= MAX_DIRECT_WEIGHT &&
		    !topology_is_gpu(&snapshot->nodes[link->NodeTo]))
			return link->NodeTo;
	}
	return INVALID_NODEID;
}

/* A CPU node without memory is of no use as the nearest one (topology.md 8). */
static void find_nearest_cpu(struct topology_snapshot *snapshot, uint32_t node_id)
{
	uint32_t cpu = topology_direct_cpu(snapshot, node_id);
	uint64_t size_bytes = 0;

	if (cpu != INVALID_NODEID)
		for (uint32_t i = 0; i < snapshot->nodes[cpu].properties.NumMemoryBanks; i++)
			size_bytes += snapshot->nodes[cpu].banks[i].SizeInBytes;
	snapshot->nodes[node_id].nearest_cpu = size_bytes ? cpu : INVALID_NODEID;
}

HSAKMT_STATUS topology_links_read(struct kmt_context *ctx, struct topology_snapshot *snapshot)
{
	bool has_p2p = false;
	HSAKMT_STATUS status;

	for (uint32_t i = 0; i < snapshot->node_count; i++) {
		status = read_links(ctx, snapshot, &snapshot->nodes[i]);
		if (status != HSAKMT_STATUS_SUCCESS)
			return status;
		has_p2p |= snapshot->nodes[i].has_p2p_key;
	}
	for (uint32_t i = 0; i < snapshot->node_count; i++)
		find_nearest_cpu(snapshot, i);
	return has_p2p ? HSAKMT_STATUS_SUCCESS : topology_indirect_links(snapshot);
}
