/* SPDX-License-Identifier: MIT */
/*
 * Links that kernels before the P2P lists do not print: paths of up to three direct hops, by way of
 * the CPUs that the GPUs hang on (topology.md 7.3). The direct links are indexed first, so that a
 * hop is looked up in no time.
 */
#include "topology/snapshot.h"

#include <stdlib.h>

#define NO_LINK             UINT16_MAX
#define MAX_QPI_WEIGHT      20
#define MAX_INDEXABLE_NODES 4096

struct paths {
	struct topology_snapshot *snapshot;
	uint16_t *index; /* owned; [from * node_count + to]: number of the direct link */
	uint32_t *cpu;   /* owned; the direct CPU of each GPU */
};

static const HsaIoLinkProperties *direct_link(const struct paths *paths, uint32_t from, uint32_t to)
{
	uint16_t number = paths->index[(size_t)from * paths->snapshot->node_count + to];

	return number == NO_LINK ? NULL : &paths->snapshot->nodes[from].links[number];
}

static bool has_public_frame_buffer(const struct topology_node *node)
{
	for (uint32_t i = 0; i < node->properties.NumMemoryBanks; i++)
		if (node->banks[i].HeapType == HSA_HEAPTYPE_FRAME_BUFFER_PUBLIC)
			return true;
	return false;
}

/*
 * The path from one GPU to another, or from or to a CPU that is not the GPU's own.
 * @return the number of nodes on it, both ends included; 0: none.
 */
static uint32_t choose_path(const struct paths *paths, uint32_t from, uint32_t to, uint32_t path[4],
			    uint32_t *type_hop)
{
	bool from_gpu = topology_is_gpu(&paths->snapshot->nodes[from]);
	bool to_gpu = topology_is_gpu(&paths->snapshot->nodes[to]);
	uint32_t from_cpu = paths->cpu[from], to_cpu = paths->cpu[to];
	uint32_t count = 0;

	if ((from_gpu && from_cpu == INVALID_NODEID) || (to_gpu && to_cpu == INVALID_NODEID))
		return 0;
	path[count++] = from;
	if (from_gpu)
		path[count++] = from_cpu;
	if (to_gpu && !(from_gpu && from_cpu == to_cpu))
		path[count++] = to_cpu;
	path[count++] = to;
	/* Two GPUs: the hop between the CPUs, or the last one; else the one not at the GPU. */
	*type_hop = from_gpu ? 1 : 0;
	return count;
}

static void add_path(const struct paths *paths, uint32_t from, uint32_t to)
{
	HsaIoLinkProperties link = { .NodeFrom = from, .NodeTo = to };
	const struct topology_node *a = &paths->snapshot->nodes[from];
	const struct topology_node *b = &paths->snapshot->nodes[to];
	uint32_t path[4], type_hop, count;

	if (!topology_is_gpu(a) && !topology_is_gpu(b))
		return;
	if (a->properties.HiveID && a->properties.HiveID == b->properties.HiveID)
		return;
	if (topology_is_gpu(b) && !has_public_frame_buffer(b))
		return;
	if (direct_link(paths, from, to))
		return;
	count = choose_path(paths, from, to, path, &type_hop);
	for (uint32_t hop = 0; hop + 1 < count; hop++) {
		const HsaIoLinkProperties *part = direct_link(paths, path[hop], path[hop + 1]);

		if (!part)
			return;
		if (hop == type_hop) {
			link.IoLinkType = part->IoLinkType;
			if (count == 4 && part->IoLinkType == HSA_IOLINK_TYPE_QPI_1_1 &&
			    part->Weight > MAX_QPI_WEIGHT)
				return;
		}
		link.Weight += part->Weight;
	}
	if (link.Weight)
		(void)topology_link_add(&paths->snapshot->nodes[from], &link);
}

/* Room for a link to every other node, which is what a node may have. */
static bool make_room(struct topology_snapshot *snapshot)
{
	for (uint32_t i = 0; i < snapshot->node_count; i++) {
		struct topology_node *node = &snapshot->nodes[i];
		HsaIoLinkProperties *links =
			realloc(node->links, snapshot->node_count * sizeof(*links));

		if (!links)
			return false;
		node->links = links;
		node->link_room = snapshot->node_count - 1;
	}
	return true;
}

static void index_links(const struct paths *paths)
{
	const struct topology_snapshot *snapshot = paths->snapshot;
	size_t count = snapshot->node_count;

	for (size_t i = 0; i < count * count; i++)
		paths->index[i] = NO_LINK;
	for (uint32_t i = 0; i < count; i++) {
		const struct topology_node *node = &snapshot->nodes[i];

		paths->cpu[i] = topology_direct_cpu(snapshot, i);
		for (uint32_t l = node->properties.NumIOLinks; l-- > 0;) /* the first one wins */
			paths->index[i * count + node->links[l].NodeTo] = (uint16_t)l;
	}
}

HSAKMT_STATUS topology_indirect_links(struct topology_snapshot *snapshot)
{
	uint32_t count = snapshot->node_count;
	struct paths paths = { .snapshot = snapshot };
	HSAKMT_STATUS status = HSAKMT_STATUS_NO_MEMORY;

	if (count > MAX_INDEXABLE_NODES)
		return HSAKMT_STATUS_ERROR;
	paths.index = calloc((size_t)count * count + 1, sizeof(*paths.index));
	paths.cpu = calloc(count + 1, sizeof(*paths.cpu));
	if (!paths.index || !paths.cpu || !make_room(snapshot))
		goto out;
	index_links(&paths);
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t j = i + 1; j < count; j++) {
			add_path(&paths, i, j);
			add_path(&paths, j, i);
		}
	status = HSAKMT_STATUS_SUCCESS;
out:
	free(paths.index);
	free(paths.cpu);
	return status;
}
