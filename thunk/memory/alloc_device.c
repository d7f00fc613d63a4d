/* SPDX-License-Identifier: MIT */
/* Memory of a GPU (memory.md 6.3). */
#include "memory/fmm_internal.h"

#include <sys/mman.h>

#include "hsakmt/linux/kfd_ioctl.h"

/* The aperture, and the address in it as the GPU counts it. */
struct place {
	struct fmm_aperture *aperture;
	void *address;
	uint64_t va, va_size_bytes;
};

static bool find_place(struct kmt_context *ctx, struct fmm_gpu *gpu,
		       const struct fmm_request *request, struct place *place)
{
	place->va_size_bytes = request->size_bytes;
	if (request->flags.ui32.NoAddress) {
		place->aperture = &ctx->fmm->handles;
	} else if (gpu->svm_needed) {
		place->aperture = &ctx->fmm->svm;
		place->va_size_bytes <<= request->flags.ui32.AQLQueueMemory;
	} else {
		place->aperture = &gpu->gpuvm;
	}
	place->address = fmm_va_alloc(ctx, place->aperture, request->fixed, place->va_size_bytes,
				      request->align_bytes);
	place->va = (uintptr_t)place->address;
	if (request->flags.ui32.NoAddress)
		place->va = 0;
	else if (!fmm_is_dgpu(ctx) && !place->aperture->cpu_accessible)
		place->va -= place->aperture->base;
	return place->address;
}

static int make_vram(struct kmt_context *ctx, const struct fmm_gpu *gpu,
		     const struct fmm_request *request, const struct place *place,
		     struct fmm_object *object)
{
	const struct fmm_bo_request bo = {
		.gpu_id = gpu->gpu_id,
		.flags = fmm_ioctl_flags(&fmm_view(ctx)->settings, request->flags,
					 KFD_IOC_ALLOC_MEM_FLAGS_VRAM),
		.va = place->va,
		.size_bytes = place->va_size_bytes,
	};
	/* Inaccessible memory is mapped too: that keeps the addresses occupied. */
	int prot = request->flags.ui32.HostAccess ? PROT_READ | PROT_WRITE : PROT_NONE;
	uint64_t offset = 0;
	int rc = fmm_bo_alloc(ctx, object, &bo, &offset);

	if (rc != 0 || !place->aperture->cpu_accessible)
		return rc;
	rc = fmm_bo_cpu_map(ctx, object, gpu->render_fd, place->address, request->size_bytes, prot,
			    offset);
	if (rc != 0)
		(void)fmm_bo_free(ctx, object); /* fresh and unmapped: nothing can hold it */
	return rc;
}

/* APUs have no memory of their own: on request the system's serves, kept together by udmabuf. */
static bool wants_udmabuf(const struct kmt_context *ctx, const struct fmm_gpu *gpu,
			  const struct fmm_request *request)
{
	return kmt_process()->udmabuf_fd >= 0 && ctx->is_primary && !request->internal &&
	       !request->flags.ui32.NoAddress && !request->flags.ui32.AQLQueueMemory &&
	       gpu->svm_needed && (gpu->integrated || !fmm_is_dgpu(ctx));
}

void *fmm_alloc_device(struct kmt_context *ctx, const struct fmm_request *request)
{
	struct fmm_gpu *gpu = fmm_gpu_of_id(ctx, request->gpu_id);
	struct fmm_object *object;
	struct place place = { 0 };
	void *address;

	if (!gpu)
		return NULL;
	if (wants_udmabuf(ctx, gpu, request)) {
		address = fmm_alloc_udmabuf(ctx, gpu, request);
		if (address)
			return address;
	}
	object = fmm_object_new(ctx->fmm, false);
	if (!object)
		return NULL;
	if (!find_place(ctx, gpu, request, &place) ||
	    make_vram(ctx, gpu, request, &place, object) != 0) {
		fmm_va_release(ctx, place.aperture, place.address, place.va_size_bytes);
		fmm_object_put(object);
		return NULL;
	}
	object->node_id = gpu->node_id;
	object->flags = request->flags;
	object->internal = request->internal;
	fmm_object_insert(place.aperture, object, place.address, place.va_size_bytes);
	return place.address;
}
