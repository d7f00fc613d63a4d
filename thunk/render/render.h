/* SPDX-License-Identifier: MIT */
/*
 * Render nodes: one descriptor and one libdrm device per node and context, and the calls that hand
 * them out. kmt_render_open() and kmt_render_drm_device() are in context.h.
 */
#ifndef KFDSCOPE_THUNK_RENDER_RENDER_H
#define KFDSCOPE_THUNK_RENDER_RENDER_H

#include "context.h"

struct kmt_renders *kmt_renders_new(void);
/* Does not close anything; accepts NULL. */
void kmt_renders_free(struct kmt_renders *renders);
/*
 * Closes every node of the context, libdrm device or plain descriptor. Only for a process or a
 * context that gives its KFD up too: the kernel binds a GPU's address space to the file that it saw
 * first (openclose.md 1). Nobody else may be using the nodes.
 */
void kmt_renders_close(struct kmt_context *ctx);

/*
 * The libdrm device of a GPU node, which stays the library's.
 *
 * @param out  NULL in model mode, where there need not be one.
 * @return SUCCESS; KERNEL_IO_CHANNEL_NOT_OPENED; INVALID_PARAMETER for NULL; INVALID_NODE_UNIT for
 *         nodes without a GPU; INVALID_HANDLE when libdrm could not make a device.
 */
HSAKMT_STATUS kmt_get_amdgpu_device_handle(struct kmt_context *ctx, HSAuint32 node_id,
					   HsaAMDGPUDeviceHandle *out);
/*
 * The descriptor behind a device that kmt_get_amdgpu_device_handle() gave.
 * @return SUCCESS; KERNEL_IO_CHANNEL_NOT_OPENED; INVALID_PARAMETER for NULL; ERROR for an unknown
 *         handle and when libdrm cannot tell.
 */
HSAKMT_STATUS kmt_get_amd_gpu_device_fd(struct kmt_context *ctx, HsaAMDGPUDeviceHandle handle,
					int *fd);
/*
 * Asks the DRM driver to delay the SIGBUS of a poisoned page.
 *
 * @param delay_ms  0: at once; 0xFFFFFFFF: never.
 * @return SUCCESS; KERNEL_IO_CHANNEL_NOT_OPENED; NOT_SUPPORTED for every other failure.
 */
HSAKMT_STATUS kmt_set_sigbus_delay(struct kmt_context *ctx, HSAuint32 node_id, HSAuint32 delay_ms);
/*
 * Asks for L2 cache that persists between kernels. No published amdgpu driver defines the operation,
 * so a valid request is refused (render/tuning.c says more).
 *
 * @return KERNEL_IO_CHANNEL_NOT_OPENED; INVALID_PARAMETER for nodes without a GPU and sizes beyond
 *         32 bits; ERROR.
 */
HSAKMT_STATUS kmt_set_persisting_cache_size(struct kmt_context *ctx, HSAuint32 node_id,
					    HSAuint64 size_bytes);

/* True when the context made this libdrm device and has not closed it. */
bool kmt_render_owns_device(const struct kmt_context *ctx, const void *device);

#endif
