/* SPDX-License-Identifier: MIT */
/*
 * The flat memory manager: apertures, the index of objects, buffer objects (memory.md). This header
 * is what other modules of the thunk may ask of it.
 */
#ifndef KFDSCOPE_THUNK_MEMORY_FMM_H
#define KFDSCOPE_THUNK_MEMORY_FMM_H

#include "context.h"

struct kmt_fmm *kmt_fmm_new(void);
/* Frees every object and table without issuing ioctls; accepts NULL. */
void kmt_fmm_free(struct kmt_fmm *fmm);

/*
 * Apertures, called by AcquireSystemProperties after the snapshot is published, with the global lock
 * held (memory.md 5.1, 5.2).
 * @return SUCCESS; ERROR after undoing what was done.
 */
HSAKMT_STATUS kmt_fmm_init_apertures(struct kmt_context *ctx);
/* Unmaps and frees the MMIO pages, forgets the apertures. Harmless without any. */
void kmt_fmm_fini_apertures(struct kmt_context *ctx);
/* True between the two calls above. */
bool kmt_fmm_has_apertures(const struct kmt_context *ctx);
/*
 * In a forked child: drop all objects without ioctls and keep or re-reserve the SVM range
 * (openclose.md 4). The render nodes are closed by the caller.
 */
void kmt_fmm_after_fork(struct kmt_context *ctx);

/* The ranges that GetNodeMemoryProperties and the debugger report. */
enum kmt_aperture_kind {
	KMT_APERTURE_LDS,
	KMT_APERTURE_SCRATCH,
	KMT_APERTURE_GPUVM,
	KMT_APERTURE_SVM, /* base of the fine-grained one to the limit of the coarse one */
	KMT_APERTURE_MMIO,
};
/* @return false when the node has no such (or no valid) aperture. limit is inclusive. */
bool kmt_fmm_aperture(const struct kmt_context *ctx, uint32_t node_id, enum kmt_aperture_kind kind,
		      uint64_t *base, uint64_t *limit);

/*
 * GPU-visible memory that the library needs for itself: queue objects, EOP buffers, save areas, the
 * events page (queues.md 3).
 */
struct kmt_internal_alloc {
	uint64_t size_bytes;  /* rounded up to align_bytes */
	uint64_t align_bytes; /* a power of two, at least a page */
	uint32_t gpu_id;      /* owner of device-local memory */
	uint32_t node_id;     /* mapped to this GPU node; 0: to all GPUs */
	bool non_paged, device_local, uncached;
};
/* @return the CPU (and GPU) address, or NULL. */
void *kmt_fmm_internal_alloc(struct kmt_context *ctx, const struct kmt_internal_alloc *request);
/* Unmaps and, when that worked, frees. Accepts NULL. */
void kmt_fmm_internal_free(struct kmt_context *ctx, void *address);

/* The BO handle of an allocation, for the events page. @return false when there is none. */
bool kmt_fmm_handle(const struct kmt_context *ctx, const void *address, uint64_t *handle);
/*
 * The BO handle and offset of a range inside one allocation (AIS).
 * @return false when [address, address+size) lies in no single buffer object.
 */
bool kmt_fmm_handle_of_range(const struct kmt_context *ctx, const void *address,
			     uint64_t size_bytes, uint64_t *handle, uint64_t *offset_bytes);

/*
 * A doorbell page that the GPU sees too (memory.md 6.4).
 * @param kfd_offset  mmap offset on the KFD descriptor, from CREATE_QUEUE.
 * @return the address, or NULL: then the caller maps it plainly.
 */
void *kmt_fmm_map_doorbell(struct kmt_context *ctx, uint32_t node_id, uint64_t size_bytes,
			   uint64_t kfd_offset);
void kmt_fmm_unmap_doorbell(struct kmt_context *ctx, void *address);

/* Descriptor of a GPU node's render node, or -1. */
int kmt_fmm_render_fd(const struct kmt_context *ctx, uint32_t node_id);

/* What the library knows of one live object, for diagnostics and for the state dump. */
struct kmt_object_info {
	uint64_t gpu_va, size_bytes;
	const uint64_t *handles; /* borrowed for the call */
	uint32_t handle_count;
	uint32_t node_id, gpu_id;           /* owner; gpu_id 0 when none */
	HsaMemFlags flags;                  /* as the caller gave them */
	uint32_t ioctl_flags;               /* as the kernel got them; 0 when no BO */
	uint64_t user_ptr, user_size_bytes; /* registered memory; else 0 */
	uint32_t registrations, mappings;
	const uint32_t *registered_gpus, *mapped_gpus; /* borrowed for the call */
	uint32_t registered_count, mapped_count;
	bool is_import, is_internal;
	uint64_t origin; /* origin.h */
};
/* Calls visit for each live object, under the apertures' locks; visit must not call the thunk. */
void kmt_fmm_for_each(struct kmt_context *ctx,
		      void (*visit)(const struct kmt_object_info *info, void *data), void *data);

#endif
