/* SPDX-License-Identifier: MIT */
/*
 * The guest's own memory for GPUs: whole pages become a resource of their own, which the host maps at
 * an address of its choice (virtio.md 5, RegisterMemoryWithFlags).
 */
#include <stdlib.h>

#include "virtio/guest/calls.h"
#include "virtio/guest/guest.h"

#define NOT_OPENED HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED
#define PAGE       ((uint64_t)VIRTIO_PAGE_BYTES)

typedef struct vhsakmt_ccmd_memory_req memory_req;
typedef struct vhsakmt_ccmd_memory_rsp memory_rsp;

static HSAKMT_STATUS send_memory(struct vkmt_device *device, const memory_req *req, memory_rsp *rsp)
{
	int rc = vkmt_send(device, VIRTIO_CMD_MEMORY, req, sizeof(*req), rsp, sizeof(*rsp));

	return vkmt_status(rc, rc == 0 ? rsp->ret : 0);
}

/* Makes the pages a resource and learns where the host has them. */
static HSAKMT_STATUS share_pages(struct vkmt_device *device, struct vkmt_bo *bo, uint64_t start,
				 uint64_t bytes)
{
	memory_req req = { .type = VIRTIO_MEMORY_MAP_USERPTR };
	memory_rsp rsp;
	HSAKMT_STATUS status;
	int rc = vkmt_resource_new(device, vkmt_blob_id(device), bytes, false,
				   (void *)(uintptr_t)start, &bo->handle, &bo->res_id);

	if (rc < 0)
		return vkmt_status(rc, 0);
	req.res_id = bo->res_id;
	status = send_memory(device, &req, &rsp);
	if (status == HSAKMT_STATUS_SUCCESS && !rsp.map_userptr_rsp.userptr_handle)
		status = HSAKMT_STATUS_ERROR;
	if (status == HSAKMT_STATUS_SUCCESS)
		bo->host_address = rsp.map_userptr_rsp.userptr_handle;
	else
		vkmt_resource_free(device, bo->handle, bo->res_id);
	return status;
}

static HSAKMT_STATUS register_pages(struct vkmt_device *device, uint64_t start, uint64_t bytes,
				    HsaMemFlags flags)
{
	struct vkmt_bo *bo = calloc(1, sizeof(*bo));
	memory_req req = { .type = VIRTIO_MEMORY_REG_MEM_WITH_FLAG };
	memory_rsp rsp;
	HSAKMT_STATUS status;

	if (!bo)
		return HSAKMT_STATUS_NO_MEMORY;
	bo->kind = VKMT_BO_USERPTR;
	bo->refs = 1;
	status = share_pages(device, bo, start, bytes);
	if (status != HSAKMT_STATUS_SUCCESS) {
		free(bo);
		return status;
	}
	req.res_id = bo->res_id;
	req.reg_mem_with_flag.MemoryAddress = bo->host_address;
	req.reg_mem_with_flag.MemorySizeInBytes = bytes;
	req.reg_mem_with_flag.MemFlags = flags;
	status = send_memory(device, &req, &rsp);
	if (status == HSAKMT_STATUS_SUCCESS) {
		vkmt_bo_insert(device, bo, start, bytes);
		return status;
	}
	vkmt_resource_free(device, bo->handle, bo->res_id);
	free(bo);
	return status;
}

HSAKMT_STATUS vkmt_register_memory_with_flags(void *MemoryAddress, HSAuint64 MemorySizeInBytes,
					      HsaMemFlags MemFlags)
{
	struct vkmt_device *device = vkmt_device();
	uint64_t address = (uintptr_t)MemoryAddress, start = address / PAGE * PAGE;
	HSAKMT_STATUS status = HSAKMT_STATUS_SUCCESS;
	uint64_t bytes = MemorySizeInBytes + (address - start);
	struct vkmt_bo *bo;

	if (!device)
		return NOT_OPENED;
	if (!MemoryAddress || MemorySizeInBytes == 0 || bytes < MemorySizeInBytes ||
	    bytes > UINT64_MAX - PAGE)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	if (vkmt_in_vm(device, address))
		return HSAKMT_STATUS_SUCCESS; /* mapped for GPUs already */
	bytes = (bytes + PAGE - 1) / PAGE * PAGE;
	pthread_mutex_lock(&device->bo_lock);
	bo = vkmt_bo_at(device, start);
	if (bo && bo->kind == VKMT_BO_USERPTR && bo->place.size_bytes >= bytes)
		bo->refs++;
	else
		status = register_pages(device, start, bytes, MemFlags);
	pthread_mutex_unlock(&device->bo_lock);
	return status;
}

HSAKMT_STATUS vkmt_register_memory(void *MemoryAddress, HSAuint64 MemorySizeInBytes)
{
	const HsaMemFlags flags = { .ui32 = { .HostAccess = 1, .CoarseGrain = 1 } };

	return vkmt_register_memory_with_flags(MemoryAddress, MemorySizeInBytes, flags);
}

HSAKMT_STATUS vkmt_register_memory_to_nodes(void *MemoryAddress, HSAuint64 MemorySizeInBytes,
					    HSAuint32 NumberOfNodes, HSAuint32 *NodeArray)
{
	(void)MemoryAddress;
	(void)MemorySizeInBytes;
	(void)NumberOfNodes;
	(void)NodeArray;
	return vkmt_device() ? HSAKMT_STATUS_NOT_IMPLEMENTED : NOT_OPENED;
}

HSAKMT_STATUS vkmt_deregister_memory(void *MemoryAddress)
{
	struct vkmt_device *device = vkmt_device();
	uint64_t address = (uintptr_t)MemoryAddress;
	HSAKMT_STATUS status = HSAKMT_STATUS_SUCCESS;
	memory_req req = { .type = VIRTIO_MEMORY_DEREG_MEM };
	memory_rsp rsp;
	struct vkmt_bo *bo;

	if (!device)
		return NOT_OPENED;
	pthread_mutex_lock(&device->bo_lock);
	bo = vkmt_bo_at(device, address);
	if (!bo)
		bo = vkmt_bo_at(device, address / PAGE * PAGE);
	if (!bo || (bo->kind != VKMT_BO_USERPTR && bo->kind != VKMT_BO_IMPORT)) {
		status = bo ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_MEMORY_NOT_REGISTERED;
	} else if (bo->refs > 1) {
		bo->refs--;
	} else {
		req.MemoryAddress = bo->host_address;
		req.res_id = bo->res_id;
		status = send_memory(device, &req, &rsp);
		vkmt_bo_free(device, bo);
	}
	pthread_mutex_unlock(&device->bo_lock);
	return status;
}

static HSAKMT_STATUS svm_attributes(uint32_t type, void *start, uint64_t bytes, uint32_t count,
				    HSA_SVM_ATTRIBUTE *attributes)
{
	struct vkmt_device *device = vkmt_device();
	struct {
		memory_req req;
		HSA_SVM_ATTRIBUTE attributes[VIRTIO_SVM_ATTRIBUTES_MAX];
	} message = { .req = { .type = type } };
	struct {
		memory_rsp rsp;
		HSA_SVM_ATTRIBUTE attributes[VIRTIO_SVM_ATTRIBUTES_MAX];
	} answer;
	struct vkmt_bo *bo;
	HSAKMT_STATUS status;
	int rc;

	if (!device)
		return NOT_OPENED;
	if (!start || !attributes || count == 0 || count > VIRTIO_SVM_ATTRIBUTES_MAX)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	message.req.svm_attr_args = (struct memory_svm_attr_args){ .start_addr = (uintptr_t)start,
								   .size = bytes,
								   .nattr = count };
	pthread_mutex_lock(&device->bo_lock);
	bo = vkmt_bo_holding(device, (uintptr_t)start);
	if (bo) {
		message.req.svm_attr_args.start_addr += bo->host_address - bo->place.start;
		message.req.res_id = bo->res_id;
	}
	pthread_mutex_unlock(&device->bo_lock);
	for (uint32_t i = 0; i < count; i++)
		message.attributes[i] = attributes[i];
	rc = vkmt_send(device, VIRTIO_CMD_MEMORY, &message, sizeof(message), &answer,
		       sizeof(answer));
	status = vkmt_status(rc, rc == 0 ? answer.rsp.ret : 0);
	for (uint32_t i = 0; status == HSAKMT_STATUS_SUCCESS && i < count; i++)
		if (type == VIRTIO_MEMORY_SVM_GET_ATTR)
			attributes[i] = answer.attributes[i];
	return status;
}

HSAKMT_STATUS vkmt_svm_get_attr(void *start_addr, HSAuint64 size, unsigned int nattr,
				HSA_SVM_ATTRIBUTE *attrs)
{
	return svm_attributes(VIRTIO_MEMORY_SVM_GET_ATTR, start_addr, size, nattr, attrs);
}

HSAKMT_STATUS vkmt_svm_set_attr(void *start_addr, HSAuint64 size, unsigned int nattr,
				HSA_SVM_ATTRIBUTE *attrs)
{
	return svm_attributes(VIRTIO_MEMORY_SVM_SET_ATTR, start_addr, size, nattr, attrs);
}
