/* SPDX-License-Identifier: MIT */
/* Apertures: making and unmaking them, and which one an address belongs to (memory.md 3). */
#include "memory/fmm_internal.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

void fmm_aperture_init(struct fmm_aperture *aperture)
{
	memset(aperture, 0, sizeof(*aperture));
	pthread_mutex_init(&aperture->lock, NULL);
}

void fmm_aperture_fini(struct fmm_aperture *aperture)
{
	struct range_node *node;

	/*
	 * Held here means: by a thread of the parent that this forked child has not. Its work is half
	 * done, so the indexes cannot be trusted and are left behind.
	 */
	if (pthread_mutex_trylock(&aperture->lock) != 0)
		goto out;
	pthread_mutex_unlock(&aperture->lock);
	while ((node = aperture->objects.root)) {
		struct fmm_object *object = node->owner;

		range_tree_remove(&aperture->objects, node);
		object->dead = true;
		fmm_object_put(object);
	}
	aperture->users.root = NULL;
	fmm_va_reserved_fini(aperture);
	pthread_mutex_destroy(&aperture->lock);
out:
	memset(aperture, 0, sizeof(*aperture));
}

uint64_t fmm_va_raise_align(uint64_t align_bytes, uint64_t cap_bytes, uint64_t size_bytes)
{
	while (align_bytes < cap_bytes && size_bytes >= align_bytes << 1)
		align_bytes <<= 1;
	return align_bytes;
}

int fmm_va_blank(struct kmt_context *ctx, void *address, uint64_t size_bytes)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

	/*
	 * Replacing in one step, shared pages included, leaves no hole that another thread's mmap
	 * could fall into; the hole is the way out only when the kernel has no mapping left to give.
	 */
	if (kmt_mmap(ctx, address, size_bytes, PROT_NONE, flags | MAP_FIXED, -1, 0) != MAP_FAILED)
		return 0;
	kmt_munmap(ctx, address, size_bytes);
	if (kmt_mmap(ctx, address, size_bytes, PROT_NONE, flags | MAP_FIXED_NOREPLACE, -1, 0) ==
	    address)
		return 0;
	kmt_log(KMT_LOG_WARNING, "a released range is no longer reserved");
	return -ENOMEM;
}

struct fmm_aperture *fmm_aperture_of(struct kmt_context *ctx, const void *address,
				     uint32_t *gpu_slot)
{
	struct kmt_fmm *fmm = ctx->fmm;
	struct fmm_view *view = fmm_view(ctx);
	uint64_t va = (uintptr_t)address;
	struct fmm_gpu *scratch;

	*gpu_slot = 0;
	if (fmm_aperture_holds(&fmm->handles, va))
		return &fmm->handles;
	if (!view || !atomic_load(&fmm->has_svm))
		return &fmm->cpuvm;
	if (view->is_dgpu) {
		scratch = fmm_scratch_owner(ctx, address);
		if (scratch)
			return &scratch->scratch;
		if (!fmm_aperture_holds(&fmm->svm, va) && fmm_aperture_holds(fmm_svm_alt(fmm), va))
			return fmm_svm_alt(fmm);
		return &fmm->svm;
	}
	if (fmm_aperture_holds(&fmm->svm, va))
		return &fmm->svm;
	for (uint32_t i = 0; i < view->gpu_count; i++) {
		if (!fmm_aperture_holds(&view->gpus[i].gpuvm, va))
			continue;
		*gpu_slot = i;
		return &view->gpus[i].gpuvm;
	}
	return &fmm->cpuvm;
}
