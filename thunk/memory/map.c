/* SPDX-License-Identifier: MIT */
/* GPU access to memory: map and unmap (memory.md 9). */
#include "memory/memory.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "memory/fmm_internal.h"
#include "svm/records.h"

#define TOUCHES_AT_ONCE 64

void fmm_touch_pages(const void *address, uint64_t size_bytes)
{
	uint64_t page = kmt_process()->page_size_bytes, start = fmm_page_floor(address);

	for (uint64_t at = 0; at < fmm_page_span(address, size_bytes); at += page)
		(void)*(const volatile char *)(uintptr_t)(start + at);
}

/*
 * As fmm_touch_pages(), of addresses that may be anything: the kernel looks and reads, since a read
 * of our own would end the process where nothing is mapped.
 * @return 0, or -EFAULT when a page of the range is not mapped. Pages that are mapped but cannot
 * be read, such as a device's, end the touching.
 */
static int touch_unknown_pages(const void *address, uint64_t size_bytes)
{
	uint64_t page = kmt_process()->page_size_bytes, at = fmm_page_floor(address);
	uint64_t span = fmm_page_span(address, size_bytes), left = span / page;
	char bytes[TOUCHES_AT_ONCE];
	struct iovec from[TOUCHES_AT_ONCE];

	/* MS_ASYNC does nothing but find holes */
	if (msync((void *)(uintptr_t)at, span, MS_ASYNC) != 0)
		return -EFAULT;
	while (left) {
		size_t count = left < TOUCHES_AT_ONCE ? (size_t)left : TOUCHES_AT_ONCE;
		struct iovec to = { bytes, count };
		ssize_t done;

		for (size_t i = 0; i < count; i++)
			from[i] = (struct iovec){ (void *)(uintptr_t)(at + i * page), 1 };
		done = process_vm_readv(getpid(), &to, 1, from, count, 0);
		if (done <= 0)
			break;
		at += (uint64_t)done * page;
		left -= (uint64_t)done;
	}
	return 0;
}

/* Where a plain map goes to. */
static const struct gpu_set *default_set(struct kmt_context *ctx, const struct fmm_object *object)
{
	const struct fmm_gpu *gpu;

	if (object->registered)
		return object->registered;
	gpu = object->user_ptr ? NULL : fmm_gpu_of_node(ctx, object->node_id);
	return gpu && gpu->device_id ? gpu->peers : fmm_all_gpus(ctx);
}

int fmm_map_default(struct kmt_context *ctx, struct fmm_object *object)
{
	const struct gpu_set *set = default_set(ctx, object);

	return set ? fmm_bo_map(ctx, object, set) : -ENODEV;
}

static HSAKMT_STATUS map_default(struct kmt_context *ctx, struct fmm_object *object)
{
	return fmm_map_default(ctx, object) == 0 ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_ERROR;
}

/* Registered memory: counted, and seen by the GPU at an address of its own. */
static HSAKMT_STATUS map_user(struct kmt_context *ctx, struct fmm_object *object,
			      const void *address, HSAuint64 *alternate_va)
{
	HSAKMT_STATUS status = HSAKMT_STATUS_SUCCESS;

	if (object->mappings) {
		fmm_object_begin_change(object);
		object->mappings++;
		fmm_object_end_change(object);
	} else {
		status = map_default(ctx, object);
	}
	if (status == HSAKMT_STATUS_SUCCESS && alternate_va)
		*alternate_va = object->va.start + ((uintptr_t)address - fmm_page_floor(address));
	return status;
}

static bool has_no_memory(const struct kmt_context *ctx, const struct fmm_object *object)
{
	return (!object->handle_count && !object->plain_map) ||
	       object->aperture == &ctx->fmm->handles;
}

static HSAKMT_STATUS map_object(struct kmt_context *ctx, struct fmm_object *object,
				const void *address, HSAuint64 *alternate_va)
{
	HSAKMT_STATUS status;

	if (has_no_memory(ctx, object))
		return HSAKMT_STATUS_INVALID_PARAMETER;
	if (object->plain_map) {
		fmm_touch_pages((void *)(uintptr_t)object->va.start, object->va.size_bytes);
		return HSAKMT_STATUS_SUCCESS;
	}
	if (object->user_ptr)
		return map_user(ctx, object, address, alternate_va);
	status = map_default(ctx, object);
	if (status == HSAKMT_STATUS_SUCCESS && alternate_va && !object->aperture->cpu_accessible)
		*alternate_va = object->va.start - object->aperture->base;
	return status;
}

/* A pointer that belongs to no object. */
static HSAKMT_STATUS map_unknown(struct kmt_context *ctx, const void *address, uint64_t size_bytes,
				 HSAuint64 *alternate_va)
{
	if (kmt_svm_registers(ctx)) {
		if (svm_map(ctx, address, size_bytes, fmm_all_gpus(ctx)) != 0)
			return HSAKMT_STATUS_ERROR;
		if (alternate_va)
			*alternate_va = (uintptr_t)address;
		return HSAKMT_STATUS_SUCCESS;
	}
	if (fmm_is_dgpu(ctx))
		return HSAKMT_STATUS_INVALID_PARAMETER;
	return touch_unknown_pages(address, size_bytes) == 0 ? HSAKMT_STATUS_SUCCESS
							     : HSAKMT_STATUS_INVALID_PARAMETER;
}

static HSAKMT_STATUS map_anywhere(struct kmt_context *ctx, void *address, uint64_t size_bytes,
				  HSAuint64 *alternate_va)
{
	struct fmm_gpu *gpu = fmm_scratch_owner(ctx, address);
	struct fmm_object *object;
	HSAKMT_STATUS status;

	if (gpu)
		return fmm_scratch_map(ctx, gpu, address, size_bytes);
	object = fmm_find(ctx, address, size_bytes, FMM_EXACT);
	if (!object)
		return map_unknown(ctx, address, size_bytes, alternate_va);
	status = map_object(ctx, object, address, alternate_va);
	fmm_unlock(object);
	return status;
}

HSAKMT_STATUS kmt_map_memory_to_gpu(struct kmt_context *ctx, void *address, HSAuint64 size_bytes,
				    HSAuint64 *alternate_va)
{
	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (!address)
		return HSAKMT_STATUS_ERROR;
	if (alternate_va)
		*alternate_va = 0;
	return map_anywhere(ctx, address, size_bytes, alternate_va);
}

/* Makes the mapped set equal to the wanted one. */
static HSAKMT_STATUS replace_mapping(struct kmt_context *ctx, struct fmm_object *object,
				     const struct gpu_set *wanted)
{
	const struct gpu_set *allowed = object->registered ? object->registered : fmm_all_gpus(ctx);
	const struct gpu_set *surplus, *missing;

	for (uint32_t i = 0; i < wanted->count; i++)
		if (!gpu_set_has(allowed, wanted->gpu_ids[i]))
			return HSAKMT_STATUS_ERROR;
	if (!fmm_gpu_set_minus(ctx, object->mapped, wanted, &surplus) ||
	    !fmm_gpu_set_minus(ctx, wanted, object->mapped, &missing))
		return HSAKMT_STATUS_NO_MEMORY;
	if (surplus && fmm_bo_unmap(ctx, object, surplus) != 0)
		return HSAKMT_STATUS_ERROR;
	if (missing && fmm_bo_map(ctx, object, missing) != 0)
		return HSAKMT_STATUS_ERROR;
	return HSAKMT_STATUS_SUCCESS;
}

static HSAKMT_STATUS map_object_to(struct kmt_context *ctx, struct fmm_object *object,
				   const void *address, HSAuint64 *alternate_va,
				   const struct gpu_set *wanted)
{
	if (has_no_memory(ctx, object))
		return HSAKMT_STATUS_INVALID_PARAMETER;
	if (object->plain_map || !object->aperture->cpu_accessible)
		return HSAKMT_STATUS_ERROR;
	if (object->user_ptr)
		return map_user(ctx, object, address, alternate_va);
	return replace_mapping(ctx, object, wanted);
}

HSAKMT_STATUS kmt_map_memory_to_gpu_nodes(struct kmt_context *ctx, void *address,
					  HSAuint64 size_bytes, HSAuint64 *alternate_va,
					  HsaMemFlags flags, HSAuint64 node_count,
					  HSAuint32 *node_ids)
{
	const struct gpu_set *wanted = NULL;
	struct fmm_object *object;
	HSAKMT_STATUS status;

	(void)flags;
	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (!address)
		return HSAKMT_STATUS_ERROR;
	if (!fmm_is_dgpu(ctx) && node_count == 1)
		return kmt_map_memory_to_gpu(ctx, address, size_bytes, alternate_va);
	status = fmm_gpu_set_of_nodes(ctx, node_ids, node_count, &wanted);
	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	object = fmm_find(ctx, address, size_bytes, FMM_EXACT);
	if (object) {
		status = map_object_to(ctx, object, address, alternate_va, wanted);
		fmm_unlock(object);
		return status;
	}
	if (!kmt_svm_registers(ctx) || svm_map(ctx, address, size_bytes, wanted) != 0)
		return HSAKMT_STATUS_ERROR;
	if (alternate_va)
		*alternate_va = (uintptr_t)address;
	return HSAKMT_STATUS_SUCCESS;
}

static HSAKMT_STATUS unmap_object(struct kmt_context *ctx, struct fmm_object *object)
{
	if (object->user_ptr && object->mappings > 1) {
		fmm_object_begin_change(object);
		object->mappings--;
		fmm_object_end_change(object);
		return HSAKMT_STATUS_SUCCESS;
	}
	if (!object->mapped)
		return HSAKMT_STATUS_SUCCESS;
	return fmm_bo_unmap(ctx, object, object->mapped) == 0 ? HSAKMT_STATUS_SUCCESS
							      : HSAKMT_STATUS_ERROR;
}

HSAKMT_STATUS kmt_unmap_memory_to_gpu(struct kmt_context *ctx, void *address)
{
	struct fmm_object *object;
	HSAKMT_STATUS status;
	struct fmm_gpu *gpu;

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (!address)
		return HSAKMT_STATUS_SUCCESS;
	gpu = fmm_scratch_owner(ctx, address);
	if (gpu)
		return fmm_scratch_unmap(ctx, gpu, address);
	object = fmm_find(ctx, address, 0, FMM_EXACT);
	if (!object)
		return !fmm_is_dgpu(ctx) || kmt_svm_registers(ctx) ? HSAKMT_STATUS_SUCCESS
								   : HSAKMT_STATUS_ERROR;
	status = unmap_object(ctx, object);
	fmm_unlock(object);
	return status;
}
