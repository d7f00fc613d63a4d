/* SPDX-License-Identifier: MIT */
/* Memory of others and for others: dma-bufs, IPC handles, graphics libraries. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "virtio/guest/calls.h"
#include "virtio/guest/guest.h"

#define NOT_OPENED HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED

typedef struct vhsakmt_ccmd_memory_req memory_req;
typedef struct vhsakmt_ccmd_memory_rsp memory_rsp;

/* Files what the host has registered; it lies at the host's address, which is none of ours. */
static HSAKMT_STATUS file_import(struct vkmt_device *device, struct vkmt_bo *bo, uint64_t address,
				 uint64_t bytes)
{
	bo->kind = VKMT_BO_IMPORT;
	bo->refs = 1;
	bo->host_address = address;
	pthread_mutex_lock(&device->bo_lock);
	vkmt_bo_insert(device, bo, address, bytes);
	pthread_mutex_unlock(&device->bo_lock);
	return HSAKMT_STATUS_SUCCESS;
}

/* The answer's information, with metadata of our own. */
static HSAKMT_STATUS take_graphics(struct vkmt_device *device, struct vkmt_bo *bo,
				   const struct vhsakmt_ccmd_gl_inter_rsp *rsp,
				   const uint8_t *metadata, HsaGraphicsResourceInfo *info)
{
	HSAuint64 hint = info->SizeHintInBytes;
	uint32_t bytes = rsp->info.MetadataSizeInBytes;

	if (bytes > VIRTIO_GL_METADATA_BYTES)
		bytes = VIRTIO_GL_METADATA_BYTES;
	if (bytes) {
		bo->metadata = malloc(bytes);
		if (!bo->metadata)
			return HSAKMT_STATUS_NO_MEMORY;
		memcpy(bo->metadata, metadata, bytes);
	}
	*info = rsp->info;
	info->Metadata = bo->metadata;
	info->MetadataSizeInBytes = bytes;
	info->SizeHintInBytes = hint;
	return file_import(device, bo, (uintptr_t)rsp->info.MemoryAddress, rsp->info.SizeInBytes);
}

HSAKMT_STATUS vkmt_register_graphics_handle_to_nodes_ext(
	HSAuint64 GraphicsResourceHandle, HsaGraphicsResourceInfo *GraphicsResourceInfo,
	HSAuint64 NumberOfNodes, HSAuint32 *NodeArray, HSA_REGISTER_MEM_FLAGS RegisterFlags)
{
	struct vkmt_device *device = vkmt_device();
	struct {
		struct vhsakmt_ccmd_gl_inter_req req;
		uint32_t nodes[2 * VIRTIO_MEMORY_NODES_MAX]; /* with the stride of a pointer */
	} message = { .req = { .type = VIRTIO_GL_INTER_REG_GHD_TO_NODES } };
	struct {
		struct vhsakmt_ccmd_gl_inter_rsp rsp;
		uint8_t metadata[VIRTIO_GL_METADATA_BYTES];
	} answer;
	int fd = (int)GraphicsResourceHandle, rc;
	HSAKMT_STATUS status;
	struct vkmt_bo *bo;

	if (!device)
		return NOT_OPENED;
	if (!GraphicsResourceInfo || NumberOfNodes > VIRTIO_MEMORY_NODES_MAX ||
	    (NumberOfNodes && !NodeArray))
		return HSAKMT_STATUS_INVALID_PARAMETER;
	bo = calloc(1, sizeof(*bo));
	if (!bo)
		return HSAKMT_STATUS_NO_MEMORY;
	rc = device->transport->ops->import(device->transport, fd, &bo->handle, &bo->res_id);
	if (rc != 0) {
		free(bo);
		return HSAKMT_STATUS_INVALID_HANDLE;
	}
	message.req.reg_ghd_to_nodes = (struct gl_inter_req_reg_ghd_to_nodes){
		.GraphicsResourceHandle = GraphicsResourceHandle,
		.NumberOfNodes = NumberOfNodes,
		.res_handle = bo->res_id,
		.flag = RegisterFlags.Value,
	};
	if (NumberOfNodes)
		memcpy(message.nodes, NodeArray, NumberOfNodes * sizeof(*NodeArray));
	rc = vkmt_send(device, VIRTIO_CMD_GL_INTER, &message, sizeof(message), &answer,
		       sizeof(answer));
	status = vkmt_status(rc, rc == 0 ? answer.rsp.ret : 0);
	if (status == HSAKMT_STATUS_SUCCESS)
		status = take_graphics(device, bo, &answer.rsp, answer.metadata,
				       GraphicsResourceInfo);
	if (status != HSAKMT_STATUS_SUCCESS) {
		vkmt_resource_free(device, bo->handle, bo->res_id);
		free(bo);
	}
	close(fd); /* the call takes it, once it is a resource */
	return status;
}

HSAKMT_STATUS vkmt_register_graphics_handle_to_nodes(HSAuint64 GraphicsResourceHandle,
						     HsaGraphicsResourceInfo *GraphicsResourceInfo,
						     HSAuint64 NumberOfNodes, HSAuint32 *NodeArray)
{
	const HSA_REGISTER_MEM_FLAGS flags = { .Value = 0 };

	return vkmt_register_graphics_handle_to_nodes_ext(
		GraphicsResourceHandle, GraphicsResourceInfo, NumberOfNodes, NodeArray, flags);
}

HSAKMT_STATUS vkmt_map_graphic_handle(HSAuint32 NodeId, HSAuint64 GraphicDeviceHandle,
				      HSAuint64 GraphicResourceHandle,
				      HSAuint64 GraphicResourceOffset,
				      HSAuint64 GraphicResourceSize, HSAuint64 *FlatMemoryAddress)
{
	(void)NodeId;
	(void)GraphicDeviceHandle;
	(void)GraphicResourceHandle;
	(void)GraphicResourceOffset;
	(void)GraphicResourceSize;
	(void)FlatMemoryAddress;
	return vkmt_device() ? HSAKMT_STATUS_NOT_IMPLEMENTED : NOT_OPENED;
}

/* As the thunk's: the address is unmapped from the GPUs. */
HSAKMT_STATUS vkmt_unmap_graphic_handle(HSAuint32 NodeId, HSAuint64 FlatMemoryAddress,
					HSAuint64 SizeInBytes)
{
	(void)NodeId;
	(void)SizeInBytes;
	return vkmt_unmap_memory_to_gpu((void *)(uintptr_t)FlatMemoryAddress);
}

HSAKMT_STATUS vkmt_export_dma_buf_handle(void *MemoryAddress, HSAuint64 MemorySizeInBytes,
					 int *DMABufFd, HSAuint64 *Offset)
{
	struct vkmt_device *device = vkmt_device();
	memory_req req = { .type = VIRTIO_MEMORY_EXPORT_DMABUF };
	HSAKMT_STATUS status;
	uint32_t handle = 0;
	struct vkmt_bo *bo;
	memory_rsp rsp;
	int rc;

	if (!device)
		return NOT_OPENED;
	if (!MemoryAddress || !DMABufFd || !Offset)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	req.export_dmabuf_args.MemoryAddress = (uintptr_t)MemoryAddress;
	req.export_dmabuf_args.MemorySizeInBytes = MemorySizeInBytes;
	pthread_mutex_lock(&device->bo_lock);
	bo = vkmt_bo_holding(device, (uintptr_t)MemoryAddress);
	if (bo && bo->kind == VKMT_BO_MEMORY) {
		req.res_id = bo->res_id;
		handle = bo->handle;
	}
	pthread_mutex_unlock(&device->bo_lock);
	if (!req.res_id)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	rc = vkmt_send(device, VIRTIO_CMD_MEMORY, &req, sizeof(req), &rsp, sizeof(rsp));
	status = vkmt_status(rc, rc == 0 ? rsp.ret : 0);
	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	rc = device->transport->ops->export(device->transport, handle);
	if (rc < 0)
		return HSAKMT_STATUS_ERROR;
	*DMABufFd = rc;
	*Offset = rsp.export_dmabuf_rsp.offset;
	return status;
}

HSAKMT_STATUS vkmt_share_memory(void *MemoryAddress, HSAuint64 SizeInBytes,
				HsaSharedMemoryHandle *SharedMemoryHandle)
{
	struct vkmt_device *device = vkmt_device();
	memory_req req = { .type = VIRTIO_MEMORY_SHARE_MEMORY };
	HSAKMT_STATUS status;
	memory_rsp rsp;
	int rc;

	if (!device)
		return NOT_OPENED;
	if (!MemoryAddress || !SharedMemoryHandle)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	req.share_memory_args.MemoryAddress = (uintptr_t)MemoryAddress;
	req.share_memory_args.MemorySizeInBytes = SizeInBytes;
	rc = vkmt_send(device, VIRTIO_CMD_MEMORY, &req, sizeof(req), &rsp, sizeof(rsp));
	status = vkmt_status(rc, rc == 0 ? rsp.ret : 0);
	if (status == HSAKMT_STATUS_SUCCESS)
		memcpy(SharedMemoryHandle, &rsp.share_memory_rsp.SharedMemoryHandle,
		       sizeof(*SharedMemoryHandle));
	return status;
}

HSAKMT_STATUS vkmt_register_shared_handle_to_nodes(const HsaSharedMemoryHandle *SharedMemoryHandle,
						   void **MemoryAddress, HSAuint64 *SizeInBytes,
						   HSAuint64 NumberOfNodes, HSAuint32 *NodeArray)
{
	struct vkmt_device *device = vkmt_device();
	struct {
		memory_req req;
		uint32_t nodes[2 * VIRTIO_MEMORY_NODES_MAX]; /* with the stride of a pointer */
	} message = { .req = { .type = VIRTIO_MEMORY_REGISTER_SHARED_HANDLE } };
	struct memory_register_shared_handle_args *args = &message.req.register_shared_handle_args;
	struct vkmt_bo *bo;
	HSAKMT_STATUS status;
	memory_rsp rsp;
	int rc;

	if (!device)
		return NOT_OPENED;
	if (!SharedMemoryHandle || !MemoryAddress || !SizeInBytes ||
	    NumberOfNodes > VIRTIO_MEMORY_NODES_MAX || (NumberOfNodes && !NodeArray))
		return HSAKMT_STATUS_INVALID_PARAMETER;
	bo = calloc(1, sizeof(*bo));
	message.req.blob_id = bo ? vkmt_blob_id(device) : 0;
	if (!message.req.blob_id) {
		free(bo);
		return HSAKMT_STATUS_NO_MEMORY;
	}
	memcpy(&args->SharedMemoryHandle, SharedMemoryHandle, sizeof(args->SharedMemoryHandle));
	args->NumberOfNodes = NumberOfNodes;
	if (NumberOfNodes)
		memcpy(message.nodes, NodeArray, NumberOfNodes * sizeof(*NodeArray));
	rc = vkmt_send(device, VIRTIO_CMD_MEMORY, &message, sizeof(message), &rsp, sizeof(rsp));
	status = vkmt_status(rc, rc == 0 ? rsp.ret : 0);
	if (status == HSAKMT_STATUS_SUCCESS &&
	    vkmt_resource_new(device, message.req.blob_id, rsp.register_shared_handle_rsp.size,
			      false, NULL, &bo->handle, &bo->res_id) != 0)
		status = HSAKMT_STATUS_NO_MEMORY;
	if (status != HSAKMT_STATUS_SUCCESS) {
		free(bo);
		return status;
	}
	*MemoryAddress = (void *)(uintptr_t)rsp.register_shared_handle_rsp.memory_handle;
	*SizeInBytes = rsp.register_shared_handle_rsp.size;
	return file_import(device, bo, rsp.register_shared_handle_rsp.memory_handle,
			   rsp.register_shared_handle_rsp.size);
}

HSAKMT_STATUS vkmt_register_shared_handle(const HsaSharedMemoryHandle *SharedMemoryHandle,
					  void **MemoryAddress, HSAuint64 *SizeInBytes)
{
	return vkmt_register_shared_handle_to_nodes(SharedMemoryHandle, MemoryAddress, SizeInBytes,
						    0, NULL);
}
