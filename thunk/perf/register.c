/* SPDX-License-Identifier: MIT */
/*
 * Registering a counter trace (perf.md 2): only privileged counters can be in one, and only those
 * that the node has.
 */
#include "perf/trace-internal.h"

#include <stdlib.h>

#include "topology/topology.h"

#define MAX_COUNTERS 512

static bool is_privileged(const HsaCounter *counter)
{
	return counter->Type == HSA_PROFILE_TYPE_PRIVILEGED_IMMEDIATE ||
	       counter->Type == HSA_PROFILE_TYPE_PRIVILEGED_STREAMING;
}

static bool block_has(const HsaCounterBlockProperties *block, uint64_t id)
{
	const HsaCounter *counters = block->Counters;

	for (uint32_t i = 0; i < block->NumCounters; i++)
		if (counters[i].CounterId == id)
			return true;
	return false;
}

/* Counts the privileged counters of each block, and checks that the node has them. */
static HSAKMT_STATUS count_by_block(const HsaCounterProperties *properties,
				    const HsaCounter *counters, uint32_t count,
				    uint32_t by_block[PMC_BLOCK_COUNT])
{
	uint32_t privileged = 0;

	for (uint32_t i = 0; i < count; i++) {
		const HsaCounterBlockProperties *block;

		if (counters[i].BlockIndex >= PMC_BLOCK_COUNT)
			return HSAKMT_STATUS_INVALID_PARAMETER;
		if (!is_privileged(&counters[i]))
			continue;
		block = properties ? pmc_find_block(properties, counters[i].BlockIndex) : NULL;
		if (!block || !block_has(block, counters[i].CounterId) ||
		    ++by_block[counters[i].BlockIndex] > block->NumConcurrent)
			return HSAKMT_STATUS_INVALID_PARAMETER;
		privileged++;
	}
	return privileged ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_INVALID_PARAMETER;
}

/* Groups by block, in the order of their index; keeps the caller's order within. */
static struct trace *trace_new(const HsaCounterProperties *properties, const HsaCounter *counters,
			       uint32_t count, const uint32_t by_block[PMC_BLOCK_COUNT])
{
	struct trace *trace = calloc(1, sizeof(*trace) + count * sizeof(trace->counters[0]));

	if (!trace)
		return NULL;
	for (uint32_t index = 0; index < PMC_BLOCK_COUNT; index++) {
		struct trace_block *block = &trace->blocks[trace->block_count];

		if (!by_block[index])
			continue;
		block->index = (enum pmc_block_index)index;
		block->capacity = pmc_find_block(properties, index)->NumConcurrent;
		block->first = trace->counter_count;
		block->count = by_block[index];
		block->claim.fd = -1;
		for (uint32_t i = 0; i < count; i++) {
			if (!is_privileged(&counters[i]) || counters[i].BlockIndex != index)
				continue;
			/* -1, not the 0 of a fresh structure: that would be standard input. */
			trace->counters[trace->counter_count++] =
				(struct trace_counter){ .id = counters[i].CounterId, .fd = -1 };
		}
		trace->block_count++;
	}
	return trace;
}

HSAKMT_STATUS kmt_pmc_register_trace(struct kmt_context *ctx, HSAuint32 node_id, HSAuint32 count,
				     HsaCounter *counters, HsaPmcTraceRoot *root)
{
	uint32_t by_block[PMC_BLOCK_COUNT] = { 0 };
	HsaCounterProperties *properties = NULL;
	struct trace *trace;
	HSAKMT_STATUS status;
	uint32_t gpu_id;

	if (!ctx->perf)
		return HSAKMT_STATUS_NO_MEMORY;
	if (!counters || !root || !count)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	status = kmt_topology_gpu_id(ctx, node_id, &gpu_id);
	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	if (count > MAX_COUNTERS)
		return HSAKMT_STATUS_NO_MEMORY;
	/* Made on demand: callers need not have asked for the table. A node may have none. */
	if (kmt_pmc_get_counter_properties(ctx, node_id, &properties) == HSAKMT_STATUS_NO_MEMORY)
		return HSAKMT_STATUS_NO_MEMORY;
	status = count_by_block(properties, counters, count, by_block);
	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	trace = trace_new(properties, counters, count, by_block);
	if (!trace)
		return HSAKMT_STATUS_NO_MEMORY;
	trace->perf = ctx->perf;
	trace->gpu_id = gpu_id;
	trace->sysfs_node = kmt_topology_sysfs_id(ctx, node_id);
	trace_add(trace);
	root->NumberOfPasses = 1;
	root->TraceBufferMinSizeBytes =
		kmt_round_up(trace->counter_count * (PMC_COUNTER_BITS / UINT64_C(8)),
			     kmt_process()->page_size_bytes);
	root->TraceId = (uintptr_t)trace;
	return HSAKMT_STATUS_SUCCESS;
}
