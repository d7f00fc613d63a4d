/* SPDX-License-Identifier: MIT */
/* Copies of the snapshot for callers, with what the apertures add to it (topology.md 9). */
#include "topology/getters.h"

#include <string.h>

#include "memory/fmm.h"
#include "topology/snapshot.h"

/* Banks that the library adds to each GPU: LDS, scratch, SVM; and the MMIO page where mapped. */
#define ADDED_BANKS 3

/*
 * The checks that all getters share, in their order. On SUCCESS the global lock is held and *node
 * is set.
 */
static HSAKMT_STATUS begin(struct kmt_context *ctx, uint32_t node_id, const void *out,
			   const struct topology_node **node)
{
	const struct topology_snapshot *snapshot;

	if (!out)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	kmt_global_lock();
	snapshot = topology_current(ctx);
	if (!snapshot || node_id >= snapshot->node_count) {
		kmt_global_unlock();
		return HSAKMT_STATUS_INVALID_NODE_UNIT;
	}
	*node = &snapshot->nodes[node_id];
	return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS kmt_get_node_properties(struct kmt_context *ctx, HSAuint32 node_id,
				      HsaNodeProperties *out)
{
	const struct topology_node *node;
	HSAKMT_STATUS status = begin(ctx, node_id, out, &node);
	uint64_t base, limit;

	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	*out = node->properties;
	if (topology_is_gpu(node)) {
		out->NumMemoryBanks += ADDED_BANKS;
		if (kmt_fmm_aperture(ctx, node_id, KMT_APERTURE_MMIO, &base, &limit))
			out->NumMemoryBanks++;
	}
	kmt_global_unlock();
	return status;
}

struct bank_writer {
	HsaMemoryProperties *banks;
	uint32_t count, room;
};

static void write_bank(struct bank_writer *writer, HSA_HEAPTYPE type, uint64_t base,
		       uint64_t size_bytes)
{
	HsaMemoryProperties *bank;

	if (writer->count >= writer->room)
		return;
	bank = &writer->banks[writer->count++];
	bank->HeapType = type;
	bank->VirtualBaseAddress = base;
	bank->SizeInBytes = size_bytes;
}

static void write_added_banks(struct kmt_context *ctx, const struct topology_node *node,
			      uint32_t node_id, struct bank_writer *writer)
{
	const HsaNodeProperties *properties = &node->properties;
	uint32_t gfx = kmt_topology_gfx(ctx, node_id);
	uint64_t base, limit;

	if (kmt_fmm_aperture(ctx, node_id, KMT_APERTURE_LDS, &base, &limit))
		write_bank(writer, HSA_HEAPTYPE_GPU_LDS, base,
			   (uint64_t)properties->LDSSizeInKB * 1024);
	/* Only Kaveri has memory of its own behind the GPUVM aperture. */
	if (gfx == KMT_GFX(7, 0, 0) && properties->LocalMemSize &&
	    kmt_fmm_aperture(ctx, node_id, KMT_APERTURE_GPUVM, &base, &limit))
		write_bank(writer, HSA_HEAPTYPE_FRAME_BUFFER_PRIVATE, base,
			   properties->LocalMemSize);
	if (kmt_fmm_aperture(ctx, node_id, KMT_APERTURE_SCRATCH, &base, &limit))
		write_bank(writer, HSA_HEAPTYPE_GPU_SCRATCH, base, limit - base + 1);
	if ((kmt_process()->is_dgpu || gfx >= KMT_GFX(9, 0, 0)) &&
	    kmt_fmm_aperture(ctx, node_id, KMT_APERTURE_SVM, &base, &limit))
		write_bank(writer, HSA_HEAPTYPE_DEVICE_SVM, base, limit - base + 1);
	if (kmt_fmm_aperture(ctx, node_id, KMT_APERTURE_MMIO, &base, &limit))
		write_bank(writer, HSA_HEAPTYPE_MMIO_REMAP, base, kmt_process()->page_size_bytes);
}

HSAKMT_STATUS kmt_get_node_memory_properties(struct kmt_context *ctx, HSAuint32 node_id,
					     HSAuint32 bank_count, HsaMemoryProperties *out)
{
	struct bank_writer writer = { .banks = out, .room = bank_count };
	const struct topology_node *node;
	HSAKMT_STATUS status = begin(ctx, node_id, out, &node);

	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	memset(out, 0, (size_t)bank_count * sizeof(*out));
	writer.count = node->properties.NumMemoryBanks;
	if (writer.count > bank_count)
		writer.count = bank_count;
	if (writer.count)
		memcpy(out, node->banks, writer.count * sizeof(*out));
	if (topology_is_gpu(node))
		write_added_banks(ctx, node, node_id, &writer);
	kmt_global_unlock();
	return status;
}

HSAKMT_STATUS kmt_get_node_cache_properties(struct kmt_context *ctx, HSAuint32 node_id,
					    HSAuint32 processor_id, HSAuint32 cache_count,
					    HsaCacheProperties *out)
{
	const struct topology_node *node;
	HSAKMT_STATUS status = begin(ctx, node_id, out, &node);

	(void)processor_id;
	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	if (cache_count > node->properties.NumCaches)
		status = HSAKMT_STATUS_INVALID_PARAMETER;
	else if (cache_count)
		memcpy(out, node->caches, cache_count * sizeof(*out));
	kmt_global_unlock();
	return status;
}

HSAKMT_STATUS kmt_get_node_io_link_properties(struct kmt_context *ctx, HSAuint32 node_id,
					      HSAuint32 link_count, HsaIoLinkProperties *out)
{
	const struct topology_node *node;
	HSAKMT_STATUS status = begin(ctx, node_id, out, &node);

	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	if (link_count > node->properties.NumIOLinks)
		status = HSAKMT_STATUS_INVALID_PARAMETER;
	else if (link_count)
		memcpy(out, node->links, link_count * sizeof(*out));
	kmt_global_unlock();
	return status;
}

HSAKMT_STATUS kmt_get_node_wallclock_frequency(struct kmt_context *ctx, HSAuint32 node_id,
					       uint64_t *frequency_hz)
{
	const struct topology_node *node;
	HSAKMT_STATUS status = begin(ctx, node_id, frequency_hz, &node);

	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	*frequency_hz = node->properties.WallClockKHz * 1000;
	kmt_global_unlock();
	return status;
}
