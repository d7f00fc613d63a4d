/* SPDX-License-Identifier: MIT */
/* dma-bufs of the process's own memory, and what strange ones hold (memory.md 13). */
#include <fcntl.h>
#include <string.h>

#include "hsakmt/linux/kfd_ioctl.h"
#include "ipc/ipc.h"
#include "memory/fmm_internal.h"

#define EXPORT_MINOR 12

HSAKMT_STATUS kmt_export_dma_buf_handle(struct kmt_context *ctx, void *address,
					HSAuint64 size_bytes, int *fd, HSAuint64 *offset_bytes)
{
	struct kfd_ioctl_export_dmabuf_args args = { .flags = O_CLOEXEC };
	struct fmm_object *object;
	uint64_t offset, size;
	uint32_t slot;
	int rc;

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (!kmt_kfd_at_least(EXPORT_MINOR))
		return HSAKMT_STATUS_NOT_SUPPORTED;
	if (!fd || !offset_bytes)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	object = fmm_find_holder(fmm_aperture_of(ctx, address, &slot), (uintptr_t)address);
	if (!object)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	offset = (uintptr_t)address - object->va.start;
	size = object->va.size_bytes;
	if (!object->handle_count || size_bytes > size - offset) {
		fmm_unlock(object);
		return HSAKMT_STATUS_INVALID_PARAMETER;
	}
	args.handle = object->handles[0];
	rc = kmt_ioctl(ctx, AMDKFD_IOC_EXPORT_DMABUF, &args);
	fmm_unlock(object);
	if (rc != 0)
		return HSAKMT_STATUS_ERROR;
	*fd = (int)args.dmabuf_fd;
	*offset_bytes = offset;
	return HSAKMT_STATUS_SUCCESS;
}

/* The members that are known of HsaDmaBufInfo. */
struct dma_buf_info {
	uint64_t size_bytes;
	uint32_t gpu_id;
	bool is_device_memory;
};

HSAKMT_STATUS kmt_query_dma_buf_info(struct kmt_context *ctx, int fd, HsaDmaBufInfo *info)
{
	struct kfd_ioctl_get_dmabuf_info_args args = { .dmabuf_fd = (uint32_t)fd };
	struct dma_buf_info known;

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (fd < 0 || !info)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	if (kmt_ioctl(ctx, AMDKFD_IOC_GET_DMABUF_INFO, &args) != 0)
		return HSAKMT_STATUS_NOT_SUPPORTED;
	memset(&known, 0, sizeof(known));
	known.size_bytes = args.size;
	known.gpu_id = args.gpu_id;
	known.is_device_memory = args.flags & KFD_IOC_ALLOC_MEM_FLAGS_VRAM;
	memcpy(info, &known, sizeof(known));
	return HSAKMT_STATUS_SUCCESS;
}
