/* SPDX-License-Identifier: MIT */
/* GPU addresses of libdrm's buffer objects. */
#include <amdgpu.h>
#include <amdgpu_drm.h>

#include "handle/handle.h"
#include "handle/handle_table.h"
#include "handle/timeline.h"
#include "memory/fmm_internal.h"

static uint32_t page_flags(HsaMemoryMapFlags access)
{
	switch (access) {
	case HSA_MEMORY_ACCESS_NONE:
		return 0;
	case HSA_MEMORY_ACCESS_RO:
		return AMDGPU_VM_PAGE_READABLE;
	case HSA_MEMORY_ACCESS_WO:
		return AMDGPU_VM_PAGE_WRITEABLE;
	case HSA_MEMORY_ACCESS_RW:
		return AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE;
	}
	return 0;
}

/* A model has no render node that knows GEM_VA; its interface has a call of its own. */
static int update_model(struct kmt_context *ctx, void *bo, const struct timeline_update *update)
{
	union device_drm_args args = {
		.bo_va_op = { .bo = bo,
			      .offset_bytes = update->offset_bytes,
			      .size_bytes = update->size_bytes,
			      .addr = update->address,
			      .flags = update->flags,
			      .ops = update->operation },
	};

	return kmt_drm(ctx, DEVICE_DRM_BO_VA_OP, &args);
}

/* GEM handles belong to one DRM file: the buffer must be one of this GPU's device. */
static int update_gem(struct kmt_context *ctx, void *bo, struct fmm_gpu *gpu, const void *device,
		      struct timeline_update *update)
{
	union device_drm_args args = {
		.bo_export = { .bo = bo,
			       .type = amdgpu_bo_handle_type_kms,
			       .handle = &update->gem_handle },
	};

	if (device != kmt_render_drm_device(ctx, gpu->render_minor) ||
	    kmt_drm(ctx, DEVICE_DRM_BO_EXPORT, &args) != 0)
		return -1;
	return kmt_timeline_update(ctx, gpu, update);
}

static HSAKMT_STATUS update_va(struct kmt_context *ctx, HsaMemoryObjectHandle handle,
			       uint32_t node_id, struct timeline_update *update)
{
	void *device = NULL;
	struct fmm_gpu *gpu;
	int rc;

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (!handle || !handle_table_has(&ctx->fmm->bos, handle, &device))
		return HSAKMT_STATUS_ERROR;
	gpu = fmm_gpu_of_node(ctx, node_id);
	if (!gpu)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	rc = ctx->device->is_model ? update_model(ctx, handle, update)
				   : update_gem(ctx, handle, gpu, device, update);
	return rc == 0 ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_ERROR;
}

HSAKMT_STATUS kmt_memory_va_map(struct kmt_context *ctx, HsaMemoryObjectHandle handle,
				HSAuint64 offset_bytes, HSAuint64 size_bytes, HSAuint64 address,
				HsaMemoryMapFlags flags, HSAuint32 node_id)
{
	struct timeline_update update = {
		.operation = AMDGPU_VA_OP_MAP,
		.flags = page_flags(flags),
		.address = address,
		.offset_bytes = offset_bytes,
		.size_bytes = size_bytes,
	};

	return update_va(ctx, handle, node_id, &update);
}

HSAKMT_STATUS kmt_memory_va_unmap(struct kmt_context *ctx, HsaMemoryObjectHandle handle,
				  HSAuint64 offset_bytes, HSAuint64 size_bytes, HSAuint64 address,
				  HSAuint32 node_id)
{
	struct timeline_update update = {
		.operation = AMDGPU_VA_OP_UNMAP,
		.address = address,
		.offset_bytes = offset_bytes,
		.size_bytes = size_bytes,
	};

	return update_va(ctx, handle, node_id, &update);
}
