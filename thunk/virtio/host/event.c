/* SPDX-License-Identifier: MIT */
/* EVENT: events by resource id, never by the handle that a guest sends; and trap handlers. */
#include <errno.h>

#include "virtio/host/host-internal.h"

static int create(struct host_call *call, const struct vhsakmt_ccmd_event_req *req,
		  struct vhsakmt_ccmd_event_rsp *rsp)
{
	struct virtio_context *ctx = call->ctx;
	HsaEventDescriptor descriptor = req->create_args.EventDesc;
	struct object *object;
	int rc;

	if (!object_blob_id_free(ctx, req->blob_id))
		return -EINVAL;
	descriptor.SyncVar.SyncVar.UserData = NULL; /* a pointer of the guest's */
	object = object_new(ctx, OBJECT_EVENT);
	if (!object) {
		call->ret = HSAKMT_STATUS_NO_MEMORY;
		return 0;
	}
	call->ret = hsaKmtCreateEventCtx(ctx->kfd, &descriptor, req->create_args.ManualReset,
					 req->create_args.IsSignaled, &object->event);
	if (call->ret != HSAKMT_STATUS_SUCCESS) {
		object->kind = OBJECT_DOORBELL; /* nothing to undo */
		object_drop(ctx, object);
		return 0;
	}
	rc = object_file(ctx, object, req->blob_id);
	if (rc == 0 && !object_tell(ctx, object))
		rc = -ENOMEM;
	if (rc != 0) {
		object_drop(ctx, object);
		return rc;
	}
	rsp->vevent.event = *object->event;
	rsp->vevent.event_handle = object->token;
	return 0;
}

/* Nothing at all takes a handler away again. */
static bool is_memory_or_none(const struct virtio_context *ctx, uint64_t address,
			      uint64_t size_bytes)
{
	const struct object *object = object_at(ctx, address, size_bytes);

	if (!address)
		return !size_bytes;
	return object && object->kind == OBJECT_MEMORY;
}

static int32_t set_trap(const struct virtio_context *ctx,
			const struct event_set_trap_handler_args *args)
{
	if (!is_memory_or_none(ctx, args->TrapHandlerBaseAddress, args->TrapHandlerSizeInBytes) ||
	    !is_memory_or_none(ctx, args->TrapBufferBaseAddress, args->TrapBufferSizeInBytes))
		return HSAKMT_STATUS_INVALID_PARAMETER;
	return hsaKmtSetTrapHandlerCtx(
		ctx->kfd, args->NodeId, (void *)(uintptr_t)args->TrapHandlerBaseAddress,
		args->TrapHandlerSizeInBytes, (void *)(uintptr_t)args->TrapBufferBaseAddress,
		args->TrapBufferSizeInBytes);
}

static int32_t on_event(struct virtio_context *ctx, const struct vhsakmt_ccmd_event_req *req,
			struct vhsakmt_ccmd_event_rsp *rsp)
{
	struct object *object = object_of_resource(ctx, req->res_id, OBJECT_EVENT);
	int32_t ret = HSAKMT_STATUS_INVALID_HANDLE;

	if (!object)
		return ret;
	switch ((enum virtio_event)req->type) {
	case VIRTIO_EVENT_SET:
		ret = hsaKmtSetEventCtx(ctx->kfd, object->event);
		break;
	case VIRTIO_EVENT_RESET:
		ret = hsaKmtResetEventCtx(ctx->kfd, object->event);
		break;
	case VIRTIO_EVENT_QUERY_STATE:
		ret = hsaKmtQueryEventStateCtx(ctx->kfd, object->event);
		break;
	case VIRTIO_EVENT_DESTROY:
		object_drop(ctx, object);
		return HSAKMT_STATUS_SUCCESS;
	case VIRTIO_EVENT_CREATE:
	case VIRTIO_EVENT_WAIT_ON_MULTI_EVENTS:
	case VIRTIO_EVENT_SET_TRAP:
	case VIRTIO_EVENT_COUNT:
		break;
	}
	rsp->vevent.event = *object->event;
	rsp->vevent.event_handle = object->token;
	rsp->vevent.res_id = req->res_id;
	return ret;
}

int host_event(struct host_call *call)
{
	const struct vhsakmt_ccmd_event_req *req = call->request;
	struct vhsakmt_ccmd_event_rsp *rsp = host_reply(call, 0);

	if (!rsp)
		return -ENOMEM;
	switch ((enum virtio_event)call->type) {
	case VIRTIO_EVENT_CREATE:
		return create(call, req, rsp);
	case VIRTIO_EVENT_WAIT_ON_MULTI_EVENTS: /* reserved: nothing is done */
		return 0;
	case VIRTIO_EVENT_SET_TRAP:
		call->ret = set_trap(call->ctx, &req->set_trap_handler_args);
		return 0;
	case VIRTIO_EVENT_DESTROY:
	case VIRTIO_EVENT_SET:
	case VIRTIO_EVENT_RESET:
	case VIRTIO_EVENT_QUERY_STATE:
	case VIRTIO_EVENT_COUNT:
		break;
	}
	call->ret = on_event(call->ctx, req, rsp);
	return 0;
}
