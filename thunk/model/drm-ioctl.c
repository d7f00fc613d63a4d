/* SPDX-License-Identifier: MIT */
/*
 * The DRM ioctls of a render node (drm.md 2, 3). As with the KFD the number selects the call, and the
 * argument is extended with zeros or cut to the size that is expected.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include <amdgpu_drm.h>
#include <drm.h>

#include "drm-sync.h"
#include "drm.h"
#include "hsakmt/linux/kfd_ioctl.h"
#include "usercopy.h"

#define ARG_BYTES     512
#define VERSION_MAJOR 3
#define VERSION_MINOR 57

#define DRM_PROC_OPTIONS   0x1a
#define PROC_OPTIONS_BYTES 8

struct drm_call {
	struct kfd_model *model;
	const struct kfd_model_node *node;
	struct kfd_model_vm *vm; /* of the primary process; NULL before the first KFD open */
	uint64_t file_id;
	void *args;
};

/* Fills one string of the version: the length always, the text as far as there is room. */
static int version_text(uint64_t to, __kernel_size_t *length, const char *text)
{
	size_t room = *length, have = strlen(text);
	int rc = 0;

	if (to && room)
		rc = kfd_model_copy_out(to, text, room < have ? room : have);
	*length = have;
	return rc;
}

static int version(struct drm_call *call)
{
	struct drm_version *args = call->args;

	args->version_major = VERSION_MAJOR;
	args->version_minor = VERSION_MINOR;
	args->version_patchlevel = 0;
	if (version_text((uintptr_t)args->name, &args->name_len, "amdgpu") ||
	    version_text((uintptr_t)args->date, &args->date_len, "20150101") ||
	    version_text((uintptr_t)args->desc, &args->desc_len, "AMD GPU"))
		return -EFAULT;
	return 0;
}

static int get_client(struct drm_call *call)
{
	struct drm_client *args = call->args;

	if (args->idx)
		return -EINVAL;
	args->auth = 1;
	return 0;
}

static int get_cap(struct drm_call *call)
{
	struct drm_get_cap *args = call->args;

	switch (args->capability) {
	case DRM_CAP_PRIME:
		args->value = DRM_PRIME_CAP_IMPORT | DRM_PRIME_CAP_EXPORT;
		return 0;
	case DRM_CAP_TIMESTAMP_MONOTONIC:
	case DRM_CAP_SYNCOBJ:
	case DRM_CAP_SYNCOBJ_TIMELINE:
		args->value = 1;
		return 0;
	}
	return -EINVAL;
}

static int gem_close(struct drm_call *call)
{
	const struct drm_gem_close *args = call->args;

	return kfd_model_gem_handle_close(call->model, call->file_id, args->handle);
}

static int prime_to_fd(struct drm_call *call)
{
	struct drm_prime_handle *args = call->args;
	struct kfd_model_bo *bo = kfd_model_gem_find(call->model, call->file_id, args->handle);
	int fd;

	if (!bo)
		return -ENOENT;
	fd = kfd_model_gem_export(bo, args->flags & DRM_CLOEXEC ? O_CLOEXEC : 0);
	kfd_model_gem_put(bo);
	if (fd < 0)
		return fd;
	args->fd = fd;
	return 0;
}

static int prime_to_handle(struct drm_call *call)
{
	struct drm_prime_handle *args = call->args;
	struct kfd_model_bo *bo;
	int rc;

	if (!call->vm)
		return -EINVAL;
	rc = kfd_model_gem_import(call->model, call->vm, args->fd, &bo);
	if (rc)
		return rc;
	rc = kfd_model_gem_handle_new(call->model, call->file_id, bo, &args->handle);
	if (rc)
		kfd_model_gem_put(bo);
	return rc;
}

static int gem_create(struct drm_call *call)
{
	union drm_amdgpu_gem_create *args = call->args;
	uint32_t flags = KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE | KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE;
	struct kfd_model_bo *bo;
	uint32_t handle = 0;
	int rc;

	if (!call->vm || !args->in.bo_size)
		return -EINVAL;
	if (args->in.domains & AMDGPU_GEM_DOMAIN_VRAM)
		flags |= KFD_IOC_ALLOC_MEM_FLAGS_VRAM;
	else if (args->in.domains & AMDGPU_GEM_DOMAIN_GTT)
		flags |= KFD_IOC_ALLOC_MEM_FLAGS_GTT;
	else
		return -EINVAL;
	rc = kfd_model_gem_create(call->vm, args->in.bo_size, flags, &bo);
	if (rc)
		return rc;
	rc = kfd_model_gem_handle_new(call->model, call->file_id, bo, &handle);
	if (rc) {
		kfd_model_gem_put(bo);
		return rc;
	}
	memset(args, 0, sizeof(*args));
	args->out.handle = handle;
	return 0;
}

static int gem_mmap(struct drm_call *call)
{
	union drm_amdgpu_gem_mmap *args = call->args;
	struct kfd_model_bo *bo = kfd_model_gem_find(call->model, call->file_id, args->in.handle);

	if (!bo)
		return -ENOENT;
	args->out.addr_ptr = kfd_model_bo_mmap_offset(bo);
	kfd_model_gem_put(bo);
	return 0;
}

static int gem_metadata(struct drm_call *call)
{
	struct drm_amdgpu_gem_metadata *args = call->args;
	struct kfd_model_bo *bo = kfd_model_gem_find(call->model, call->file_id, args->handle);
	struct kfd_model_metadata metadata = { 0 };
	int rc = 0;

	if (!bo)
		return -ENOENT;
	if (args->op == AMDGPU_GEM_METADATA_OP_GET_METADATA) {
		metadata = kfd_model_backing_metadata(bo->backing);
		args->data.flags = metadata.flags;
		args->data.tiling_info = metadata.tiling_info;
		args->data.data_size_bytes = metadata.size_bytes;
		memcpy(args->data.data, metadata.bytes, sizeof(metadata.bytes));
	} else if (args->op == AMDGPU_GEM_METADATA_OP_SET_METADATA &&
		   args->data.data_size_bytes <= sizeof(metadata.bytes)) {
		metadata.flags = args->data.flags;
		metadata.tiling_info = args->data.tiling_info;
		metadata.size_bytes = args->data.data_size_bytes;
		memcpy(metadata.bytes, args->data.data, metadata.size_bytes);
		rc = kfd_model_backing_describe(bo->backing, &metadata);
	} else {
		rc = -EINVAL;
	}
	kfd_model_gem_put(bo);
	return rc;
}

static int gem_va(struct drm_call *call)
{
	const struct kfd_model_gem_va *args = call->args;
	struct kfd_model_bo *bo = kfd_model_gem_find(call->model, call->file_id, args->handle);
	int rc;

	if (!bo)
		return -ENOENT;
	switch (args->operation) {
	case AMDGPU_VA_OP_MAP:
		rc = kfd_model_gem_va_map(bo, args->offset_in_bo, args->map_size, args->va_address,
					  args->flags);
		break;
	case AMDGPU_VA_OP_UNMAP:
		rc = kfd_model_gem_va_unmap(bo, args->va_address);
		break;
	default:
		rc = -EINVAL;
	}
	kfd_model_gem_put(bo);
	if (!rc && args->timeline_syncobj_out)
		rc = kfd_model_syncobj_signal(call->model, call->file_id,
					      args->timeline_syncobj_out, args->timeline_point);
	return rc;
}

static int gem_op(struct drm_call *call)
{
	const struct drm_amdgpu_gem_op *args = call->args;
	struct kfd_model_bo *bo = kfd_model_gem_find(call->model, call->file_id, args->handle);
	union drm_amdgpu_gem_create info = { 0 };
	int rc = -EINVAL;

	if (!bo)
		return -ENOENT;
	if (args->op == AMDGPU_GEM_OP_GET_GEM_CREATE_INFO) {
		info.in.bo_size = bo->backing->size_bytes;
		info.in.alignment = 4096;
		info.in.domains = bo->backing->flags & KFD_IOC_ALLOC_MEM_FLAGS_VRAM
					  ? AMDGPU_GEM_DOMAIN_VRAM
					  : AMDGPU_GEM_DOMAIN_GTT;
		rc = kfd_model_copy_out(args->value, &info.in, sizeof(info.in));
	}
	kfd_model_gem_put(bo);
	return rc;
}

static int info(struct drm_call *call)
{
	return kfd_model_drm_info(call->model, call->node, call->args);
}

static int syncobj_create(struct drm_call *call)
{
	return kfd_model_syncobj_create(call->model, call->file_id, call->args);
}

static int syncobj_destroy(struct drm_call *call)
{
	return kfd_model_syncobj_destroy(call->model, call->file_id, call->args);
}

static int syncobj_timeline_wait(struct drm_call *call)
{
	return kfd_model_syncobj_wait(call->model, call->file_id, call->args);
}

/* Per-process options, newer than the headers: word 0 says which, and only 0 exists. */
static int proc_options(struct drm_call *call)
{
	const uint32_t *args = call->args;

	return args[0] == 0 ? 0 : -EINVAL;
}

struct drm_entry {
	uint32_t nr;
	size_t size_bytes;
	bool writes_back;
	int (*handler)(struct drm_call *call);
};

#define DRIVER(nr) (DRM_COMMAND_BASE + (nr))

/* clang-format off */
static const struct drm_entry entries[] = {
	{ 0x00, sizeof(struct drm_version), true, version },
	{ 0x05, sizeof(struct drm_client), true, get_client },
	{ 0x09, sizeof(struct drm_gem_close), false, gem_close },
	{ 0x0c, sizeof(struct drm_get_cap), true, get_cap },
	{ 0x2d, sizeof(struct drm_prime_handle), true, prime_to_fd },
	{ 0x2e, sizeof(struct drm_prime_handle), true, prime_to_handle },
	{ 0xbf, sizeof(struct drm_syncobj_create), true, syncobj_create },
	{ 0xc0, sizeof(struct drm_syncobj_destroy), false, syncobj_destroy },
	{ 0xca, sizeof(struct drm_syncobj_timeline_wait), true, syncobj_timeline_wait },
	{ DRIVER(DRM_PROC_OPTIONS), PROC_OPTIONS_BYTES, false, proc_options },
	{ DRIVER(DRM_AMDGPU_GEM_CREATE), sizeof(union drm_amdgpu_gem_create), true, gem_create },
	{ DRIVER(DRM_AMDGPU_GEM_MMAP), sizeof(union drm_amdgpu_gem_mmap), true, gem_mmap },
	{ DRIVER(DRM_AMDGPU_INFO), sizeof(struct drm_amdgpu_info), false, info },
	{ DRIVER(DRM_AMDGPU_GEM_METADATA), sizeof(struct drm_amdgpu_gem_metadata), true,
	  gem_metadata },
	{ DRIVER(DRM_AMDGPU_GEM_VA), sizeof(struct kfd_model_gem_va), false, gem_va },
	{ DRIVER(DRM_AMDGPU_GEM_OP), sizeof(struct drm_amdgpu_gem_op), true, gem_op },
};
/* clang-format on */

int kfd_model_drm_ioctl(struct kfd_model *model, const struct kfd_model_node *node,
			uint64_t file_id, unsigned long request, void *arg)
{
	_Alignas(16) char bytes[ARG_BYTES] = { 0 };
	struct drm_call call = { .model = model, .node = node, .file_id = file_id, .args = bytes };
	size_t user_bytes = _IOC_SIZE(request);
	const struct drm_entry *entry = NULL;
	int rc;

	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
		if (entries[i].nr == _IOC_NR(request))
			entry = &entries[i];
	if (!entry || _IOC_TYPE(request) != DRM_IOCTL_BASE)
		return -EINVAL;
	if (user_bytes > entry->size_bytes)
		user_bytes = entry->size_bytes;
	rc = kfd_model_copy_in(bytes, (uintptr_t)arg, user_bytes);
	if (rc)
		return rc;
	if (model->primary)
		call.vm = kfd_model_process_vm_of_actual(model->primary, node->gpu_id);
	rc = entry->handler(&call);
	if (entry->writes_back && kfd_model_copy_out((uintptr_t)arg, bytes, user_bytes))
		rc = -EFAULT;
	return rc;
}
