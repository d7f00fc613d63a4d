/* SPDX-License-Identifier: MIT */
/* Registration of user memory (memory.md 10). */
#include "memory/memory.h"

#include "hsakmt/linux/kfd_ioctl.h"
#include "memory/fmm_internal.h"
#include "svm/records.h"

struct registration {
	void *address;
	uint64_t size_bytes;
	bool coarse, extended;       /* CoarseGrain, ExtendedCoherent */
	const struct gpu_set *nodes; /* borrowed; NULL: not given */
};

/* One more registration of an object, with the nodes of this one. The caller holds its lock. */
static HSAKMT_STATUS add_to(struct fmm_object *object, const struct registration *reg)
{
	HSAKMT_STATUS status = HSAKMT_STATUS_SUCCESS;

	fmm_object_begin_change(object);
	object->registrations++;
	if (object->registered && object->registered != reg->nodes)
		status = HSAKMT_STATUS_MEMORY_ALREADY_REGISTERED; /* the count stays raised */
	else
		object->registered = reg->nodes;
	fmm_object_end_change(object);
	return status;
}

static HSAKMT_STATUS add_to_found(struct fmm_object *object, const struct registration *reg)
{
	HSAKMT_STATUS status = HSAKMT_STATUS_INVALID_HANDLE;

	if (object->user_ptr == reg->address && object->user_size_bytes == reg->size_bytes)
		status = add_to(object, reg);
	fmm_unlock(object);
	return status;
}

static uint32_t userptr_flags(const struct fmm_settings *settings, const struct registration *reg)
{
	HsaMemFlags flags = { 0 };

	flags.ui32.ExecuteAccess = 1;
	flags.ui32.CoarseGrain = reg->coarse;
	flags.ui32.ExtendedCoherent = reg->extended;
	return fmm_ioctl_flags(settings, flags, KFD_IOC_ALLOC_MEM_FLAGS_USERPTR);
}

/* An object for user memory, in its place but not yet findable. */
static HSAKMT_STATUS make_user_object(struct kmt_context *ctx, const struct registration *reg,
				      struct fmm_object **out, void **va)
{
	struct fmm_gpu *gpu = fmm_first_gpu(ctx);
	uint64_t span = fmm_page_span(reg->address, reg->size_bytes);
	struct fmm_bo_request bo = { .size_bytes = span,
				     .user_addr = fmm_page_floor(reg->address) };
	struct fmm_object *object;

	if (!gpu || !atomic_load(&ctx->fmm->has_svm))
		return HSAKMT_STATUS_ERROR;
	object = fmm_object_new(ctx->fmm, true);
	if (!object)
		return HSAKMT_STATUS_NO_MEMORY;
	*va = fmm_va_alloc(ctx, &ctx->fmm->svm, NULL, span, 0);
	if (!*va) {
		fmm_object_put(object);
		return HSAKMT_STATUS_NO_MEMORY;
	}
	bo.gpu_id = gpu->gpu_id;
	bo.va = (uintptr_t)*va;
	bo.flags = userptr_flags(&fmm_view(ctx)->settings, reg);
	if (fmm_bo_alloc(ctx, object, &bo, NULL) != 0) {
		fmm_va_release(ctx, &ctx->fmm->svm, *va, span);
		fmm_object_put(object);
		return HSAKMT_STATUS_ERROR;
	}
	object->user_ptr = reg->address;
	object->user_size_bytes = reg->size_bytes;
	object->node_id = gpu->node_id;
	object->flags = fmm_flags_of_ioctl(bo.flags);
	object->registrations = 1;
	object->registered = reg->nodes;
	*out = object;
	return HSAKMT_STATUS_SUCCESS;
}

static HSAKMT_STATUS register_user(struct kmt_context *ctx, const struct registration *reg)
{
	uint64_t span = fmm_page_span(reg->address, reg->size_bytes);
	struct fmm_aperture *aperture = &ctx->fmm->svm;
	struct fmm_object *object = NULL, *other = NULL;
	HSAKMT_STATUS status;
	void *va = NULL;

	if (fmm_view(ctx) && fmm_view(ctx)->settings.check_userptr)
		fmm_touch_pages(reg->address, reg->size_bytes);
	status = make_user_object(ctx, reg, &object, &va);
	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	/* Another thread may have registered the same meanwhile, and may deregister it right now. */
	while (!other && !fmm_object_insert_user(aperture, object, va, span))
		other = fmm_find(ctx, reg->address, reg->size_bytes, FMM_EXACT);
	if (!other)
		return HSAKMT_STATUS_SUCCESS;
	(void)fmm_bo_free(ctx, object); /* fresh and unmapped: nothing can hold it */
	fmm_va_release(ctx, aperture, va, span);
	fmm_object_put(object);
	return add_to_found(other, reg);
}

static HSAKMT_STATUS register_range(struct kmt_context *ctx, const struct registration *reg)
{
	struct fmm_object *object;
	uint64_t start = (uintptr_t)reg->address;

	if (!reg->address || reg->size_bytes == 0 ||
	    reg->size_bytes > UINT64_MAX - start - kmt_process()->page_size_bytes)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	object = fmm_find(ctx, reg->address, reg->size_bytes, FMM_EXACT);
	if (object)
		return add_to_found(object, reg);
	if (!fmm_is_dgpu(ctx))
		return HSAKMT_STATUS_SUCCESS;
	if (kmt_svm_registers(ctx) &&
	    svm_register(ctx, reg->address, reg->size_bytes, reg->coarse, reg->extended) == 0)
		return HSAKMT_STATUS_SUCCESS;
	return register_user(ctx, reg);
}

HSAKMT_STATUS kmt_register_memory(struct kmt_context *ctx, void *address, HSAuint64 size_bytes)
{
	const struct registration reg = { .address = address,
					  .size_bytes = size_bytes,
					  .coarse = true };

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (!fmm_is_dgpu(ctx))
		return HSAKMT_STATUS_SUCCESS;
	return register_range(ctx, &reg);
}

HSAKMT_STATUS kmt_register_memory_to_nodes(struct kmt_context *ctx, void *address,
					   HSAuint64 size_bytes, HSAuint64 node_count,
					   HSAuint32 *node_ids)
{
	struct registration reg = { .address = address, .size_bytes = size_bytes, .coarse = true };
	HSAKMT_STATUS status;

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (!fmm_is_dgpu(ctx))
		return HSAKMT_STATUS_NOT_SUPPORTED;
	status = fmm_gpu_set_of_nodes(ctx, node_ids, node_count, &reg.nodes);
	return status == HSAKMT_STATUS_SUCCESS ? register_range(ctx, &reg) : status;
}

HSAKMT_STATUS kmt_register_memory_with_flags(struct kmt_context *ctx, void *address,
					     HSAuint64 size_bytes, HsaMemFlags flags)
{
	const struct registration reg = { .address = address,
					  .size_bytes = size_bytes,
					  .coarse = flags.ui32.CoarseGrain,
					  .extended = flags.ui32.ExtendedCoherent };

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (reg.coarse && reg.extended)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	if (!flags.ui32.HostAccess || flags.ui32.NonPaged || !fmm_is_dgpu(ctx))
		return HSAKMT_STATUS_NOT_SUPPORTED;
	return register_range(ctx, &reg);
}

/* Of memory that is no object. */
static HSAKMT_STATUS deregister_unknown(struct kmt_context *ctx, void *address)
{
	if (kmt_svm_registers(ctx))
		svm_deregister(ctx, address);
	return !fmm_is_dgpu(ctx) || kmt_svm_registers(ctx) ? HSAKMT_STATUS_SUCCESS
							   : HSAKMT_STATUS_MEMORY_NOT_REGISTERED;
}

HSAKMT_STATUS kmt_deregister_memory(struct kmt_context *ctx, void *address)
{
	HSAKMT_STATUS status = HSAKMT_STATUS_SUCCESS;
	struct fmm_object *object;

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	object = fmm_find(ctx, address, 0, FMM_EXACT);
	if (!object)
		return deregister_unknown(ctx, address);
	if (object->user_ptr || object->metadata || object->imported) {
		(void)fmm_release(ctx, object); /* memory.md 10.3: the result is not the caller's */
		return HSAKMT_STATUS_SUCCESS;
	}
	if (!object->plain_map) {
		fmm_object_begin_change(object);
		if (!object->registered)
			status = HSAKMT_STATUS_MEMORY_NOT_REGISTERED;
		object->registered = NULL;
		fmm_object_end_change(object);
	}
	fmm_unlock(object);
	return status;
}
