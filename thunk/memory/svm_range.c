/* SPDX-License-Identifier: MIT */
/*
 * The SVM range of the process (memory.md 5.3): with a GPU that reaches all of the process's
 * addresses the kernel hands them out (mmap mode); otherwise one range is reserved and divided into
 * a coherent and a default aperture.
 */
#include "memory/fmm_internal.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define TWO_MIB             (2ull << 20)
#define ALT_ALIGN           (64ull << 10)
#define MMAP_MODE_LIMIT     ((1ull << 47) - 1)
#define RESERVED_MODE_LIMIT ((1ull << 40) - 1)

/*
 * A reserved range that was left with memory in it when its manager was freed. The kernel still has
 * that memory at those addresses, and most of the range is free: the next manager goes on with it.
 * Under the global lock.
 */
static struct {
	void *start;
	uint64_t size_bytes;
	struct range_tree svm_areas, alt_areas; /* addresses that are not free */
} orphan;

static void set_up(struct fmm_aperture *aperture, const struct fmm_settings *settings,
		   uint64_t base, uint64_t limit, uint64_t align_bytes)
{
	aperture->base = base;
	aperture->limit = limit;
	aperture->align_bytes = align_bytes;
	aperture->guard_pages = settings->guard_pages;
	aperture->max_va_order = settings->max_va_order;
	aperture->cpu_accessible = true;
}

/* @return whether the kernel's own choice of addresses lies in the range. */
static bool try_mmap_mode(struct kmt_context *ctx, const struct fmm_settings *settings,
			  uint64_t base, uint64_t limit, uint64_t align_bytes)
{
	struct kmt_fmm *fmm = ctx->fmm;
	uint64_t page = kmt_process()->page_size_bytes;
	void *probe;

	if (limit < MMAP_MODE_LIMIT || settings->reserve_svm || align_bytes > page)
		return false;
	set_up(&fmm->svm, settings, base, limit, align_bytes);
	fmm->svm.va = &fmm_va_mmap;
	probe = fmm_va_alloc(ctx, &fmm->svm, NULL, page, 0);
	if (!probe) {
		fmm->svm.va = NULL;
		fmm->svm.base = fmm->svm.limit = 0;
		return false;
	}
	fmm_va_release(ctx, &fmm->svm, probe, page);
	fmm->svm_single = true;
	return true;
}

/* The first quarter is the coherent aperture. */
static void divide(struct kmt_fmm *fmm, const struct fmm_settings *settings, uint64_t align_bytes)
{
	uint64_t start = (uintptr_t)fmm->reserved, limit = start + fmm->reserved_size_bytes - 1;
	uint64_t alt_base = kmt_round_up(start, ALT_ALIGN);
	uint64_t alt_size = kmt_round_up(fmm->reserved_size_bytes / 4, ALT_ALIGN);

	set_up(&fmm->svm_alt, settings, alt_base, alt_base + alt_size - 1, align_bytes);
	set_up(&fmm->svm, settings, alt_base + alt_size, limit, align_bytes);
	fmm->svm_alt.va = fmm->svm.va = &fmm_va_reserved;
	fmm->svm_single = false;
}

static bool adopt(struct kmt_fmm *fmm, const struct fmm_settings *settings, uint64_t base,
		  uint64_t limit, uint64_t align_bytes)
{
	uint64_t start = (uintptr_t)orphan.start;

	if (!start || start < base || start + orphan.size_bytes - 1 > limit)
		return false;
	fmm->reserved = orphan.start;
	fmm->reserved_size_bytes = orphan.size_bytes;
	divide(fmm, settings, align_bytes);
	fmm->svm.areas = orphan.svm_areas;
	fmm->svm_alt.areas = orphan.alt_areas;
	memset(&orphan, 0, sizeof(orphan));
	return true;
}

void fmm_svm_range_abandon(struct kmt_fmm *fmm)
{
	if (!fmm->reserved || orphan.start || !atomic_load(&fmm->has_svm))
		return;
	orphan.start = fmm->reserved;
	orphan.size_bytes = fmm->reserved_size_bytes;
	orphan.svm_areas = fmm->svm.areas;
	orphan.alt_areas = fmm->svm_alt.areas;
	fmm->svm.areas.root = fmm->svm_alt.areas.root = NULL; /* the orphan's now */
}

int fmm_svm_range_init(struct kmt_context *ctx, const struct fmm_settings *settings, uint64_t base,
		       uint64_t limit, uint64_t align_bytes)
{
	struct kmt_fmm *fmm = ctx->fmm;
	struct fmm_reservation found;

	if (atomic_load(&fmm->has_svm))
		return 0;
	if (!fmm->reserved) {
		base = kmt_round_up(base, TWO_MIB);
		limit = ((limit + 1) & ~(TWO_MIB - 1)) - 1;
		if (try_mmap_mode(ctx, settings, base, limit, align_bytes))
			goto out;
		if (limit > RESERVED_MODE_LIMIT)
			limit = RESERVED_MODE_LIMIT;
		if (base >= limit)
			return -EINVAL;
		if (adopt(fmm, settings, base, limit, align_bytes))
			goto out;
		found = fmm_svm_reserve(ctx, base, limit);
		if (!found.size_bytes)
			return -ENOMEM;
		fmm->reserved = (void *)(uintptr_t)found.start;
		fmm->reserved_size_bytes = found.size_bytes;
	}
	divide(fmm, settings, align_bytes);
out:
	fmm->svm.wire_type = 1;
	fmm_svm_alt(fmm)->wire_type = fmm->svm_single ? 1 : 2;
	atomic_store(&fmm->has_svm, true);
	return 0;
}

void fmm_svm_range_fini(struct kmt_context *ctx)
{
	struct kmt_fmm *fmm = ctx->fmm;

	if (!atomic_load(&fmm->has_svm) || fmm->svm.objects.root || fmm->svm_alt.objects.root)
		return;
	for (uint32_t i = 0; fmm->reserved && fmm_view(ctx) && i < fmm_view(ctx)->gpu_count; i++)
		if (atomic_load(&fmm_view(ctx)->gpus[i].scratch_base))
			return;
	atomic_store(&fmm->has_svm, false);
	if (fmm->reserved)
		kmt_munmap(ctx, fmm->reserved, fmm->reserved_size_bytes);
	fmm->reserved = NULL;
	fmm->reserved_size_bytes = 0;
}
