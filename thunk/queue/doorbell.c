/* SPDX-License-Identifier: MIT */
/*
 * Doorbells: one page of them a node, mapped by the first queue and kept until the topology is
 * released (queues.md 6).
 */
#include "queue/queue-internal.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "memory/fmm.h"
#include "topology/topology.h"

#define GFX_TONGA          KMT_GFX(8, 0, 2)
#define GFX_WIDE_DOORBELLS KMT_GFX(9, 0, 0)
#define DOORBELLS_A_PAGE   UINT64_C(1024)
/* Stays so with larger system pages. */
#define WIDE_OFFSET_MASK UINT64_C(8191)

HSAKMT_STATUS kmt_doorbells_init(struct kmt_context *ctx)
{
	uint32_t count = kmt_topology_node_count(ctx);
	struct doorbell *doorbells;

	if (!ctx->queues)
		return HSAKMT_STATUS_NO_MEMORY;
	if (ctx->queues->doorbells)
		return HSAKMT_STATUS_SUCCESS;
	doorbells = calloc(count ? count : 1, sizeof(*doorbells));
	if (!doorbells)
		return HSAKMT_STATUS_NO_MEMORY;
	for (uint32_t i = 0; i < count; i++)
		pthread_mutex_init(&doorbells[i].lock, NULL);
	ctx->queues->doorbells = doorbells;
	ctx->queues->doorbell_count = count;
	return HSAKMT_STATUS_SUCCESS;
}

static void forget(struct kmt_context *ctx)
{
	free(ctx->queues->doorbells);
	ctx->queues->doorbells = NULL;
	ctx->queues->doorbell_count = 0;
}

void kmt_doorbells_fini(struct kmt_context *ctx)
{
	for (uint32_t i = 0; ctx->queues && i < ctx->queues->doorbell_count; i++) {
		struct doorbell *doorbell = &ctx->queues->doorbells[i];

		if (doorbell->size_bytes && doorbell->is_gpuvm)
			kmt_fmm_unmap_doorbell(ctx, doorbell->mapping);
		else if (doorbell->size_bytes)
			(void)kmt_munmap(ctx, doorbell->mapping, doorbell->size_bytes);
		pthread_mutex_destroy(&doorbell->lock);
	}
	if (ctx->queues)
		forget(ctx);
}

/*
 * The memory manager of the child drops the others itself; locks may be held by no thread at all.
 */
void kmt_doorbells_after_fork(struct kmt_context *ctx)
{
	for (uint32_t i = 0; ctx->queues && i < ctx->queues->doorbell_count; i++) {
		struct doorbell *doorbell = &ctx->queues->doorbells[i];

		if (doorbell->size_bytes && !doorbell->is_gpuvm)
			(void)kmt_munmap(ctx, doorbell->mapping, doorbell->size_bytes);
	}
	if (ctx->queues)
		forget(ctx);
}

static bool map_page(struct kmt_context *ctx, struct doorbell *doorbell, uint32_t node_id,
		     uint32_t gfx, uint64_t mmap_offset)
{
	uint64_t size_bytes = DOORBELLS_A_PAGE * (gfx >= GFX_WIDE_DOORBELLS ? 8 : 4);
	void *mapping = NULL;

	if (size_bytes < kmt_process()->page_size_bytes)
		size_bytes = kmt_process()->page_size_bytes;
	doorbell->is_gpuvm = false;
	if (kmt_process()->is_dgpu && gfx != GFX_TONGA)
		mapping = kmt_fmm_map_doorbell(ctx, node_id, size_bytes, mmap_offset);
	if (mapping) {
		doorbell->is_gpuvm = true;
	} else {
		mapping = kmt_mmap(ctx, NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
				   ctx->fd, (int64_t)mmap_offset);
		if (mapping == MAP_FAILED)
			return false;
	}
	doorbell->mapping = mapping;
	doorbell->size_bytes = size_bytes;
	return true;
}

void *doorbell_map(struct kmt_context *ctx, uint32_t node_id, uint32_t gfx, uint64_t kfd_offset,
		   uint32_t kernel_id)
{
	const bool wide = gfx >= GFX_WIDE_DOORBELLS;
	uint64_t mmap_offset = wide ? kfd_offset & ~WIDE_OFFSET_MASK : kfd_offset;
	uint64_t offset = wide ? kfd_offset & WIDE_OFFSET_MASK : kernel_id * UINT64_C(4);
	struct doorbell *doorbell;
	char *address = NULL;

	if (node_id >= ctx->queues->doorbell_count)
		return NULL;
	doorbell = &ctx->queues->doorbells[node_id];
	pthread_mutex_lock(&doorbell->lock);
	if ((doorbell->size_bytes || map_page(ctx, doorbell, node_id, gfx, mmap_offset)) &&
	    offset < doorbell->size_bytes)
		address = (char *)doorbell->mapping + offset;
	pthread_mutex_unlock(&doorbell->lock);
	return address;
}
