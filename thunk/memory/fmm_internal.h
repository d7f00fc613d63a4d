/* SPDX-License-Identifier: MIT */
/*
 * The structures of the flat memory manager. Only thunk/memory, and the folders that are parts of
 * the same manager (svm, ipc, graphics, asan, handle), include this header.
 *
 * Locks, in this order: an object's lock (held over ioctls on that object), the lock of SVM records
 * (held over SVM ioctls), an aperture's lock (never held over a system call, except where an aperture
 * is being made). Two locks of the same kind are never held together.
 *
 * An object's fields that QueryPointerInfo shows are written with both the object's and its
 * aperture's lock held, so holding either is enough to read them.
 */
#ifndef KFDSCOPE_THUNK_MEMORY_FMM_INTERNAL_H
#define KFDSCOPE_THUNK_MEMORY_FMM_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "context.h"
#include "handle/handle_table.h"
#include "memory/fmm.h"
#include "memory/gpu_set.h"
#include "memory/node_pool.h"
#include "memory/range_tree.h"
#include "svm/records.h"

/* The environment, read at each aperture initialisation (openclose.md 6). */
struct fmm_settings {
	bool disable_cache;     /* HSA_DISABLE_CACHE */
	bool userptr_for_paged; /* HSA_USERPTR_FOR_PAGED_MEM; off for models and secondary contexts */
	bool check_userptr;     /* HSA_CHECK_USERPTR */
	bool reserve_svm;       /* HSA_RESERVE_SVM */
	bool high_precision;    /* HSA_HIGH_PRECISION_MODE */
	uint32_t guard_pages;   /* HSA_SVM_GUARD_PAGES */
	uint32_t max_va_order; /* HSA_MAX_VA_ALIGN: alignment up to page size << order */
};

struct fmm_aperture;

/* How an aperture hands out addresses. */
struct fmm_va_ops {
	/*
	 * @param fixed        wanted address, or NULL.
	 * @param align_bytes  0: the aperture's.
	 * @return the address, or NULL when there is no (such) room.
	 */
	void *(*alloc)(struct kmt_context *ctx, struct fmm_aperture *aperture, void *fixed,
		       uint64_t size_bytes, uint64_t align_bytes);
	void (*release)(struct kmt_context *ctx, struct fmm_aperture *aperture, void *address,
			uint64_t size_bytes);
};
/* memory.md 7.1: addresses that the kernel chooses, and ranges of one reservation of our own. */
extern const struct fmm_va_ops fmm_va_mmap;
extern const struct fmm_va_ops fmm_va_reserved;

struct fmm_aperture {
	uint64_t base, limit; /* limit is inclusive; both 0: there is no such aperture */
	uint64_t align_bytes;
	uint32_t guard_pages, max_va_order;
	bool cpu_accessible;
	const struct fmm_va_ops *va; /* NULL: hands out nothing */
	uint32_t wire_type;          /* its number in shared handles (memory.md 12) */

	pthread_mutex_t lock;      /* protects all below */
	struct range_tree objects; /* by GPU address */
	struct range_tree users;   /* registered memory by user pointer; may overlap */
	struct range_tree areas;   /* reserved mode: disjoint ranges in use, guards included */
};

struct fmm_span {
	uint64_t start, size_bytes;
};

/* First what QueryPointerInfo reads. */
struct fmm_object {
	/* Fixed before or at the insertion. */
	struct fmm_span va;            /* GPU address and size */
	struct fmm_aperture *aperture; /* borrowed */
	void *user_ptr;                /* registered memory */
	uint64_t user_size_bytes;
	uint64_t origin;  /* who asked for it (origin.h) */
	void *metadata;   /* owned; graphics imports */
	uint32_t node_id; /* owner */
	bool imported;    /* from a shared handle */
	bool internal;    /* the library's own */
	bool plain_map;   /* anonymous memory, no BO: non-dGPU system memory */

	/* Both locks. */
	bool dead; /* out of the index; whoever still has a reference must not use it */
	HsaMemFlags flags;
	uint32_t handle_count;                     /* 0: an address range, or plain_map */
	const struct gpu_set *registered, *mapped; /* borrowed from fmm->sets */
	void *user_data;
	uint32_t registrations, mappings;
	uint64_t handle, *handles; /* handles is &handle, or owned when there are more */

	/* Fixed before the insertion. */
	uint32_t gpu_id; /* owner; 0 without one */
	uint32_t ioctl_flags;
	uint32_t metadata_size_bytes;
	int map_fd; /* what the CPU mapping is of; -1 without one */
	int map_prot;
	uint64_t map_offset_bytes;

	struct node_pool *pool;       /* borrowed; of the nodes */
	struct range_node *va_node;   /* in aperture->objects */
	struct range_node *user_node; /* in aperture->users when user_ptr; else NULL */
	atomic_uint refs;             /* one for the index, one for each call in progress */
	pthread_mutex_t lock;         /* one operation with ioctls at a time */
};

/* One GPU of the process. */
struct fmm_gpu {
	uint32_t gpu_id, node_id, device_id, gfx, render_minor;
	int render_fd; /* borrowed from the context's device cache */
	bool svm_needed, integrated;
	bool listed;    /* the kernel answered with apertures for it */
	bool canonical; /* its GPUVM range is part of the process's SVM range */
	uint64_t lds_base, lds_limit, flat_scratch_base, flat_scratch_limit;
	const struct gpu_set *self, *peers; /* borrowed; peers: itself first */
	struct fmm_aperture gpuvm;
	struct fmm_aperture scratch;    /* objects are the mapped pieces */
	_Atomic uint64_t scratch_base;  /* of the backing block; 0 without one */
	_Atomic uint64_t scratch_limit; /* inclusive; valid while scratch_base is not 0 */
	pthread_mutex_t scratch_lock;   /* making and releasing the block */
	_Atomic(void *) mmio;           /* page with the HDP flush registers, or NULL */
	pthread_mutex_t timeline_lock;
	uint32_t timeline_syncobj; /* under timeline_lock; 0 without one */
	uint64_t timeline_point;   /* under timeline_lock */
};

/*
 * What one aperture initialisation found. Never changes once published and is kept until the manager
 * is freed, so that calls read it without a lock while another thread releases and acquires again;
 * an initialisation that finds the same machine publishes the old one again.
 */
struct fmm_view {
	struct fmm_view *next; /* older views; owned by the list */
	struct fmm_settings settings;
	bool is_dgpu;
	bool any_gpuvm;            /* some GPU has an aperture of its own */
	const struct gpu_set *all; /* in kernel order; NULL without GPUs */
	uint32_t gpu_count, raw_node_count;
	uint64_t svm_base, svm_limit, svm_align_bytes; /* align 0: no GPU is canonical */
	struct fmm_gpu gpus[];                         /* in topology order */
};

struct kmt_fmm {
	_Atomic(struct fmm_view *) view; /* owned, with its predecessors; NULL before the first */
	atomic_bool up;                  /* between init_apertures and fini_apertures */
	atomic_bool has_svm;             /* svm and svm_alt are set up */
	bool svm_single;                 /* mmap mode: svm serves as both */
	struct fmm_aperture svm, svm_alt, handles, cpuvm;
	void *reserved; /* reserved mode: the whole range, kept from cycle to cycle */
	uint64_t reserved_size_bytes;
	atomic_uint scratch_blocks; /* GPUs with a scratch block: 0 saves looking */
	struct gpu_sets sets;
	struct node_pool nodes; /* of all apertures' objects */
	struct svm_records records;
	struct handle_table bos; /* libdrm's buffer objects that callers hold */
};

/* --- views (view.c) --- */

static inline struct fmm_view *fmm_view(const struct kmt_context *ctx)
{
	return ctx->fmm ? atomic_load_explicit(&ctx->fmm->view, memory_order_acquire) : NULL;
}
/* The GPU of a node, or with an id, as long as the apertures are up; NULL otherwise. */
struct fmm_gpu *fmm_gpu_of_node(const struct kmt_context *ctx, uint32_t node_id);
struct fmm_gpu *fmm_gpu_of_id(const struct kmt_context *ctx, uint32_t gpu_id);
/* The first GPU in topology order, or NULL. */
struct fmm_gpu *fmm_first_gpu(const struct kmt_context *ctx);
/* All GPUs in kernel order, or NULL. */
const struct gpu_set *fmm_all_gpus(const struct kmt_context *ctx);
bool fmm_is_dgpu(const struct kmt_context *ctx);
/* Interns a list of GPUs; NULL for none and without memory. */
const struct gpu_set *fmm_gpu_set(const struct kmt_context *ctx, const uint32_t *gpu_ids,
				  uint32_t count);
/* The GPUs of a that are not in b, in *out; NULL for none. @return false without memory. */
bool fmm_gpu_set_minus(const struct kmt_context *ctx, const struct gpu_set *a,
		       const struct gpu_set *b, const struct gpu_set **out)
	__attribute__((warn_unused_result));
/*
 * Checks and interns the node array of an API call.
 * @return SUCCESS, or the status of kmt_topology_gpu_ids(); *out is untouched then.
 */
HSAKMT_STATUS fmm_gpu_set_of_nodes(const struct kmt_context *ctx, const uint32_t *node_ids,
				   uint64_t count, const struct gpu_set **out);

/* --- making a view (machine.c) --- */

/*
 * Looks at nodes, environment and the kernel's apertures (memory.md 5.1, steps 1 to 5), and acquires
 * the VMs.
 * @param out  a new view, not yet published; the caller's to fmm_view_free().
 */
HSAKMT_STATUS fmm_view_make(struct kmt_context *ctx, struct fmm_view **out);
/* Frees one view and the objects in its apertures, without system calls; accepts NULL. */
void fmm_view_free(struct fmm_view *view);
/* Whether two views are of the same machine under the same settings. */
bool fmm_view_equal(const struct fmm_view *a, const struct fmm_view *b);

/* --- apertures (aperture.c) --- */

void fmm_aperture_init(struct fmm_aperture *aperture);
/* Frees objects and areas, without system calls. */
void fmm_aperture_fini(struct fmm_aperture *aperture);
static inline bool fmm_aperture_holds(const struct fmm_aperture *aperture, uint64_t address)
{
	return aperture->limit && address >= aperture->base && address <= aperture->limit;
}
static inline void *fmm_va_alloc(struct kmt_context *ctx, struct fmm_aperture *aperture,
				 void *fixed, uint64_t size_bytes, uint64_t align_bytes)
{
	return aperture->va ? aperture->va->alloc(ctx, aperture, fixed, size_bytes, align_bytes)
			    : NULL;
}
static inline void fmm_va_release(struct kmt_context *ctx, struct fmm_aperture *aperture,
				  void *address, uint64_t size_bytes)
{
	if (aperture->va && address)
		aperture->va->release(ctx, aperture, address, size_bytes);
}
/* The alignment that an aperture raises a request to: doubled while it fits into the size. */
uint64_t fmm_va_raise_align(uint64_t align_bytes, uint64_t cap_bytes, uint64_t size_bytes);
/* Puts PROT_NONE back over a range of a reservation. @return 0 or -errno. */
int fmm_va_blank(struct kmt_context *ctx, void *address, uint64_t size_bytes);
/* Takes a range of a reservation out of use for good: so that offset 0 is never handed out. */
bool fmm_va_reserved_burn(struct fmm_aperture *aperture, uint64_t size_bytes);
void fmm_va_reserved_fini(struct fmm_aperture *aperture);

/* --- the SVM range (svm_range.c) --- */

/*
 * Sets up svm and svm_alt for [base, limit] (memory.md 5.3), or keeps those of an earlier cycle.
 * @return 0, -EINVAL (no usable range) or -ENOMEM.
 */
int fmm_svm_range_init(struct kmt_context *ctx, const struct fmm_settings *settings, uint64_t base,
		       uint64_t limit, uint64_t align_bytes);
/* Gives the range back when nothing is left in it; keeps it otherwise. */
void fmm_svm_range_fini(struct kmt_context *ctx);
/* Leaves what fini kept to the next manager of the process; the caller holds the global lock. */
void fmm_svm_range_abandon(struct kmt_fmm *fmm);

/* Addresses that were reserved; size 0 means none. */
struct fmm_reservation {
	uint64_t start, size_bytes;
};
/* Reserves 4 GiB or more below the limit, as much as there is (svm_reserve.c). */
struct fmm_reservation fmm_svm_reserve(struct kmt_context *ctx, uint64_t base, uint64_t limit);

/* The coherent aperture: svm itself in mmap mode. */
static inline struct fmm_aperture *fmm_svm_alt(struct kmt_fmm *fmm)
{
	return fmm->svm_single ? &fmm->svm : &fmm->svm_alt;
}

/* --- objects (object.c) --- */

/*
 * A new object with one reference and no place; NULL without memory.
 * @param user  room for a user pointer.
 */
struct fmm_object *fmm_object_new(struct kmt_fmm *fmm, bool user);
void fmm_object_put(struct fmm_object *object);
/* Writes what QueryPointerInfo shows; the caller holds object->lock. */
static inline void fmm_object_begin_change(struct fmm_object *object)
{
	pthread_mutex_lock(&object->aperture->lock);
}
static inline void fmm_object_end_change(struct fmm_object *object)
{
	pthread_mutex_unlock(&object->aperture->lock);
}
/* Makes an object findable; the index takes over the caller's reference. */
void fmm_object_insert(struct fmm_aperture *aperture, struct fmm_object *object, void *address,
		       uint64_t size_bytes);
/*
 * The same for registered memory (object->user_ptr).
 * @return false, and nothing happened, when the same pointer and size is registered already.
 */
bool fmm_object_insert_user(struct fmm_aperture *aperture, struct fmm_object *object, void *address,
			    uint64_t size_bytes) __attribute__((warn_unused_result));
/* The reverse; the caller holds object->lock and a reference of its own. */
void fmm_object_remove(struct fmm_object *object);

enum fmm_match {
	FMM_EXACT,  /* the address in the first page; a user pointer must match exactly */
	FMM_INSIDE, /* anywhere inside */
};
/*
 * Find of memory.md 4.
 * @return the object with its aperture's lock held, or NULL with none.
 */
struct fmm_object *fmm_find_locked(struct kmt_context *ctx, const void *address,
				   uint64_t size_bytes, enum fmm_match match);
/* The same, with object->lock held and a reference that fmm_unlock() gives back. */
struct fmm_object *fmm_find(struct kmt_context *ctx, const void *address, uint64_t size_bytes,
			    enum fmm_match match);
void fmm_unlock(struct fmm_object *object);
/* An object by its exact, unique start in one aperture; as fmm_find(). */
struct fmm_object *fmm_find_start(struct fmm_aperture *aperture, uint64_t start);
/* The first object that ends after an address of one aperture; as fmm_find(). */
struct fmm_object *fmm_find_after(struct fmm_aperture *aperture, uint64_t address);
/* An object that holds an address of one aperture; as fmm_find(). */
struct fmm_object *fmm_find_holder(struct fmm_aperture *aperture, uint64_t address);
/* The aperture that Share and ExportDMABuf look in (memory.md 3), and the GPU slot for GPUVM. */
struct fmm_aperture *fmm_aperture_of(struct kmt_context *ctx, const void *address,
				     uint32_t *gpu_slot);

/* --- buffer objects (bo.c) --- */

/* Flag words (memory.md 1). type is one of KFD_IOC_ALLOC_MEM_FLAGS_VRAM, _GTT, _USERPTR … */
uint32_t fmm_ioctl_flags(const struct fmm_settings *settings, HsaMemFlags flags, uint32_t type);
/* The translation back, for memory whose flags no caller gave. */
HsaMemFlags fmm_flags_of_ioctl(uint32_t ioctl_flags);

/* A buffer object to be made. */
struct fmm_bo_request {
	uint32_t gpu_id, flags; /* ioctl flags */
	uint64_t va, size_bytes;
	uint64_t user_addr; /* USERPTR only; else 0 */
};
/*
 * ALLOC, in chunks where needed (memory.md 7.3), into the object's handles.
 * @param mmap_offset  of the first handle; may be NULL.
 * @return 0 or -errno; nothing is left then.
 */
int fmm_bo_alloc(struct kmt_context *ctx, struct fmm_object *object,
		 const struct fmm_bo_request *request, uint64_t *mmap_offset);
/* FREE of every handle. @return 0, or -errno: then the handles that are left stay recorded. */
int fmm_bo_free(struct kmt_context *ctx, struct fmm_object *object);
/* CPU mapping of a BO at its address on a render node. @return 0 or -errno. */
int fmm_bo_cpu_map(struct kmt_context *ctx, struct fmm_object *object, int fd, void *address,
		   uint64_t size_bytes, int prot, uint64_t offset_bytes);
/*
 * MAP and UNMAP of all handles, and the mapped set that follows. The caller holds object->lock.
 * @return 0 or -errno; a failed MAP is undone.
 */
int fmm_bo_map(struct kmt_context *ctx, struct fmm_object *object, const struct gpu_set *set);
int fmm_bo_unmap(struct kmt_context *ctx, struct fmm_object *object, const struct gpu_set *set);

/* MAP to where memory goes without a node list (memory.md 9.1). @return as fmm_bo_map(). */
int fmm_map_default(struct kmt_context *ctx, struct fmm_object *object);

/* --- kinds of memory (alloc_*.c) --- */

struct fmm_request {
	uint32_t node_id, gpu_id; /* preferred node; its GPU, 0 for a CPU node */
	uint32_t owner_gpu_id;    /* host memory: the GPU whose GTT serves; 0: as the spec has it */
	uint64_t size_bytes, align_bytes;
	HsaMemFlags flags;
	void *fixed; /* wanted address, or NULL */
	bool internal;
};
/* Each gives the address, or NULL with nothing left behind. */
void *fmm_alloc_host(struct kmt_context *ctx, const struct fmm_request *request);
void *fmm_alloc_device(struct kmt_context *ctx, const struct fmm_request *request);
void *fmm_alloc_udmabuf(struct kmt_context *ctx, struct fmm_gpu *gpu,
			const struct fmm_request *request);
/* A page of registers or doorbells in svm_alt, mapped from the KFD descriptor and to the GPU. */
struct fmm_kfd_page {
	uint32_t type; /* KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL or _MMIO_REMAP */
	uint64_t size_bytes;
	uint64_t kfd_offset_bytes; /* DOORBELL: where to map; MMIO takes ALLOC's answer */
	bool no_maps;              /* models: memory of our own stands there, unknown to the GPU */
};
void *fmm_kfd_page_map(struct kmt_context *ctx, struct fmm_gpu *gpu,
		       const struct fmm_kfd_page *page);
void fmm_kfd_page_unmap(struct kmt_context *ctx, void *address);
/* Frees an object that fmm_find() gave, and unlocks it (memory.md 11). */
HSAKMT_STATUS fmm_release(struct kmt_context *ctx, struct fmm_object *object);
/*
 * Binds fresh system memory to a NUMA node (memory.md 8).
 * @param strict  NoSubstitute: what cannot be bound fails.
 * @return 0 or -errno.
 */
int fmm_numa_bind(struct kmt_context *ctx, void *address, uint64_t size_bytes, uint32_t node_id,
		  bool strict, bool no_bind);

/* --- scratch (scratch.c) --- */

void *fmm_scratch_alloc(struct kmt_context *ctx, const struct fmm_request *request);
/* The GPU whose backing block holds an address; NULL when none does. */
struct fmm_gpu *fmm_scratch_owner(const struct kmt_context *ctx, const void *address);
void fmm_scratch_free(struct kmt_context *ctx, struct fmm_gpu *gpu);
HSAKMT_STATUS fmm_scratch_map(struct kmt_context *ctx, struct fmm_gpu *gpu, void *address,
			      uint64_t size_bytes);
HSAKMT_STATUS fmm_scratch_unmap(struct kmt_context *ctx, struct fmm_gpu *gpu, void *address);

/* Reads a byte of every page, so that missing pages fault now and not on the GPU. */
void fmm_touch_pages(const void *address, uint64_t size_bytes);
/* The page-rounded range around [address, address + size_bytes). */
static inline uint64_t fmm_page_floor(const void *address)
{
	return (uintptr_t)address & ~(uint64_t)(kmt_process()->page_size_bytes - 1);
}
static inline uint64_t fmm_page_span(const void *address, uint64_t size_bytes)
{
	return kmt_round_up((uintptr_t)address + size_bytes, kmt_process()->page_size_bytes) -
	       fmm_page_floor(address);
}

#endif
