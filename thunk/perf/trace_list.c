/* SPDX-License-Identifier: MIT */
/* The live traces, and what they hold: claims and open counters (perf.md 2 and 3). */
#include "perf/trace-internal.h"

#include <stdlib.h>

#include "perf/perf_event.h"

static pthread_mutex_t traces_lock = PTHREAD_MUTEX_INITIALIZER;
static struct trace *traces; /* every live one, of all contexts */
static pthread_once_t fork_handlers = PTHREAD_ONCE_INIT;

void traces_begin(void)
{
	pthread_mutex_lock(&traces_lock);
}

void traces_end(void)
{
	pthread_mutex_unlock(&traces_lock);
}

struct trace *trace_find(HSATraceId id)
{
	struct trace *trace = traces;

	while (trace && (uintptr_t)trace != id)
		trace = trace->next;
	return trace;
}

static void close_counters(struct trace *trace, const struct trace_block *block)
{
	for (uint32_t i = block->first; i < block->first + block->count; i++) {
		if (trace->counters[i].fd >= 0)
			perf_event_ops()->close(trace->counters[i].fd);
		trace->counters[i].fd = -1;
	}
}

void trace_give_back(struct trace *trace)
{
	for (uint32_t i = 0; i < trace->block_count; i++) {
		close_counters(trace, &trace->blocks[i]);
		pmc_claim_release(&trace->blocks[i].claim);
	}
	trace->is_claimed = false;
}

void trace_remove(struct trace *trace)
{
	struct trace **link = &traces;

	while (*link && *link != trace)
		link = &(*link)->next;
	if (*link)
		*link = trace->next;
	trace_give_back(trace);
	free(trace);
}

/*
 * A child has the parent's descriptors, and a claim lasts as long as any copy of its descriptor:
 * the child closes them, or it would hold the counters after its parent's end.
 */
static void after_fork_in_child(void)
{
	for (struct trace *trace = traces; trace; trace = trace->next) {
		for (uint32_t i = 0; i < trace->block_count; i++) {
			close_counters(trace, &trace->blocks[i]);
			pmc_claim_drop(&trace->blocks[i].claim);
		}
		trace->is_claimed = trace->is_started = false;
	}
	traces_end();
}

static void install_fork_handlers(void)
{
	if (pthread_atfork(traces_begin, traces_end, after_fork_in_child))
		kmt_log(KMT_LOG_WARNING, "forked children will share counter claims");
}

void trace_add(struct trace *trace)
{
	/* Before the lock: a fork in between must find the handlers in place. */
	pthread_once(&fork_handlers, install_fork_handlers);
	traces_begin();
	trace->next = traces;
	traces = trace;
	traces_end();
}

void pmc_traces_free(const struct kmt_perf *perf)
{
	struct trace *next;

	traces_begin();
	for (struct trace *trace = traces; trace; trace = next) {
		next = trace->next;
		if (trace->perf == perf)
			trace_remove(trace);
	}
	traces_end();
}

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

HSAKMT_STATUS trace_acquire(struct kmt_context *ctx, struct trace *trace)
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
		trace_give_back(trace);
	return status;
}
