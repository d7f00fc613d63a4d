/* SPDX-License-Identifier: MIT */
/* Buffers, their handles and what their memory is charged to (kfd.md 6.1, 6.4). */
#include "bo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "hsakmt/linux/kfd_ioctl.h"
#include "usercopy.h"
#include "vm.h"

#define MEMORY_TYPES                                                                               \
	(KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_GTT |                              \
	 KFD_IOC_ALLOC_MEM_FLAGS_USERPTR | KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL |                      \
	 KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP)
#define PAGE_BYTES     4096ull
#define NUMBER_MAX     (1u << 24)   /* of handles that come back from a checkpoint */
#define PAGE_TABLE_MIN (2ull << 20) /* floor of the driver's own VRAM */
#define SYSTEM_RESERVE (64ull << 20)

static uint64_t page_up(uint64_t bytes)
{
	return (bytes + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
}

static uint64_t vram_limit(struct kfd_model *model, const struct kfd_model_node *node)
{
	uint64_t total = kfd_model_scenario_vram_total(model->scenario, node);
	uint64_t reserve = total >> 14 > PAGE_TABLE_MIN ? total >> 14 : PAGE_TABLE_MIN;
	uint64_t outside = kfd_model_scenario_vram_outside(model->scenario, node);

	return total > reserve + outside ? total - reserve - outside : 0;
}

uint64_t kfd_model_vram_available(struct kfd_model *model, const struct kfd_model_node *node)
{
	uint64_t limit = vram_limit(model, node);
	uint64_t used = atomic_load(&model->vram_used[node->gpu_index]);

	return limit > used ? limit - used : 0;
}

static uint64_t system_limit(struct kfd_model *model)
{
	uint64_t total = kfd_model_scenario_system_total(model->scenario);

	if (!total)
		total = model->topology.system_bytes;
	total -= total / 64;
	return total > SYSTEM_RESERVE ? total - SYSTEM_RESERVE : 0;
}

uint64_t kfd_model_system_available(struct kfd_model *model)
{
	uint64_t limit = system_limit(model), used = atomic_load(&model->system_used);

	return limit > used ? limit - used : 0;
}

/* Adds to a pool unless that goes over its limit. */
static bool charge(_Atomic uint64_t *used, uint64_t limit, uint64_t bytes)
{
	uint64_t old = atomic_load(used);

	do {
		if (bytes > limit || old > limit - bytes)
			return false;
	} while (!atomic_compare_exchange_weak(used, &old, old + bytes));
	return true;
}

static struct kfd_model_backing *backing_zeroed(struct kfd_model_vm *vm, uint64_t size_bytes,
						uint32_t flags)
{
	struct kfd_model_backing *backing = calloc(1, sizeof(*backing));

	if (!backing)
		return NULL;
	atomic_init(&backing->refs, 1);
	backing->model = vm->process->model;
	backing->size_bytes = size_bytes;
	backing->flags = flags;
	backing->gpu_id = vm->node->gpu_id;
	backing->gpu_index = vm->node->gpu_index;
	return backing;
}

/* Device memory; what the CPU shall see comes from the part that it can see. */
static bool vram_charge(struct kfd_model_backing *backing, struct kfd_model_vm *vm, uint64_t bytes)
{
	struct kfd_model *model = backing->model;
	uint32_t index = vm->node->gpu_index;
	bool is_public = backing->flags & KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC;

	if (is_public && !charge(&model->visible_used[index],
				 kfd_model_scenario_vram_visible(model->scenario, vm->node), bytes))
		return false;
	if (!charge(&model->vram_used[index], vram_limit(model, vm->node), bytes)) {
		if (is_public)
			atomic_fetch_sub(&model->visible_used[index], bytes);
		return false;
	}
	backing->vram_charge = bytes;
	backing->visible_charge = is_public ? bytes : 0;
	return true;
}

static bool backing_charge(struct kfd_model_backing *backing, struct kfd_model_vm *vm)
{
	struct kfd_model *model = backing->model;
	uint64_t bytes = page_up(backing->size_bytes);

	/* an APU's "VRAM" is system memory (kfd.md 6.2), but is reported and limited as VRAM */
	if (backing->flags & KFD_IOC_ALLOC_MEM_FLAGS_VRAM)
		return vram_charge(backing, vm, bytes);
	if (backing->flags & (KFD_IOC_ALLOC_MEM_FLAGS_GTT | KFD_IOC_ALLOC_MEM_FLAGS_USERPTR)) {
		if (!charge(&model->system_used, system_limit(model), bytes))
			return false;
		backing->system_charge = bytes;
	}
	return true;
}

static int backing_place(struct kfd_model_backing *backing, struct kfd_model_vm *vm)
{
	struct kfd_model_process *process = vm->process;
	int rc;

	if (backing->flags & KFD_IOC_ALLOC_MEM_FLAGS_USERPTR)
		return 0;
	backing->store = kfd_model_store_get(process->store);
	if (backing->flags & KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL) {
		rc = kfd_model_doorbell_slice(vm);
		backing->offset = vm->doorbell_offset;
		backing->is_fixed = true;
	} else if (backing->flags & KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP) {
		rc = kfd_model_mmio_page(vm);
		backing->offset = vm->mmio_offset;
		backing->is_fixed = true;
	} else {
		rc = kfd_model_store_alloc(process->store, backing->size_bytes, &backing->offset);
		if (rc) /* nothing to give back */
			backing->is_fixed = true;
	}
	return rc;
}

int kfd_model_backing_new(struct kfd_model_vm *vm, uint64_t size_bytes, uint32_t flags,
			  uint64_t user_addr, struct kfd_model_backing **out)
{
	struct kfd_model_backing *backing = backing_zeroed(vm, page_up(size_bytes), flags);
	int rc = -ENOMEM;

	if (!backing)
		return -ENOMEM;
	backing->user_addr = user_addr;
	if (!backing_charge(backing, vm)) {
		free(backing);
		return -ENOMEM;
	}
	rc = backing_place(backing, vm);
	if (rc) {
		kfd_model_backing_put(backing);
		return rc;
	}
	*out = backing;
	return 0;
}

struct kfd_model_backing *kfd_model_backing_foreign(struct kfd_model_vm *vm,
						    struct kfd_model_store *store,
						    const struct kfd_model_share *share)
{
	struct kfd_model_backing *backing =
		backing_zeroed(vm, share->size_bytes, share->alloc_flags);

	if (!backing) {
		kfd_model_store_put(store);
		return NULL;
	}
	backing->store = store;
	backing->offset = share->offset;
	backing->gpu_id = share->gpu_id;
	backing->is_foreign = true;
	return backing;
}

bool kfd_model_backing_is(const struct kfd_model_backing *a, const struct kfd_model_backing *b)
{
	return a == b || (a->store && b->store && a->offset == b->offset &&
			  kfd_model_store_is(a->store, kfd_model_store_fd(b->store)));
}

struct kfd_model_backing *kfd_model_backing_get(struct kfd_model_backing *backing)
{
	atomic_fetch_add(&backing->refs, 1);
	return backing;
}

void kfd_model_backing_put(struct kfd_model_backing *backing)
{
	if (!backing || atomic_fetch_sub(&backing->refs, 1) != 1)
		return;
	if (!backing->is_pinned) {
		atomic_fetch_sub(&backing->model->vram_used[backing->gpu_index],
				 backing->vram_charge);
		atomic_fetch_sub(&backing->model->visible_used[backing->gpu_index],
				 backing->visible_charge);
		atomic_fetch_sub(&backing->model->system_used, backing->system_charge);
	}
	/*
	 * A shared place is never handed out again: another process may have it mapped, and the
	 * file cannot tell. Its pages stay until the last process is gone.
	 */
	if (backing->store && !backing->is_foreign && !backing->is_fixed && !backing->share_index)
		kfd_model_store_release(backing->store, backing->offset, backing->size_bytes,
					kfd_model_scenario_reuse(backing->model->scenario));
	kfd_model_store_put(backing->store);
	free(backing);
}

int kfd_model_backing_share(struct kfd_model_backing *backing, uint32_t ipc_flags)
{
	struct kfd_model_share share = {
		.offset = backing->offset,
		.size_bytes = backing->size_bytes,
		.gpu_id = backing->gpu_id,
		.alloc_flags = backing->flags,
		.ipc_flags = ipc_flags,
		.metadata = backing->metadata,
	};
	int index;

	if (backing->share_index)
		return backing->share_index;
	if (!backing->store)
		return -EINVAL;
	if (getrandom(share.name, sizeof(share.name), 0) != (ssize_t)sizeof(share.name))
		return -ENOMEM;
	index = kfd_model_store_share(backing->store, &share);
	if (index > 0)
		backing->share_index = index;
	return index > 0 ? index : -ENOMEM;
}

struct kfd_model_metadata kfd_model_backing_metadata(const struct kfd_model_backing *backing)
{
	struct kfd_model_share share;

	if (backing->share_index &&
	    !kfd_model_store_share_at(kfd_model_store_fd(backing->store),
				      (uint32_t)backing->share_index, &share))
		return share.metadata;
	return backing->metadata;
}

int kfd_model_backing_describe(struct kfd_model_backing *backing,
			       const struct kfd_model_metadata *metadata)
{
	if (metadata->size_bytes > sizeof(metadata->bytes))
		return -EINVAL;
	backing->metadata = *metadata;
	return backing->share_index
		       ? kfd_model_store_describe(kfd_model_store_fd(backing->store),
						  (uint32_t)backing->share_index, metadata)
		       : 0;
}

/* Makes the table of handles long enough for a number. */
static int table_grow(struct kfd_model_vm *vm, uint32_t number)
{
	uint32_t capacity = vm->bo_capacity ? vm->bo_capacity : 64;
	struct kfd_model_bo **table;

	if (number > INT32_MAX / 2)
		return -ENOMEM;
	while (capacity <= number)
		capacity *= 2;
	if (capacity == vm->bo_capacity)
		return 0;
	table = realloc(vm->bos, capacity * sizeof(struct kfd_model_bo *));
	if (!table)
		return -ENOMEM;
	memset(table + vm->bo_capacity, 0,
	       (capacity - vm->bo_capacity) * sizeof(struct kfd_model_bo *));
	vm->bos = table;
	vm->bo_capacity = capacity;
	return 0;
}

/* Lowest free handle number of a GPU; grows the table when full. */
static int handle_number(struct kfd_model_vm *vm)
{
	uint32_t number = vm->bo_first_free;
	int rc;

	while (number < vm->bo_capacity && vm->bos[number])
		number++;
	rc = table_grow(vm, number);
	return rc ? rc : (int)number;
}

/* Lists a buffer under a number that has a place in the table. */
static void bo_list(struct kfd_model_bo *bo, struct kfd_model_vm *vm,
		    struct kfd_model_backing *backing, uint64_t va, uint32_t flags, uint32_t number)
{
	atomic_init(&bo->refs, 1);
	bo->vm = vm;
	bo->backing = backing;
	bo->va = va;
	bo->va_size_bytes = backing->size_bytes;
	bo->flags = flags;
	if (flags & KFD_IOC_ALLOC_MEM_FLAGS_AQL_QUEUE_MEM)
		bo->va_size_bytes *= 2;
	bo->handle = (uint64_t)vm->gpu_id << 32 | number;
	vm->bos[number] = bo;
}

struct kfd_model_bo *kfd_model_bo_new(struct kfd_model_vm *vm, struct kfd_model_backing *backing,
				      uint64_t va, uint32_t flags)
{
	struct kfd_model_bo *bo = calloc(1, sizeof(*bo));
	int number = bo ? handle_number(vm) : -ENOMEM;

	if (number < 0) {
		free(bo);
		kfd_model_backing_put(backing);
		return NULL;
	}
	bo_list(bo, vm, backing, va, flags, (uint32_t)number);
	vm->bo_first_free = (uint32_t)number + 1;
	return bo;
}

struct kfd_model_bo *kfd_model_bo_new_at(struct kfd_model_vm *vm, struct kfd_model_backing *backing,
					 uint64_t va, uint32_t flags, uint32_t number)
{
	struct kfd_model_bo *bo = NULL;

	if (number < NUMBER_MAX && table_grow(vm, number) == 0 && !vm->bos[number])
		bo = calloc(1, sizeof(*bo));
	if (bo)
		bo_list(bo, vm, backing, va, flags, number);
	else
		kfd_model_backing_put(backing);
	return bo;
}

uint32_t kfd_model_memory_type(uint32_t flags)
{
	uint32_t type = flags & MEMORY_TYPES;

	return type & (type - 1) ? 0 : type;
}

struct kfd_model_bo *kfd_model_bo_get(struct kfd_model_bo *bo)
{
	atomic_fetch_add(&bo->refs, 1);
	return bo;
}

void kfd_model_bo_put(struct kfd_model_bo *bo)
{
	if (!bo || atomic_fetch_sub(&bo->refs, 1) != 1)
		return;
	kfd_model_backing_put(bo->backing);
	free(bo);
}

struct kfd_model_bo *kfd_model_bo_find(struct kfd_model_process *process, uint64_t handle, int *rc)
{
	struct kfd_model_vm *vm = kfd_model_process_vm(process, (uint32_t)(handle >> 32));
	uint32_t number = (uint32_t)handle;
	struct kfd_model_bo *bo = vm && number < vm->bo_capacity ? vm->bos[number] : NULL;

	if (rc)
		*rc = !vm ? -EINVAL : !bo ? -ENOENT : 0;
	return bo;
}

void kfd_model_bo_close(struct kfd_model_bo *bo)
{
	struct kfd_model_vm *vm = bo->vm;
	uint32_t number = (uint32_t)bo->handle;

	vm->bos[number] = NULL;
	if (number < vm->bo_first_free && kfd_model_scenario_reuse(vm->process->model->scenario))
		vm->bo_first_free = number;
	kfd_model_bo_put(bo);
}

uint64_t kfd_model_bo_mmap_offset(const struct kfd_model_bo *bo)
{
	const struct kfd_model_backing *backing = bo->backing;
	const struct kfd_model_process *process = bo->vm->process;

	if (backing->flags & KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP)
		return kfd_model_mmap_encode(process, KFD_MODEL_MMAP_MMIO, bo->vm, backing->offset);
	if (backing->flags & KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL)
		return kfd_model_mmap_encode(process, KFD_MODEL_MMAP_DOORBELL, bo->vm,
					     backing->offset);
	if (backing->store == process->store)
		return backing->offset;
	/*
	 * Another process's file: no offset of our own file shows that memory, so the offset names
	 * the buffer and the front that sees the mmap puts the right file in its place.
	 */
	return KFD_MODEL_FOREIGN_OFFSET | bo->handle << 12;
}

void *kfd_model_bo_host(struct kfd_model_bo *bo, uint64_t offset, bool write, uint64_t *span_bytes)
{
	struct kfd_model_backing *backing = bo->backing;
	uint64_t left;
	void *host;

	if (offset >= backing->size_bytes)
		return NULL;
	left = backing->size_bytes - offset;
	if (!backing->store) {
		*span_bytes = kfd_model_range_accessible(backing->user_addr + offset, left, write);
		return *span_bytes ? (void *)(uintptr_t)(backing->user_addr + offset) : NULL;
	}
	host = kfd_model_store_host(backing->store, backing->offset + offset, span_bytes);
	if (host && *span_bytes > left)
		*span_bytes = left;
	return host;
}

int kfd_model_bo_map(struct kfd_model_bo *bo, struct kfd_model_vm *vm)
{
	uint64_t size = bo->backing->size_bytes;
	int rc = 0;

	if (bo->mapped_gpus >> vm->node->gpu_index & 1)
		return 0;
	pthread_rwlock_wrlock(&vm->process->vm_lock);
	/* an AQL ring for the older generations appears twice in a row (kfd.md 6.1) */
	for (uint64_t done = 0; done < bo->va_size_bytes && !rc; done += size)
		rc = kfd_model_vm_map(vm, bo, bo->va + done, 0, size, bo->flags);
	if (rc)
		kfd_model_vm_unmap_bo(vm, bo);
	pthread_rwlock_unlock(&vm->process->vm_lock);
	if (!rc)
		bo->mapped_gpus |= 1ull << vm->node->gpu_index;
	return rc;
}

void kfd_model_bo_unmap(struct kfd_model_bo *bo, struct kfd_model_vm *vm)
{
	if (!(bo->mapped_gpus >> vm->node->gpu_index & 1))
		return;
	pthread_rwlock_wrlock(&vm->process->vm_lock);
	kfd_model_vm_unmap_bo(vm, bo);
	pthread_rwlock_unlock(&vm->process->vm_lock);
	bo->mapped_gpus &= ~(1ull << vm->node->gpu_index);
}
