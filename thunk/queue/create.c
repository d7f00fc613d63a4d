/* SPDX-License-Identifier: MIT */
/*
 * Creating queues (queues.md 5): everything a queue needs is made first, the kernel's queue last.
 */
#include "queue/queue-internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/event.h"
#include "memory/fmm.h"
#include "origin.h"
#include "topology/topology.h"

/* What a creation asks for, after its checks. */
struct request {
	uint32_t node_id, gpu_id, gfx;
	HSA_QUEUE_TYPE type;
	uint32_t kfd_type;
	HSA_QUEUE_PRIORITY priority;
	uint32_t kfd_priority;
	uint32_t percentage, engine_id, metadata_size_bytes;
	uint64_t ring_va, ring_size_bytes;
	uint32_t event_id; /* 0: none */
};

static bool type_to_kfd(HSA_QUEUE_TYPE type, uint32_t *kfd_type)
{
	/* clang-format off */
	static const struct { HSA_QUEUE_TYPE type; uint32_t kfd; } types[] = {
		{ HSA_QUEUE_COMPUTE,        KFD_IOC_QUEUE_TYPE_COMPUTE },
		{ HSA_QUEUE_SDMA,           KFD_IOC_QUEUE_TYPE_SDMA },
		{ HSA_QUEUE_COMPUTE_AQL,    KFD_IOC_QUEUE_TYPE_COMPUTE_AQL },
		{ HSA_QUEUE_SDMA_XGMI,      KFD_IOC_QUEUE_TYPE_SDMA_XGMI },
		{ HSA_QUEUE_SDMA_BY_ENG_ID, KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID },
	};
	/* clang-format on */

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (types[i].type == type) {
			*kfd_type = types[i].kfd;
			return true;
		}
	}
	return false;
}

/*
 * SDMA queues have neither an end-of-pipe buffer nor a save area; that holds for the by-engine type
 * too, for which the original makes both in vain (queues.md 4.1).
 */
static bool is_compute(HSA_QUEUE_TYPE type)
{
	return type == HSA_QUEUE_COMPUTE || type == HSA_QUEUE_COMPUTE_AQL;
}

/* The checks in the spec's order; fills what they find out. */
static HSAKMT_STATUS check(struct kmt_context *ctx, struct request *request,
			   HSAuint64 metadata_size_bytes)
{
	const HsaNodeProperties *properties;
	HSAKMT_STATUS status;

	if (metadata_size_bytes && !kmt_kfd_at_least(19))
		return HSAKMT_STATUS_NOT_SUPPORTED;
	if (metadata_size_bytes % kmt_process()->page_size_bytes ||
	    metadata_size_bytes > UINT32_MAX)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	request->metadata_size_bytes = (uint32_t)metadata_size_bytes;
	if (!queue_priority_to_kfd(request->priority, &request->kfd_priority))
		return HSAKMT_STATUS_INVALID_PARAMETER;
	status = kmt_topology_gpu_id(ctx, request->node_id, &request->gpu_id);
	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	properties = kmt_topology_properties(ctx, request->node_id);
	if (!request->gpu_id || (properties && !properties->NumFComputeCores))
		return HSAKMT_STATUS_INVALID_NODE_UNIT;
	request->gfx = kmt_topology_gfx(ctx, request->node_id);
	if (!type_to_kfd(request->type, &request->kfd_type))
		return HSAKMT_STATUS_INVALID_PARAMETER;
	return HSAKMT_STATUS_SUCCESS;
}

/* All real compute units, in a mask of whole words. */
static void init_cu_mask(struct kmt_context *ctx, struct queue *queue)
{
	const HsaNodeProperties *properties = kmt_topology_properties(ctx, queue->node_id);
	uint32_t cu = properties ? kmt_queue_cu_count(properties) : 0;

	if (cu > QUEUE_MASK_WORDS * 32)
		cu = QUEUE_MASK_WORDS * 32;
	queue->cu_mask_bits = (uint32_t)kmt_round_up(cu, 32);
	for (uint32_t i = 0; i < cu; i++)
		queue->cu_mask[i / 32] |= UINT32_C(1) << (i % 32);
}

/* The record and its GPU-visible page; NULL without memory. */
static struct queue *queue_new(struct kmt_context *ctx, const struct request *request)
{
	const uint64_t page_size_bytes = kmt_process()->page_size_bytes;
	const struct kmt_internal_alloc page = {
		.size_bytes = page_size_bytes,
		.align_bytes = page_size_bytes,
		.gpu_id = request->gpu_id,
		.node_id = request->node_id,
		.non_paged = true,
		.uncached = true,
	};
	struct queue *queue = calloc(1, sizeof(*queue));

	if (!queue)
		return NULL;
	atomic_init(&queue->refs, 1);
	queue->page = kmt_fmm_internal_alloc(ctx, &page);
	if (!queue->page) {
		queue_free(ctx, queue);
		return NULL;
	}
	memset(queue->page, 0, page_size_bytes);
	queue->origin = kmt_origin();
	queue->node_id = request->node_id;
	queue->gpu_id = request->gpu_id;
	queue->gfx = request->gfx;
	queue->type = request->type;
	queue->priority = request->priority;
	queue->percentage = request->percentage;
	queue->ring_va = request->ring_va;
	queue->ring_size_bytes = request->ring_size_bytes;
	init_cu_mask(ctx, queue);
	return queue;
}

static HSAKMT_STATUS make_buffers(struct kmt_context *ctx, struct queue *queue, uint32_t event_id,
				  volatile HSAint64 *error_reason)
{
	uint32_t eop_bytes = kmt_queue_eop_bytes(queue->gfx, queue->type);
	const struct kmt_internal_alloc eop = {
		.size_bytes = eop_bytes,
		.align_bytes = kmt_process()->page_size_bytes,
		.gpu_id = queue->gpu_id,
		.node_id = queue->node_id,
		.non_paged = true,
		.device_local = true,
	};

	if (!is_compute(queue->type))
		return HSAKMT_STATUS_SUCCESS;
	if (eop_bytes) {
		queue->eop = kmt_fmm_internal_alloc(ctx, &eop);
		if (!queue->eop)
			return HSAKMT_STATUS_NO_MEMORY;
		queue->eop_size_bytes = eop_bytes;
	}
	return save_area_init(ctx, queue->node_id, queue->gfx, &queue->save_area, event_id,
			      error_reason);
}

static HSAKMT_STATUS status_of(int rc)
{
	switch (-rc) {
	case ENOMEM:
		return HSAKMT_STATUS_NO_MEMORY;
	case EINVAL:
		return HSAKMT_STATUS_INVALID_PARAMETER;
	default:
		return HSAKMT_STATUS_ERROR;
	}
}

/* The kernel's queue and its doorbell; after a failure there is neither. */
static HSAKMT_STATUS make_kernel_queue(struct kmt_context *ctx, struct queue *queue,
				       const struct request *request)
{
	struct kfd_ioctl_create_queue_args args = {
		.ring_base_address = request->ring_va,
		.write_pointer_address = queue->write_ptr_va,
		.read_pointer_address = queue->read_ptr_va,
		.ring_size = (uint32_t)request->ring_size_bytes,
		.gpu_id = request->gpu_id,
		.queue_type = request->kfd_type,
		.queue_percentage = request->percentage,
		.queue_priority = request->kfd_priority,
		.eop_buffer_address = (uintptr_t)queue->eop,
		.eop_buffer_size = queue->eop_size_bytes,
		.ctx_save_restore_address = (uintptr_t)queue->save_area.base,
		.ctx_save_restore_size = queue->save_area.sizes.ctx_bytes,
		.ctl_stack_size = queue->save_area.sizes.ctl_stack_bytes,
		.sdma_engine_id = request->engine_id,
		.metadata_ring_size = request->metadata_size_bytes,
	};
	int rc = kmt_ioctl(ctx, AMDKFD_IOC_CREATE_QUEUE, &args);

	if (rc)
		return status_of(rc);
	queue->kernel_id = args.queue_id;
	queue->doorbell_va = (uintptr_t)doorbell_map(ctx, queue->node_id, queue->gfx,
						     args.doorbell_offset, args.queue_id);
	if (queue->doorbell_va)
		return HSAKMT_STATUS_SUCCESS;
	(void)queue_destroy_id(ctx, queue->kernel_id); /* the mapping's failure is told */
	return HSAKMT_STATUS_ERROR;
}

static HSAKMT_STATUS create(struct kmt_context *ctx, const struct request *request,
			    HsaQueueResource *resource)
{
	struct queue *queue = queue_new(ctx, request);
	HSAKMT_STATUS status = HSAKMT_STATUS_NO_MEMORY;
	HsaQueueResource made;

	if (!queue)
		return status;
	if (request->type == HSA_QUEUE_COMPUTE_AQL) {
		queue->write_ptr_va = resource->QueueWptrValue;
		queue->read_ptr_va = resource->QueueRptrValue;
	} else {
		queue->write_ptr_va = (uintptr_t)&queue->page->write_ptr;
		queue->read_ptr_va = (uintptr_t)&queue->page->read_ptr;
	}
	status = make_buffers(ctx, queue, request->event_id, resource->ErrorReason);
	if (status != HSAKMT_STATUS_SUCCESS)
		goto out;
	status = make_kernel_queue(ctx, queue, request);
	if (status != HSAKMT_STATUS_SUCCESS)
		goto out;
	/* once the handle lives, a stale one of the same value can destroy the queue */
	made.QueueId = (uintptr_t)queue->page;
	made.QueueDoorBell = queue->doorbell_va;
	made.QueueWptrValue = queue->write_ptr_va;
	made.QueueRptrValue = queue->read_ptr_va;
	if (!kmt_handle_set_add(&ctx->queues->live, made.QueueId, queue)) {
		(void)queue_destroy_id(ctx, queue->kernel_id); /* the missing memory is told */
		status = HSAKMT_STATUS_NO_MEMORY;
		goto out;
	}
	queue = NULL; /* the set's now */
	resource->QueueId = made.QueueId;
	resource->QueueDoorBell = made.QueueDoorBell;
	resource->QueueWptrValue = made.QueueWptrValue;
	resource->QueueRptrValue = made.QueueRptrValue;
out:
	queue_free(ctx, queue);
	return status;
}

HSAKMT_STATUS kmt_create_queue_v2(struct kmt_context *ctx, HSAuint32 node_id, HSA_QUEUE_TYPE type,
				  HSAuint32 percentage, HSA_QUEUE_PRIORITY priority,
				  HSAuint32 engine_id, void *ring, HSAuint64 ring_size_bytes,
				  HSAuint64 metadata_size_bytes, HsaEvent *event,
				  HsaQueueResource *resource)
{
	struct request request = {
		.node_id = node_id,
		.type = type,
		.priority = priority,
		.percentage = percentage,
		.engine_id = engine_id,
		.ring_va = (uintptr_t)ring,
		.ring_size_bytes = ring_size_bytes,
	};
	HSAKMT_STATUS status;

	if (!kmt_context_usable(ctx) || !ctx->queues)
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (!resource || (event && !kmt_event_id(ctx, event, &request.event_id)))
		return HSAKMT_STATUS_INVALID_PARAMETER;
	status = check(ctx, &request, metadata_size_bytes);
	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	return create(ctx, &request, resource);
}

HSAKMT_STATUS kmt_create_queue_ext(struct kmt_context *ctx, HSAuint32 node_id, HSA_QUEUE_TYPE type,
				   HSAuint32 percentage, HSA_QUEUE_PRIORITY priority,
				   HSAuint32 engine_id, void *ring, HSAuint64 ring_size_bytes,
				   HsaEvent *event, HsaQueueResource *resource)
{
	return kmt_create_queue_v2(ctx, node_id, type, percentage, priority, engine_id, ring,
				   ring_size_bytes, 0, event, resource);
}

HSAKMT_STATUS kmt_create_queue(struct kmt_context *ctx, HSAuint32 node_id, HSA_QUEUE_TYPE type,
			       HSAuint32 percentage, HSA_QUEUE_PRIORITY priority, void *ring,
			       HSAuint64 ring_size_bytes, HsaEvent *event,
			       HsaQueueResource *resource)
{
	if (type == HSA_QUEUE_SDMA_BY_ENG_ID)
		return HSAKMT_STATUS_ERROR;
	return kmt_create_queue_ext(ctx, node_id, type, percentage, priority, 0, ring,
				    ring_size_bytes, event, resource);
}
