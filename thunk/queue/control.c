/* SPDX-License-Identifier: MIT */
/* What one does with a queue that exists (queues.md 7), and the trap handler of its GPU. */
#include "queue/queue-internal.h"

#include <errno.h>
#include <string.h>

#include "topology/topology.h"

HSAKMT_STATUS kmt_update_queue(struct kmt_context *ctx, HSA_QUEUEID handle, HSAuint32 percentage,
			       HSA_QUEUE_PRIORITY priority, void *ring, HSAuint64 ring_size_bytes,
			       HsaEvent *event)
{
	struct kfd_ioctl_update_queue_args args = {
		.ring_base_address = (uintptr_t)ring,
		.ring_size = (uint32_t)ring_size_bytes,
		.queue_percentage = percentage,
	};
	HSAKMT_STATUS status = HSAKMT_STATUS_ERROR;
	struct queue *queue;

	(void)event; /* the KFD has no place for it */
	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (!queue_priority_to_kfd(priority, &args.queue_priority))
		return HSAKMT_STATUS_INVALID_PARAMETER;
	queue = queue_get(ctx, handle);
	if (!queue)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	args.queue_id = queue->kernel_id;
	if (kmt_ioctl(ctx, AMDKFD_IOC_UPDATE_QUEUE, &args))
		goto out;
	queue->priority = priority;
	queue->percentage = percentage;
	queue->ring_va = args.ring_base_address;
	queue->ring_size_bytes = ring_size_bytes;
	status = HSAKMT_STATUS_SUCCESS;
out:
	queue_put(ctx, queue);
	return status;
}

HSAKMT_STATUS kmt_destroy_queue(struct kmt_context *ctx, HSA_QUEUEID handle)
{
	struct queue *queue;

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	/* Taken first: of two threads that destroy the same queue one is refused. */
	queue = ctx->queues ? kmt_handle_set_take(&ctx->queues->live, handle) : NULL;
	if (!queue)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	if (queue_destroy_id(ctx, queue->kernel_id)) {
		if (!kmt_handle_set_add(&ctx->queues->live, handle, queue))
			kmt_log(KMT_LOG_ERR, "queue %u is lost: no memory", queue->kernel_id);
		return HSAKMT_STATUS_ERROR;
	}
	queue_put(ctx, queue);
	return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS kmt_set_queue_cu_mask(struct kmt_context *ctx, HSA_QUEUEID handle,
				    HSAuint32 bit_count, HSAuint32 *mask)
{
	struct kfd_ioctl_set_cu_mask_args args = {
		.num_cu_mask = bit_count,
		.cu_mask_ptr = (uintptr_t)mask,
	};
	HSAKMT_STATUS status = HSAKMT_STATUS_INVALID_PARAMETER;
	struct queue *queue;

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (!bit_count || !mask || bit_count % 32)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	queue = queue_get(ctx, handle);
	if (!queue || bit_count > QUEUE_MASK_WORDS * 32)
		goto out;
	status = HSAKMT_STATUS_ERROR;
	args.queue_id = queue->kernel_id;
	if (kmt_ioctl(ctx, AMDKFD_IOC_SET_CU_MASK, &args))
		goto out;
	memcpy(queue->cu_mask, mask, bit_count / 8);
	queue->cu_mask_bits = bit_count;
	status = HSAKMT_STATUS_SUCCESS;
out:
	queue_put(ctx, queue);
	return status;
}

HSAKMT_STATUS kmt_get_queue_info(struct kmt_context *ctx, HSA_QUEUEID handle, HsaQueueInfo *info)
{
	struct kfd_ioctl_get_queue_wave_state_args args = { 0 };
	HSAKMT_STATUS status = HSAKMT_STATUS_INVALID_PARAMETER;
	struct queue *queue;
	char *base, *control_stack_end;

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	queue = queue_get(ctx, handle);
	if (!queue || !info)
		goto out;
	status = HSAKMT_STATUS_ERROR;
	base = queue->save_area.base;
	args.queue_id = queue->kernel_id;
	args.ctl_stack_address = (uintptr_t)base;
	if (!base || kmt_ioctl(ctx, AMDKFD_IOC_GET_QUEUE_WAVE_STATE, &args))
		goto out;
	control_stack_end = base + queue->save_area.sizes.ctl_stack_bytes;
	*info = (HsaQueueInfo){
		.NumCUAssigned = queue->cu_mask_bits,
		.CUMaskInfo = queue->cu_mask,
		.UserContextSaveArea = (HSAuint32 *)control_stack_end,
		.SaveAreaSizeInBytes = args.save_area_used_size,
		.ControlStackTop = (HSAuint32 *)(control_stack_end - args.ctl_stack_used_size),
		.ControlStackUsedInBytes = args.ctl_stack_used_size,
		.SaveAreaHeader = (HsaUserContextSaveAreaHeader *)base,
		.SaveAreaAllocSize = queue->save_area.sizes.ctx_bytes,
	};
	status = HSAKMT_STATUS_SUCCESS;
out:
	queue_put(ctx, queue);
	return status;
}

HSAKMT_STATUS kmt_get_kernel_queue_id(struct kmt_context *ctx, HSA_QUEUEID handle,
				      HSAuint32 *kernel_id)
{
	struct queue *queue = queue_get(ctx, handle);
	bool good = queue && kernel_id;

	if (good)
		*kernel_id = queue->kernel_id;
	queue_put(ctx, queue);
	return good ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_INVALID_PARAMETER;
}

HSAKMT_STATUS kmt_alloc_queue_gws(struct kmt_context *ctx, HSA_QUEUEID handle, HSAuint32 count,
				  HSAuint32 *first)
{
	struct kfd_ioctl_alloc_queue_gws_args args = { .num_gws = count };
	struct queue *queue;

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	queue = queue_get(ctx, handle);
	if (!queue)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	args.queue_id = queue->kernel_id;
	queue_put(ctx, queue);
	switch (-kmt_ioctl(ctx, AMDKFD_IOC_ALLOC_QUEUE_GWS, &args)) {
	case 0:
		break;
	case EINVAL:
		return HSAKMT_STATUS_INVALID_PARAMETER;
	case EBUSY:
		return HSAKMT_STATUS_OUT_OF_RESOURCES;
	case ENODEV:
		return HSAKMT_STATUS_NOT_SUPPORTED;
	default:
		return HSAKMT_STATUS_ERROR;
	}
	if (first)
		*first = args.first_gws;
	return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS kmt_set_trap_handler(struct kmt_context *ctx, HSAuint32 node_id, void *handler,
				   HSAuint64 handler_size_bytes, void *buffer,
				   HSAuint64 buffer_size_bytes)
{
	struct kfd_ioctl_set_trap_handler_args args = {
		.tba_addr = (uintptr_t)handler,
		.tma_addr = (uintptr_t)buffer,
	};
	HSAKMT_STATUS status;

	(void)handler_size_bytes; /* neither size has a place in the ioctl */
	(void)buffer_size_bytes;
	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	status = kmt_topology_gpu_id(ctx, node_id, &args.gpu_id);
	if (status == HSAKMT_STATUS_SUCCESS && kmt_ioctl(ctx, AMDKFD_IOC_SET_TRAP_HANDLER, &args))
		status = HSAKMT_STATUS_ERROR;
	return status;
}

HSAKMT_STATUS kmt_report_queue(struct kmt_context *ctx, HSA_QUEUEID handle, HsaQueueReport *report)
{
	(void)ctx;
	(void)handle;
	(void)report;
	return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS kmt_queue_ring_doorbell(struct kmt_context *ctx, HSA_QUEUEID handle, HSAuint64 value)
{
	(void)ctx;
	(void)handle;
	(void)value;
	return HSAKMT_STATUS_NOT_SUPPORTED;
}
