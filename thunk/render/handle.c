/* SPDX-License-Identifier: MIT */
/* libdrm devices for callers, who use them with libdrm directly (drm.md 1). */
#include "render/render.h"

#include "topology/topology.h"

HSAKMT_STATUS kmt_get_amdgpu_device_handle(struct kmt_context *ctx, HSAuint32 node_id,
					   HsaAMDGPUDeviceHandle *out)
{
	const HsaNodeProperties *properties;
	void *device = NULL;

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (!out)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	properties = kmt_topology_properties(ctx, node_id);
	if (!properties || !properties->KFDGpuID)
		return HSAKMT_STATUS_INVALID_NODE_UNIT;
	device = kmt_render_drm_device(ctx, (uint32_t)properties->DrmRenderMinor);
	/* With a model there is no libdrm below, and the runtime accepts that (drm.md 5). */
	if (!device && !ctx->device->is_model)
		return HSAKMT_STATUS_INVALID_HANDLE;
	*out = device;
	return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS kmt_get_amd_gpu_device_fd(struct kmt_context *ctx, HsaAMDGPUDeviceHandle handle,
					int *fd)
{
	union device_drm_args args = { .device_get_fd = { .dev = handle, .fd = -1 } };

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (!fd)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	/* A stale handle must not reach libdrm, which would follow the pointer. */
	if (!kmt_render_owns_device(ctx, handle))
		return HSAKMT_STATUS_ERROR;
	if (kmt_drm(ctx, DEVICE_DRM_DEVICE_GET_FD, &args) < 0 || args.device_get_fd.fd < 0)
		return HSAKMT_STATUS_ERROR;
	*fd = args.device_get_fd.fd;
	return HSAKMT_STATUS_SUCCESS;
}
