/* SPDX-License-Identifier: MIT */
/*
 * The DRM side of the simulated GPUs: GEM objects over the same memory and in the same address
 * spaces as the KFD's buffers (drm.md). All functions take the primary process's lock.
 */
#ifndef KFDSCOPE_THUNK_MODEL_DRM_H
#define KFDSCOPE_THUNK_MODEL_DRM_H

#include "bo.h"

struct drm_amdgpu_info;

/* Frees the table of GEM handles. */
void kfd_model_drm_free(struct kfd_model *model);

/* Makes a buffer without a KFD handle from a dma-buf. @param vm  NULL: its owner's. */
int kfd_model_gem_import(struct kfd_model *model, struct kfd_model_vm *vm, int fd,
			 struct kfd_model_bo **out);
/* Makes a new buffer; flags as KFD_IOC_ALLOC_MEM_FLAGS_*. */
int kfd_model_gem_create(struct kfd_model_vm *vm, uint64_t size_bytes, uint32_t flags,
			 struct kfd_model_bo **out);
/* A new dma-buf. @return a descriptor or -errno. */
int kfd_model_gem_export(struct kfd_model_bo *bo, int flags);
/* Drops a count, after unmapping what the handle's owner left mapped. */
void kfd_model_gem_put(struct kfd_model_bo *bo);
/* Maps and unmaps part of a buffer; flags as AMDGPU_VM_PAGE_*. */
int kfd_model_gem_va_map(struct kfd_model_bo *bo, uint64_t offset, uint64_t size_bytes, uint64_t va,
			 uint32_t flags);
int kfd_model_gem_va_unmap(struct kfd_model_bo *bo, uint64_t va);

/*
 * The backing that lies at a share record, if a GEM handle of this process names it; counted. The caller
 * holds the process's lock.
 */
struct kfd_model_backing *kfd_model_gem_shared(struct kfd_model *model, int share_index);

#define GEM_PAGE_BYTES 4096ull
/* Addresses that GEM_VA maps at, as AMDGPU_INFO tells them. */
#define GEM_VA_FIRST 0x200000ull
#define GEM_VA_END   0x800000000000ull

/* GEM handles of a render file. */
/* Takes the count of bo over, unless it fails. */
int kfd_model_gem_handle_new(struct kfd_model *model, uint64_t file_id, struct kfd_model_bo *bo,
			     uint32_t *handle);
/* Counted for the caller; NULL when unknown. */
struct kfd_model_bo *kfd_model_gem_find(struct kfd_model *model, uint64_t file_id, uint32_t handle);
int kfd_model_gem_handle_close(struct kfd_model *model, uint64_t file_id, uint32_t handle);

/* One AMDGPU_INFO query. @return 0 or -errno. */
int kfd_model_drm_info(struct kfd_model *model, const struct kfd_model_node *node,
		       const struct drm_amdgpu_info *request);
/* Family number of a GPU (drm.md 5). */
uint32_t kfd_model_drm_family(const struct kfd_model_node *node);

#endif
