/* SPDX-License-Identifier: MIT */
/*
 * System memory (memory.md 6.2): address ranges, user pointer BOs over pages of our own, GTT BOs,
 * and plain anonymous memory where CPU and GPU share an address space.
 */
#include "memory/fmm_internal.h"

#include <errno.h>
#include <sys/mman.h>

#include "hsakmt/linux/kfd_ioctl.h"

#define HUGE_BYTES (2ull << 20)

static int host_prot(HsaMemFlags flags)
{
	return PROT_READ | (flags.ui32.ReadOnly ? 0 : PROT_WRITE) |
	       (flags.ui32.ExecuteAccess ? PROT_EXEC : 0);
}

/* Processes without a discrete GPU: the GPU sees what the CPU sees. */
static void *alloc_plain(struct kmt_context *ctx, const struct fmm_request *request)
{
	struct fmm_object *object;
	void *address;

	if (request->align_bytes || request->fixed)
		return NULL;
	object = fmm_object_new(ctx->fmm, false);
	if (!object)
		return NULL;
	address = kmt_mmap(ctx, NULL, request->size_bytes, host_prot(request->flags),
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (address == MAP_FAILED) {
		fmm_object_put(object);
		return NULL;
	}
	object->flags = request->flags;
	object->internal = request->internal;
	object->plain_map = true;
	fmm_object_insert(&ctx->fmm->cpuvm, object, address, request->size_bytes);
	return address;
}

/* The GPU that a BO in system memory hangs on. */
static struct fmm_gpu *owner(struct kmt_context *ctx, const struct fmm_request *request)
{
	if (request->owner_gpu_id)
		return fmm_gpu_of_id(ctx, request->owner_gpu_id);
	if (request->gpu_id)
		return fmm_gpu_of_id(ctx, request->gpu_id);
	return fmm_first_gpu(ctx);
}

/* Pages of our own, bound to the node, for a user pointer BO. @return 0 or -errno. */
static int fill_with_pages(struct kmt_context *ctx, const struct fmm_request *request,
			   void *address)
{
	/* Shared, so that a forked child goes on seeing what its parent does (memory.md 21). */
	void *mapped = kmt_mmap(ctx, address, request->size_bytes, PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	int rc;

	if (mapped == MAP_FAILED)
		return -ENOMEM;
	rc = fmm_numa_bind(ctx, address, request->size_bytes, request->node_id,
			   request->flags.ui32.NoSubstitute, request->flags.ui32.NoNUMABind);
	if (rc == 0 && request->size_bytes >= HUGE_BYTES)
		(void)kmt_madvise(ctx, address, request->size_bytes, MADV_HUGEPAGE); /* a hint */
	return rc;
}

static int make_userptr(struct kmt_context *ctx, const struct fmm_request *request,
			struct fmm_object *object, struct fmm_bo_request *bo)
{
	int rc = fill_with_pages(ctx, request, (void *)(uintptr_t)bo->va);

	bo->flags = fmm_ioctl_flags(&fmm_view(ctx)->settings, request->flags,
				    KFD_IOC_ALLOC_MEM_FLAGS_USERPTR);
	bo->user_addr = bo->va;
	return rc == 0 ? fmm_bo_alloc(ctx, object, bo, NULL) : rc;
}

static int make_gtt(struct kmt_context *ctx, const struct fmm_request *request,
		    const struct fmm_gpu *gpu, struct fmm_object *object, struct fmm_bo_request *bo)
{
	uint64_t offset = 0;
	int rc;

	bo->flags = fmm_ioctl_flags(&fmm_view(ctx)->settings, request->flags,
				    KFD_IOC_ALLOC_MEM_FLAGS_GTT);
	rc = fmm_bo_alloc(ctx, object, bo, &offset);
	if (rc != 0 || !request->flags.ui32.HostAccess || request->flags.ui32.NoAddress)
		return rc;
	rc = fmm_bo_cpu_map(ctx, object, gpu->render_fd, (void *)(uintptr_t)bo->va,
			    request->size_bytes, PROT_READ | PROT_WRITE, offset);
	if (rc != 0)
		(void)fmm_bo_free(ctx, object); /* fresh and unmapped: nothing can hold it */
	return rc;
}

void *fmm_alloc_host(struct kmt_context *ctx, const struct fmm_request *request)
{
	const HsaMemFlags flags = request->flags;
	uint64_t va_size = request->size_bytes << flags.ui32.AQLQueueMemory;
	struct fmm_aperture *aperture;
	struct fmm_object *object;
	struct fmm_gpu *gpu;
	void *address;
	int rc = 0;

	if (!fmm_is_dgpu(ctx))
		return alloc_plain(ctx, request);
	gpu = owner(ctx, request);
	if (!gpu || !atomic_load(&ctx->fmm->has_svm))
		return NULL;
	aperture = flags.ui32.CoarseGrain ? &ctx->fmm->svm : fmm_svm_alt(ctx->fmm);
	object = fmm_object_new(ctx->fmm, false);
	if (!object)
		return NULL;
	address = fmm_va_alloc(ctx, aperture, request->fixed, va_size, request->align_bytes);
	if (address && !flags.ui32.OnlyAddress) {
		struct fmm_bo_request bo = { .gpu_id = gpu->gpu_id,
					     .va = (uintptr_t)address,
					     .size_bytes = va_size };

		object->node_id = flags.ui32.GTTAccess ? 0 : request->node_id;
		if (!flags.ui32.NonPaged && !request->owner_gpu_id && !flags.ui32.GTTAccess &&
		    fmm_view(ctx)->settings.userptr_for_paged)
			rc = make_userptr(ctx, request, object, &bo);
		else
			rc = make_gtt(ctx, request, gpu, object, &bo);
	}
	if (!address || rc != 0) {
		fmm_va_release(ctx, aperture, address, va_size);
		fmm_object_put(object);
		return NULL;
	}
	object->flags = flags;
	object->internal = request->internal;
	fmm_object_insert(aperture, object, address, va_size);
	return address;
}
