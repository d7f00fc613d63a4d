/* SPDX-License-Identifier: MIT */
/* Buffer objects: flag words, ALLOC and FREE, MAP and UNMAP (memory.md 1, 7.2, 7.3, 9). */
#include "memory/fmm_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "hsakmt/linux/kfd_ioctl.h"

/* The kernel refuses larger user pointers (memory.md 7.3). */
#define USERPTR_CHUNK_BYTES ((512ull << 30) - (2ull << 20))

uint32_t fmm_ioctl_flags(const struct fmm_settings *settings, HsaMemFlags flags, uint32_t type)
{
	uint32_t out = type | KFD_IOC_ALLOC_MEM_FLAGS_NO_SUBSTITUTE;

	if (!flags.ui32.ReadOnly)
		out |= KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE;
	if (flags.ui32.ExecuteAccess)
		out |= KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE;
	if (flags.ui32.AQLQueueMemory)
		out |= KFD_IOC_ALLOC_MEM_FLAGS_AQL_QUEUE_MEM | KFD_IOC_ALLOC_MEM_FLAGS_UNCACHED;
	if (!flags.ui32.CoarseGrain || settings->disable_cache)
		out |= KFD_IOC_ALLOC_MEM_FLAGS_COHERENT;
	if (flags.ui32.Uncached || settings->disable_cache)
		out |= KFD_IOC_ALLOC_MEM_FLAGS_UNCACHED;
	if (flags.ui32.ExtendedCoherent)
		out |= KFD_IOC_ALLOC_MEM_FLAGS_EXT_COHERENT;
	if (type == KFD_IOC_ALLOC_MEM_FLAGS_VRAM) {
		if (flags.ui32.HostAccess)
			out |= KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC;
		if (flags.ui32.Contiguous)
			out |= KFD_IOC_ALLOC_MEM_FLAGS_CONTIGUOUS_BEST_EFFORT;
	}
	return out;
}

HsaMemFlags fmm_flags_of_ioctl(uint32_t ioctl_flags)
{
	HsaMemFlags flags = { 0 };

	flags.ui32.ReadOnly = !(ioctl_flags & KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE);
	flags.ui32.CoarseGrain = !(ioctl_flags & KFD_IOC_ALLOC_MEM_FLAGS_COHERENT);
	flags.ui32.ExtendedCoherent = !!(ioctl_flags & KFD_IOC_ALLOC_MEM_FLAGS_EXT_COHERENT);
	flags.ui32.HostAccess = !!(ioctl_flags & KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC);
	return flags;
}

static int free_handle(struct kmt_context *ctx, uint64_t handle)
{
	struct kfd_ioctl_free_memory_of_gpu_args args = { .handle = handle };

	return kmt_ioctl(ctx, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &args);
}

static uint64_t chunk_limit(const struct fmm_bo_request *request)
{
	return request->flags & KFD_IOC_ALLOC_MEM_FLAGS_USERPTR ? USERPTR_CHUNK_BYTES : UINT64_MAX;
}

/* One ALLOC at an offset into the request; advances the offset. */
static int alloc_chunk(struct kmt_context *ctx, struct fmm_object *object,
		       const struct fmm_bo_request *request, uint64_t *offset,
		       uint64_t *mmap_offset)
{
	uint64_t rest = request->size_bytes - *offset, limit = chunk_limit(request);
	struct kfd_ioctl_alloc_memory_of_gpu_args args = {
		.va_addr = request->va + *offset,
		.size = rest < limit ? rest : limit,
		.mmap_offset = request->user_addr ? request->user_addr + *offset : 0,
		.gpu_id = request->gpu_id,
		.flags = request->flags,
	};
	int rc = kmt_ioctl(ctx, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &args);

	if (rc != 0)
		return rc;
	if (mmap_offset && *offset == 0)
		*mmap_offset = args.mmap_offset;
	object->handles[object->handle_count++] = args.handle;
	*offset += rest < limit ? rest : limit;
	return 0;
}

int fmm_bo_alloc(struct kmt_context *ctx, struct fmm_object *object,
		 const struct fmm_bo_request *request, uint64_t *mmap_offset)
{
	uint64_t limit = chunk_limit(request), offset = 0;
	uint64_t chunks = request->size_bytes / limit + (request->size_bytes % limit != 0);
	int rc = 0;

	if (chunks > 1) {
		object->handles = calloc(chunks, sizeof(*object->handles));
		if (!object->handles) {
			object->handles = &object->handle;
			return -ENOMEM;
		}
	}
	do {
		rc = alloc_chunk(ctx, object, request, &offset, mmap_offset);
	} while (rc == 0 && offset < request->size_bytes);
	if (rc != 0) {
		while (object->handle_count) /* in reverse */
			(void)free_handle(ctx, object->handles[--object->handle_count]);
		return rc;
	}
	object->gpu_id = request->gpu_id;
	object->ioctl_flags = request->flags;
	return 0;
}

int fmm_bo_free(struct kmt_context *ctx, struct fmm_object *object)
{
	int rc = 0;

	for (uint32_t i = 0; i < object->handle_count && rc == 0; i++) {
		if (!object->handles[i])
			continue; /* freed by an earlier attempt that failed further on */
		rc = free_handle(ctx, object->handles[i]);
		if (rc == 0 && object->handle_count > 1)
			object->handles[i] = 0;
	}
	return rc;
}

int fmm_bo_cpu_map(struct kmt_context *ctx, struct fmm_object *object, int fd, void *address,
		   uint64_t size_bytes, int prot, uint64_t offset_bytes)
{
	if (kmt_mmap(ctx, address, size_bytes, prot, MAP_SHARED | MAP_FIXED, fd,
		     (int64_t)offset_bytes) == MAP_FAILED)
		return errno ? -errno : -EIO;
	/* Advice only: without it a child would share the device memory. */
	(void)kmt_madvise(ctx, address, size_bytes, MADV_DONTFORK);
	object->map_fd = fd;
	object->map_prot = prot;
	object->map_offset_bytes = offset_bytes;
	return 0;
}

static int unmap_handle(struct kmt_context *ctx, uint64_t handle, const uint32_t *gpu_ids,
			uint32_t count)
{
	struct kfd_ioctl_unmap_memory_from_gpu_args args = {
		.handle = handle,
		.device_ids_array_ptr = (uintptr_t)gpu_ids,
		.n_devices = count,
	};

	return count ? kmt_ioctl(ctx, AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, &args) : 0;
}

static int map_handle(struct kmt_context *ctx, uint64_t handle, const struct gpu_set *set,
		      uint32_t *done)
{
	struct kfd_ioctl_map_memory_to_gpu_args args = {
		.handle = handle,
		.device_ids_array_ptr = (uintptr_t)set->gpu_ids,
		.n_devices = set->count,
	};
	int rc = kmt_ioctl(ctx, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &args);

	*done = args.n_success < set->count ? args.n_success : set->count;
	return rc;
}

/* Undoes MAP of the first count GPUs of a set, leaving those alone that were mapped before. */
static void undo_map(struct kmt_context *ctx, const struct fmm_object *object, uint64_t handle,
		     const struct gpu_set *set, uint32_t count)
{
	for (uint32_t i = 0; i < count;) {
		uint32_t first, run;

		while (i < count && gpu_set_has(object->mapped, set->gpu_ids[i]))
			i++;
		for (first = i, run = 0; i < count && !gpu_set_has(object->mapped, set->gpu_ids[i]);
		     i++)
			run++;
		(void)unmap_handle(ctx, handle, &set->gpu_ids[first], run);
	}
}

static bool has_repetition(const struct gpu_set *set)
{
	for (uint32_t i = 1; i < set->count; i++)
		for (uint32_t k = 0; k < i; k++)
			if (set->gpu_ids[i] == set->gpu_ids[k])
				return true;
	return false;
}

/* The union of what is mapped and the first count GPUs of a set; NULL without memory. */
static const struct gpu_set *merge(struct kmt_context *ctx, const struct gpu_set *mapped,
				   const struct gpu_set *set, uint32_t count)
{
	const struct gpu_set *merged;
	uint32_t *ids, n = 0;

	if (mapped == set && mapped)
		return mapped;
	if (!mapped && count == set->count && !has_repetition(set))
		return set;
	ids = malloc((gpu_set_count(mapped) + (size_t)count + 1) * sizeof(*ids));
	if (!ids)
		return NULL;
	for (uint32_t i = 0; i < gpu_set_count(mapped); i++)
		ids[n++] = mapped->gpu_ids[i];
	for (uint32_t i = 0; i < count; i++) {
		uint32_t k = 0;

		while (k < n && ids[k] != set->gpu_ids[i])
			k++;
		if (k == n)
			ids[n++] = set->gpu_ids[i];
	}
	merged = fmm_gpu_set(ctx, ids, n);
	free(ids);
	return merged;
}

int fmm_bo_map(struct kmt_context *ctx, struct fmm_object *object, const struct gpu_set *set)
{
	const struct gpu_set *merged = merge(ctx, object->mapped, set, set->count);
	uint32_t done = 0, i;
	int rc = merged ? 0 : -ENOMEM;

	if (rc != 0)
		return rc;
	for (i = 0; i < object->handle_count && rc == 0; i++)
		rc = map_handle(ctx, object->handles[i], set, &done);
	if (rc == 0 && done < set->count) /* as far as the kernel got with the last one */
		merged = merge(ctx, object->mapped, set, done);
	if (rc != 0) {
		undo_map(ctx, object, object->handles[--i], set, done);
		while (i-- > 0)
			undo_map(ctx, object, object->handles[i], set, set->count);
		return rc;
	}
	fmm_object_begin_change(object);
	object->mapped = merged;
	object->mappings = 1;
	fmm_object_end_change(object);
	return 0;
}

int fmm_bo_unmap(struct kmt_context *ctx, struct fmm_object *object, const struct gpu_set *set)
{
	const struct gpu_set *rest = NULL;
	int rc = fmm_gpu_set_minus(ctx, object->mapped, set, &rest) ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < object->handle_count && rc == 0; i++)
		rc = unmap_handle(ctx, object->handles[i], set->gpu_ids, set->count);
	if (rc != 0)
		return rc;
	fmm_object_begin_change(object);
	object->mapped = rest;
	if (!rest)
		object->mappings = 0;
	fmm_object_end_change(object);
	return 0;
}
