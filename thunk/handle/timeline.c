/* SPDX-License-Identifier: MIT */
/* GEM_VA with a fence on a timeline. */
#include "handle/timeline.h"

#include <amdgpu_drm.h>
#include <drm.h>
#include <errno.h>

#include "memory/fmm_internal.h"

/* The kernel's structure since it knows timelines; libdrm's header may have the first 40 bytes only. */
struct gem_va_timeline {
	uint32_t handle, pad;
	uint32_t operation, flags;
	uint64_t va_address, offset_in_bo, map_size;
	uint64_t timeline_point;
	uint32_t timeline_syncobj_out, input_fence_count;
	uint64_t input_fence_syncobjs;
};
_Static_assert(sizeof(struct gem_va_timeline) == 64, "drm.md 3");

/* A DRM core ioctl on the render node, restarted while it is interrupted. */
static int drm_ioctl(struct kmt_context *ctx, const struct fmm_gpu *gpu, unsigned long request,
		     void *arg)
{
	struct device *dev = ctx->device;
	int rc;

	do {
		rc = dev->ops->ioctl(dev, gpu->render_fd, request, arg);
	} while (rc == -EINTR || rc == -EAGAIN);
	return rc;
}

/* A fresh point of the GPU's timeline, which is made at the first need. */
static int next_point(struct kmt_context *ctx, struct fmm_gpu *gpu, uint32_t *syncobj,
		      uint64_t *point)
{
	struct drm_syncobj_create create = { 0 };
	int rc = 0;

	pthread_mutex_lock(&gpu->timeline_lock);
	if (!gpu->timeline_syncobj) {
		rc = drm_ioctl(ctx, gpu, DRM_IOCTL_SYNCOBJ_CREATE, &create);
		if (rc == 0)
			gpu->timeline_syncobj = create.handle;
	}
	if (rc == 0) {
		*syncobj = gpu->timeline_syncobj;
		*point = ++gpu->timeline_point;
	}
	pthread_mutex_unlock(&gpu->timeline_lock);
	return rc;
}

static int wait_for(struct kmt_context *ctx, const struct fmm_gpu *gpu, uint32_t syncobj,
		    uint64_t point)
{
	struct drm_syncobj_timeline_wait wait = {
		.handles = (uintptr_t)&syncobj,
		.points = (uintptr_t)&point,
		.timeout_nsec = INT64_MAX,
		.count_handles = 1,
	};
	int rc = drm_ioctl(ctx, gpu, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &wait);

	/*
	 * Nothing was ever submitted for this point: a kernel that does not know the timeline fields.
	 * It updates before the call returns.
	 */
	return rc == -EINVAL ? 0 : rc;
}

int kmt_timeline_update(struct kmt_context *ctx, struct fmm_gpu *gpu,
			const struct timeline_update *update)
{
	struct gem_va_timeline va = {
		.handle = update->gem_handle,
		.operation = update->operation,
		.flags = update->flags,
		.va_address = update->address,
		.offset_in_bo = update->offset_bytes,
		.map_size = update->size_bytes,
	};
	union device_drm_args args = {
		.command_write_read = { .fd = gpu->render_fd,
					.command = DRM_AMDGPU_GEM_VA,
					.data = &va,
					.size_bytes = sizeof(va) },
	};
	int rc = next_point(ctx, gpu, &va.timeline_syncobj_out, &va.timeline_point);

	if (rc != 0)
		return rc;
	rc = kmt_drm(ctx, DEVICE_DRM_COMMAND_WRITE_READ, &args);
	if (rc != 0)
		return rc;
	rc = wait_for(ctx, gpu, va.timeline_syncobj_out, va.timeline_point);
	if (rc != 0 && update->operation == AMDGPU_VA_OP_MAP) {
		/* the caller is told that nothing is mapped, so nothing may be */
		va.operation = AMDGPU_VA_OP_UNMAP;
		va.timeline_syncobj_out = 0;
		(void)kmt_drm(ctx, DEVICE_DRM_COMMAND_WRITE_READ, &args); /* the first is told */
	}
	return rc;
}

void kmt_timeline_fini(struct kmt_context *ctx, struct fmm_gpu *gpu)
{
	struct drm_syncobj_destroy destroy = { 0 };

	pthread_mutex_lock(&gpu->timeline_lock);
	destroy.handle = gpu->timeline_syncobj;
	gpu->timeline_syncobj = 0;
	gpu->timeline_point = 0;
	pthread_mutex_unlock(&gpu->timeline_lock);
	if (destroy.handle)
		(void)drm_ioctl(ctx, gpu, DRM_IOCTL_SYNCOBJ_DESTROY, &destroy); /* at the end */
}
