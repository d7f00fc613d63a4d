/* SPDX-License-Identifier: MIT */
/* GEM objects and handles. */
#include "drm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <amdgpu_drm.h>

#include "drm-sync.h"
#include "hsakmt/linux/kfd_ioctl.h"
#include "share.h"
#include "vm.h"

#define HANDLES_MAX (1u << 20)

struct gem {
	uint64_t file_id;
	struct kfd_model_bo *bo; /* counted; NULL when free */
};

struct kfd_model_drm {
	struct gem *gems; /* owned, by handle - 1 */
	uint32_t capacity;
};

static struct kfd_model_process *process_of(struct kfd_model *model)
{
	struct kfd_model_process *process = model->primary;

	return process && process->pid == getpid() ? process : NULL;
}

/* A buffer that no KFD handle names. Takes over the count of backing. */
static struct kfd_model_bo *bo_unlisted(struct kfd_model_vm *vm, struct kfd_model_backing *backing)
{
	struct kfd_model_bo *bo = calloc(1, sizeof(*bo));

	if (!bo) {
		kfd_model_backing_put(backing);
		return NULL;
	}
	atomic_init(&bo->refs, 1);
	bo->vm = vm;
	bo->backing = backing;
	bo->flags = backing->flags;
	return bo;
}

int kfd_model_gem_import(struct kfd_model *model, struct kfd_model_vm *vm, int fd,
			 struct kfd_model_bo **out)
{
	struct kfd_model_process *process = process_of(model);
	struct kfd_model_backing *backing = NULL;
	struct kfd_model_vm *owner;
	int rc;

	if (!process || !process->vm_count)
		return -EINVAL;
	pthread_mutex_lock(&process->lock);
	rc = kfd_model_dmabuf_backing(vm ? vm : &process->vms[0], fd, &backing);
	if (!rc) {
		owner = kfd_model_process_vm_of_actual(process, backing->gpu_id);
		if (!vm)
			vm = owner ? owner : &process->vms[0];
		*out = bo_unlisted(vm, backing);
		rc = *out ? 0 : -ENOMEM;
	}
	pthread_mutex_unlock(&process->lock);
	return rc;
}

int kfd_model_gem_create(struct kfd_model_vm *vm, uint64_t size_bytes, uint32_t flags,
			 struct kfd_model_bo **out)
{
	struct kfd_model_backing *backing;
	int rc;

	size_bytes = (size_bytes + GEM_PAGE_BYTES - 1) & ~(GEM_PAGE_BYTES - 1);
	pthread_mutex_lock(&vm->process->lock);
	rc = size_bytes ? kfd_model_backing_new(vm, size_bytes, flags, 0, &backing) : -ENOMEM;
	if (!rc) {
		*out = bo_unlisted(vm, backing);
		rc = *out ? 0 : -ENOMEM;
	}
	pthread_mutex_unlock(&vm->process->lock);
	return rc;
}

int kfd_model_gem_export(struct kfd_model_bo *bo, int flags)
{
	int fd;

	pthread_mutex_lock(&bo->vm->process->lock);
	fd = kfd_model_export_backing(bo->backing, flags);
	pthread_mutex_unlock(&bo->vm->process->lock);
	return fd;
}

void kfd_model_gem_put(struct kfd_model_bo *bo)
{
	if (bo)
		kfd_model_bo_put(bo); /* mappings hold counts of their own */
}

int kfd_model_gem_va_map(struct kfd_model_bo *bo, uint64_t offset, uint64_t size_bytes, uint64_t va,
			 uint32_t flags)
{
	uint32_t kfd_flags = 0;
	int rc;

	if (((va | offset | size_bytes) & (GEM_PAGE_BYTES - 1)) || va < GEM_VA_FIRST ||
	    va >= GEM_VA_END || size_bytes > GEM_VA_END - va)
		return -EINVAL;
	if (offset > bo->backing->size_bytes || size_bytes > bo->backing->size_bytes - offset)
		return -EINVAL;
	if (flags & AMDGPU_VM_PAGE_WRITEABLE)
		kfd_flags |= KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE;
	if (flags & AMDGPU_VM_PAGE_EXECUTABLE)
		kfd_flags |= KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE;
	pthread_rwlock_wrlock(&bo->vm->process->vm_lock);
	rc = kfd_model_vm_map(bo->vm, bo, va, offset, size_bytes, kfd_flags);
	pthread_rwlock_unlock(&bo->vm->process->vm_lock);
	return rc;
}

int kfd_model_gem_va_unmap(struct kfd_model_bo *bo, uint64_t va)
{
	int rc;

	pthread_rwlock_wrlock(&bo->vm->process->vm_lock);
	rc = kfd_model_vm_unmap(bo->vm, bo, va);
	pthread_rwlock_unlock(&bo->vm->process->vm_lock);
	return rc;
}

static int table_grow(struct kfd_model_drm *drm)
{
	uint32_t capacity = drm->capacity ? drm->capacity * 2 : 32;
	struct gem *gems;

	if (capacity > HANDLES_MAX)
		return -ENOMEM;
	gems = realloc(drm->gems, capacity * sizeof(*gems));
	if (!gems)
		return -ENOMEM;
	memset(gems + drm->capacity, 0, (capacity - drm->capacity) * sizeof(*gems));
	drm->gems = gems;
	drm->capacity = capacity;
	return 0;
}

static int handle_new(struct kfd_model *model, uint64_t file_id, struct kfd_model_bo *bo,
		      uint32_t *handle)
{
	struct kfd_model_drm *drm = model->drm;
	uint32_t i = 0;

	if (!drm) {
		drm = calloc(1, sizeof(*drm));
		if (!drm)
			return -ENOMEM;
		model->drm = drm;
	}
	while (i < drm->capacity && drm->gems[i].bo)
		i++;
	if (i == drm->capacity && table_grow(drm))
		return -ENOMEM;
	drm->gems[i] = (struct gem){ .file_id = file_id, .bo = bo };
	*handle = i + 1;
	return 0;
}

/* A file has one handle for a buffer, however often it imports it. @return 0: none yet. */
static uint32_t handle_of(const struct kfd_model_drm *drm, uint64_t file_id,
			  const struct kfd_model_bo *bo)
{
	for (uint32_t i = 0; drm && i < drm->capacity; i++)
		if (drm->gems[i].bo && drm->gems[i].file_id == file_id &&
		    kfd_model_backing_is(drm->gems[i].bo->backing, bo->backing))
			return i + 1;
	return 0;
}

int kfd_model_gem_handle_new(struct kfd_model *model, uint64_t file_id, struct kfd_model_bo *bo,
			     uint32_t *handle)
{
	struct kfd_model_process *process = bo->vm->process;
	int rc = 0;

	pthread_mutex_lock(&process->lock);
	*handle = handle_of(model->drm, file_id, bo);
	if (*handle)
		kfd_model_bo_put(bo);
	else
		rc = handle_new(model, file_id, bo, handle);
	pthread_mutex_unlock(&process->lock);
	return rc;
}

static struct gem *gem_at(struct kfd_model *model, uint64_t file_id, uint32_t handle)
{
	struct gem *gem;

	if (!model->drm || !handle || handle > model->drm->capacity)
		return NULL;
	gem = &model->drm->gems[handle - 1];
	return gem->bo && gem->file_id == file_id ? gem : NULL;
}

struct kfd_model_bo *kfd_model_gem_find(struct kfd_model *model, uint64_t file_id, uint32_t handle)
{
	struct kfd_model_process *process = process_of(model);
	struct kfd_model_bo *bo = NULL;
	struct gem *gem;

	if (!process)
		return NULL;
	pthread_mutex_lock(&process->lock);
	gem = gem_at(model, file_id, handle);
	if (gem)
		bo = kfd_model_bo_get(gem->bo);
	pthread_mutex_unlock(&process->lock);
	return bo;
}

struct kfd_model_backing *kfd_model_gem_shared(struct kfd_model *model, int share_index)
{
	for (uint32_t i = 0; model->drm && i < model->drm->capacity; i++) {
		struct kfd_model_bo *bo = model->drm->gems[i].bo;

		if (bo && !bo->backing->is_foreign && bo->backing->share_index == share_index)
			return kfd_model_backing_get(bo->backing);
	}
	return NULL;
}

int kfd_model_gem_handle_close(struct kfd_model *model, uint64_t file_id, uint32_t handle)
{
	struct kfd_model_process *process = process_of(model);
	struct gem *gem;
	int rc = -EINVAL;

	if (!process)
		return -EINVAL;
	pthread_mutex_lock(&process->lock);
	gem = gem_at(model, file_id, handle);
	if (gem) {
		kfd_model_bo_put(gem->bo);
		gem->bo = NULL;
		rc = 0;
	}
	pthread_mutex_unlock(&process->lock);
	return rc;
}

void kfd_model_drm_close(struct kfd_model *model, uint64_t file_id)
{
	struct kfd_model_process *process = process_of(model);

	if (!process)
		return;
	pthread_mutex_lock(&process->lock);
	for (uint32_t i = 0; model->drm && i < model->drm->capacity; i++) {
		struct gem *gem = &model->drm->gems[i];

		if (!gem->bo || gem->file_id != file_id)
			continue;
		kfd_model_bo_put(gem->bo);
		gem->bo = NULL;
	}
	pthread_mutex_unlock(&process->lock);
	kfd_model_syncobj_close(model, file_id);
}

void kfd_model_drm_free(struct kfd_model *model)
{
	struct kfd_model_drm *drm = model->drm;

	if (!drm)
		return;
	for (uint32_t i = 0; i < drm->capacity; i++)
		kfd_model_bo_put(drm->gems[i].bo);
	free(drm->gems);
	free(drm);
	model->drm = NULL;
}
