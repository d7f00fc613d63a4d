/* SPDX-License-Identifier: MIT */
/* Making and freeing the parts of a context, in the order of context.md 1. */
#include "openclose/parts.h"

#include "debug/debug.h"
#include "event/event.h"
#include "memory/fmm.h"
#include "perf/perf.h"
#include "queue/queue.h"
#include "render/render.h"
#include "topology/topology.h"

HSAKMT_STATUS kmt_parts_make(struct kmt_context *ctx)
{
	if (!ctx->renders)
		ctx->renders = kmt_renders_new();
	if (!ctx->fmm)
		ctx->fmm = kmt_fmm_new();
	if (!ctx->topology)
		ctx->topology = kmt_topology_new();
	if (!ctx->queues)
		ctx->queues = kmt_queues_new();
	if (!ctx->events)
		ctx->events = kmt_events_new();
	if (!ctx->renders || !ctx->fmm || !ctx->topology || !ctx->queues || !ctx->events)
		return HSAKMT_STATUS_NO_MEMORY;
	return HSAKMT_STATUS_SUCCESS;
}

void kmt_parts_make_counted(struct kmt_context *ctx, uint32_t node_count)
{
	ctx->debug = kmt_debug_new(node_count);
	if (!ctx->debug)
		kmt_log(KMT_LOG_WARNING, "no memory for the debug flags of %u nodes", node_count);
	ctx->perf = kmt_perf_new(node_count);
	if (!ctx->perf)
		kmt_log(KMT_LOG_WARNING, "no memory for the counter tables of %u nodes",
			node_count);
}

struct kmt_counted_parts kmt_parts_take_counted(struct kmt_context *ctx)
{
	struct kmt_counted_parts parts = { .debug = ctx->debug, .perf = ctx->perf };

	ctx->debug = NULL;
	ctx->perf = NULL;
	return parts;
}

void kmt_counted_parts_free(struct kmt_counted_parts parts)
{
	kmt_perf_free(parts.perf);
	kmt_debug_free(parts.debug);
}

void kmt_parts_free(struct kmt_context *ctx)
{
	kmt_counted_parts_free(kmt_parts_take_counted(ctx));
	kmt_events_free(ctx->events);
	ctx->events = NULL;
	kmt_queues_free(ctx->queues);
	ctx->queues = NULL;
	kmt_topology_free(ctx->topology);
	ctx->topology = NULL;
	kmt_fmm_free(ctx->fmm);
	ctx->fmm = NULL;
}
