/* SPDX-License-Identifier: MIT */
/*
 * Scratch backing (memory.md 6.1, 9.3): one block of addresses a GPU, without memory until pieces of
 * it are mapped.
 */
#include "memory/fmm_internal.h"

#include <errno.h>
#include <sys/mman.h>

#include "debug/debug.h"
#include "hsakmt/linux/kfd_ioctl.h"

#define SCRATCH_ALIGN_BYTES (64ull << 10)

struct fmm_gpu *fmm_scratch_owner(const struct kmt_context *ctx, const void *address)
{
	struct fmm_view *view = fmm_view(ctx);
	uint64_t va = (uintptr_t)address;

	if (!view || !atomic_load_explicit(&ctx->fmm->scratch_blocks, memory_order_acquire))
		return NULL;
	for (uint32_t i = 0; i < view->gpu_count; i++) {
		struct fmm_gpu *gpu = &view->gpus[i];
		uint64_t base = atomic_load_explicit(&gpu->scratch_base, memory_order_acquire);

		if (base && va >= base && va <= atomic_load(&gpu->scratch_limit))
			return gpu;
	}
	return NULL;
}

/* Anonymous memory aligned to 64 KiB, for processes without a discrete GPU. */
static void *map_aligned(struct kmt_context *ctx, uint64_t size_bytes)
{
	uint64_t total = size_bytes + SCRATCH_ALIGN_BYTES, start;
	void *mapped = kmt_mmap(ctx, NULL, total, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mapped == MAP_FAILED)
		return NULL;
	start = kmt_round_up((uintptr_t)mapped, SCRATCH_ALIGN_BYTES);
	if (start > (uintptr_t)mapped)
		kmt_munmap(ctx, mapped, start - (uintptr_t)mapped);
	kmt_munmap(ctx, (void *)(uintptr_t)(start + size_bytes),
		   (uintptr_t)mapped + total - (start + size_bytes));
	return (void *)(uintptr_t)start;
}

static void *take_addresses(struct kmt_context *ctx, const struct fmm_request *request,
			    uint64_t size_bytes)
{
	if (fmm_is_dgpu(ctx))
		return fmm_va_alloc(ctx, &ctx->fmm->svm, request->fixed, size_bytes,
				    SCRATCH_ALIGN_BYTES);
	return request->fixed ? NULL : map_aligned(ctx, size_bytes);
}

static void give_addresses(struct kmt_context *ctx, void *address, uint64_t size_bytes)
{
	if (fmm_is_dgpu(ctx))
		fmm_va_release(ctx, &ctx->fmm->svm, address, size_bytes);
	else
		kmt_munmap(ctx, address, size_bytes);
}

void *fmm_scratch_alloc(struct kmt_context *ctx, const struct fmm_request *request)
{
	uint64_t size = kmt_round_up(request->size_bytes, SCRATCH_ALIGN_BYTES);
	struct fmm_gpu *gpu = fmm_gpu_of_id(ctx, request->gpu_id);
	struct kfd_ioctl_set_scratch_backing_va_args args = { .gpu_id = request->gpu_id };
	void *address = NULL;

	if (!gpu || size < request->size_bytes)
		return NULL;
	pthread_mutex_lock(&gpu->scratch_lock);
	if (atomic_load(&gpu->scratch_base))
		goto out;
	address = take_addresses(ctx, request, size);
	if (!address)
		goto out;
	args.va_addr = (uintptr_t)address >> 16;
	if (kmt_ioctl(ctx, AMDKFD_IOC_SET_SCRATCH_BACKING_VA, &args) != 0) {
		give_addresses(ctx, address, size);
		address = NULL;
		goto out;
	}
	atomic_store(&gpu->scratch_limit, (uintptr_t)address + size - 1);
	atomic_store(&gpu->scratch_base, (uintptr_t)address);
	atomic_fetch_add(&ctx->fmm->scratch_blocks, 1);
out:
	pthread_mutex_unlock(&gpu->scratch_lock);
	return address;
}

/* Unmaps and frees one piece that fmm_find_*() gave; keeps it when the kernel refuses. */
static bool drop_piece(struct kmt_context *ctx, struct fmm_object *piece)
{
	void *address = (void *)(uintptr_t)piece->va.start;
	uint64_t size = piece->va.size_bytes;
	bool done = false;

	if (piece->mapped && fmm_bo_unmap(ctx, piece, piece->mapped) != 0)
		goto out;
	/* The addresses stay part of the block: take the memory away, not the reservation. */
	(void)fmm_va_blank(ctx, address, size);
	done = fmm_bo_free(ctx, piece) == 0;
	if (done)
		fmm_object_remove(piece);
out:
	fmm_unlock(piece);
	return done;
}

void fmm_scratch_free(struct kmt_context *ctx, struct fmm_gpu *gpu)
{
	uint64_t base, from;
	struct fmm_object *piece;

	pthread_mutex_lock(&gpu->scratch_lock);
	base = from = atomic_load(&gpu->scratch_base);
	if (!base)
		goto out; /* another thread was faster */
	while ((piece = fmm_find_after(&gpu->scratch, from))) {
		from = piece->va.start + piece->va.size_bytes;
		if (!drop_piece(ctx, piece))
			kmt_log(KMT_LOG_WARNING, "the kernel keeps scratch memory of node %u",
				gpu->node_id);
	}
	atomic_store(&gpu->scratch_base, 0);
	atomic_fetch_sub(&ctx->fmm->scratch_blocks, 1);
	give_addresses(ctx, (void *)(uintptr_t)base, atomic_load(&gpu->scratch_limit) - base + 1);
out:
	pthread_mutex_unlock(&gpu->scratch_lock);
}

static int make_piece(struct kmt_context *ctx, const struct fmm_gpu *gpu,
		      const struct fmm_bo_request *bo, bool debugged, struct fmm_object *object)
{
	void *address = (void *)(uintptr_t)bo->va;
	uint64_t offset = 0;
	int rc = fmm_bo_alloc(ctx, object, bo, &offset);

	if (rc != 0)
		return rc;
	rc = fmm_bo_cpu_map(ctx, object, gpu->render_fd, address, bo->size_bytes,
			    debugged ? PROT_READ | PROT_WRITE : PROT_NONE, offset);
	if (rc != 0)
		(void)fmm_bo_free(ctx, object); /* fresh and unmapped: nothing can hold it */
	return rc;
}

HSAKMT_STATUS fmm_scratch_map(struct kmt_context *ctx, struct fmm_gpu *gpu, void *address,
			      uint64_t size_bytes)
{
	bool debugged = kmt_debug_is_debugged(ctx, gpu->node_id);
	uint64_t base = atomic_load(&gpu->scratch_base);
	struct fmm_bo_request bo = {
		.gpu_id = gpu->gpu_id,
		.flags = KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE | KFD_IOC_ALLOC_MEM_FLAGS_NO_SUBSTITUTE |
			 (debugged ? KFD_IOC_ALLOC_MEM_FLAGS_GTT : KFD_IOC_ALLOC_MEM_FLAGS_VRAM),
		.va = (uintptr_t)address,
		.size_bytes = size_bytes,
	};
	struct fmm_object *object;

	if (!fmm_is_dgpu(ctx))
		return HSAKMT_STATUS_SUCCESS;
	if (bo.va < base || size_bytes == 0 ||
	    size_bytes - 1 > atomic_load(&gpu->scratch_limit) - bo.va)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	object = fmm_object_new(ctx->fmm, false);
	if (!object)
		return HSAKMT_STATUS_INVALID_HANDLE;
	if (make_piece(ctx, gpu, &bo, debugged, object) != 0) {
		/* A failed mapping may have taken the reservation with it. */
		(void)fmm_va_blank(ctx, address, size_bytes);
		fmm_object_put(object);
		return HSAKMT_STATUS_INVALID_HANDLE;
	}
	object->node_id = gpu->node_id;
	object->flags = fmm_flags_of_ioctl(bo.flags);
	fmm_object_insert(&gpu->scratch, object, address, size_bytes);
	object = fmm_find_start(&gpu->scratch, bo.va);
	if (!object)
		return HSAKMT_STATUS_INVALID_HANDLE;
	if (fmm_bo_map(ctx, object, gpu->self) == 0) {
		fmm_unlock(object);
		return HSAKMT_STATUS_SUCCESS;
	}
	(void)drop_piece(ctx, object); /* never mapped, so the kernel has no reason to refuse */
	return HSAKMT_STATUS_ERROR;
}

HSAKMT_STATUS fmm_scratch_unmap(struct kmt_context *ctx, struct fmm_gpu *gpu, void *address)
{
	struct fmm_object *piece;

	if (!fmm_is_dgpu(ctx))
		return HSAKMT_STATUS_SUCCESS;
	piece = fmm_find_start(&gpu->scratch, (uintptr_t)address);
	if (!piece)
		return HSAKMT_STATUS_ERROR;
	return drop_piece(ctx, piece) ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_ERROR;
}
