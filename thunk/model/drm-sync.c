/* SPDX-License-Identifier: MIT */
/*
 * Timelines of the render nodes. An update of the page tables is done when GEM_VA returns, so its point
 * is signalled at once, and a wait never has to sleep.
 */
#include "drm-sync.h"

#include <errno.h>
#include <string.h>

#include <amdgpu_drm.h> /* brings the DRM core's, whose name is that of a header here */

#include "process.h"
#include "usercopy.h"

#define WAIT_HANDLES_MAX 64 /* bounds what a caller can make us read */

/* The caller holds the machine's lock. */
static struct kfd_model_timeline *timeline_at(struct kfd_model *model, uint64_t file_id,
					      uint32_t handle)
{
	struct kfd_model_timeline *timeline;

	if (!handle || handle > KFD_MODEL_TIMELINES)
		return NULL;
	timeline = &model->timelines[handle - 1];
	return timeline->is_used && timeline->file_id == file_id ? timeline : NULL;
}

int kfd_model_syncobj_create(struct kfd_model *model, uint64_t file_id, void *args)
{
	struct drm_syncobj_create *create = args;
	uint32_t i = 0;
	int rc = 0;

	pthread_mutex_lock(&model->lock);
	while (i < KFD_MODEL_TIMELINES && model->timelines[i].is_used)
		i++;
	if (i == KFD_MODEL_TIMELINES) {
		rc = -ENOMEM;
	} else {
		model->timelines[i] =
			(struct kfd_model_timeline){ .is_used = true, .file_id = file_id };
		create->handle = i + 1;
	}
	pthread_mutex_unlock(&model->lock);
	return rc;
}

int kfd_model_syncobj_destroy(struct kfd_model *model, uint64_t file_id, void *args)
{
	const struct drm_syncobj_destroy *destroy = args;
	struct kfd_model_timeline *timeline;

	pthread_mutex_lock(&model->lock);
	timeline = timeline_at(model, file_id, destroy->handle);
	if (timeline)
		timeline->is_used = false;
	pthread_mutex_unlock(&model->lock);
	return timeline ? 0 : -EINVAL;
}

int kfd_model_syncobj_wait(struct kfd_model *model, uint64_t file_id, void *args)
{
	const struct drm_syncobj_timeline_wait *wait = args;
	uint32_t handles[WAIT_HANDLES_MAX];
	uint64_t points[WAIT_HANDLES_MAX];
	size_t count = wait->count_handles;
	int rc = 0;

	if (!count || count > WAIT_HANDLES_MAX)
		return -EINVAL;
	if (kfd_model_copy_in(handles, wait->handles, count * sizeof(handles[0])) ||
	    kfd_model_copy_in(points, wait->points, count * sizeof(points[0])))
		return -EFAULT;
	pthread_mutex_lock(&model->lock);
	for (size_t i = 0; i < count && !rc; i++) {
		const struct kfd_model_timeline *timeline = timeline_at(model, file_id, handles[i]);

		if (!timeline)
			rc = -ENOENT;
		else if (timeline->point < points[i]) /* never submitted */
			rc = -EINVAL;
	}
	pthread_mutex_unlock(&model->lock);
	return rc;
}

int kfd_model_syncobj_signal(struct kfd_model *model, uint64_t file_id, uint32_t handle,
			     uint64_t point)
{
	struct kfd_model_timeline *timeline;

	pthread_mutex_lock(&model->lock);
	timeline = timeline_at(model, file_id, handle);
	if (timeline && timeline->point < point)
		timeline->point = point;
	pthread_mutex_unlock(&model->lock);
	return timeline ? 0 : -ENOENT;
}

void kfd_model_syncobj_close(struct kfd_model *model, uint64_t file_id)
{
	pthread_mutex_lock(&model->lock);
	for (uint32_t i = 0; i < KFD_MODEL_TIMELINES; i++)
		if (model->timelines[i].file_id == file_id)
			model->timelines[i].is_used = false;
	pthread_mutex_unlock(&model->lock);
}
