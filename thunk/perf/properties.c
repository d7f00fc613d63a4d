/* SPDX-License-Identifier: MIT */
/*
 * The counter tables that callers see (perf.md 1): blocks of variable length, back to back. Old
 * APUs have one more block, whose size and ids sysfs tells (perf.md 3).
 */
#include "perf/perf-internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/topology.h"

/* A file of sysfs is a page at most. */
#define FILE_BYTES         4096
#define IOMMU_MAX_COUNTERS 256

struct kmt_perf *kmt_perf_new(uint32_t node_count)
{
	struct kmt_perf *perf = calloc(1, sizeof(*perf));

	if (!perf)
		return NULL;
	pthread_mutex_init(&perf->lock, NULL);
	perf->nodes = calloc(node_count ? node_count : 1, sizeof(*perf->nodes));
	if (!perf->nodes) {
		kmt_perf_free(perf);
		return NULL;
	}
	perf->node_count = node_count;
	return perf;
}

void kmt_perf_free(struct kmt_perf *perf)
{
	if (!perf)
		return;
	pmc_traces_free(perf);
	for (uint32_t i = 0; i < perf->node_count; i++)
		free(perf->nodes[i]);
	free(perf->nodes);
	free(perf);
}

/* What sysfs says about the IOMMU's counters; no counters when it says nothing. */
struct iommu_block {
	uint32_t slots, counter_count;
	uint16_t ids[IOMMU_MAX_COUNTERS];
};

static bool read_node_file(struct kmt_context *ctx, uint32_t node_id, const char *name, char *buf,
			   size_t size_bytes)
{
	char path[512];

	if (!ctx->device || !ctx->device->topology_root || !ctx->device->ops)
		return false;
	snprintf(path, sizeof(path), "%s/nodes/%u/perf/iommu/%s", ctx->device->topology_root,
		 kmt_topology_sysfs_id(ctx, node_id), name);
	return ctx->device->ops->read_file(ctx->device, path, buf, size_bytes) > 0;
}

static void read_iommu(struct kmt_context *ctx, uint32_t node_id, struct iommu_block *iommu)
{
	char buf[FILE_BYTES];
	const char *position = buf;

	*iommu = (struct iommu_block){ 0 };
	if (!read_node_file(ctx, node_id, "max_concurrent", buf, sizeof(buf)))
		return;
	iommu->slots = (uint32_t)strtoul(buf, NULL, 0);
	if (!iommu->slots || !read_node_file(ctx, node_id, "counter_ids", buf, sizeof(buf)))
		return;
	/* Numbers, with whatever stands between them. */
	while (iommu->counter_count < IOMMU_MAX_COUNTERS) {
		char *end;
		unsigned long id;

		position += strcspn(position, "0123456789");
		if (!*position)
			return;
		id = strtoul(position, &end, 0);
		if (id <= UINT16_MAX)
			iommu->ids[iommu->counter_count++] = (uint16_t)id;
		position = end;
	}
}

/* Starts a block; counters follow with add_counter(). */
static HsaCounterBlockProperties *begin_block(HsaCounterProperties *properties, void *position,
					      enum pmc_block_index index, uint32_t slots)
{
	HsaCounterBlockProperties *block = position;

	block->BlockId = pmc_block_uuid(index);
	block->NumConcurrent = slots;
	properties->NumBlocks++;
	properties->NumConcurrent += slots;
	return block;
}

static void add_counter(HsaCounterBlockProperties *block, enum pmc_block_index index, uint64_t id,
			HSA_PROFILE_TYPE type)
{
	HsaCounter *counters = block->Counters;
	HsaCounter *counter = counters + block->NumCounters++;

	counter->Type = type;
	counter->CounterId = id;
	counter->CounterSizeInBits = PMC_COUNTER_BITS;
	counter->CounterMask = PMC_COUNTER_MASK;
	counter->Flags.ui32.Global = 1;
	counter->BlockIndex = index;
}

static void *end_of(HsaCounterBlockProperties *block)
{
	HsaCounter *counters = block->Counters;

	return counters + block->NumCounters;
}

/* @return NULL without memory. */
static HsaCounterProperties *build(const struct pmc_family *family, const struct iommu_block *iommu)
{
	const size_t head_bytes = sizeof(HsaCounterProperties) - sizeof(HsaCounterBlockProperties);
	const size_t block_bytes = sizeof(HsaCounterBlockProperties) - sizeof(HsaCounter);
	size_t block_count = family->block_count + (iommu->counter_count > 0);
	size_t counter_count = iommu->counter_count;
	HsaCounterProperties *properties;
	void *position;

	for (uint32_t i = 0; i < family->block_count; i++)
		counter_count += pmc_block_counter_count(&family->blocks[i]);
	properties = calloc(1, head_bytes + block_count * block_bytes +
				       counter_count * sizeof(HsaCounter));
	if (!properties)
		return NULL;
	position = properties->Blocks;
	for (uint32_t i = 0; i < family->block_count; i++) {
		const struct pmc_block *from = &family->blocks[i];
		HsaCounterBlockProperties *block =
			begin_block(properties, position, from->index, from->slots);

		for (uint32_t j = 0; j < from->range_count; j++)
			for (uint32_t id = from->ranges[j].first; id <= from->ranges[j].last; id++)
				add_counter(block, from->index, id,
					    HSA_PROFILE_TYPE_NONPRIV_IMMEDIATE);
		position = end_of(block);
	}
	if (iommu->counter_count) {
		HsaCounterBlockProperties *block =
			begin_block(properties, position, PMC_BLOCK_IOMMU, iommu->slots);

		for (uint32_t i = 0; i < iommu->counter_count; i++)
			add_counter(block, PMC_BLOCK_IOMMU, iommu->ids[i],
				    HSA_PROFILE_TYPE_PRIVILEGED_IMMEDIATE);
	}
	return properties;
}

/* Makes room for a node that came after the part was made; the caller holds the lock. */
static bool make_room(struct kmt_perf *perf, uint32_t node_id)
{
	HsaCounterProperties **nodes;

	if (node_id < perf->node_count)
		return true;
	nodes = realloc(perf->nodes, (node_id + UINT64_C(1)) * sizeof(*nodes));
	if (!nodes)
		return false;
	memset(nodes + perf->node_count, 0, (node_id + 1 - perf->node_count) * sizeof(*nodes));
	perf->nodes = nodes;
	perf->node_count = node_id + 1;
	return true;
}

static HSAKMT_STATUS build_node(struct kmt_context *ctx, uint32_t node_id,
				HsaCounterProperties **out)
{
	const HsaNodeProperties *node = kmt_topology_properties(ctx, node_id);
	struct pmc_family family =
		pmc_family_of(kmt_topology_gfx(ctx, node_id), node ? node->DeviceId : 0);
	struct iommu_block iommu;

	read_iommu(ctx, node_id, &iommu);
	if (!family.block_count && !iommu.counter_count)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	*out = build(&family, &iommu);
	return *out ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_NO_MEMORY;
}

HSAKMT_STATUS kmt_pmc_get_counter_properties(struct kmt_context *ctx, HSAuint32 node_id,
					     HsaCounterProperties **properties)
{
	struct kmt_perf *perf = ctx->perf;
	HSAKMT_STATUS status;
	uint32_t gpu_id;

	if (!perf)
		return HSAKMT_STATUS_NO_MEMORY;
	if (!properties)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	status = kmt_topology_gpu_id(ctx, node_id, &gpu_id);
	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	/* Two first callers must not both build: the pointers are handed out for good. */
	pthread_mutex_lock(&perf->lock);
	if (!make_room(perf, node_id))
		status = HSAKMT_STATUS_NO_MEMORY;
	else if (!perf->nodes[node_id])
		status = build_node(ctx, node_id, &perf->nodes[node_id]);
	if (status == HSAKMT_STATUS_SUCCESS)
		*properties = perf->nodes[node_id];
	pthread_mutex_unlock(&perf->lock);
	return status;
}

const HsaCounterBlockProperties *pmc_find_block(const HsaCounterProperties *properties,
						uint32_t block_index)
{
	const HsaCounterBlockProperties *block = properties->Blocks;

	for (uint32_t i = 0; i < properties->NumBlocks; i++) {
		const HsaCounter *counters = block->Counters;

		if (block->NumCounters && counters->BlockIndex == block_index)
			return block;
		block = (const void *)(counters + block->NumCounters);
	}
	return NULL;
}
