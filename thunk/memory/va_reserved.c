/* SPDX-License-Identifier: MIT */
/*
 * Addresses of an aperture that manages one range of its own (memory.md 7.1): first fit between the
 * areas in use. Neighbouring areas are one, so the walk stays short in a busy program.
 */
#include "memory/fmm_internal.h"

#include <stdlib.h>

#define RAISE_CAP_BYTES (2ull << 20)

struct area {
	struct range_node node; /* first: a node is an area */
};

/* What is looked for. */
struct fit {
	uint64_t size_bytes, occupied_bytes; /* without and with the guard behind it */
	uint64_t align_bytes;
	bool align_end; /* small alignments that were raised apply to the end */
};

static uint64_t fit_place(const struct fit *fit, uint64_t from)
{
	uint64_t start = kmt_round_up(from, fit->align_bytes);

	if (fit->align_end)
		start += -fit->size_bytes & (fit->align_bytes - 1);
	return start;
}

/* First address where it fits, or 0. The caller holds the aperture's lock. */
static uint64_t first_fit(const struct fmm_aperture *aperture, const struct fit *fit)
{
	struct range_node *area = range_tree_first(&aperture->areas);
	uint64_t from = aperture->base, start;

	for (;; area = range_tree_next(area)) {
		uint64_t end = area ? area->start : aperture->limit + 1;

		start = fit_place(fit, from);
		if (start >= from && start < end && fit->occupied_bytes <= end - start)
			return start;
		if (!area)
			return 0;
		from = range_node_end(area);
	}
}

/* Whether a wanted range is free. The caller holds the aperture's lock. */
static bool is_free(const struct fmm_aperture *aperture, uint64_t start, uint64_t size_bytes)
{
	struct range_node *area = range_tree_first_ending_after(&aperture->areas, start);

	return start >= aperture->base && start <= aperture->limit &&
	       size_bytes - 1 <= aperture->limit - start &&
	       (!area || area->start >= start + size_bytes);
}

/* Marks a free range as used. The caller holds the aperture's lock. */
static bool occupy(struct fmm_aperture *aperture, uint64_t start, uint64_t size_bytes)
{
	struct range_node *next = range_tree_lower_bound(&aperture->areas, start, 0);
	struct range_node *before = range_tree_find(&aperture->areas, start - 1);
	struct range_node *area = before;

	if (!area) {
		area = calloc(1, sizeof(struct area));
		if (!area)
			return false;
		area->start = start;
	} else {
		range_tree_remove(&aperture->areas, area);
	}
	area->size_bytes = start + size_bytes - area->start;
	if (next && next->start == start + size_bytes) {
		range_tree_remove(&aperture->areas, next);
		area->size_bytes += next->size_bytes;
		free(next);
	}
	range_tree_insert(&aperture->areas, area);
	return true;
}

/* Gives a used range back. The caller holds the aperture's lock. */
static void vacate(struct fmm_aperture *aperture, uint64_t start, uint64_t size_bytes)
{
	struct range_node *area = range_tree_find(&aperture->areas, start);
	uint64_t end = start + size_bytes, area_end;
	struct range_node *tail = NULL;

	if (!area)
		return;
	area_end = range_node_end(area);
	if (area_end > end && area->start < start) {
		tail = calloc(1, sizeof(struct area));
		if (!tail)
			return; /* no memory to split: these addresses stay out of use */
	}
	range_tree_remove(&aperture->areas, area);
	if (area->start < start) {
		area->size_bytes = start - area->start;
		range_tree_insert(&aperture->areas, area);
	} else if (area_end > end) {
		tail = area;
	} else {
		free(area);
	}
	if (tail) {
		tail->start = end;
		tail->size_bytes = area_end - end;
		range_tree_insert(&aperture->areas, tail);
	}
}

static uint64_t guard_bytes(const struct fmm_aperture *aperture)
{
	return aperture->guard_pages * kmt_process()->page_size_bytes;
}

static void *va_reserved_alloc(struct kmt_context *ctx, struct fmm_aperture *aperture, void *fixed,
			       uint64_t size_bytes, uint64_t align_bytes)
{
	uint64_t page = kmt_process()->page_size_bytes, start;
	struct fit fit = { 0 };

	(void)ctx;
	if (size_bytes == 0 || size_bytes > UINT64_MAX / 4)
		return NULL;
	if (align_bytes == 0)
		align_bytes = aperture->align_bytes;
	fit.size_bytes = kmt_round_up(size_bytes, page);
	fit.occupied_bytes = fit.size_bytes + guard_bytes(aperture);
	if (align_bytes < aperture->align_bytes)
		align_bytes = aperture->align_bytes;
	fit.align_bytes = fmm_va_raise_align(align_bytes, RAISE_CAP_BYTES, fit.size_bytes);
	fit.align_end = align_bytes <= page;
	pthread_mutex_lock(&aperture->lock);
	if (fixed)
		start = is_free(aperture, (uintptr_t)fixed, fit.occupied_bytes) ? (uintptr_t)fixed
										: 0;
	else
		start = first_fit(aperture, &fit);
	if (start && !occupy(aperture, start, fit.occupied_bytes))
		start = 0;
	pthread_mutex_unlock(&aperture->lock);
	return (void *)(uintptr_t)start;
}

static void va_reserved_release(struct kmt_context *ctx, struct fmm_aperture *aperture,
				void *address, uint64_t size_bytes)
{
	size_bytes = kmt_round_up(size_bytes, kmt_process()->page_size_bytes);
	/* Before the addresses are free for another thread. */
	if (aperture->cpu_accessible && fmm_va_blank(ctx, address, size_bytes) != 0)
		return; /* the range is not ours any more */
	pthread_mutex_lock(&aperture->lock);
	vacate(aperture, (uintptr_t)address, size_bytes + guard_bytes(aperture));
	pthread_mutex_unlock(&aperture->lock);
}

bool fmm_va_reserved_burn(struct fmm_aperture *aperture, uint64_t size_bytes)
{
	return occupy(aperture, aperture->base, size_bytes);
}

void fmm_va_reserved_fini(struct fmm_aperture *aperture)
{
	struct range_node *node;

	while ((node = aperture->areas.root)) {
		range_tree_remove(&aperture->areas, node);
		free(node);
	}
}

const struct fmm_va_ops fmm_va_reserved = {
	.alloc = va_reserved_alloc,
	.release = va_reserved_release,
};
