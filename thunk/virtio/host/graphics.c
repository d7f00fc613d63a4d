/* SPDX-License-Identifier: MIT */
/* GL_INTER: memory of graphics libraries, which comes as a dma-buf that was attached before. */
#include <errno.h>
#include <string.h>

#include "virtio/host/host-internal.h"

int host_gl_inter(struct host_call *call)
{
	const struct vhsakmt_ccmd_gl_inter_req *req = call->request;
	const struct gl_inter_req_reg_ghd_to_nodes *args = &req->reg_ghd_to_nodes;
	struct virtio_context *ctx = call->ctx;
	HsaGraphicsResourceInfo info = { 0 };
	HSA_REGISTER_MEM_FLAGS flags = { .Value = args->flag };
	uint32_t nodes[VIRTIO_MEMORY_NODES_MAX];
	struct vhsakmt_ccmd_gl_inter_rsp *rsp;
	struct object *object;
	size_t metadata = 0;

	if (args->NumberOfNodes > VIRTIO_MEMORY_NODES_MAX ||
	    args->NumberOfNodes * 8 > call->payload_bytes)
		return -EINVAL;
	memcpy(nodes, req->payload, args->NumberOfNodes * sizeof(nodes[0]));
	object = object_of_resource(ctx, args->res_handle, OBJECT_DMABUF);
	call->ret = HSAKMT_STATUS_INVALID_HANDLE;
	if (object && object->fd >= 0 && !object->indexed)
		call->ret = hsaKmtRegisterGraphicsHandleToNodesExtCtx(
			ctx->kfd, (HSAuint64)object->fd, &info, args->NumberOfNodes, nodes, flags);
	if (call->ret == HSAKMT_STATUS_SUCCESS && info.Metadata)
		metadata = info.MetadataSizeInBytes < VIRTIO_GL_METADATA_BYTES
				   ? info.MetadataSizeInBytes
				   : VIRTIO_GL_METADATA_BYTES;
	rsp = host_reply(call, metadata);
	if (call->ret == HSAKMT_STATUS_SUCCESS) {
		object->registrations = 1;
		object_index(ctx, object, (uintptr_t)info.MemoryAddress, info.SizeInBytes);
	}
	if (!rsp)
		return -ENOMEM;
	if (metadata)
		memcpy(rsp->payload, info.Metadata, metadata);
	info.Metadata = NULL;
	info.MetadataSizeInBytes = (HSAuint32)metadata;
	rsp->info = info;
	return 0;
}
