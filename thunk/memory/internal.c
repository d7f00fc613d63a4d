/* SPDX-License-Identifier: MIT */
/* GPU-visible memory for the library's own needs (queues.md 3). */
#include "memory/fmm_internal.h"

#include <errno.h>

#include "topology/topology.h"

static HsaMemFlags internal_flags(const struct kmt_internal_alloc *request)
{
	HsaMemFlags flags = { 0 };

	flags.ui32.HostAccess = !request->device_local;
	flags.ui32.ExecuteAccess = 1;
	flags.ui32.NonPaged = request->non_paged;
	flags.ui32.CoarseGrain = request->device_local;
	flags.ui32.Uncached = request->uncached;
	return flags;
}

static void *allocate(struct kmt_context *ctx, const struct kmt_internal_alloc *request)
{
	struct fmm_request fmm = {
		.size_bytes = kmt_round_up(request->size_bytes, request->align_bytes),
		.flags = internal_flags(request),
		.internal = true,
	};
	uint32_t near;

	/* The page size is what every kind of memory has; plain system memory knows no other. */
	if (request->align_bytes > kmt_process()->page_size_bytes && fmm_is_dgpu(ctx))
		fmm.align_bytes = request->align_bytes;
	if (request->device_local && !kmt_process()->zero_frame_buffer) {
		fmm.gpu_id = request->gpu_id;
		return fmm_alloc_device(ctx, &fmm);
	}
	if (!request->non_paged) {
		near = kmt_topology_nearest_cpu(ctx, request->node_id);
		if (near == INVALID_NODEID)
			fmm.flags.ui32.NoNUMABind = 1;
		else
			fmm.node_id = near;
	}
	return fmm_alloc_host(ctx, &fmm);
}

/* Works for contexts that are being closed too, unlike the API's calls. */
static int map(struct kmt_context *ctx, struct fmm_object *object, uint32_t node_id)
{
	const struct fmm_gpu *gpu = node_id ? fmm_gpu_of_node(ctx, node_id) : NULL;

	if (object->plain_map)
		return 0;
	if (!node_id)
		return fmm_map_default(ctx, object);
	return gpu ? fmm_bo_map(ctx, object, gpu->self) : -EINVAL;
}

void *kmt_fmm_internal_alloc(struct kmt_context *ctx, const struct kmt_internal_alloc *request)
{
	struct fmm_object *object;
	void *address;

	if (!ctx->fmm || !request->size_bytes)
		return NULL;
	address = allocate(ctx, request);
	object = address ? fmm_find(ctx, address, 0, FMM_EXACT) : NULL;
	if (!object)
		return NULL;
	if (map(ctx, object, request->node_id) == 0) {
		fmm_unlock(object);
		return address;
	}
	(void)fmm_release(ctx, object); /* the map undid itself: the kernel will not refuse */
	return NULL;
}

void kmt_fmm_internal_free(struct kmt_context *ctx, void *address)
{
	struct fmm_object *object = address ? fmm_find(ctx, address, 0, FMM_EXACT) : NULL;

	if (!object)
		return;
	if (object->mapped && fmm_bo_unmap(ctx, object, object->mapped) != 0) {
		kmt_log(KMT_LOG_WARNING, "the GPU keeps internal memory at %p", address);
		fmm_unlock(object);
		return;
	}
	if (fmm_release(ctx, object) != HSAKMT_STATUS_SUCCESS)
		kmt_log(KMT_LOG_WARNING, "the kernel keeps internal memory at %p", address);
}
