/* SPDX-License-Identifier: MIT */
/*
 * The guest's forms of libdrm's functions. Handles are numbers that the host gave; results are 0 or a
 * negative errno number, as libdrm's.
 */
#include <errno.h>
#include <string.h>

#include "virtio/guest/calls.h"
#include "virtio/guest/guest.h"

typedef struct vhsakmt_ccmd_memory_req memory_req;
typedef struct vhsakmt_ccmd_memory_rsp memory_rsp;

static int send_memory(const memory_req *req, memory_rsp *rsp)
{
	struct vkmt_device *device = vkmt_device();
	int rc = -ENODEV;

	if (device)
		rc = vkmt_send(device, VIRTIO_CMD_MEMORY, req, sizeof(*req), rsp, sizeof(*rsp));
	return rc != 0 ? rc : rsp->ret;
}

static uint64_t number(const void *handle)
{
	return (uintptr_t)handle;
}

/* Revision 1 has no handle to give, and says so by none. */
HSAKMT_STATUS vkmt_get_amdgpu_device_handle(HSAuint32 NodeId, HsaAMDGPUDeviceHandle *DeviceHandle)
{
	struct vkmt_device *device = vkmt_device();
	struct vhsakmt_ccmd_query_info_req req = { .type = VIRTIO_QUERY_AMDGPU_DEVICE_HANDLE,
						   .NodeID = NodeId };
	struct vhsakmt_ccmd_query_info_rsp rsp;
	HSAKMT_STATUS status;
	int rc;

	if (!device)
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (!DeviceHandle)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	if (device->revision == VIRTIO_REVISION_1)
		return HSAKMT_STATUS_SUCCESS;
	rc = vkmt_send(device, VIRTIO_CMD_QUERY_INFO, &req, sizeof(req), &rsp, sizeof(rsp));
	status = vkmt_status(rc, rc == 0 ? rsp.ret : 0);
	if (status == HSAKMT_STATUS_SUCCESS)
		*DeviceHandle = (HsaAMDGPUDeviceHandle)(uintptr_t)
					rsp.device_handle_rsp.amdgpu_device_handle;
	return status;
}

int vkmt_amdgpu_query_gpu_info(amdgpu_device_handle dev, void *out)
{
	struct vkmt_device *device = vkmt_device();
	struct vhsakmt_ccmd_query_info_req req = { .type = VIRTIO_QUERY_GPU_INFO };
	struct vhsakmt_ccmd_query_info_rsp rsp;
	int rc;

	(void)dev; /* the host asks its first GPU */
	if (!device)
		return -ENODEV;
	if (!out)
		return -EINVAL;
	rc = vkmt_send(device, VIRTIO_CMD_QUERY_INFO, &req, sizeof(req), &rsp, sizeof(rsp));
	if (rc == 0)
		rc = rsp.ret;
	if (rc == 0)
		memcpy(out, &rsp.gpu_info, sizeof(rsp.gpu_info));
	return rc;
}

int vkmt_amdgpu_device_initialize(int fd, uint32_t *major_version, uint32_t *minor_version,
				  amdgpu_device_handle *device_handle)
{
	(void)fd;
	(void)major_version;
	(void)minor_version;
	(void)device_handle;
	return -ENOSYS;
}

int vkmt_amdgpu_device_deinitialize(amdgpu_device_handle device_handle)
{
	(void)device_handle;
	return -ENOSYS;
}

/* The number that vdrmCommandWriteRead() wants: the same as the handle's. */
int vkmt_amdgpu_device_get_fd(amdgpu_device_handle device_handle)
{
	return vkmt_device() && number(device_handle) <= VKMT_NODES_MAX ? (int)number(device_handle)
									: -1;
}

int vkmt_drm_command_write_read(int fd, unsigned long drmCommandIndex, void *data,
				unsigned long size)
{
	struct vkmt_device *device = vkmt_device();
	struct {
		struct vhsakmt_ccmd_query_info_req req;
		uint8_t data[VIRTIO_DRM_COMMAND_BYTES];
	} message = { .req = { .type = VIRTIO_QUERY_DRM_CMD_WRITE_READ } };
	struct {
		struct vhsakmt_ccmd_query_info_rsp rsp;
		uint8_t data[VIRTIO_DRM_COMMAND_BYTES];
	} answer;
	int rc;

	if (!device)
		return -ENODEV;
	if (!data || size > VIRTIO_DRM_COMMAND_BYTES)
		return -EINVAL;
	message.req.drm_cmd_write_read_args = (struct query_drm_cmd_write_read_args){
		.fd = (uint64_t)(int64_t)fd, .drmCommandIndex = drmCommandIndex, .size = size
	};
	memcpy(message.data, data, size);
	rc = vkmt_send(device, VIRTIO_CMD_QUERY_INFO, &message, sizeof(message), &answer,
		       sizeof(answer));
	if (rc == 0)
		rc = answer.rsp.ret;
	if (rc == 0)
		memcpy(data, answer.data, size);
	return rc;
}

/* What memory an exported descriptor is: a resource of ours, or one that is made for the call. */
int vkmt_amdgpu_bo_import(amdgpu_device_handle dev, enum amdgpu_bo_handle_type type,
			  uint32_t shared_handle, struct amdgpu_bo_import_result *output)
{
	struct vkmt_device *device = vkmt_device();
	memory_req req = { .type = VIRTIO_MEMORY_AMDGPU_IMPORT };
	memory_rsp rsp;
	uint32_t handle;
	int rc;

	if (!device)
		return -ENODEV;
	if (!output || type != amdgpu_bo_handle_type_dma_buf_fd)
		return -EINVAL;
	rc = device->transport->ops->import(device->transport, (int)shared_handle, &handle,
					    &req.res_id);
	if (rc != 0)
		return rc;
	req.amdgpu_import_args =
		(struct memory_amdgpu_import_args){ .dev = number(dev), .type = type };
	rc = send_memory(&req, &rsp);
	/* The buffer object holds the memory by itself. */
	vkmt_resource_free(device, handle, req.res_id);
	if (rc == 0) {
		output->buf_handle = (amdgpu_bo_handle)(uintptr_t)rsp.amdgpu_import_rsp.output[0];
		output->alloc_size = rsp.amdgpu_import_rsp.output[1];
	}
	return rc;
}

int vkmt_amdgpu_bo_export(amdgpu_bo_handle buf_handle, enum amdgpu_bo_handle_type type,
			  uint32_t *shared_handle)
{
	memory_req req = { .type = VIRTIO_MEMORY_AMDGPU_EXPORT };
	memory_rsp rsp;
	int rc;

	if (!shared_handle)
		return -EINVAL;
	req.amdgpu_export_args.buf_handle = number(buf_handle);
	req.amdgpu_export_args.type = type;
	rc = send_memory(&req, &rsp);
	if (rc == 0)
		*shared_handle = rsp.shared_handle;
	return rc;
}

int vkmt_amdgpu_bo_va_op(amdgpu_bo_handle bo, uint64_t offset, uint64_t size, uint64_t addr,
			 uint64_t flags, uint32_t ops)
{
	memory_req req = { .type = VIRTIO_MEMORY_AMDGPU_VA_OP };
	memory_rsp rsp;

	req.amdgpu_va_op_args = (struct memory_amdgpu_va_op_args){ .bo = number(bo),
								   .offset = offset,
								   .size = size,
								   .addr = addr,
								   .flags = flags,
								   .ops = ops };
	return send_memory(&req, &rsp);
}

int vkmt_amdgpu_bo_free(amdgpu_bo_handle buf_handle)
{
	memory_req req = { .type = VIRTIO_MEMORY_AMDGPU_BO_FREE, .buf_handle = number(buf_handle) };
	memory_rsp rsp;

	return send_memory(&req, &rsp);
}

/* Nothing is mapped: the caller maps the exported descriptor. */
int vkmt_amdgpu_bo_cpu_map(amdgpu_bo_handle buf_handle, void **cpu)
{
	(void)buf_handle;
	(void)cpu;
	return vkmt_device() ? 0 : -ENODEV;
}

/* The buffer here is a resource: these two work on memory that was allocated. */
static uint32_t resource_of(amdgpu_bo_handle buf_handle)
{
	struct vkmt_device *device = vkmt_device();
	struct vkmt_bo *bo;
	uint32_t res_id = 0;

	if (!device)
		return 0;
	pthread_mutex_lock(&device->bo_lock);
	bo = vkmt_bo_at(device, number(buf_handle));
	if (bo)
		res_id = bo->res_id;
	pthread_mutex_unlock(&device->bo_lock);
	return res_id;
}

int vkmt_amdgpu_bo_query_info(amdgpu_bo_handle buf_handle, struct amdgpu_bo_info *info)
{
	memory_req req = { .type = VIRTIO_MEMORY_AMDGPU_BO_QUERY_INFO,
			   .res_id = resource_of(buf_handle) };
	memory_rsp rsp;
	int rc;

	if (!info)
		return -EINVAL;
	rc = send_memory(&req, &rsp);
	if (rc == 0)
		*info = rsp.query_bo_info;
	return rc;
}

int vkmt_amdgpu_bo_set_metadata(amdgpu_bo_handle buf_handle, struct amdgpu_bo_metadata *info)
{
	memory_req req = { .type = VIRTIO_MEMORY_AMDGPU_BO_SET_METADATA,
			   .res_id = resource_of(buf_handle) };
	memory_rsp rsp;

	if (!info || info->size_metadata > sizeof(info->umd_metadata))
		return -EINVAL;
	req.amdgpu_bo_metadata = *info;
	return send_memory(&req, &rsp);
}
