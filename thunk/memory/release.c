/* SPDX-License-Identifier: MIT */
/* Giving memory back (memory.md 11). */
#include "memory/fmm_internal.h"

#include "memory/memory.h"

/* Out of the index first: from then on the addresses may be anybody's. */
static void drop(struct kmt_context *ctx, struct fmm_object *object)
{
	void *address = (void *)(uintptr_t)object->va.start;

	fmm_object_remove(object);
	if (object->plain_map)
		kmt_munmap(ctx, address, object->va.size_bytes);
	else
		fmm_va_release(ctx, object->aperture, address, object->va.size_bytes);
}

HSAKMT_STATUS fmm_release(struct kmt_context *ctx, struct fmm_object *object)
{
	HSAKMT_STATUS status = HSAKMT_STATUS_SUCCESS;
	bool still_used = false;

	if (object->user_ptr && object->registrations) {
		fmm_object_begin_change(object);
		still_used = --object->registrations > 0;
		fmm_object_end_change(object);
	}
	if (still_used)
		goto out;
	/* The kernel first: pages must not go while the GPU may still reach them. */
	if (fmm_bo_free(ctx, object) == 0)
		drop(ctx, object);
	else
		status = HSAKMT_STATUS_ERROR;
out:
	fmm_unlock(object);
	return status;
}

HSAKMT_STATUS kmt_free_memory(struct kmt_context *ctx, void *address, HSAuint64 size_bytes)
{
	struct fmm_object *object;
	struct fmm_gpu *gpu;

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (!address || !size_bytes)
		return HSAKMT_STATUS_ERROR;
	gpu = fmm_scratch_owner(ctx, address);
	if (gpu) {
		fmm_scratch_free(ctx, gpu);
		return HSAKMT_STATUS_SUCCESS;
	}
	object = fmm_find(ctx, address, 0, FMM_EXACT);
	if (!object)
		return kmt_svm_registers(ctx) ? HSAKMT_STATUS_SUCCESS
					      : HSAKMT_STATUS_MEMORY_NOT_REGISTERED;
	return fmm_release(ctx, object);
}
