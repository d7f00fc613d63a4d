/* SPDX-License-Identifier: MIT */
/*
 * Pages of the KFD itself that the GPU sees too: HDP flush registers (memory.md 5.1, step 8) and
 * doorbells (memory.md 6.4).
 */
#include "memory/fmm_internal.h"

#include <sys/mman.h>

#include "hsakmt/linux/kfd_ioctl.h"

static HsaMemFlags page_flags(void)
{
	HsaMemFlags flags = { 0 };

	flags.ui32.NonPaged = 1;
	flags.ui32.HostAccess = 1;
	return flags;
}

/* The page's place in the CPU's address space. */
static bool map_cpu(struct kmt_context *ctx, const struct fmm_kfd_page *page, void *address,
		    uint64_t offset)
{
	int fd = page->no_maps ? -1 : ctx->fd;
	int flags = page->no_maps ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;

	return kmt_mmap(ctx, address, page->size_bytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED,
			fd, page->no_maps ? 0 : (int64_t)offset) != MAP_FAILED;
}

void *fmm_kfd_page_map(struct kmt_context *ctx, struct fmm_gpu *gpu,
		       const struct fmm_kfd_page *page)
{
	struct fmm_aperture *aperture = fmm_svm_alt(ctx->fmm);
	struct fmm_bo_request bo = {
		.gpu_id = gpu->gpu_id,
		.flags = page->type | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE |
			 KFD_IOC_ALLOC_MEM_FLAGS_COHERENT | KFD_IOC_ALLOC_MEM_FLAGS_NO_SUBSTITUTE,
		.size_bytes = page->size_bytes,
	};
	struct fmm_object *object = fmm_object_new(ctx->fmm, false);
	uint64_t offset = 0;
	void *address;

	if (!object)
		return NULL;
	address = fmm_va_alloc(ctx, aperture, NULL, page->size_bytes, 0);
	bo.va = (uintptr_t)address;
	if (!address || fmm_bo_alloc(ctx, object, &bo, &offset) != 0) {
		fmm_va_release(ctx, aperture, address, page->size_bytes);
		fmm_object_put(object);
		return NULL;
	}
	if (page->type == KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL)
		offset = page->kfd_offset_bytes;
	object->node_id = gpu->node_id;
	object->internal = true;
	object->flags = page_flags();
	fmm_object_insert(aperture, object, address, page->size_bytes);
	object = fmm_find_start(aperture, (uintptr_t)address); /* ours: nobody else knows it yet */
	if (!object)
		return NULL;
	if (map_cpu(ctx, page, address, offset) &&
	    (page->no_maps || fmm_bo_map(ctx, object, gpu->peers) == 0)) {
		fmm_unlock(object);
		return address;
	}
	(void)fmm_release(ctx, object); /* never mapped, so the kernel has no reason to refuse */
	return NULL;
}

void fmm_kfd_page_unmap(struct kmt_context *ctx, void *address)
{
	struct fmm_object *object;

	if (!address)
		return;
	object = fmm_find_start(fmm_svm_alt(ctx->fmm), (uintptr_t)address);
	if (!object)
		return;
	if (object->mapped)
		(void)fmm_bo_unmap(ctx, object, object->mapped); /* FREE tells if it failed */
	if (fmm_release(ctx, object) != HSAKMT_STATUS_SUCCESS)
		kmt_log(KMT_LOG_WARNING, "the kernel keeps a page at %p", address);
}

void *kmt_fmm_map_doorbell(struct kmt_context *ctx, uint32_t node_id, uint64_t size_bytes,
			   uint64_t kfd_offset)
{
	const struct fmm_kfd_page page = {
		.type = KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL,
		.size_bytes = size_bytes,
		.kfd_offset_bytes = kfd_offset,
	};
	struct fmm_gpu *gpu = fmm_gpu_of_node(ctx, node_id);

	if (!gpu || !atomic_load(&ctx->fmm->has_svm))
		return NULL;
	return fmm_kfd_page_map(ctx, gpu, &page);
}

void kmt_fmm_unmap_doorbell(struct kmt_context *ctx, void *address)
{
	if (ctx->fmm)
		fmm_kfd_page_unmap(ctx, address);
}
