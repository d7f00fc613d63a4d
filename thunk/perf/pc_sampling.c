/* SPDX-License-Identifier: MIT */
/* PC sampling: the PC_SAMPLE ioctl, and its errnos as statuses (perf.md 5). */
#include "perf/perf.h"

#include <errno.h>
#include <stddef.h>

#include "hsakmt/linux/kfd_ioctl.h"
#include "topology/topology.h"

#define MINOR_WITH_PC_SAMPLING 16

/* The records go to the kernel as they are. */
_Static_assert(sizeof(HsaPcSamplingInfo) == sizeof(struct kfd_pc_sample_info), "perf.md 5");
_Static_assert(offsetof(HsaPcSamplingInfo, units) == offsetof(struct kfd_pc_sample_info, type),
	       "perf.md 5");

/* Every errno that some operation tells apart; which it is depends on the operation. */
static HSAKMT_STATUS status_of(uint32_t op, int rc)
{
	bool is_query = op == KFD_IOCTL_PCS_OP_QUERY_CAPABILITIES;
	bool is_create = op == KFD_IOCTL_PCS_OP_CREATE;
	bool is_start = op == KFD_IOCTL_PCS_OP_START;
	bool is_stop = op == KFD_IOCTL_PCS_OP_STOP;

	switch (-rc) {
	case 0:
		return HSAKMT_STATUS_SUCCESS;
	case EINVAL:
		return HSAKMT_STATUS_INVALID_PARAMETER;
	case ENOSPC:
		return is_query ? HSAKMT_STATUS_BUFFER_TOO_SMALL : HSAKMT_STATUS_ERROR;
	case EOPNOTSUPP:
	case ENOTTY:
		return is_query ? HSAKMT_STATUS_NOT_SUPPORTED : HSAKMT_STATUS_ERROR;
	case ENOMEM:
		if (is_create)
			return HSAKMT_STATUS_NO_MEMORY;
		return is_start ? HSAKMT_STATUS_OUT_OF_RESOURCES : HSAKMT_STATUS_ERROR;
	case EBUSY:
		return is_query || is_create || is_start ? HSAKMT_STATUS_UNAVAILABLE
							 : HSAKMT_STATUS_ERROR;
	case EALREADY:
		return is_start || is_stop ? HSAKMT_STATUS_KERNEL_ALREADY_OPENED
					   : HSAKMT_STATUS_ERROR;
	default:
		return HSAKMT_STATUS_ERROR;
	}
}

static HSAKMT_STATUS pc_sample(struct kmt_context *ctx, uint32_t node_id, uint32_t op,
			       struct kfd_ioctl_pc_sample_args *args)
{
	HSAKMT_STATUS status = kmt_topology_gpu_id(ctx, node_id, &args->gpu_id);

	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	args->op = op;
	return status_of(op, kmt_ioctl(ctx, AMDKFD_IOC_PC_SAMPLE, args));
}

HSAKMT_STATUS kmt_pc_sampling_support(struct kmt_context *ctx)
{
	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	return kmt_kfd_at_least(MINOR_WITH_PC_SAMPLING) ? HSAKMT_STATUS_SUCCESS
							: HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS kmt_pc_sampling_query_capabilities(struct kmt_context *ctx, HSAuint32 node_id,
						 void *sample_info, HSAuint32 count,
						 HSAuint32 *size_needed)
{
	/*
	 * Flags 0: what can be used now, which is the active setting while another process
	 * samples.
	 */
	struct kfd_ioctl_pc_sample_args args = {
		.sample_info_ptr = (uintptr_t)sample_info,
		.num_sample_info = count,
	};
	HSAKMT_STATUS status;

	if (!size_needed)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	status = kmt_pc_sampling_support(ctx);
	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	status = kmt_topology_gpu_id(ctx, node_id, &args.gpu_id);
	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	status = pc_sample(ctx, node_id, KFD_IOCTL_PCS_OP_QUERY_CAPABILITIES, &args);
	*size_needed = args.num_sample_info;
	return status;
}

HSAKMT_STATUS kmt_pc_sampling_create(struct kmt_context *ctx, HSAuint32 node_id,
				     HsaPcSamplingInfo *sample_info, HsaPcSamplingTraceId *trace_id)
{
	struct kfd_ioctl_pc_sample_args args = {
		.sample_info_ptr = (uintptr_t)sample_info,
		.num_sample_info = 1,
	};
	HSAKMT_STATUS status;

	if (!sample_info || !trace_id)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	*trace_id = 0;
	status = pc_sample(ctx, node_id, KFD_IOCTL_PCS_OP_CREATE, &args);
	if (status == HSAKMT_STATUS_SUCCESS)
		*trace_id = args.trace_id;
	return status;
}

/* What destroy, start and stop share: the checks and the ioctl with a trace id. */
static HSAKMT_STATUS control(struct kmt_context *ctx, uint32_t node_id, uint32_t op,
			     HsaPcSamplingTraceId trace_id)
{
	struct kfd_ioctl_pc_sample_args args = { .trace_id = trace_id };

	if (!trace_id)
		return HSAKMT_STATUS_INVALID_HANDLE;
	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	return pc_sample(ctx, node_id, op, &args);
}

HSAKMT_STATUS kmt_pc_sampling_destroy(struct kmt_context *ctx, HSAuint32 node_id,
				      HsaPcSamplingTraceId trace_id)
{
	/*
	 * The kernel destroys no running trace; one that is stopped already fails here,
	 * harmlessly.
	 */
	(void)kmt_pc_sampling_stop(ctx, node_id, trace_id);
	return control(ctx, node_id, KFD_IOCTL_PCS_OP_DESTROY, trace_id);
}

HSAKMT_STATUS kmt_pc_sampling_start(struct kmt_context *ctx, HSAuint32 node_id,
				    HsaPcSamplingTraceId trace_id)
{
	return control(ctx, node_id, KFD_IOCTL_PCS_OP_START, trace_id);
}

HSAKMT_STATUS kmt_pc_sampling_stop(struct kmt_context *ctx, HSAuint32 node_id,
				   HsaPcSamplingTraceId trace_id)
{
	return control(ctx, node_id, KFD_IOCTL_PCS_OP_STOP, trace_id);
}
