/* SPDX-License-Identifier: MIT */
/* QUEUE: rings and pointers must be memory of the guest, and stay while the queue lives. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "virtio/backing.h"
#include "virtio/host/host-internal.h"

#define POINTER(address) ((void *)(uintptr_t)(address))

typedef const struct vhsakmt_ccmd_queue_req queue_req;
typedef struct vhsakmt_ccmd_queue_rsp queue_rsp;

static bool is_aql(uint32_t type)
{
	return type == HSA_QUEUE_COMPUTE_AQL || type == HSA_QUEUE_DMA_AQL ||
	       type == HSA_QUEUE_DMA_AQL_XGMI;
}

/* What a queue uses, checked. */
struct parts {
	struct object *ring, *pointers; /* pointers: AQL only */
	HsaEvent *event;                /* borrowed, or NULL */
};

static int32_t find_parts(struct virtio_context *ctx, queue_req *req, struct parts *parts)
{
	const struct queue_req_create *args = &req->create_queue_args;
	const struct object *event = NULL;

	parts->ring = object_of_resource(ctx, req->queue_mem_res_id, OBJECT_MEMORY);
	if (!host_is_gpu(ctx->host, args->NodeId))
		return HSAKMT_STATUS_INVALID_NODE_UNIT;
	if (!parts->ring ||
	    parts->ring != object_at(ctx, args->QueueAddress, args->QueueSizeInBytes))
		return HSAKMT_STATUS_NO_MEMORY;
	if (is_aql(args->Type)) {
		parts->pointers = object_of_resource(ctx, req->res_id, OBJECT_MEMORY);
		if (!parts->pointers ||
		    parts->pointers != object_at(ctx, args->Queue_write_ptr_aql, 8) ||
		    parts->pointers != object_at(ctx, args->Queue_read_ptr_aql, 8) ||
		    (args->Queue_write_ptr_aql | args->Queue_read_ptr_aql) % 8)
			return HSAKMT_STATUS_INVALID_PARAMETER;
	}
	if (args->Event) {
		event = object_of_token(ctx, args->Event, OBJECT_EVENT);
		if (!event)
			return HSAKMT_STATUS_INVALID_HANDLE;
		parts->event = event->event;
	}
	return HSAKMT_STATUS_SUCCESS;
}

/* Where the doorbell page and the page of the pointers begin. @return false: not to be mapped. */
static bool locate(struct vHsaQueueResource *res)
{
	uint64_t page = VIRTIO_PAGE_BYTES, in_mapping;
	struct virtio_backing backing;

	if (!res->r.QueueDoorBell || virtio_backing_of(res->r.QueueDoorBell, &backing) != 0)
		return false;
	close(backing.fd);
	in_mapping = res->r.QueueDoorBell - backing.start;
	res->host_doorbell = res->r.QueueDoorBell;
	res->host_doorbell_offset = in_mapping % VIRTIO_DOORBELL_BYTES;
	res->host_rw_handle = res->r.QueueWptrValue / page * page;
	res->host_write_offset = res->r.QueueWptrValue - res->host_rw_handle;
	res->host_read_offset = res->r.QueueRptrValue - res->host_rw_handle;
	return true;
}

/* An address that the guest may map, of the thunk's own. */
static int tell_page(struct virtio_context *ctx, enum object_kind kind, uint64_t blob_id,
		     uint64_t address, uint64_t size_bytes)
{
	struct object *object;
	int rc;

	if (blob_id == 0)
		return 0;
	object = object_new(ctx, kind);
	if (!object)
		return -ENOMEM;
	object->place.start = address;
	object->place.size_bytes = size_bytes;
	rc = object_file(ctx, object, blob_id);
	if (rc != 0)
		object_drop(ctx, object);
	return rc;
}

static int32_t call_create(struct virtio_context *ctx, const struct queue_req_create *args,
			   HsaEvent *event, HsaQueueResource *resource)
{
	HSA_QUEUE_PRIORITY priority = (HSA_QUEUE_PRIORITY)(int32_t)args->Priority;

	if (args->SdmaEngineId == VIRTIO_NO_ENGINE)
		return hsaKmtCreateQueueCtx(ctx->kfd, args->NodeId, (HSA_QUEUE_TYPE)args->Type,
					    args->QueuePercentage, priority,
					    POINTER(args->QueueAddress), args->QueueSizeInBytes,
					    event, resource);
	return hsaKmtCreateQueueExtCtx(ctx->kfd, args->NodeId, (HSA_QUEUE_TYPE)args->Type,
				       args->QueuePercentage, priority, args->SdmaEngineId,
				       POINTER(args->QueueAddress), args->QueueSizeInBytes, event,
				       resource);
}

static void tell_queue(queue_req *req, const struct object *queue, struct vHsaQueueResource *res)
{
	const struct queue_req_create *args = &req->create_queue_args;

	res->queue_handle = queue->token;
	res->r.QueueId = queue->token;
	res->r.ErrorReason = NULL;
	if (is_aql(args->Type)) {
		res->r.QueueWptrValue = args->Queue_write_ptr_aql;
		res->r.QueueRptrValue = args->Queue_read_ptr_aql;
	}
}

static int32_t create(struct virtio_context *ctx, queue_req *req, queue_rsp *rsp)
{
	const struct queue_req_create *args = &req->create_queue_args;
	struct vHsaQueueResource *res = &rsp->vqueue_res;
	struct parts parts = { 0 };
	int32_t ret = find_parts(ctx, req, &parts);
	struct object *queue;

	if (ret != HSAKMT_STATUS_SUCCESS)
		return ret;
	if (!object_blob_id_free(ctx, req->blob_id) ||
	    (req->doorbell_blob_id && !object_blob_id_free(ctx, req->doorbell_blob_id)) ||
	    (req->rw_ptr_blob_id && !object_blob_id_free(ctx, req->rw_ptr_blob_id)) ||
	    req->blob_id == req->doorbell_blob_id || req->blob_id == req->rw_ptr_blob_id ||
	    (req->doorbell_blob_id && req->doorbell_blob_id == req->rw_ptr_blob_id))
		return HSAKMT_STATUS_INVALID_PARAMETER;
	queue = object_new(ctx, OBJECT_DOORBELL); /* nothing to undo, so far */
	if (!queue)
		return HSAKMT_STATUS_NO_MEMORY;
	if (is_aql(args->Type)) {
		res->r.QueueWptrValue = args->Queue_write_ptr_aql;
		res->r.QueueRptrValue = args->Queue_read_ptr_aql;
	}
	ret = call_create(ctx, args, parts.event, &res->r);
	if (ret != HSAKMT_STATUS_SUCCESS)
		goto out;
	queue->kind = OBJECT_QUEUE;
	queue->queue_id = res->r.QueueId;
	queue->node_id = args->NodeId;
	queue->pins[0] = parts.ring;
	queue->pins[1] = parts.pointers;
	for (int i = 0; i < 2; i++)
		if (queue->pins[i])
			object_get(queue->pins[i]);
	ret = HSAKMT_STATUS_NO_MEMORY;
	if (!locate(res) || !object_tell(ctx, queue) || object_file(ctx, queue, req->blob_id) != 0)
		goto out;
	if (tell_page(ctx, OBJECT_DOORBELL, req->doorbell_blob_id,
		      res->host_doorbell - res->host_doorbell_offset, VIRTIO_DOORBELL_BYTES) != 0)
		goto out;
	if (!is_aql(args->Type) && tell_page(ctx, OBJECT_RW_POINTERS, req->rw_ptr_blob_id,
					     res->host_rw_handle, VIRTIO_PAGE_BYTES) != 0)
		goto out; /* the doorbell's object stays until the guest goes: it is harmless */
	tell_queue(req, queue, res);
	return HSAKMT_STATUS_SUCCESS;
out:
	object_drop(ctx, queue);
	memset(res, 0, sizeof(*res));
	return ret;
}

static int32_t update(struct virtio_context *ctx, queue_req *req, const struct object *queue)
{
	const struct queue_req_update *args = &req->update_queue_args;

	/* A ring of another object would not be kept for the queue. */
	if (args->QueueAddress &&
	    object_at(ctx, args->QueueAddress, args->QueueSizeInBytes) != queue->pins[0])
		return HSAKMT_STATUS_INVALID_PARAMETER;
	return hsaKmtUpdateQueueCtx(ctx->kfd, queue->queue_id, args->QueuePercentage,
				    (HSA_QUEUE_PRIORITY)(int32_t)args->Priority,
				    POINTER(args->QueueAddress), args->QueueSizeInBytes, NULL);
}

static int set_cu_mask(struct host_call *call, queue_req *req, const struct object *queue)
{
	uint32_t mask[VIRTIO_CU_MASK_WORDS_MAX];
	uint32_t bits = req->CUMaskCount;

	if (bits > VIRTIO_CU_MASK_WORDS_MAX * 32 || bits % 32 || bits / 8 > call->payload_bytes)
		return -EINVAL;
	memcpy(mask, req->payload, bits / 8);
	call->ret = queue ? hsaKmtSetQueueCUMaskCtx(call->ctx->kfd, queue->queue_id, bits, mask)
			  : HSAKMT_STATUS_INVALID_HANDLE;
	return host_reply(call, 0) ? 0 : -ENOMEM;
}

static int alloc_gws(struct host_call *call, queue_req *req, const struct object *queue)
{
	queue_rsp *rsp;

	if (req->nGWS > VIRTIO_GWS_MAX)
		return -EINVAL;
	rsp = host_reply(call, req->nGWS * sizeof(uint32_t));
	if (!rsp)
		return -ENOMEM;
	call->ret = HSAKMT_STATUS_INVALID_HANDLE;
	if (queue) /* for none it gives them back, and tells no first one */
		call->ret = hsaKmtAllocQueueGWSCtx(call->ctx->kfd, queue->queue_id, req->nGWS,
						   req->nGWS ? (HSAuint32 *)(void *)rsp->payload
							     : NULL);
	return 0;
}

int host_queue(struct host_call *call)
{
	queue_req *req = call->request;
	struct virtio_context *ctx = call->ctx;
	struct object *queue = object_of_resource(ctx, req->res_id, OBJECT_QUEUE);
	queue_rsp *rsp;

	if (call->type == VIRTIO_QUEUE_SET_CU_MASK)
		return set_cu_mask(call, req, queue);
	if (call->type == VIRTIO_QUEUE_ALLOC_GWS)
		return alloc_gws(call, req, queue);
	rsp = host_reply(call, 0);
	if (!rsp)
		return -ENOMEM;
	if (call->type == VIRTIO_QUEUE_CREATE) {
		call->ret = create(ctx, req, rsp);
		return 0;
	}
	call->ret = HSAKMT_STATUS_INVALID_HANDLE;
	if (!queue)
		return 0;
	if (call->type == VIRTIO_QUEUE_DESTROY) {
		object_drop(ctx, queue);
		call->ret = HSAKMT_STATUS_SUCCESS;
	} else if (call->type == VIRTIO_QUEUE_UPDATE) {
		call->ret = update(ctx, req, queue);
	} else {
		HsaQueueInfo info = { 0 };

		call->ret = hsaKmtGetQueueInfoCtx(ctx->kfd, queue->queue_id, &info);
		/* addresses of this process mean nothing to a guest */
		info.CUMaskInfo = info.UserContextSaveArea = info.ControlStackTop = NULL;
		info.SaveAreaHeader = NULL;
		rsp->queue_info = info;
	}
	return 0;
}
