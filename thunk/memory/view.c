/* SPDX-License-Identifier: MIT */
/* Look-ups in what the last aperture initialisation found. */
#include "memory/fmm_internal.h"

#include <stdlib.h>

#include "topology/topology.h"

/* The published view as long as the apertures are up. */
static struct fmm_view *live_view(const struct kmt_context *ctx)
{
	return ctx->fmm && atomic_load(&ctx->fmm->up) ? fmm_view(ctx) : NULL;
}

struct fmm_gpu *fmm_gpu_of_node(const struct kmt_context *ctx, uint32_t node_id)
{
	struct fmm_view *view = live_view(ctx);

	for (uint32_t i = 0; view && i < view->gpu_count; i++)
		if (view->gpus[i].node_id == node_id)
			return &view->gpus[i];
	return NULL;
}

struct fmm_gpu *fmm_gpu_of_id(const struct kmt_context *ctx, uint32_t gpu_id)
{
	struct fmm_view *view = live_view(ctx);

	for (uint32_t i = 0; view && i < view->gpu_count; i++)
		if (view->gpus[i].gpu_id == gpu_id)
			return &view->gpus[i];
	return NULL;
}

struct fmm_gpu *fmm_first_gpu(const struct kmt_context *ctx)
{
	struct fmm_view *view = live_view(ctx);

	return view && view->gpu_count ? &view->gpus[0] : NULL;
}

const struct gpu_set *fmm_all_gpus(const struct kmt_context *ctx)
{
	struct fmm_view *view = live_view(ctx);

	return view ? view->all : NULL;
}

bool fmm_is_dgpu(const struct kmt_context *ctx)
{
	struct fmm_view *view = fmm_view(ctx);

	return view ? view->is_dgpu : kmt_process()->is_dgpu;
}

static uint32_t node_of_gpu(uint32_t gpu_id, const void *data)
{
	const struct kmt_context *ctx = data;
	const struct fmm_gpu *gpu = fmm_gpu_of_id(ctx, gpu_id);
	uint32_t node_id = INVALID_NODEID;

	if (gpu)
		return gpu->node_id;
	(void)kmt_topology_node_of_gpu(ctx, gpu_id, &node_id); /* unknown: the invalid node */
	return node_id;
}

const struct gpu_set *fmm_gpu_set(const struct kmt_context *ctx, const uint32_t *gpu_ids,
				  uint32_t count)
{
	return gpu_sets_get(&ctx->fmm->sets, gpu_ids, count, node_of_gpu, ctx);
}

bool fmm_gpu_set_minus(const struct kmt_context *ctx, const struct gpu_set *a,
		       const struct gpu_set *b, const struct gpu_set **out)
{
	uint32_t *ids, n = 0;

	*out = NULL;
	if (!a || a == b)
		return true;
	ids = malloc(a->count * sizeof(*ids));
	if (!ids)
		return false;
	for (uint32_t i = 0; i < a->count; i++)
		if (!gpu_set_has(b, a->gpu_ids[i]))
			ids[n++] = a->gpu_ids[i];
	*out = n ? fmm_gpu_set(ctx, ids, n) : NULL;
	free(ids);
	return *out || n == 0;
}

HSAKMT_STATUS fmm_gpu_set_of_nodes(const struct kmt_context *ctx, const uint32_t *node_ids,
				   uint64_t count, const struct gpu_set **out)
{
	const struct gpu_set *set;
	uint32_t *gpu_ids = NULL;
	HSAKMT_STATUS status = kmt_topology_gpu_ids(ctx, node_ids, count, &gpu_ids);

	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	set = fmm_gpu_set(ctx, gpu_ids, (uint32_t)count);
	free(gpu_ids);
	if (!set)
		return HSAKMT_STATUS_NO_MEMORY;
	*out = set;
	return HSAKMT_STATUS_SUCCESS;
}
