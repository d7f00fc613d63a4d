/* SPDX-License-Identifier: MIT */
/* Streaming performance counters: the RLC_SPM ioctl (perf.md 4). */
#include "perf/perf.h"

#include "hsakmt/linux/kfd_ioctl.h"
#include "topology/topology.h"

/* The node's GPU and the ioctl. No check of the context: without a snapshot the node is unknown. */
static HSAKMT_STATUS spm(struct kmt_context *ctx, uint32_t node_id, uint32_t op,
			 struct kfd_ioctl_spm_args *args)
{
	HSAKMT_STATUS status = kmt_topology_gpu_id(ctx, node_id, &args->gpu_id);

	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	args->op = op;
	return kmt_ioctl(ctx, AMDKFD_IOC_RLC_SPM, args) ? HSAKMT_STATUS_ERROR
							: HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS kmt_spm_acquire(struct kmt_context *ctx, HSAuint32 node_id)
{
	struct kfd_ioctl_spm_args args = { 0 };

	return spm(ctx, node_id, KFD_IOCTL_SPM_OP_ACQUIRE, &args);
}

HSAKMT_STATUS kmt_spm_release(struct kmt_context *ctx, HSAuint32 node_id)
{
	struct kfd_ioctl_spm_args args = { 0 };

	return spm(ctx, node_id, KFD_IOCTL_SPM_OP_RELEASE, &args);
}

HSAKMT_STATUS kmt_spm_set_dest_buffer(struct kmt_context *ctx, HSAuint32 node_id,
				      HSAuint32 size_bytes, HSAuint32 *timeout_ms,
				      HSAuint32 *size_copied, void *dest, bool *is_data_loss)
{
	struct kfd_ioctl_spm_args args = {
		.dest_buf = (uintptr_t)dest,
		.buf_size = size_bytes,
		.timeout = timeout_ms ? *timeout_ms : 0,
	};
	HSAKMT_STATUS status = spm(ctx, node_id, KFD_IOCTL_SPM_OP_SET_DEST_BUF, &args);

	if (status == HSAKMT_STATUS_INVALID_NODE_UNIT)
		return status;
	/* After a failure too: what was copied before it must not be lost. */
	if (size_copied)
		*size_copied = args.bytes_copied;
	if (is_data_loss)
		*is_data_loss = args.has_data_loss != 0;
	if (timeout_ms)
		*timeout_ms = args.timeout;
	return status;
}
