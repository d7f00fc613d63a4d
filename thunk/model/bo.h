/* SPDX-License-Identifier: MIT */
/*
 * Buffers. A backing is a piece of memory with its charges; a buffer is one handle to it, with the
 * address that its owner wants it at. Imports make a second buffer over the same backing.
 */
#ifndef KFDSCOPE_THUNK_MODEL_BO_H
#define KFDSCOPE_THUNK_MODEL_BO_H

#include "process.h"

/* Mark of an mmap offset that names a buffer in another process's file; handle << 12 below it. */
#define KFD_MODEL_FOREIGN_OFFSET (1ull << 62)

struct kfd_model_backing {
	atomic_uint refs;
	struct kfd_model *model;       /* borrowed; gets the charges back */
	struct kfd_model_store *store; /* counted; NULL for the program's own memory */
	uint64_t offset, size_bytes;   /* in the store */
	uint64_t user_addr;            /* the program's memory */
	uint32_t flags;                /* KFD_IOC_ALLOC_MEM_FLAGS_* */
	uint32_t gpu_id;               /* owner */
	uint32_t gpu_index;
	uint64_t vram_charge, visible_charge, system_charge; /* bytes */
	bool is_foreign;                    /* another process's: nothing to give back */
	bool is_fixed;                      /* doorbell or MMIO page: lives with the process */
	bool is_pinned;                     /* an IPC handle names it: stays charged when freed */
	int share_index;                    /* in the store; 0 when not shared */
	struct kfd_model_metadata metadata; /* the share record's counts once there is one */
};

struct kfd_model_bo {
	atomic_uint refs;
	struct kfd_model_vm *vm;           /* borrowed: where its handle is */
	uint64_t handle;                   /* gpu_id << 32 | number */
	struct kfd_model_backing *backing; /* counted */
	uint64_t va, va_size_bytes;        /* va_size is double the size for a double map */
	uint32_t flags;
	uint64_t mapped_gpus; /* bit a gpu_index; protected by the process's lock */
	uint32_t queue_uses;  /* queues that use it; same lock */
	bool is_event_page;
};

/*
 * Makes memory and charges it.
 * @param flags  exactly one memory type is set.
 * @return 0, -ENOMEM over a limit or without memory.
 */
int kfd_model_backing_new(struct kfd_model_vm *vm, uint64_t size_bytes, uint32_t flags,
			  uint64_t user_addr, struct kfd_model_backing **out)
	__attribute__((warn_unused_result));
/* Memory of another process, by its file. Takes over the caller's count of store. */
struct kfd_model_backing *kfd_model_backing_foreign(struct kfd_model_vm *vm,
						    struct kfd_model_store *store,
						    const struct kfd_model_share *share);
struct kfd_model_backing *kfd_model_backing_get(struct kfd_model_backing *backing);
void kfd_model_backing_put(struct kfd_model_backing *backing);
/* Whether both are the same memory; another process's has a backing for each import. */
bool kfd_model_backing_is(const struct kfd_model_backing *a, const struct kfd_model_backing *b);
/*
 * Makes the backing known to other processes, once.
 * @return index of its share record, or -errno.
 */
int kfd_model_backing_share(struct kfd_model_backing *backing, uint32_t ipc_flags);
/* What was noted of the memory, here or by another process that shares it. */
struct kfd_model_metadata kfd_model_backing_metadata(const struct kfd_model_backing *backing);
/* @return 0, -EINVAL when it is too long, or the memory is no longer shared as it was. */
int kfd_model_backing_describe(struct kfd_model_backing *backing,
			       const struct kfd_model_metadata *metadata);
/* Bytes of VRAM left on a GPU, outside use and driver reserve taken off (kfd.md 6.4). */
uint64_t kfd_model_vram_available(struct kfd_model *model, const struct kfd_model_node *node);
uint64_t kfd_model_system_available(struct kfd_model *model);

/*
 * Makes a buffer with a new handle. Takes over the caller's count of backing, also on failure.
 * The caller holds the process's lock.
 */
struct kfd_model_bo *kfd_model_bo_new(struct kfd_model_vm *vm, struct kfd_model_backing *backing,
				      uint64_t va, uint32_t flags);
/* The same with a given, unused number. @return NULL without memory, or when it is used or absurd. */
struct kfd_model_bo *kfd_model_bo_new_at(struct kfd_model_vm *vm, struct kfd_model_backing *backing,
					 uint64_t va, uint32_t flags, uint32_t number);
/* The one memory type of the flags; 0 when there is none or a mixture. */
uint32_t kfd_model_memory_type(uint32_t flags);
struct kfd_model_bo *kfd_model_bo_get(struct kfd_model_bo *bo);
void kfd_model_bo_put(struct kfd_model_bo *bo);
/*
 * Looks a handle up. Same lock.
 * @param rc  out: 0, -EINVAL for an unknown GPU, -ENOENT for an unknown number; may be NULL.
 */
struct kfd_model_bo *kfd_model_bo_find(struct kfd_model_process *process, uint64_t handle, int *rc);
/* Takes the handle away and drops its count. Same lock. */
void kfd_model_bo_close(struct kfd_model_bo *bo);
/* Offset to give to mmap on the render node. */
uint64_t kfd_model_bo_mmap_offset(const struct kfd_model_bo *bo);
/*
 * Host address of a byte of a buffer.
 * @param span_bytes  out: bytes valid from there.
 * @return NULL when the memory cannot be accessed that way.
 */
void *kfd_model_bo_host(struct kfd_model_bo *bo, uint64_t offset, bool write, uint64_t *span_bytes);
/* Maps (unmaps) a buffer at its address on a GPU. The caller holds the process's lock. */
int kfd_model_bo_map(struct kfd_model_bo *bo, struct kfd_model_vm *vm);
void kfd_model_bo_unmap(struct kfd_model_bo *bo, struct kfd_model_vm *vm);

#endif
