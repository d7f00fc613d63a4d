/* SPDX-License-Identifier: MIT */
/* The DRM calls of interface 1.1: libdrm's functions, on the simulated GPUs. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <amdgpu.h>
#include <amdgpu_drm.h>

#include "drm.h"
#include "hsakmt/linux/kfd_ioctl.h"
#include "plugin.h"
#include "topology.h"

/* A device that the plug-in gave out. */
struct device {
	const struct kfd_model_node *node; /* borrowed */
	int fd;                            /* borrowed, the caller's render descriptor */
};

#define DESCRIPTORS 4096

/* Which node a render descriptor was opened for; they are all the same file. */
static const struct kfd_model_node *_Atomic render_nodes[DESCRIPTORS];

static const struct kfd_model_node *node_of(int fd)
{
	return fd >= 0 && fd < DESCRIPTORS ? render_nodes[fd] : NULL;
}

static int open_render(struct hsakmt_model_drm_open_render *args)
{
	struct kfd_model *model = plugin_model();
	const struct kfd_model_node *node;
	char name[32];
	int rc, fd;

	if (!model)
		return -ENODEV;
	node = kfd_model_node_of_minor(model, (uint32_t)args->minor);
	if (!node)
		return -ENOENT;
	snprintf(name, sizeof(name), "/dev/dri/renderD%d", args->minor);
	rc = kfd_model_open_errno(model, name);
	if (rc)
		return -rc;
	rc = kfd_model_memory_fd(model);
	if (rc < 0)
		return rc;
	fd = fcntl(rc, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (fd < DESCRIPTORS)
		render_nodes[fd] = node;
	*args->fd = fd;
	return 0;
}

static int close_render(int fd)
{
	if (fd >= 0 && fd < DESCRIPTORS)
		render_nodes[fd] = NULL;
	return close(fd) ? -errno : 0;
}

static int device_initialize(struct hsakmt_model_drm_device_init *args)
{
	const struct kfd_model_node *node = node_of(args->fd);
	struct device *device;

	if (!node)
		return -EBADF;
	device = calloc(1, sizeof(*device));
	if (!device)
		return -ENOMEM;
	device->node = node;
	device->fd = args->fd;
	*args->major = 3;
	*args->minor = 57;
	*args->dev = device;
	return 0;
}

static int query_gpu_info(const struct hsakmt_model_drm_query_gpu_info *args)
{
	const struct device *device = args->dev;
	const struct kfd_model_node *node = device->node;
	struct drm_amdgpu_info_device kernel = { 0 };
	struct drm_amdgpu_info request = {
		.return_pointer = (uintptr_t)&kernel,
		.return_size = sizeof(kernel),
		.query = AMDGPU_INFO_DEV_INFO,
	};
	struct amdgpu_gpu_info *info = args->info;
	int rc = kfd_model_drm_info(plugin_model(), node, &request);

	if (rc)
		return rc;
	memset(info, 0, sizeof(*info));
	info->asic_id = kernel.device_id;
	info->family_id = kernel.family;
	info->ids_flags = kernel.ids_flags;
	info->max_engine_clk = kernel.max_engine_clock;
	info->max_memory_clk = kernel.max_memory_clock;
	info->num_shader_engines = kernel.num_shader_engines;
	info->num_shader_arrays_per_engine = kernel.num_shader_arrays_per_engine;
	info->gpu_counter_freq = kernel.gpu_counter_freq;
	info->vram_type = kernel.vram_type;
	info->vram_bit_width = kernel.vram_bit_width;
	return 0;
}

static int bo_import(const struct hsakmt_model_drm_bo_import *args)
{
	struct amdgpu_bo_import_result *result = args->result;
	struct kfd_model_bo *bo;
	int rc;

	if (args->type != amdgpu_bo_handle_type_dma_buf_fd)
		return -EINVAL;
	rc = kfd_model_gem_import(plugin_model(), NULL, args->fd, &bo);
	if (rc)
		return rc;
	result->buf_handle = (amdgpu_bo_handle)bo;
	result->alloc_size = bo->backing->size_bytes;
	return 0;
}

static int bo_export(const struct hsakmt_model_drm_bo_export *args)
{
	uint32_t handle;
	int rc;

	switch (args->type) {
	case amdgpu_bo_handle_type_dma_buf_fd:
		rc = kfd_model_gem_export(args->bo, O_CLOEXEC);
		if (rc < 0)
			return rc;
		*args->handle = (uint32_t)rc;
		return 0;
	case amdgpu_bo_handle_type_kms:
	case amdgpu_bo_handle_type_kms_noimport:
		rc = kfd_model_gem_handle_new(plugin_model(), 0, kfd_model_bo_get(args->bo),
					      &handle);
		if (!rc)
			*args->handle = handle;
		else
			kfd_model_bo_put(args->bo);
		return rc;
	}
	return -EINVAL;
}

static int bo_cpu_map(const struct hsakmt_model_drm_bo_cpu_map *args)
{
	struct kfd_model_bo *bo = args->bo;
	uint64_t span;
	void *host = kfd_model_bo_host(bo, 0, true, &span);

	/* one piece of our own view of the file, if it does not cross its end */
	if (!host || span < bo->backing->size_bytes)
		return -ENOMEM;
	*args->cpu = host;
	return 0;
}

static int bo_query_info(const struct hsakmt_model_drm_bo_query_info *args)
{
	const struct kfd_model_backing *backing = ((struct kfd_model_bo *)args->bo)->backing;
	const struct kfd_model_metadata metadata = kfd_model_backing_metadata(backing);
	struct amdgpu_bo_info *info = args->info;

	memset(info, 0, sizeof(*info));
	info->alloc_size = backing->size_bytes;
	info->phys_alignment = 4096;
	info->preferred_heap = backing->flags & KFD_IOC_ALLOC_MEM_FLAGS_VRAM
				       ? AMDGPU_GEM_DOMAIN_VRAM
				       : AMDGPU_GEM_DOMAIN_GTT;
	info->metadata.flags = metadata.flags;
	info->metadata.tiling_info = metadata.tiling_info;
	info->metadata.size_metadata = metadata.size_bytes;
	memcpy(info->metadata.umd_metadata, metadata.bytes, metadata.size_bytes);
	return 0;
}

static int bo_set_metadata(const struct hsakmt_model_drm_bo_set_metadata *args)
{
	const struct amdgpu_bo_metadata *given = args->metadata;
	struct kfd_model_metadata metadata = { .flags = given->flags,
					       .tiling_info = given->tiling_info,
					       .size_bytes = given->size_metadata };

	if (metadata.size_bytes > sizeof(metadata.bytes))
		return -EINVAL;
	memcpy(metadata.bytes, given->umd_metadata, metadata.size_bytes);
	return kfd_model_backing_describe(((struct kfd_model_bo *)args->bo)->backing, &metadata);
}

static int command(const struct hsakmt_model_drm_command *args)
{
	const struct kfd_model_node *node = node_of(args->fd);
	unsigned long request = _IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE,
				     DRM_COMMAND_BASE + args->cmd, args->size);

	return node ? kfd_model_drm_ioctl(plugin_model(), node, 0, request, args->data) : -EBADF;
}

static int bo_va_op(const struct hsakmt_model_drm_bo_va_op *args)
{
	switch (args->ops) {
	case AMDGPU_VA_OP_MAP:
		return kfd_model_gem_va_map(args->bo, args->offset, args->size, args->addr,
					    (uint32_t)args->flags);
	case AMDGPU_VA_OP_UNMAP:
		return kfd_model_gem_va_unmap(args->bo, args->addr);
	}
	return -EINVAL;
}

static int dispatch(enum hsakmt_model_drm_cmd cmd, void *arg)
{
	switch (cmd) {
	case HSAKMT_MODEL_DRM_BO_VA_OP:
		return bo_va_op(arg);
	case HSAKMT_MODEL_DRM_BO_FREE:
		kfd_model_gem_put(((struct hsakmt_model_drm_bo_free *)arg)->bo);
		return 0;
	case HSAKMT_MODEL_DRM_BO_IMPORT:
		return bo_import(arg);
	case HSAKMT_MODEL_DRM_BO_EXPORT:
		return bo_export(arg);
	case HSAKMT_MODEL_DRM_BO_CPU_MAP:
		return bo_cpu_map(arg);
	case HSAKMT_MODEL_DRM_BO_QUERY_INFO:
		return bo_query_info(arg);
	case HSAKMT_MODEL_DRM_BO_SET_METADATA:
		return bo_set_metadata(arg);
	case HSAKMT_MODEL_DRM_COMMAND_WRITE_READ:
		return command(arg);
	case HSAKMT_MODEL_DRM_OPEN_RENDER:
		return open_render(arg);
	case HSAKMT_MODEL_DRM_CLOSE:
		return close_render(((struct hsakmt_model_drm_close *)arg)->fd);
	case HSAKMT_MODEL_DRM_DEVICE_INITIALIZE:
		return device_initialize(arg);
	case HSAKMT_MODEL_DRM_DEVICE_DEINITIALIZE:
		free(((struct hsakmt_model_drm_device_fini *)arg)->dev);
		return 0;
	case HSAKMT_MODEL_DRM_DEVICE_GET_FD:
		*((struct hsakmt_model_drm_device_get_fd *)arg)->fd =
			((struct device *)((struct hsakmt_model_drm_device_get_fd *)arg)->dev)->fd;
		return 0;
	case HSAKMT_MODEL_DRM_GET_MARKETING_NAME:
		/* what libdrm says of an id that is in no table, so that both fronts look alike */
		*((struct hsakmt_model_drm_marketing_name *)arg)->name = "AMD Radeon Graphics";
		return 0;
	case HSAKMT_MODEL_DRM_QUERY_GPU_INFO:
		return query_gpu_info(arg);
	case HSAKMT_MODEL_DRM_COUNT:
		break;
	}
	return -EINVAL;
}

int plugin_drm_call(unsigned int cmd, void *arg)
{
	int rc = dispatch((enum hsakmt_model_drm_cmd)cmd, arg);

	if (rc >= 0)
		return 0;
	errno = -rc;
	return -1;
}
