/* SPDX-License-Identifier: MIT */
/* The libdrm buffer objects of a guest: it knows them by numbers of ours (virtio.md 1, rev 2). */
#include <amdgpu.h>
#include <amdgpu_drm.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "virtio/host/host-internal.h"

typedef const struct vhsakmt_ccmd_memory_req memory_req;
typedef struct vhsakmt_ccmd_memory_rsp memory_rsp;

/*
 * The device whose addresses are the guest's. NULL: libdrm is too old to open it (context.md 6), or
 * there is a software model in its place, whose devices libdrm must not be given.
 */
static struct amdgpu_device *own_device(struct virtio_context *ctx, uint32_t node_id)
{
	HsaAMDGPUDeviceHandle handle = NULL;

	if (ctx->host->is_model || !host_is_gpu(ctx->host, node_id) ||
	    hsaKmtGetAMDGPUDeviceHandleCtx(ctx->kfd, node_id, &handle) != HSAKMT_STATUS_SUCCESS)
		return NULL;
	return (struct amdgpu_device *)handle;
}

/* What needs no addresses works on the process's device as well. */
struct amdgpu_device *host_amdgpu(struct virtio_context *ctx, uint32_t node_id)
{
	struct amdgpu_device *device = own_device(ctx, node_id);
	HsaAMDGPUDeviceHandle handle = NULL;

	if (!device && !ctx->host->is_model && host_is_gpu(ctx->host, node_id) &&
	    hsaKmtGetAMDGPUDeviceHandle(node_id, &handle) == HSAKMT_STATUS_SUCCESS)
		device = (struct amdgpu_device *)handle;
	return device;
}

static int32_t import(struct virtio_context *ctx, memory_req *req, memory_rsp *rsp)
{
	const struct memory_amdgpu_import_args *args = &req->amdgpu_import_args;
	struct amdgpu_bo_import_result result = { 0 };
	struct amdgpu_device *device = NULL;
	struct object *object;
	int fd, rc;

	if (args->dev > 0 && args->dev <= ctx->host->node_count)
		device = host_amdgpu(ctx, (uint32_t)args->dev - 1);
	if (!device)
		return -EINVAL;
	fd = virtio_context_export(ctx, req->res_id);
	if (fd < 0)
		return fd;
	rc = amdgpu_bo_import(device, amdgpu_bo_handle_type_dma_buf_fd, (uint32_t)fd, &result);
	close(fd);
	if (rc != 0)
		return rc;
	object = object_new(ctx, OBJECT_BUFFER);
	if (!object) {
		(void)amdgpu_bo_free(result.buf_handle);
		return -ENOMEM;
	}
	object->buffer = result.buf_handle;
	object->node_id = (uint32_t)args->dev - 1;
	object->va_bytes = result.alloc_size;
	if (!object_tell(ctx, object)) {
		object_drop(ctx, object);
		return -ENOMEM;
	}
	rsp->amdgpu_import_rsp.output[0] = object->token;
	rsp->amdgpu_import_rsp.output[1] = result.alloc_size;
	return 0;
}

/* Maps into the guest's own addresses only. */
static int32_t va_op(struct virtio_context *ctx, const struct memory_amdgpu_va_op_args *args)
{
	const struct object *object = object_of_token(ctx, args->bo, OBJECT_BUFFER);

	if (!object || !virtio_va_holds(&ctx->va, args->addr, args->size) ||
	    args->offset > object->va_bytes || args->size > object->va_bytes - args->offset ||
	    (args->ops != AMDGPU_VA_OP_MAP && args->ops != AMDGPU_VA_OP_UNMAP))
		return -EINVAL;
	if (!own_device(ctx, object->node_id))
		return -EOPNOTSUPP;
	return amdgpu_bo_va_op(object->buffer, args->offset, args->size, args->addr, args->flags,
			       args->ops);
}

static int32_t export(struct virtio_context *ctx, memory_req *req, memory_rsp *rsp)
{
	const struct object *object =
		object_of_token(ctx, req->amdgpu_export_args.buf_handle, OBJECT_BUFFER);

	if (!object || req->amdgpu_export_args.type != amdgpu_bo_handle_type_kms)
		return -EINVAL;
	return amdgpu_bo_export(object->buffer, amdgpu_bo_handle_type_kms, &rsp->shared_handle);
}

/* These name a resource: the buffer is made for the call. */
static int32_t on_resource(struct virtio_context *ctx, memory_req *req, memory_rsp *rsp)
{
	const struct object *object = virtio_ids_find(&ctx->resources, req->res_id);
	struct amdgpu_bo_import_result result = { 0 };
	struct amdgpu_bo_metadata metadata = req->amdgpu_bo_metadata;
	struct amdgpu_device *device;
	int fd, rc;

	if (!object)
		return -ENOENT;
	device = host_amdgpu(ctx, object->node_id);
	fd = device ? virtio_context_export(ctx, req->res_id) : -EINVAL;
	if (fd < 0)
		return fd;
	rc = amdgpu_bo_import(device, amdgpu_bo_handle_type_dma_buf_fd, (uint32_t)fd, &result);
	close(fd);
	if (rc != 0)
		return rc;
	if (req->type == VIRTIO_MEMORY_AMDGPU_BO_QUERY_INFO)
		rc = amdgpu_bo_query_info(result.buf_handle, &rsp->query_bo_info);
	else if (metadata.size_metadata > sizeof(metadata.umd_metadata))
		rc = -EINVAL;
	else
		rc = amdgpu_bo_set_metadata(result.buf_handle, &metadata);
	(void)amdgpu_bo_free(result.buf_handle);
	return rc;
}

int host_buffer(struct host_call *call)
{
	memory_req *req = call->request;
	memory_rsp *rsp = call->reply;
	struct object *object;

	switch ((enum virtio_memory)call->type) {
	case VIRTIO_MEMORY_AMDGPU_IMPORT:
		call->ret = import(call->ctx, req, rsp);
		break;
	case VIRTIO_MEMORY_AMDGPU_EXPORT:
		call->ret = export(call->ctx, req, rsp);
		break;
	case VIRTIO_MEMORY_AMDGPU_VA_OP:
		call->ret = va_op(call->ctx, &req->amdgpu_va_op_args);
		break;
	case VIRTIO_MEMORY_AMDGPU_BO_FREE:
		object = object_of_token(call->ctx, req->buf_handle, OBJECT_BUFFER);
		call->ret = object ? 0 : -EINVAL;
		if (object)
			object_drop(call->ctx, object);
		break;
	default: /* query info and set metadata */
		call->ret = on_resource(call->ctx, req, rsp);
		break;
	}
	return 0;
}
