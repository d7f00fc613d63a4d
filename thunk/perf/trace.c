/* SPDX-License-Identifier: MIT */
/*
 * Counter traces: registering, claiming, starting, reading (perf.md 2). Only privileged counters can
 * be in one, and only those of the IOMMU can be read: the others have no kernel interface, so that
 * starting them is UNAVAILABLE.
 *
 * One lock serialises everything here: traces are rare, and a trace id that comes back from a caller
 * is looked up before it is followed.
 */
#include "perf/perf-internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "perf/claim.h"
#include "perf/perf_event.h"
#include "topology/topology.h"

#define MAX_COUNTERS 512

struct trace_counter {
	uint64_t id;
	int fd; /* owned; -1: not open */
};

/* The counters of one block. */
struct trace_block {
	enum pmc_block_index index;
	uint32_t capacity;     /* slots */
	uint32_t first, count; /* in the trace's counters */
	struct pmc_claim claim;
};

struct trace {
	struct trace *next;          /* owned */
	const struct kmt_perf *perf; /* whose it is; not followed */
	uint32_t gpu_id, sysfs_node;
	bool is_claimed, is_started;
	void *buffer; /* borrowed, from start to the end */
	uint64_t buffer_bytes;
	uint32_t block_count, counter_count;
	struct trace_block blocks[PMC_BLOCK_COUNT];
	struct trace_counter counters[]; /* by block */
};

static pthread_mutex_t traces_lock = PTHREAD_MUTEX_INITIALIZER;
static struct trace *traces; /* every live one, of all contexts */
static pthread_once_t fork_handlers = PTHREAD_ONCE_INIT;

/* --- The list, under traces_lock --- */

static struct trace **find(HSATraceId id)
{
	struct trace **link = &traces;

	while (*link && (uintptr_t)*link != id)
		link = &(*link)->next;
	return link;
}

static void close_counters(struct trace *trace, const struct trace_block *block)
{
	for (uint32_t i = block->first; i < block->first + block->count; i++) {
		if (trace->counters[i].fd >= 0)
			perf_event_ops()->close(trace->counters[i].fd);
		trace->counters[i].fd = -1;
	}
}

/* Closes and gives back everything that was acquired. */
static void give_back(struct trace *trace)
{
	for (uint32_t i = 0; i < trace->block_count; i++) {
		close_counters(trace, &trace->blocks[i]);
		pmc_claim_release(&trace->blocks[i].claim);
	}
	trace->is_claimed = false;
}

static void unlink_and_free(struct trace **link)
{
	struct trace *trace = *link;

	*link = trace->next;
	give_back(trace);
	free(trace);
}

/*
 * A child has the parent's descriptors, and a claim lasts as long as any copy of its descriptor: the
 * child closes them, or it would hold the counters after its parent's end.
 */
static void before_fork(void)
{
	pthread_mutex_lock(&traces_lock);
}

static void after_fork_in_parent(void)
{
	pthread_mutex_unlock(&traces_lock);
}

static void after_fork_in_child(void)
{
	for (struct trace *trace = traces; trace; trace = trace->next) {
		for (uint32_t i = 0; i < trace->block_count; i++) {
			close_counters(trace, &trace->blocks[i]);
			pmc_claim_drop(&trace->blocks[i].claim);
		}
		trace->is_claimed = trace->is_started = false;
	}
	pthread_mutex_unlock(&traces_lock);
}

static void install_fork_handlers(void)
{
	if (pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child))
		kmt_log(KMT_LOG_WARNING, "forked children will share counter claims");
}

void pmc_traces_free(const struct kmt_perf *perf)
{
	struct trace **link = &traces;

	pthread_mutex_lock(&traces_lock);
	while (*link) {
		if ((*link)->perf == perf)
			unlink_and_free(link);
		else
			link = &(*link)->next;
	}
	pthread_mutex_unlock(&traces_lock);
}

/* --- Registering --- */

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
	pthread_once(&fork_handlers, install_fork_handlers);
	pthread_mutex_lock(&traces_lock);
	trace->next = traces;
	traces = trace;
	pthread_mutex_unlock(&traces_lock);
	root->NumberOfPasses = 1;
	root->TraceBufferMinSizeBytes =
		kmt_round_up(trace->counter_count * (PMC_COUNTER_BITS / UINT64_C(8)),
			     kmt_process()->page_size_bytes);
	root->TraceId = (uintptr_t)trace;
	return HSAKMT_STATUS_SUCCESS;
}

/* --- Running, under traces_lock --- */

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

/* --- Acquiring, under traces_lock --- */

/* The PMU's number; what newer kernels call amd_iommu_0 was amd_iommu up to 4.11. */
static bool pmu_type(struct kmt_context *ctx, uint32_t *type)
{
	static const char *const paths[] = {
		"/sys/bus/event_source/devices/amd_iommu_0/type",
		"/sys/bus/event_source/devices/amd_iommu/type",
	};
	char buf[32];

	if (!ctx->device || !ctx->device->ops)
		return false;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		if (ctx->device->ops->read_file(ctx->device, paths[i], buf, sizeof(buf)) > 0) {
			*type = (uint32_t)strtoul(buf, NULL, 0);
			return true;
		}
	}
	return false;
}

static HSAKMT_STATUS open_counters(struct kmt_context *ctx, struct trace *trace,
				   const struct trace_block *block)
{
	uint32_t type;

	if (!pmu_type(ctx, &type))
		return HSAKMT_STATUS_ERROR;
	for (uint32_t i = block->first; i < block->first + block->count; i++) {
		int fd = perf_event_ops()->open(type, trace->counters[i].id);

		if (fd < 0) {
			kmt_log(KMT_LOG_WARNING, "counter %llu cannot be opened: error %d",
				(unsigned long long)trace->counters[i].id, -fd);
			return HSAKMT_STATUS_ERROR;
		}
		trace->counters[i].fd = fd;
	}
	return HSAKMT_STATUS_SUCCESS;
}

static HSAKMT_STATUS acquire(struct kmt_context *ctx, struct trace *trace)
{
	HSAKMT_STATUS status = HSAKMT_STATUS_SUCCESS;

	if (trace->is_claimed)
		return HSAKMT_STATUS_SUCCESS;
	for (uint32_t i = 0; i < trace->block_count && status == HSAKMT_STATUS_SUCCESS; i++) {
		struct trace_block *block = &trace->blocks[i];

		if (pmc_claim_take(&block->claim, trace->sysfs_node, block->index, block->count,
				   block->capacity))
			status = HSAKMT_STATUS_UNAVAILABLE;
		else if (block->index == PMC_BLOCK_IOMMU)
			status = open_counters(ctx, trace, block);
	}
	if (status == HSAKMT_STATUS_SUCCESS)
		trace->is_claimed = true;
	else
		give_back(trace);
	return status;
}

/* --- The entries --- */

HSAKMT_STATUS kmt_pmc_unregister_trace(struct kmt_context *ctx, HSAuint32 node_id,
				       HSATraceId trace_id)
{
	HSAKMT_STATUS status = HSAKMT_STATUS_INVALID_HANDLE;
	struct trace **link;
	uint32_t gpu_id;

	if (!trace_id)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	if (kmt_topology_gpu_id(ctx, node_id, &gpu_id) != HSAKMT_STATUS_SUCCESS)
		return HSAKMT_STATUS_INVALID_NODE_UNIT;
	pthread_mutex_lock(&traces_lock);
	link = find(trace_id);
	if (!*link)
		goto out;
	status = HSAKMT_STATUS_INVALID_NODE_UNIT;
	if ((*link)->gpu_id != gpu_id)
		goto out;
	status = (*link)->is_started ? stop(*link) : HSAKMT_STATUS_SUCCESS;
	if (status == HSAKMT_STATUS_SUCCESS)
		unlink_and_free(link);
out:
	pthread_mutex_unlock(&traces_lock);
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
	pthread_mutex_lock(&traces_lock);
	trace = *find(trace_id);
	if (!trace)
		goto out;
	status = kmt_topology_gpu_id(ctx, node_id, &gpu_id);
	if (status == HSAKMT_STATUS_SUCCESS)
		status = acquire(ctx, trace);
out:
	pthread_mutex_unlock(&traces_lock);
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
	pthread_mutex_lock(&traces_lock);
	trace = *find(trace_id);
	if (trace) {
		give_back(trace); /* closed counters count no more */
		trace->is_started = false;
		status = HSAKMT_STATUS_SUCCESS;
	}
	pthread_mutex_unlock(&traces_lock);
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
	pthread_mutex_lock(&traces_lock);
	trace = *find(trace_id);
	if (trace)
		status = start(trace, buffer, size_bytes);
	pthread_mutex_unlock(&traces_lock);
	return status;
}

HSAKMT_STATUS kmt_pmc_query_trace(struct kmt_context *ctx, HSATraceId trace_id)
{
	HSAKMT_STATUS status = HSAKMT_STATUS_INVALID_HANDLE;
	const struct trace *trace;

	(void)ctx;
	if (!trace_id)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	pthread_mutex_lock(&traces_lock);
	trace = *find(trace_id);
	if (trace)
		status = query(trace);
	pthread_mutex_unlock(&traces_lock);
	return status;
}

HSAKMT_STATUS kmt_pmc_stop_trace(struct kmt_context *ctx, HSATraceId trace_id)
{
	HSAKMT_STATUS status = HSAKMT_STATUS_INVALID_HANDLE;
	struct trace *trace;

	(void)ctx;
	if (!trace_id)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	pthread_mutex_lock(&traces_lock);
	trace = *find(trace_id);
	if (trace)
		status = stop(trace);
	pthread_mutex_unlock(&traces_lock);
	return status;
}
