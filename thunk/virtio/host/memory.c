/* SPDX-License-Identifier: MIT */
/*
 * MEMORY: every address must lie in an object of the guest before the thunk hears of it; with a
 * context that guests share, the thunk would find another guest's.
 */
#include <errno.h>
#include <string.h>

#include "virtio/host/host-internal.h"

#define POINTER(address) ((void *)(uintptr_t)(address))

typedef const struct vhsakmt_ccmd_memory_req memory_req;
typedef struct vhsakmt_ccmd_memory_rsp memory_rsp;

/* What may be mapped. User pointers are mapped whole, as they are registered. */
static struct object *mappable_at(struct virtio_context *ctx, uint64_t address, uint64_t size_bytes)
{
	struct object *object = object_at(ctx, address, size_bytes);

	if (!object || (object->kind != OBJECT_MEMORY && object->kind != OBJECT_USERPTR &&
			object->kind != OBJECT_DMABUF))
		return NULL;
	return object;
}

static void whole_object(const struct object *object, uint64_t *address, uint64_t *size_bytes)
{
	if (object->kind == OBJECT_MEMORY)
		return;
	*address = object->place.start;
	*size_bytes = object->place.size_bytes;
}

/* A piece of scratch, which becomes an object that ends the mapping. */
static int32_t map_scratch(struct virtio_context *ctx, memory_req *req, uint64_t *va)
{
	const struct memory_map_mem_to_gpu_args *args = &req->map_to_GPU_args;
	const struct object *piece = object_at(ctx, args->MemoryAddress, args->MemorySizeInBytes);
	struct object *object;
	int32_t ret;

	if (!piece || piece->kind != OBJECT_SCRATCH || args->MemorySizeInBytes == 0)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	object = object_new(ctx, OBJECT_DOORBELL); /* nothing to undo, so far */
	if (!object)
		return HSAKMT_STATUS_NO_MEMORY;
	object->node_id = piece->node_id;
	ret = hsaKmtMapMemoryToGPUCtx(ctx->kfd, POINTER(args->MemoryAddress),
				      args->MemorySizeInBytes, va);
	if (ret == HSAKMT_STATUS_SUCCESS) {
		object->kind = OBJECT_SCRATCH_MAP;
		/* found by its resource only: the address is the piece's */
		object->place.start = args->MemoryAddress;
		if (object_file(ctx, object, req->blob_id) != 0)
			ret = HSAKMT_STATUS_NO_MEMORY;
	}
	if (ret != HSAKMT_STATUS_SUCCESS)
		object_drop(ctx, object);
	return ret;
}

static int32_t map(struct virtio_context *ctx, memory_req *req, uint64_t *va)
{
	uint64_t address = req->map_to_GPU_args.MemoryAddress;
	uint64_t size = req->map_to_GPU_args.MemorySizeInBytes, offset;
	const struct object *object = mappable_at(ctx, address, size);
	int32_t ret;

	if (!object || size == 0)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	offset = address;
	whole_object(object, &address, &size);
	offset -= address;
	ret = hsaKmtMapMemoryToGPUCtx(ctx->kfd, POINTER(address), size, va);
	if (ret == HSAKMT_STATUS_SUCCESS && *va)
		*va += offset;
	return ret;
}

static int map_nodes(struct host_call *call, memory_req *req, memory_rsp *rsp)
{
	const struct memory_req_map_to_GPU_nodes_args *args = &req->map_to_GPU_nodes_args;
	struct virtio_context *ctx = call->ctx;
	uint64_t address = args->MemoryAddress, size = args->MemorySizeInBytes, offset = address;
	HsaMemFlags flags = { .Value = args->pad[0] };
	uint32_t nodes[VIRTIO_MEMORY_NODES_MAX];
	const struct object *object;

	if (args->NumberOfNodes > VIRTIO_MEMORY_NODES_MAX ||
	    args->NumberOfNodes * sizeof(nodes[0]) > call->payload_bytes)
		return -EINVAL;
	memcpy(nodes, req->payload, args->NumberOfNodes * sizeof(nodes[0]));
	object = mappable_at(ctx, address, size);
	call->ret = HSAKMT_STATUS_INVALID_PARAMETER;
	if (!object || size == 0)
		return 0;
	whole_object(object, &address, &size);
	offset -= address;
	call->ret = hsaKmtMapMemoryToGPUNodesCtx(ctx->kfd, POINTER(address), size,
						 &rsp->alternate_vagpu, flags, args->NumberOfNodes,
						 nodes);
	if (call->ret == HSAKMT_STATUS_SUCCESS && rsp->alternate_vagpu)
		rsp->alternate_vagpu += offset;
	return 0;
}

static int32_t unmap(struct virtio_context *ctx, uint64_t address)
{
	const struct object *object = object_at(ctx, address, 1);
	uint64_t size;

	if (!object)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	if (object->kind != OBJECT_SCRATCH)
		whole_object(object, &address, &size);
	return hsaKmtUnmapMemoryToGPUCtx(ctx->kfd, POINTER(address));
}

static int32_t free_memory(struct virtio_context *ctx, uint64_t address)
{
	struct object *object = object_at(ctx, address, 1);

	if (!object || object->place.start != address ||
	    (object->kind != OBJECT_MEMORY && object->kind != OBJECT_SCRATCH))
		return HSAKMT_STATUS_INVALID_PARAMETER;
	object_drop(ctx, object);
	return HSAKMT_STATUS_SUCCESS;
}

/* The pages are registered whole, however little of them the guest names. */
static int32_t register_memory(struct virtio_context *ctx, memory_req *req)
{
	const struct memory_reg_mem_with_flag *args = &req->reg_mem_with_flag;
	struct object *object = object_at(ctx, args->MemoryAddress, args->MemorySizeInBytes);
	int32_t ret;

	if (!object || object->kind != OBJECT_USERPTR ||
	    (req->res_id && object->res_id != req->res_id))
		return HSAKMT_STATUS_INVALID_PARAMETER;
	ret = hsaKmtRegisterMemoryWithFlagsCtx(ctx->kfd, POINTER(object->place.start),
					       object->place.size_bytes, args->MemFlags);
	object->registrations += ret == HSAKMT_STATUS_SUCCESS;
	return ret;
}

static int32_t deregister_memory(struct virtio_context *ctx, memory_req *req)
{
	struct object *object = req->res_id ? virtio_ids_find(&ctx->resources, req->res_id)
					    : object_at(ctx, req->MemoryAddress, 1);
	int32_t ret;

	if (!object || (object->kind != OBJECT_USERPTR && object->kind != OBJECT_DMABUF) ||
	    !object->registrations)
		return HSAKMT_STATUS_MEMORY_NOT_REGISTERED;
	ret = hsaKmtDeregisterMemoryCtx(ctx->kfd, POINTER(object->place.start));
	if (ret == HSAKMT_STATUS_SUCCESS)
		object->registrations--;
	if (ret == HSAKMT_STATUS_SUCCESS && object->kind == OBJECT_DMABUF)
		object_drop(ctx, object);
	return ret;
}

static int32_t map_userptr(struct virtio_context *ctx, memory_req *req, memory_rsp *rsp)
{
	const struct object *object = object_of_resource(ctx, req->res_id, OBJECT_USERPTR);

	if (!object)
		return HSAKMT_STATUS_INVALID_HANDLE;
	rsp->map_userptr_rsp.userptr_handle = object->place.start;
	rsp->map_userptr_rsp.npfns = (uint32_t)(object->place.size_bytes / VIRTIO_PAGE_BYTES);
	return HSAKMT_STATUS_SUCCESS;
}

/* The descriptor goes to the guest with its resource, not as a number of this process. */
static int32_t export_offset(struct virtio_context *ctx, memory_req *req, memory_rsp *rsp)
{
	const struct memory_export_dmabuf_args *args = &req->export_dmabuf_args;
	const struct object *object = object_at(ctx, args->MemoryAddress, args->MemorySizeInBytes);

	if (!object || object->kind != OBJECT_MEMORY || object->res_id != req->res_id)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	rsp->export_dmabuf_rsp.offset = args->MemoryAddress - object->place.start;
	return HSAKMT_STATUS_SUCCESS;
}

static int32_t share(struct virtio_context *ctx, memory_req *req, memory_rsp *rsp)
{
	const struct memory_share_memory_args *args = &req->share_memory_args;
	const struct object *object = object_at(ctx, args->MemoryAddress, args->MemorySizeInBytes);

	if (!object || object->kind != OBJECT_MEMORY ||
	    (req->res_id && object->res_id != req->res_id))
		return HSAKMT_STATUS_INVALID_PARAMETER;
	return hsaKmtShareMemoryCtx(ctx->kfd, POINTER(args->MemoryAddress), args->MemorySizeInBytes,
				    &rsp->share_memory_rsp.SharedMemoryHandle);
}

/* Elements of the node array have the size of a pointer in the request, and a value of 32 bits. */
static int register_shared(struct host_call *call, memory_req *req, memory_rsp *rsp)
{
	const struct memory_register_shared_handle_args *args = &req->register_shared_handle_args;
	struct virtio_context *ctx = call->ctx;
	uint32_t nodes[VIRTIO_MEMORY_NODES_MAX];
	struct object *object;
	void *address = NULL;
	HSAuint64 size = 0;

	if (args->NumberOfNodes > VIRTIO_MEMORY_NODES_MAX ||
	    args->NumberOfNodes * 8 > call->payload_bytes)
		return -EINVAL;
	memcpy(nodes, req->payload, args->NumberOfNodes * sizeof(nodes[0]));
	call->ret = HSAKMT_STATUS_INVALID_PARAMETER;
	if (!object_blob_id_free(ctx, req->blob_id))
		return 0;
	object = object_new(ctx, OBJECT_DMABUF);
	if (!object)
		return -ENOMEM;
	if (args->NumberOfNodes)
		call->ret = hsaKmtRegisterSharedHandleToNodesCtx(
			ctx->kfd, &args->SharedMemoryHandle, &address, &size, args->NumberOfNodes,
			nodes);
	else
		call->ret = hsaKmtRegisterSharedHandleCtx(ctx->kfd, &args->SharedMemoryHandle,
							  &address, &size);
	if (call->ret == HSAKMT_STATUS_SUCCESS) {
		object->registrations = 1;
		object_index(ctx, object, (uintptr_t)address, size);
		rsp->register_shared_handle_rsp.memory_handle = (uintptr_t)address;
		rsp->register_shared_handle_rsp.size = size;
		if (object_file(ctx, object, req->blob_id) != 0)
			call->ret = HSAKMT_STATUS_NO_MEMORY;
	}
	if (call->ret != HSAKMT_STATUS_SUCCESS)
		object_drop(ctx, object);
	return 0;
}

static int32_t set_policy(struct virtio_context *ctx, const struct memory_set_mem_policy_args *args)
{
	if (args->MemorySizeInBytes &&
	    !object_at(ctx, args->MemoryAddressAlternate, args->MemorySizeInBytes))
		return HSAKMT_STATUS_INVALID_PARAMETER;
	return hsaKmtSetMemoryPolicyCtx(
		ctx->kfd, args->Node, args->DefaultPolicy, args->AlternatePolicy,
		POINTER(args->MemoryAddressAlternate), args->MemorySizeInBytes);
}

static int svm_attributes(struct host_call *call, memory_req *req, bool set)
{
	const struct memory_svm_attr_args *args = &req->svm_attr_args;
	struct virtio_context *ctx = call->ctx;
	HSA_SVM_ATTRIBUTE attributes[VIRTIO_SVM_ATTRIBUTES_MAX];
	size_t bytes = args->nattr * sizeof(attributes[0]);
	memory_rsp *rsp;

	if (args->nattr > VIRTIO_SVM_ATTRIBUTES_MAX || bytes > call->payload_bytes)
		return -EINVAL;
	rsp = host_reply(call, set ? 0 : bytes);
	if (!rsp)
		return -ENOMEM;
	memcpy(attributes, req->payload, bytes);
	call->ret = HSAKMT_STATUS_INVALID_PARAMETER;
	if (!object_at(ctx, args->start_addr, args->size))
		return 0;
	if (set) {
		call->ret = hsaKmtSVMSetAttrCtx(ctx->kfd, POINTER(args->start_addr), args->size,
						args->nattr, attributes);
		return 0;
	}
	call->ret = hsaKmtSVMGetAttrCtx(ctx->kfd, POINTER(args->start_addr), args->size,
					args->nattr, attributes);
	memcpy(rsp->payload, attributes, bytes);
	return 0;
}

static int32_t simple(struct virtio_context *ctx, memory_req *req, memory_rsp *rsp)
{
	switch ((enum virtio_memory)req->type) {
	case VIRTIO_MEMORY_ALLOC:
		if (!object_blob_id_free(ctx, req->blob_id))
			return HSAKMT_STATUS_INVALID_PARAMETER;
		return host_alloc(ctx, &req->alloc_args, req->blob_id, &rsp->memory_handle);
	case VIRTIO_MEMORY_FREE:
		return free_memory(ctx, req->free_args.MemoryAddress);
	case VIRTIO_MEMORY_UNMAP_TO_GPU:
		return unmap(ctx, req->MemoryAddress);
	case VIRTIO_MEMORY_AVAIL_MEM:
		return hsaKmtAvailableMemoryCtx(ctx->kfd, req->Node, &rsp->available_bytes);
	case VIRTIO_MEMORY_MAP_MEM_TO_GPU:
		return req->map_to_GPU_args.need_create_bo
			       ? map_scratch(ctx, req, &rsp->alternate_vagpu)
			       : map(ctx, req, &rsp->alternate_vagpu);
	case VIRTIO_MEMORY_REG_MEM_WITH_FLAG:
		return register_memory(ctx, req);
	case VIRTIO_MEMORY_DEREG_MEM:
		return deregister_memory(ctx, req);
	case VIRTIO_MEMORY_MAP_USERPTR:
		return map_userptr(ctx, req, rsp);
	case VIRTIO_MEMORY_EXPORT_DMABUF:
		return export_offset(ctx, req, rsp);
	case VIRTIO_MEMORY_SHARE_MEMORY:
		return share(ctx, req, rsp);
	case VIRTIO_MEMORY_SET_MEM_POLICY:
		return set_policy(ctx, &req->set_mem_policy_args);
	case VIRTIO_MEMORY_MAP_TO_GPU_NODES:
	case VIRTIO_MEMORY_AMDGPU_IMPORT:
	case VIRTIO_MEMORY_AMDGPU_EXPORT:
	case VIRTIO_MEMORY_AMDGPU_VA_OP:
	case VIRTIO_MEMORY_AMDGPU_BO_FREE:
	case VIRTIO_MEMORY_REGISTER_SHARED_HANDLE:
	case VIRTIO_MEMORY_SVM_GET_ATTR:
	case VIRTIO_MEMORY_SVM_SET_ATTR:
	case VIRTIO_MEMORY_AMDGPU_BO_QUERY_INFO:
	case VIRTIO_MEMORY_AMDGPU_BO_SET_METADATA:
	case VIRTIO_MEMORY_COUNT:
		break;
	}
	return -EINVAL;
}

int host_memory(struct host_call *call)
{
	memory_req *req = call->request;
	memory_rsp *rsp;

	if (call->type == VIRTIO_MEMORY_SVM_GET_ATTR || call->type == VIRTIO_MEMORY_SVM_SET_ATTR)
		return svm_attributes(call, req, call->type == VIRTIO_MEMORY_SVM_SET_ATTR);
	rsp = host_reply(call, 0);
	if (!rsp)
		return -ENOMEM;
	switch ((enum virtio_memory)call->type) {
	case VIRTIO_MEMORY_MAP_TO_GPU_NODES:
		return map_nodes(call, req, rsp);
	case VIRTIO_MEMORY_REGISTER_SHARED_HANDLE:
		return register_shared(call, req, rsp);
	case VIRTIO_MEMORY_AMDGPU_IMPORT:
	case VIRTIO_MEMORY_AMDGPU_EXPORT:
	case VIRTIO_MEMORY_AMDGPU_VA_OP:
	case VIRTIO_MEMORY_AMDGPU_BO_FREE:
	case VIRTIO_MEMORY_AMDGPU_BO_QUERY_INFO:
	case VIRTIO_MEMORY_AMDGPU_BO_SET_METADATA:
		return host_buffer(call);
	default: /* the others need no payload */
		call->ret = simple(call->ctx, req, rsp);
		return 0;
	}
}
