/* SPDX-License-Identifier: MIT */
/* Requests of the thunk that concern the DRM driver only and go through a render node. */
#include "render/render.h"

#include "topology/topology.h"

/* The DRM driver's per-process options: a command newer than the headers we build with. */
#define PROC_OPTIONS_COMMAND         0x1a
#define PROC_OPTIONS_OP_SIGBUS_DELAY 0

struct proc_options {
	uint32_t op;
	uint32_t value; /* of the sigbus delay: ms; 0: none; 0xffffffff: no signal at all */
};

HSAKMT_STATUS kmt_set_sigbus_delay(struct kmt_context *ctx, HSAuint32 node_id, HSAuint32 delay_ms)
{
	struct proc_options options = { .op = PROC_OPTIONS_OP_SIGBUS_DELAY, .value = delay_ms };
	HsaAMDGPUDeviceHandle device = NULL;
	union device_drm_args args;
	int fd;

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (kmt_get_amdgpu_device_handle(ctx, node_id, &device) != HSAKMT_STATUS_SUCCESS ||
	    kmt_get_amd_gpu_device_fd(ctx, device, &fd) != HSAKMT_STATUS_SUCCESS)
		return HSAKMT_STATUS_NOT_SUPPORTED;
	args.command_write_read.fd = fd;
	args.command_write_read.command = PROC_OPTIONS_COMMAND;
	args.command_write_read.data = &options;
	args.command_write_read.size_bytes = sizeof(options);
	if (kmt_drm(ctx, DEVICE_DRM_COMMAND_WRITE_READ, &args) < 0)
		return HSAKMT_STATUS_NOT_SUPPORTED;
	return HSAKMT_STATUS_SUCCESS;
}

/*
 * The operation would be one of the amdgpu VM command, but no published driver defines its number
 * or where the size stands: the VM command knows reserving and unreserving a VMID, and refuses all
 * else. Sending a guess could reserve a VMID by accident, so the request ends here with the status
 * that such a kernel's refusal has.
 */
HSAKMT_STATUS kmt_set_persisting_cache_size(struct kmt_context *ctx, HSAuint32 node_id,
					    HSAuint64 size_bytes)
{
	uint32_t gpu_id = 0;

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (kmt_topology_gpu_id(ctx, node_id, &gpu_id) != HSAKMT_STATUS_SUCCESS || !gpu_id ||
	    size_bytes > UINT32_MAX)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	kmt_log(KMT_LOG_WARNING, "node %u: the DRM driver has no persisting L2 cache", node_id);
	return HSAKMT_STATUS_ERROR;
}
