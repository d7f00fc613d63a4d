/* SPDX-License-Identifier: MIT */
/*
 * DRM calls to a model plug-in. Its argument structures return results through pointers, ours hold
 * them, so each call is carried over; a plug-in without the handler gets the answers of the 1.0
 * fallback column of model.md 3.
 */
#include "device/model.h"

#include <amdgpu.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

static int fallback_open_render(const struct device_model *model, union device_drm_args *args)
{
	int fd = fcntl(model->kfd_fd, F_DUPFD_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	args->open_render.fd = fd;
	return 0;
}

static int fallback_import(union device_drm_args *args)
{
	struct amdgpu_bo_import_result *result = args->bo_import.result;

	memset(result, 0, sizeof(*result));
	result->buf_handle = (amdgpu_bo_handle)(uintptr_t)args->bo_import.shared_handle;
	return 0;
}

static int fallback(const struct device_model *model, enum device_drm_cmd cmd,
		    union device_drm_args *args)
{
	switch (cmd) {
	case DEVICE_DRM_BO_VA_OP:
	case DEVICE_DRM_BO_FREE:
	case DEVICE_DRM_BO_SET_METADATA:
	case DEVICE_DRM_DEVICE_DEINITIALIZE:
		return 0;
	case DEVICE_DRM_BO_IMPORT:
		return fallback_import(args);
	case DEVICE_DRM_BO_QUERY_INFO:
		memset(args->bo_query_info.info, 0, sizeof(struct amdgpu_bo_info));
		return 0;
	case DEVICE_DRM_OPEN_RENDER:
		return fallback_open_render(model, args);
	case DEVICE_DRM_CLOSE:
		return close(args->close.fd) < 0 ? -errno : 0;
	case DEVICE_DRM_GET_MARKETING_NAME:
		args->get_marketing_name.name = NULL;
		return 0;
	case DEVICE_DRM_BO_EXPORT:
	case DEVICE_DRM_BO_CPU_MAP:
	case DEVICE_DRM_COMMAND_WRITE_READ:
	case DEVICE_DRM_DEVICE_INITIALIZE:
	case DEVICE_DRM_DEVICE_GET_FD:
	case DEVICE_DRM_QUERY_GPU_INFO:
		return -ENOSYS;
	}
	return -EINVAL;
}

static int call(const struct device_model *model, enum device_drm_cmd cmd, void *arg)
{
	int rc;

	device_model_lock();
	errno = 0;
	rc = model->functions->handle_drm_call((unsigned int)cmd, arg);
	if (rc < 0)
		rc = errno ? -errno : -EIO;
	device_model_unlock();
	return rc < 0 ? rc : 0;
}

/* Buffer objects. */
static int call_bo(const struct device_model *model, enum device_drm_cmd cmd,
		   union device_drm_args *args)
{
	struct hsakmt_model_drm_bo_va_op va_op;
	struct hsakmt_model_drm_bo_free bo_free;
	struct hsakmt_model_drm_bo_import import;
	struct hsakmt_model_drm_bo_export export;
	struct hsakmt_model_drm_bo_cpu_map cpu_map;
	struct hsakmt_model_drm_bo_query_info query;
	struct hsakmt_model_drm_bo_set_metadata metadata;

	if (cmd == DEVICE_DRM_BO_VA_OP) {
		va_op.bo = args->bo_va_op.bo;
		va_op.offset = args->bo_va_op.offset_bytes;
		va_op.size = args->bo_va_op.size_bytes;
		va_op.addr = args->bo_va_op.addr;
		va_op.flags = args->bo_va_op.flags;
		va_op.ops = args->bo_va_op.ops;
		return call(model, cmd, &va_op);
	}
	if (cmd == DEVICE_DRM_BO_FREE) {
		bo_free.bo = args->bo_free.bo;
		return call(model, cmd, &bo_free);
	}
	if (cmd == DEVICE_DRM_BO_IMPORT) {
		import.fd = (int)args->bo_import.shared_handle;
		import.type = args->bo_import.type;
		import.result = args->bo_import.result;
		return call(model, cmd, &import);
	}
	if (cmd == DEVICE_DRM_BO_EXPORT) {
		export.bo = args->bo_export.bo;
		export.type = args->bo_export.type;
		export.handle = args->bo_export.handle;
		return call(model, cmd, &export);
	}
	if (cmd == DEVICE_DRM_BO_CPU_MAP) {
		cpu_map.bo = args->bo_cpu_map.bo;
		cpu_map.cpu = args->bo_cpu_map.cpu;
		return call(model, cmd, &cpu_map);
	}
	if (cmd == DEVICE_DRM_BO_QUERY_INFO) {
		query.bo = args->bo_query_info.bo;
		query.info = args->bo_query_info.info;
		return call(model, cmd, &query);
	}
	metadata.bo = args->bo_set_metadata.bo;
	metadata.metadata = args->bo_set_metadata.metadata;
	return call(model, cmd, &metadata);
}

static int call_command(const struct device_model *model, union device_drm_args *args)
{
	struct hsakmt_model_drm_command command = {
		.fd = args->command_write_read.fd,
		.cmd = args->command_write_read.command,
		.data = args->command_write_read.data,
		.size = (unsigned int)args->command_write_read.size_bytes,
	};

	return call(model, DEVICE_DRM_COMMAND_WRITE_READ, &command);
}

static int call_open_render(const struct device_model *model, union device_drm_args *args)
{
	int fd = -1;
	struct hsakmt_model_drm_open_render open_render = {
		.minor = args->open_render.minor,
		.fd = &fd,
	};
	int rc = call(model, DEVICE_DRM_OPEN_RENDER, &open_render);

	if (rc == 0 && fd < 0)
		rc = -EBADF;
	if (rc == 0)
		args->open_render.fd = fd;
	return rc;
}

static int call_initialize(const struct device_model *model, union device_drm_args *args)
{
	uint32_t major = 0, minor = 0;
	void *dev = NULL;
	struct hsakmt_model_drm_device_init init = {
		.fd = args->device_initialize.fd,
		.major = &major,
		.minor = &minor,
		.dev = &dev,
	};
	int rc = call(model, DEVICE_DRM_DEVICE_INITIALIZE, &init);

	if (rc < 0)
		return rc;
	args->device_initialize.major = major;
	args->device_initialize.minor = minor;
	args->device_initialize.dev = dev;
	return 0;
}

/* Devices. */
static int call_device(const struct device_model *model, enum device_drm_cmd cmd,
		       union device_drm_args *args)
{
	struct hsakmt_model_drm_device_fini fini = { .dev = args->device_deinitialize.dev };
	struct hsakmt_model_drm_query_gpu_info query;
	struct hsakmt_model_drm_marketing_name marketing;
	struct hsakmt_model_drm_device_get_fd get_fd;
	const char *name = NULL;
	int fd = -1, rc;

	if (cmd == DEVICE_DRM_DEVICE_DEINITIALIZE)
		return call(model, cmd, &fini);
	if (cmd == DEVICE_DRM_QUERY_GPU_INFO) {
		query.dev = args->query_gpu_info.dev;
		query.info = args->query_gpu_info.info;
		return call(model, cmd, &query);
	}
	if (cmd == DEVICE_DRM_GET_MARKETING_NAME) {
		marketing.dev = args->get_marketing_name.dev;
		marketing.name = &name;
		rc = call(model, cmd, &marketing);
		args->get_marketing_name.name = rc < 0 ? NULL : name;
		return rc;
	}
	get_fd.dev = args->device_get_fd.dev;
	get_fd.fd = &fd;
	rc = call(model, cmd, &get_fd);
	args->device_get_fd.fd = rc < 0 ? -1 : fd;
	return rc;
}

int device_model_drm(struct device *dev, enum device_drm_cmd cmd, union device_drm_args *args)
{
	const struct device_model *model = dev->priv;
	struct hsakmt_model_drm_close close_args;

	if (model->functions->version_minor < 1 || !model->functions->handle_drm_call)
		return fallback(model, cmd, args);
	switch (cmd) {
	case DEVICE_DRM_BO_VA_OP:
	case DEVICE_DRM_BO_FREE:
	case DEVICE_DRM_BO_IMPORT:
	case DEVICE_DRM_BO_EXPORT:
	case DEVICE_DRM_BO_CPU_MAP:
	case DEVICE_DRM_BO_QUERY_INFO:
	case DEVICE_DRM_BO_SET_METADATA:
		return call_bo(model, cmd, args);
	case DEVICE_DRM_COMMAND_WRITE_READ:
		return call_command(model, args);
	case DEVICE_DRM_OPEN_RENDER:
		return call_open_render(model, args);
	case DEVICE_DRM_CLOSE:
		close_args.fd = args->close.fd;
		return call(model, cmd, &close_args);
	case DEVICE_DRM_DEVICE_INITIALIZE:
		return call_initialize(model, args);
	case DEVICE_DRM_DEVICE_DEINITIALIZE:
	case DEVICE_DRM_DEVICE_GET_FD:
	case DEVICE_DRM_GET_MARKETING_NAME:
	case DEVICE_DRM_QUERY_GPU_INFO:
		return call_device(model, cmd, args);
	}
	return -EINVAL;
}
