/* SPDX-License-Identifier: MIT */
/*
 * GPU address spaces: which buffer lies at which GPU address, and where that is in this process. The
 * simulated engines reach all memory through kfd_model_vm_host.
 */
#ifndef KFDSCOPE_THUNK_MODEL_VM_H
#define KFDSCOPE_THUNK_MODEL_VM_H

#include "process.h"

/* The functions that the engines call; the vm argument is a struct kfd_model_vm. */
extern const struct kfd_model_gpu_host kfd_model_vm_host;

/*
 * Maps part of a buffer. The caller holds vm_lock for writing.
 * @param flags  KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE and _EXECUTABLE.
 * @return 0, -EINVAL when something is mapped there, or -ENOMEM.
 */
int kfd_model_vm_map(struct kfd_model_vm *vm, struct kfd_model_bo *bo, uint64_t va,
		     uint64_t bo_offset, uint64_t size_bytes, uint32_t flags);
/* Unmaps what GEM_VA mapped of the buffer at exactly this address. @return 0 or -ENOENT. */
int kfd_model_vm_unmap(struct kfd_model_vm *vm, const struct kfd_model_bo *bo, uint64_t va);
/* Unmaps everything of a buffer. Same lock. */
void kfd_model_vm_unmap_bo(struct kfd_model_vm *vm, const struct kfd_model_bo *bo);
/* Unmaps all; buffers keep living. Same lock. */
void kfd_model_vm_unmap_all(struct kfd_model_vm *vm);
/*
 * The mapping that holds an address. The caller holds vm_lock.
 * @param start, size_bytes  out: the whole mapping.
 * @return the buffer, borrowed under the lock; NULL when nothing is mapped.
 */
struct kfd_model_bo *kfd_model_vm_find(struct kfd_model_vm *vm, uint64_t va, uint64_t *start,
				       uint64_t *size_bytes);
/* Whether any buffer is mapped in the range. Same lock. */
bool kfd_model_vm_overlaps(struct kfd_model_vm *vm, uint64_t va, uint64_t size_bytes);

#endif
