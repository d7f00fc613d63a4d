/* SPDX-License-Identifier: MIT */
/*
 * Running a counter trace: acquiring, starting, reading (perf.md 2). Only the IOMMU's counters can
 * be read; the others have no kernel interface, so that starting them is UNAVAILABLE.
 */
#include "perf/trace-internal.h"

#include <string.h>

#include "perf/perf_event.h"
#include "topology/topology.h"

static HSAKMT_STATUS switch_block(const struct trace *trace, const struct trace_block *block,
				  bool enable)
{
	for (uint32_t i = block->first; i < block->first + block->count; i++) {
		if (trace->counters[i].fd < 0)
			return HSAKMT_STATUS_UNAVAILABLE;
		if (perf_event_ops()->enable(trace->counters[i].fd, enable))
			return HSAKMT_STATUS_ERROR;
	}
	return HSAKMT_STATUS_SUCCESS;
}

static HSAKMT_STATUS start(struct trace *trace, void *buffer, uint64_t size_bytes)
{
	HSAKMT_STATUS status = HSAKMT_STATUS_SUCCESS;
	uint32_t i;

	for (i = 0; i < trace->block_count && status == HSAKMT_STATUS_SUCCESS; i++)
		status = switch_block(trace, &trace->blocks[i], true);
	if (status != HSAKMT_STATUS_SUCCESS) {
		while (i-- > 0) /* the one that failed may run in part */
			(void)switch_block(trace, &trace->blocks[i], false);
		return status;
	}
	trace->buffer = buffer;
	trace->buffer_bytes = size_bytes;
	trace->is_started = true;
	return HSAKMT_STATUS_SUCCESS;
}

static HSAKMT_STATUS stop(struct trace *trace)
{
	for (uint32_t i = 0; i < trace->block_count; i++) {
		HSAKMT_STATUS status = switch_block(trace, &trace->blocks[i], false);

		if (status != HSAKMT_STATUS_SUCCESS)
			return status;
	}
	trace->is_started = false;
	return HSAKMT_STATUS_SUCCESS;
}

static HSAKMT_STATUS query(const struct trace *trace)
{
	char *position = trace->buffer;
	uint64_t room_bytes = trace->buffer_bytes;

	for (uint32_t i = 0; i < trace->counter_count; i++) {
		uint64_t value;

		if (room_bytes < sizeof(value))
			return HSAKMT_STATUS_NO_MEMORY;
		if (trace->counters[i].fd < 0 ||
		    perf_event_ops()->read(trace->counters[i].fd, &value))
			return HSAKMT_STATUS_ERROR;
		memcpy(position, &value, sizeof(value)); /* the caller's buffer may be unaligned */
		position += sizeof(value);
		room_bytes -= sizeof(value);
	}
	return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS kmt_pmc_unregister_trace(struct kmt_context *ctx, HSAuint32 node_id,
				       HSATraceId trace_id)
{
	HSAKMT_STATUS status = HSAKMT_STATUS_INVALID_HANDLE;
	struct trace *trace;
	uint32_t gpu_id;

	if (!trace_id)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	if (kmt_topology_gpu_id(ctx, node_id, &gpu_id) != HSAKMT_STATUS_SUCCESS)
		return HSAKMT_STATUS_INVALID_NODE_UNIT;
	traces_begin();
	trace = trace_find(trace_id);
	if (!trace)
		goto out;
	status = HSAKMT_STATUS_INVALID_NODE_UNIT;
	if (trace->gpu_id != gpu_id)
		goto out;
	status = trace->is_started ? stop(trace) : HSAKMT_STATUS_SUCCESS;
	if (status == HSAKMT_STATUS_SUCCESS)
		trace_remove(trace);
out:
	traces_end();
	return status;
}

HSAKMT_STATUS kmt_pmc_acquire_trace_access(struct kmt_context *ctx, HSAuint32 node_id,
					   HSATraceId trace_id)
{
	HSAKMT_STATUS status = HSAKMT_STATUS_INVALID_HANDLE;
	struct trace *trace;
	uint32_t gpu_id;

	if (!trace_id)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	traces_begin();
	trace = trace_find(trace_id);
	if (!trace)
		goto out;
	status = kmt_topology_gpu_id(ctx, node_id, &gpu_id);
	if (status == HSAKMT_STATUS_SUCCESS)
		status = trace_acquire(ctx, trace);
out:
	traces_end();
	return status;
}

HSAKMT_STATUS kmt_pmc_release_trace_access(struct kmt_context *ctx, HSAuint32 node_id,
					   HSATraceId trace_id)
{
	HSAKMT_STATUS status = HSAKMT_STATUS_INVALID_HANDLE;
	struct trace *trace;

	(void)ctx;
	(void)node_id; /* callers pass 0 whatever the trace's node is */
	if (!trace_id)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	traces_begin();
	trace = trace_find(trace_id);
	if (trace) {
		trace_give_back(trace); /* closed counters count no more */
		trace->is_started = false;
		status = HSAKMT_STATUS_SUCCESS;
	}
	traces_end();
	return status;
}

HSAKMT_STATUS kmt_pmc_start_trace(struct kmt_context *ctx, HSATraceId trace_id, void *buffer,
				  HSAuint64 size_bytes)
{
	HSAKMT_STATUS status = HSAKMT_STATUS_INVALID_HANDLE;
	struct trace *trace;

	(void)ctx;
	if (!trace_id || !buffer || !size_bytes)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	traces_begin();
	trace = trace_find(trace_id);
	if (trace)
		status = start(trace, buffer, size_bytes);
	traces_end();
	return status;
}

HSAKMT_STATUS kmt_pmc_query_trace(struct kmt_context *ctx, HSATraceId trace_id)
{
	HSAKMT_STATUS status = HSAKMT_STATUS_INVALID_HANDLE;
	const struct trace *trace;

	(void)ctx;
	if (!trace_id)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	traces_begin();
	trace = trace_find(trace_id);
	if (trace)
		status = query(trace);
	traces_end();
	return status;
}

HSAKMT_STATUS kmt_pmc_stop_trace(struct kmt_context *ctx, HSATraceId trace_id)
{
	HSAKMT_STATUS status = HSAKMT_STATUS_INVALID_HANDLE;
	struct trace *trace;

	(void)ctx;
	if (!trace_id)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	traces_begin();
	trace = trace_find(trace_id);
	if (trace)
		status = stop(trace);
	traces_end();
	return status;
}

HSAuint32 kmt_pmc_trace_values(HSATraceId trace_id, HSAuint64 *values, HSAuint32 max)
{
	const struct trace *trace;
	HSAuint32 count = 0;

	traces_begin();
	trace = trace_find(trace_id);
	if (trace && trace->buffer) {
		count = trace->counter_count < max ? trace->counter_count : max;
		if (count > trace->buffer_bytes / sizeof(values[0]))
			count = (HSAuint32)(trace->buffer_bytes / sizeof(values[0]));
		memcpy(values, trace->buffer, count * sizeof(values[0]));
	}
	traces_end();
	return count;
}
