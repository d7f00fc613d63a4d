/* SPDX-License-Identifier: MIT */
/* System management events (openclose.md 5). */
#include "smi/smi.h"

#include "hsakmt/linux/kfd_ioctl.h"
#include "topology/topology.h"

HSAKMT_STATUS kmt_open_smi(struct kmt_context *ctx, HSAuint32 node_id, int *fd)
{
	struct kfd_ioctl_smi_events_args args = { 0 };
	HSAKMT_STATUS status;

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (!fd)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	status = kmt_topology_gpu_id(ctx, node_id, &args.gpuid);
	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	if (kmt_ioctl(ctx, AMDKFD_IOC_SMI_EVENTS, &args) < 0)
		return HSAKMT_STATUS_ERROR;
	*fd = (int)args.anon_fd;
	return HSAKMT_STATUS_SUCCESS;
}
