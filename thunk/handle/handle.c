/* SPDX-License-Identifier: MIT */
/* Buffer objects of libdrm: import, export, CPU access and the end. */
#include "handle/handle.h"

#include <amdgpu.h>
#include <amdgpu_drm.h>
#include <string.h>

#include "handle/handle_table.h"
#include "memory/fmm_internal.h"
#include "render/render.h"

static int free_bo(struct kmt_context *ctx, void *bo)
{
	union device_drm_args args = { .bo_free = { .bo = bo } };

	return kmt_drm(ctx, DEVICE_DRM_BO_FREE, &args);
}

static int write_word(struct kmt_context *ctx, void *bo, uint32_t word)
{
	struct amdgpu_bo_metadata metadata = { 0 };
	union device_drm_args args = { .bo_set_metadata = { .bo = bo, .metadata = &metadata } };

	metadata.size_metadata = sizeof(metadata.umd_metadata[0]);
	metadata.umd_metadata[0] = word;
	return kmt_drm(ctx, DEVICE_DRM_BO_SET_METADATA, &args);
}

static int read_word(struct kmt_context *ctx, void *bo, uint32_t *word)
{
	struct amdgpu_bo_info info = { 0 };
	union device_drm_args args = { .bo_query_info = { .bo = bo, .info = &info } };
	int rc = kmt_drm(ctx, DEVICE_DRM_BO_QUERY_INFO, &args);

	if (rc == 0)
		*word = info.metadata.size_metadata ? info.metadata.umd_metadata[0] : 0;
	return rc;
}

/* The metadata word ties an IPC handle to its buffer (memory.md 18). */
static HSAKMT_STATUS match_metadata(struct kmt_context *ctx, void *bo, uint32_t wanted,
				    const HsaHandleImportFlags *flags,
				    HsaHandleImportResult *result)
{
	uint32_t word = 0;

	if (read_word(ctx, bo, &word) != 0)
		return HSAKMT_STATUS_INVALID_HANDLE;
	if (flags->ui32.UpdateMetadata && !flags->ui32.SysMem) {
		if (!word && write_word(ctx, bo, wanted) != 0)
			return HSAKMT_STATUS_ERROR;
		result->metadata = word ? word : wanted;
		return HSAKMT_STATUS_SUCCESS;
	}
	result->metadata = word;
	return word == wanted ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_INVALID_PARAMETER;
}

HSAKMT_STATUS kmt_handle_import(struct kmt_context *ctx, const HsaHandleImportDesc *desc,
				HsaHandleImportResult *result, HsaHandleImportFlags *flags)
{
	struct amdgpu_bo_import_result imported = { 0 };
	HSAKMT_STATUS status = HSAKMT_STATUS_SUCCESS;
	union device_drm_args args = { 0 };

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (!desc || !result || !desc->device_handle ||
	    !kmt_render_owns_device(ctx, desc->device_handle))
		return HSAKMT_STATUS_INVALID_HANDLE;
	if (desc->type != HSA_EXTERNAL_HANDLE_DMA_BUF)
		return HSAKMT_STATUS_NOT_SUPPORTED;
	args.bo_import.dev = desc->device_handle;
	args.bo_import.type = amdgpu_bo_handle_type_dma_buf_fd;
	args.bo_import.shared_handle = (uint32_t)desc->dmabuf_fd;
	args.bo_import.result = &imported;
	if (kmt_drm(ctx, DEVICE_DRM_BO_IMPORT, &args) != 0)
		return HSAKMT_STATUS_ERROR;
	if (flags && flags->ui32.IPCHandle)
		status = match_metadata(ctx, imported.buf_handle, desc->metadata, flags, result);
	if (status == HSAKMT_STATUS_SUCCESS &&
	    !handle_table_add(&ctx->fmm->bos, imported.buf_handle, desc->device_handle))
		status = HSAKMT_STATUS_ERROR;
	if (status != HSAKMT_STATUS_SUCCESS) {
		(void)free_bo(ctx, imported.buf_handle); /* the first failure is what counts */
		return status;
	}
	result->buf_handle = (HsaMemoryObjectHandle)imported.buf_handle;
	result->alloc_size = imported.alloc_size;
	result->dmabuf_fd = (int)desc->dmabuf_fd;
	return HSAKMT_STATUS_SUCCESS;
}

static int export_bo(struct kmt_context *ctx, void *bo, enum amdgpu_bo_handle_type type,
		     uint32_t *out)
{
	union device_drm_args args = {
		.bo_export = { .bo = bo, .type = type, .handle = out },
	};

	return kmt_drm(ctx, DEVICE_DRM_BO_EXPORT, &args);
}

HSAKMT_STATUS kmt_handle_export(struct kmt_context *ctx, const HsaHandleExportDesc *desc,
				HsaMemoryExportResult *result, HsaHandleExportFlags *flags)
{
	uint32_t fd = 0;

	(void)flags;
	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (!desc || !result || !handle_table_has(&ctx->fmm->bos, desc->buf_handle, NULL))
		return HSAKMT_STATUS_INVALID_HANDLE;
	if (desc->type != HSA_EXTERNAL_HANDLE_DMA_BUF)
		return HSAKMT_STATUS_NOT_SUPPORTED;
	if (export_bo(ctx, desc->buf_handle, amdgpu_bo_handle_type_dma_buf_fd, &fd) != 0 ||
	    fd > INT32_MAX)
		return HSAKMT_STATUS_INVALID_HANDLE;
	result->dmabuf_fd = (HSAint32)fd;
	return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS kmt_memory_cpu_map(struct kmt_context *ctx, HsaMemoryObjectHandle handle,
				 void **address)
{
	union device_drm_args args = { .bo_cpu_map = { .bo = handle, .cpu = address } };

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (!address || !handle_table_has(&ctx->fmm->bos, handle, NULL))
		return HSAKMT_STATUS_ERROR;
	return kmt_drm(ctx, DEVICE_DRM_BO_CPU_MAP, &args) == 0 ? HSAKMT_STATUS_SUCCESS
							       : HSAKMT_STATUS_ERROR;
}

HSAKMT_STATUS kmt_memory_get_cpu_addr(struct kmt_context *ctx, HsaAMDGPUDeviceHandle device,
				      HsaMemoryObjectHandle handle, HSAuint64 *offset)
{
	union device_drm_args args = { .device_get_fd = { .dev = device, .fd = -1 } };
	union drm_amdgpu_gem_mmap gem_mmap = { 0 };
	uint32_t kms = 0;
	int fd;

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (!offset || !kmt_render_owns_device(ctx, device) ||
	    !handle_table_has(&ctx->fmm->bos, handle, NULL) ||
	    export_bo(ctx, handle, amdgpu_bo_handle_type_kms, &kms) != 0 ||
	    kmt_drm(ctx, DEVICE_DRM_DEVICE_GET_FD, &args) < 0)
		return HSAKMT_STATUS_ERROR;
	fd = args.device_get_fd.fd;
	gem_mmap.in.handle = kms;
	memset(&args, 0, sizeof(args));
	args.command_write_read.fd = fd;
	args.command_write_read.command = DRM_AMDGPU_GEM_MMAP;
	args.command_write_read.data = &gem_mmap;
	args.command_write_read.size_bytes = sizeof(gem_mmap);
	if (kmt_drm(ctx, DEVICE_DRM_COMMAND_WRITE_READ, &args) != 0)
		return HSAKMT_STATUS_ERROR;
	*offset = gem_mmap.out.addr_ptr;
	return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS kmt_mem_handle_free(struct kmt_context *ctx, HsaMemoryObjectHandle handle)
{
	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (!handle_table_has(&ctx->fmm->bos, handle, NULL) || write_word(ctx, handle, 0) != 0)
		return HSAKMT_STATUS_ERROR;
	return kmt_mem_handle_free_preserve_metadata(ctx, handle);
}

HSAKMT_STATUS kmt_mem_handle_free_preserve_metadata(struct kmt_context *ctx,
						    HsaMemoryObjectHandle handle)
{
	void *device = NULL;

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	/* dropped first, so that of two threads only one frees it */
	if (!handle_table_has(&ctx->fmm->bos, handle, &device) ||
	    !handle_table_drop(&ctx->fmm->bos, handle))
		return HSAKMT_STATUS_ERROR;
	if (free_bo(ctx, handle) == 0)
		return HSAKMT_STATUS_SUCCESS;
	/* still the caller's; without memory for the entry it is lost to him */
	if (!handle_table_add(&ctx->fmm->bos, handle, device))
		kmt_log(KMT_LOG_WARNING, "a buffer object that could not be freed is forgotten");
	return HSAKMT_STATUS_ERROR;
}
