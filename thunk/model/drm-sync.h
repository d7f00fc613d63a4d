/* SPDX-License-Identifier: MIT */
/* Timelines of a render node: what GEM_VA signals, and who waits for it (drm.md 3). */
#ifndef KFDSCOPE_THUNK_MODEL_DRM_SYNC_H
#define KFDSCOPE_THUNK_MODEL_DRM_SYNC_H

#include <stdint.h>

struct kfd_model;

/* GEM_VA as newer kernels know it; an older caller leaves the last four fields out. */
struct kfd_model_gem_va {
	uint32_t handle, pad;
	uint32_t operation, flags;
	uint64_t va_address, offset_in_bo, map_size;
	uint64_t timeline_point;
	uint32_t timeline_syncobj_out, input_fence_count;
	uint64_t input_fence_syncobjs;
};

/* The ioctls; args are those of the DRM core. Each returns 0 or -errno. */
int kfd_model_syncobj_create(struct kfd_model *model, uint64_t file_id, void *args);
int kfd_model_syncobj_destroy(struct kfd_model *model, uint64_t file_id, void *args);
int kfd_model_syncobj_wait(struct kfd_model *model, uint64_t file_id, void *args);

/* Signals a point of a timeline. @return 0, or -ENOENT for an unknown timeline. */
int kfd_model_syncobj_signal(struct kfd_model *model, uint64_t file_id, uint32_t handle,
			     uint64_t point);
/* The last descriptor of a render file is gone. */
void kfd_model_syncobj_close(struct kfd_model *model, uint64_t file_id);

#endif
