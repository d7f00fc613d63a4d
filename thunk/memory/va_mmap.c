/* SPDX-License-Identifier: MIT */
/*
 * Addresses of an mmap aperture (memory.md 7.1): the kernel chooses, so the GPU's address space is
 * the process's own. Guard pages are a gap at allocation time, not a standing reservation.
 */
#include "memory/fmm_internal.h"

#include <sys/mman.h>

#define VA_FLAGS (MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)

static bool in_aperture(const struct fmm_aperture *aperture, uint64_t start, uint64_t size_bytes)
{
	return start >= aperture->base && start <= aperture->limit &&
	       size_bytes - 1 <= aperture->limit - start;
}

static void *alloc_fixed(struct kmt_context *ctx, struct fmm_aperture *aperture, void *fixed,
			 uint64_t size_bytes)
{
	void *address;

	if (!in_aperture(aperture, (uintptr_t)fixed, size_bytes))
		return NULL;
	address =
		kmt_mmap(ctx, fixed, size_bytes, PROT_NONE, VA_FLAGS | MAP_FIXED_NOREPLACE, -1, 0);
	if (address == MAP_FAILED)
		return NULL;
	if (address != fixed) { /* kernels before 4.17 take the flag for a mere hint */
		kmt_munmap(ctx, address, size_bytes);
		return NULL;
	}
	return address;
}

/* Cuts a mapping down to [start, start + size_bytes). @return 0 or -errno. */
static int trim(struct kmt_context *ctx, uint64_t mapped, uint64_t total_bytes, uint64_t start,
		uint64_t size_bytes)
{
	uint64_t end = start + size_bytes, mapped_end = mapped + total_bytes;
	int rc = 0;

	if (start > mapped)
		rc = kmt_munmap(ctx, (void *)(uintptr_t)mapped, start - mapped);
	if (rc == 0 && mapped_end > end)
		rc = kmt_munmap(ctx, (void *)(uintptr_t)end, mapped_end - end);
	return rc;
}

static void *va_mmap_alloc(struct kmt_context *ctx, struct fmm_aperture *aperture, void *fixed,
			   uint64_t size_bytes, uint64_t align_bytes)
{
	uint64_t page = kmt_process()->page_size_bytes, guard = aperture->guard_pages * page;
	uint64_t total, start;
	void *mapped;

	if (size_bytes == 0 || size_bytes > UINT64_MAX / 4)
		return NULL;
	size_bytes = kmt_round_up(size_bytes, page);
	if (fixed)
		return alloc_fixed(ctx, aperture, fixed, size_bytes);
	if (align_bytes == 0)
		align_bytes = aperture->align_bytes;
	if (align_bytes < page)
		align_bytes = page;
	align_bytes = fmm_va_raise_align(align_bytes, page << aperture->max_va_order, size_bytes);
	total = size_bytes + 2 * guard + align_bytes - page;
	mapped = kmt_mmap(ctx, NULL, total, PROT_NONE, VA_FLAGS, -1, 0);
	if (mapped == MAP_FAILED)
		return NULL;
	start = kmt_round_up((uintptr_t)mapped + guard, align_bytes);
	if (!in_aperture(aperture, start, size_bytes) ||
	    trim(ctx, (uintptr_t)mapped, total, start, size_bytes) != 0) {
		kmt_munmap(ctx, mapped, total);
		return NULL;
	}
	return (void *)(uintptr_t)start;
}

static void va_mmap_release(struct kmt_context *ctx, struct fmm_aperture *aperture, void *address,
			    uint64_t size_bytes)
{
	(void)aperture;
	kmt_munmap(ctx, address, kmt_round_up(size_bytes, kmt_process()->page_size_bytes));
}

const struct fmm_va_ops fmm_va_mmap = {
	.alloc = va_mmap_alloc,
	.release = va_mmap_release,
};
