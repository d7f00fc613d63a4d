/* SPDX-License-Identifier: MIT */
/* Allocation and mapping from inside a guest (virtio.md 5, Memory). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "virtio/guest/calls.h"
#include "virtio/guest/guest.h"

#define NOT_OPENED HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED

typedef struct vhsakmt_ccmd_memory_req memory_req;
typedef struct vhsakmt_ccmd_memory_rsp memory_rsp;

static HSAKMT_STATUS send_memory(struct vkmt_device *device, const memory_req *req, memory_rsp *rsp)
{
	int rc = vkmt_send(device, VIRTIO_CMD_MEMORY, req, sizeof(*req), rsp, sizeof(*rsp));

	return vkmt_status(rc, rc == 0 ? rsp->ret : 0);
}

/* Revision 1 maps everything but scratch; revision 2 what the host may touch. */
static bool is_mappable(const struct vkmt_device *device, HsaMemFlags flags)
{
	if (flags.ui32.Scratch || flags.ui32.OnlyAddress)
		return false;
	if (device->revision == VIRTIO_REVISION_1)
		return flags.ui32.HostAccess || !flags.ui32.NonPaged;
	return flags.ui32.HostAccess && !flags.ui32.NoAddress;
}

/* Gives the memory that the host has made a resource and an address. */
static int place_memory(struct vkmt_device *device, struct vkmt_bo *bo, uint64_t blob_id,
			uint64_t size_bytes, bool mappable, bool mapped)
{
	void *address = (void *)(uintptr_t)bo->host_address;
	int rc = vkmt_resource_new(device, blob_id, size_bytes, mappable, NULL, &bo->handle,
				   &bo->res_id);

	if (rc != 0)
		return rc;
	if (mapped && device->transport->ops->blob_map(device->transport, bo->handle, size_bytes,
						       address, MAP_FIXED) == MAP_FAILED) {
		vkmt_resource_free(device, bo->handle, bo->res_id);
		return -ENOMEM;
	}
	bo->cpu_mapped = mapped;
	pthread_mutex_lock(&device->bo_lock);
	vkmt_bo_insert(device, bo, bo->host_address, size_bytes);
	pthread_mutex_unlock(&device->bo_lock);
	return 0;
}

HSAKMT_STATUS vkmt_alloc_memory_align(HSAuint32 PreferredNode, HSAuint64 SizeInBytes,
				      HSAuint64 Alignment, HsaMemFlags MemFlags,
				      void **MemoryAddress)
{
	struct vkmt_device *device = vkmt_device();
	memory_req req = { .type = VIRTIO_MEMORY_ALLOC };
	memory_rsp rsp;
	HSAKMT_STATUS status;
	struct vkmt_bo *bo;

	if (!device)
		return NOT_OPENED;
	if (!MemoryAddress || SizeInBytes == 0 || SizeInBytes % VIRTIO_PAGE_BYTES ||
	    (MemFlags.ui32.FixedAddress && !*MemoryAddress))
		return HSAKMT_STATUS_INVALID_PARAMETER;
	if (Alignment > VIRTIO_PAGE_BYTES && device->revision == VIRTIO_REVISION_1)
		return HSAKMT_STATUS_NOT_SUPPORTED; /* its message has no place for it */
	bo = calloc(1, sizeof(*bo));
	req.blob_id = bo ? vkmt_blob_id(device) : 0;
	if (!req.blob_id) {
		free(bo);
		return HSAKMT_STATUS_NO_MEMORY;
	}
	req.alloc_args = (struct memory_req_alloc_args){ .PreferredNode = PreferredNode,
							 .MemFlags = MemFlags,
							 .SizeInBytes = SizeInBytes,
							 .Alignment = Alignment };
	if (MemFlags.ui32.FixedAddress)
		req.alloc_args.MemoryAddress = (uintptr_t)*MemoryAddress;
	status = send_memory(device, &req, &rsp);
	/* What has no address has a handle in its place, which lies elsewhere. */
	if (status == HSAKMT_STATUS_SUCCESS && !MemFlags.ui32.NoAddress &&
	    !vkmt_in_vm(device, rsp.memory_handle))
		status = HSAKMT_STATUS_ERROR;
	if (status == HSAKMT_STATUS_SUCCESS) {
		bo->kind = MemFlags.ui32.Scratch ? VKMT_BO_SCRATCH : VKMT_BO_MEMORY;
		bo->refs = 1;
		bo->host_address = rsp.memory_handle;
		if (place_memory(device, bo, req.blob_id, SizeInBytes,
				 is_mappable(device, MemFlags) || MemFlags.ui32.NoAddress,
				 is_mappable(device, MemFlags)) != 0)
			status = HSAKMT_STATUS_NO_MEMORY;
	}
	if (status == HSAKMT_STATUS_SUCCESS)
		*MemoryAddress = (void *)(uintptr_t)bo->host_address;
	else
		free(bo);
	return status;
}

HSAKMT_STATUS vkmt_alloc_memory(HSAuint32 PreferredNode, HSAuint64 SizeInBytes,
				HsaMemFlags MemFlags, void **MemoryAddress)
{
	return vkmt_alloc_memory_align(PreferredNode, SizeInBytes, 0, MemFlags, MemoryAddress);
}

HSAKMT_STATUS vkmt_free_memory(void *MemoryAddress, HSAuint64 SizeInBytes)
{
	struct vkmt_device *device = vkmt_device();
	struct vkmt_bo *bo;

	if (!device)
		return NOT_OPENED;
	if (!MemoryAddress || SizeInBytes == 0)
		return HSAKMT_STATUS_ERROR;
	pthread_mutex_lock(&device->bo_lock);
	bo = vkmt_bo_at(device, (uintptr_t)MemoryAddress);
	if (bo && (bo->kind == VKMT_BO_MEMORY || bo->kind == VKMT_BO_SCRATCH))
		vkmt_bo_free(device, bo);
	pthread_mutex_unlock(&device->bo_lock);
	return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS vkmt_available_memory(HSAuint32 Node, HSAuint64 *AvailableBytes)
{
	struct vkmt_device *device = vkmt_device();
	memory_req req = { .Node = Node, .type = VIRTIO_MEMORY_AVAIL_MEM };
	memory_rsp rsp;
	HSAKMT_STATUS status;

	if (!device)
		return NOT_OPENED;
	if (!AvailableBytes)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	status = send_memory(device, &req, &rsp);
	if (status == HSAKMT_STATUS_SUCCESS)
		*AvailableBytes = rsp.available_bytes;
	return status;
}

/* What the host calls the memory at an address. @return false: nothing is known there. */
static bool host_place(struct vkmt_device *device, uint64_t address, struct vkmt_bo **found,
		       uint64_t *host_address, uint32_t *res_id)
{
	struct vkmt_bo *bo;

	pthread_mutex_lock(&device->bo_lock);
	bo = vkmt_bo_holding(device, address);
	if (bo) {
		*host_address = bo->host_address + (address - bo->place.start);
		*res_id = bo->res_id;
	}
	pthread_mutex_unlock(&device->bo_lock);
	*found = bo;
	return bo != NULL;
}

/* The host makes an object of the mapping, which ends it when it goes. */
static HSAKMT_STATUS map_scratch(struct vkmt_device *device, struct vkmt_bo *scratch,
				 memory_req *req, memory_rsp *rsp)
{
	struct vkmt_bo *map = calloc(1, sizeof(*map));
	HSAKMT_STATUS status = HSAKMT_STATUS_NO_MEMORY;

	req->blob_id = map ? vkmt_blob_id(device) : 0;
	if (!req->blob_id)
		goto out;
	req->map_to_GPU_args.need_create_bo = 1;
	map->kind = VKMT_BO_SCRATCH_MAP;
	status = send_memory(device, req, rsp);
	if (status == HSAKMT_STATUS_SUCCESS &&
	    vkmt_resource_new(device, req->blob_id, req->map_to_GPU_args.MemorySizeInBytes, false,
			      NULL, &map->handle, &map->res_id) != 0)
		status = HSAKMT_STATUS_NO_MEMORY;
	if (status != HSAKMT_STATUS_SUCCESS)
		goto out;
	pthread_mutex_lock(&device->bo_lock);
	if (scratch->map) {
		vkmt_resource_free(device, scratch->map->handle, scratch->map->res_id);
		free(scratch->map);
	}
	scratch->map = map;
	pthread_mutex_unlock(&device->bo_lock);
	return status;
out:
	free(map);
	return status;
}

HSAKMT_STATUS vkmt_map_memory_to_gpu(void *MemoryAddress, HSAuint64 MemorySizeInBytes,
				     HSAuint64 *AlternateVAGPU)
{
	struct vkmt_device *device = vkmt_device();
	memory_req req = { .type = VIRTIO_MEMORY_MAP_MEM_TO_GPU };
	memory_rsp rsp = { 0 };
	HSAKMT_STATUS status;
	struct vkmt_bo *bo;
	uint32_t res_id;

	if (!device)
		return NOT_OPENED;
	if (!MemoryAddress)
		return HSAKMT_STATUS_ERROR;
	if (!host_place(device, (uintptr_t)MemoryAddress, &bo, &req.map_to_GPU_args.MemoryAddress,
			&res_id))
		return HSAKMT_STATUS_INVALID_HANDLE;
	req.map_to_GPU_args.MemorySizeInBytes = MemorySizeInBytes;
	status = bo->kind == VKMT_BO_SCRATCH ? map_scratch(device, bo, &req, &rsp)
					     : send_memory(device, &req, &rsp);
	if (status == HSAKMT_STATUS_SUCCESS && AlternateVAGPU)
		*AlternateVAGPU = rsp.alternate_vagpu;
	return status;
}

HSAKMT_STATUS vkmt_map_memory_to_gpu_nodes(void *MemoryAddress, HSAuint64 MemorySizeInBytes,
					   HSAuint64 *AlternateVAGPU, HsaMemFlags MemFlags,
					   HSAuint64 NumberOfNodes, HSAuint32 *NodeArray)
{
	struct vkmt_device *device = vkmt_device();
	struct {
		memory_req req;
		uint32_t nodes[VIRTIO_MEMORY_NODES_MAX];
	} message = { .req = { .type = VIRTIO_MEMORY_MAP_TO_GPU_NODES } };
	struct memory_req_map_to_GPU_nodes_args *args = &message.req.map_to_GPU_nodes_args;
	memory_rsp rsp;
	HSAKMT_STATUS status;
	struct vkmt_bo *bo;
	int rc;

	if (!device)
		return NOT_OPENED;
	if (!MemoryAddress)
		return HSAKMT_STATUS_ERROR;
	if (NumberOfNodes > VIRTIO_MEMORY_NODES_MAX || (NumberOfNodes && !NodeArray))
		return HSAKMT_STATUS_INVALID_PARAMETER;
	if (!host_place(device, (uintptr_t)MemoryAddress, &bo, &args->MemoryAddress,
			&message.req.res_id))
		return HSAKMT_STATUS_INVALID_HANDLE;
	args->MemorySizeInBytes = MemorySizeInBytes;
	args->pad[0] = MemFlags.Value;
	args->NumberOfNodes = NumberOfNodes;
	if (NumberOfNodes)
		memcpy(message.nodes, NodeArray, NumberOfNodes * sizeof(*NodeArray));
	rc = vkmt_send(device, VIRTIO_CMD_MEMORY, &message, sizeof(message), &rsp, sizeof(rsp));
	status = vkmt_status(rc, rc == 0 ? rsp.ret : 0);
	if (status == HSAKMT_STATUS_SUCCESS && AlternateVAGPU)
		*AlternateVAGPU = rsp.alternate_vagpu;
	return status;
}

HSAKMT_STATUS vkmt_unmap_memory_to_gpu(void *MemoryAddress)
{
	struct vkmt_device *device = vkmt_device();
	memory_req req = { .type = VIRTIO_MEMORY_UNMAP_TO_GPU };
	memory_rsp rsp;
	struct vkmt_bo *bo, *map = NULL;
	uint32_t res_id;

	if (!device)
		return NOT_OPENED;
	if (!host_place(device, (uintptr_t)MemoryAddress, &bo, &req.MemoryAddress, &res_id))
		return HSAKMT_STATUS_SUCCESS;
	if (bo->kind != VKMT_BO_SCRATCH)
		return send_memory(device, &req, &rsp);
	pthread_mutex_lock(&device->bo_lock);
	map = bo->map;
	bo->map = NULL;
	pthread_mutex_unlock(&device->bo_lock);
	if (map)
		vkmt_resource_free(device, map->handle, map->res_id);
	free(map);
	return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS vkmt_set_memory_policy(HSAuint32 Node, HSAuint32 DefaultPolicy,
				     HSAuint32 AlternatePolicy, void *MemoryAddressAlternate,
				     HSAuint64 MemorySizeInBytes)
{
	struct vkmt_device *device = vkmt_device();
	memory_req req = { .type = VIRTIO_MEMORY_SET_MEM_POLICY };
	memory_rsp rsp;

	if (!device)
		return NOT_OPENED;
	req.set_mem_policy_args = (struct memory_set_mem_policy_args){
		.Node = Node,
		.DefaultPolicy = DefaultPolicy,
		.AlternatePolicy = AlternatePolicy,
		.MemoryAddressAlternate = (uintptr_t)MemoryAddressAlternate,
		.MemorySizeInBytes = MemorySizeInBytes,
	};
	return send_memory(device, &req, &rsp);
}

/* Stays here: no command carries it. */
HSAKMT_STATUS vkmt_set_memory_user_data(const void *Pointer, void *UserData)
{
	struct vkmt_device *device = vkmt_device();
	struct vkmt_bo *bo;

	if (!device)
		return NOT_OPENED;
	pthread_mutex_lock(&device->bo_lock);
	bo = vkmt_bo_holding(device, (uintptr_t)Pointer);
	if (bo)
		bo->user_data = UserData;
	pthread_mutex_unlock(&device->bo_lock);
	return bo ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_ERROR;
}

/* Addresses become ours again where the host tells its own. */
static void translate_info(struct vkmt_device *device, uint64_t address, HsaPointerInfo *info)
{
	const struct vkmt_bo *bo;

	pthread_mutex_lock(&device->bo_lock);
	bo = vkmt_bo_holding(device, address);
	if (bo && info->CPUAddress)
		info->CPUAddress =
			(void *)(uintptr_t)(bo->place.start +
					    ((uintptr_t)info->CPUAddress - bo->host_address));
	info->UserData = bo ? bo->user_data : NULL;
	pthread_mutex_unlock(&device->bo_lock);
}

HSAKMT_STATUS vkmt_query_pointer_info(const void *Pointer, HsaPointerInfo *PointerInfo)
{
	struct vkmt_device *device = vkmt_device();
	struct vhsakmt_ccmd_query_info_req req = { .type = VIRTIO_QUERY_POINTER_INFO };
	struct {
		struct vhsakmt_ccmd_query_info_rsp rsp;
		uint32_t nodes[VKMT_NODES_MAX];
	} answer;
	uint32_t *nodes = NULL, count, res_id;
	HSAKMT_STATUS status;
	struct vkmt_bo *bo;
	int rc;

	if (!device)
		return NOT_OPENED;
	if (!Pointer || !PointerInfo)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	memset(PointerInfo, 0, sizeof(*PointerInfo));
	if (!host_place(device, (uintptr_t)Pointer, &bo, &req.pointer, &res_id))
		return HSAKMT_STATUS_ERROR;
	rc = vkmt_send(device, VIRTIO_CMD_QUERY_INFO, &req, sizeof(req), &answer, sizeof(answer));
	status = vkmt_status(rc, rc == 0 ? answer.rsp.ret : 0);
	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	*PointerInfo = answer.rsp.ptr_info;
	count = PointerInfo->NMappedNodes;
	if (count > VIRTIO_PTR_INFO_NODES_MAX)
		count = VIRTIO_PTR_INFO_NODES_MAX;
	if (count) {
		nodes = malloc(count * sizeof(*nodes)); /* the caller's to free */
		if (nodes)
			memcpy(nodes, answer.nodes, count * sizeof(*nodes));
		else
			count = 0;
	}
	PointerInfo->NMappedNodes = count;
	PointerInfo->MappedNodes = nodes;
	PointerInfo->NRegisteredNodes = 0;
	PointerInfo->RegisteredNodes = NULL; /* the host's address */
	translate_info(device, (uintptr_t)Pointer, PointerInfo);
	return status;
}
