/* SPDX-License-Identifier: MIT */
/* What events tell of the thunk's objects: contexts, nodes, events and what a wait found in them. */
#include <string.h>

#include "event/event.h"
#include "perf/perf.h"
#include "topology/topology.h"
#include "values.h"

uint32_t trace_ctx_id(const struct kmt_context *ctx)
{
	if (ctx == kmt_primary())
		return 0;
	/* A closed secondary context's memory is gone; the list of live ones knows. */
	return kmt_context_usable(ctx) ? ctx->id : 0;
}

uint32_t trace_gpu_of_node(const struct kmt_context *ctx, uint32_t node_id)
{
	uint32_t gpu_id = 0;

	if (!kmt_context_usable(ctx) || !kmt_topology_held(ctx))
		return 0;
	if (kmt_topology_gpu_id(ctx, node_id, &gpu_id) != HSAKMT_STATUS_SUCCESS)
		return 0;
	return gpu_id;
}

uint32_t trace_event_id(struct kmt_context *ctx, const HsaEvent *event)
{
	uint32_t id;

	/* The caller's pointer may be stale: only the registry says whether it can be followed. */
	if (!event || !kmt_context_usable(ctx))
		return 0;
	return kmt_event_id(ctx, event, &id) ? id : 0;
}

/*
 * The place of a fault's details holds the creator's SyncVar, an address and a size, until there is
 * one. Of memory faults the flags lie behind that; of exceptions a node, where an address is aligned.
 */
static bool fault_of(struct trace_fault *fault, const HsaEvent *event)
{
	const HsaEventData *data = &event->EventData;

	switch ((int)data->EventType) {
	case HSA_EVENTTYPE_MEMORY:
		fault->node_id = data->EventData.MemoryAccessFault.NodeId;
		fault->address = data->EventData.MemoryAccessFault.VirtualAddress;
		fault->failure = data->EventData.MemoryAccessFault.Failure;
		fault->memory_flags = data->EventData.MemoryAccessFault.Flags;
		return fault->memory_flags != HSA_EVENTID_MEMORY_RECOVERABLE;
	case HSA_EVENTTYPE_HW_EXCEPTION:
		fault->node_id = data->EventData.HwException.NodeId;
		fault->reset_type = data->EventData.HwException.ResetType;
		fault->memory_lost = data->EventData.HwException.MemoryLost;
		fault->reset_cause = data->EventData.HwException.ResetCause;
		return fault->memory_lost <= 1 &&
		       (fault->memory_lost || fault->reset_type || fault->node_id);
	}
	return false;
}

void trace_find_fault(struct trace_fault *fault, HsaEvent *const *events, uint32_t count,
		      bool is_done)
{
	memset(fault, 0, sizeof(*fault));
	if (!is_done || !events)
		return;
	for (uint32_t i = 0; i < count; i++) {
		if (!events[i] || !fault_of(fault, events[i]))
			continue;
		fault->valid = 1;
		fault->event_id = events[i]->EventId;
		fault->type = events[i]->EventData.EventType;
		return;
	}
	memset(fault, 0, sizeof(*fault));
}

uint32_t trace_counter_values(HSATraceId id, uint64_t *values, uint32_t max)
{
	return kmt_pmc_trace_values(id, values, max);
}
