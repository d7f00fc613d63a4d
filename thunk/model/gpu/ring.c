/* SPDX-License-Identifier: MIT */
/*
 * Ring pointers of SDMA and PM4 queues: the widths and units of the generations
 * (gpu_packets.md 1).
 */
#include "model/gpu/queue.h"

/* Until gfx9 the write pointer has 32 bits and starts again at the end of the ring. */
static bool update_wrapping(struct kfd_model_queue *queue, struct gpu_work *work,
			    uint64_t unit_bytes)
{
	struct gpu_level *ring = &queue->stream.level[0];
	uint32_t raw = 0;
	uint64_t index;

	if (!gpu_load32(work, queue->config.write_ptr_va, &raw))
		return false;
	index = raw * unit_bytes / sizeof(uint32_t) % ring->size_dwords;
	ring->end = ring->pos +
		    (index + ring->size_dwords - ring->pos % ring->size_dwords) % ring->size_dwords;
	return true;
}

static bool in_ring(const struct gpu_level *ring, uint64_t end)
{
	return end >= ring->pos && end - ring->pos <= ring->size_dwords;
}

bool gpu_ring_update(struct kfd_model_queue *queue, struct gpu_work *work, uint64_t unit_bytes)
{
	struct gpu_level *ring = &queue->stream.level[0];
	uint64_t raw = 0, end, rung;

	if (queue->config.gfx_version < GPU_GFX9)
		return update_wrapping(queue, work, unit_bytes);
	if (!gpu_load64(work, queue->config.write_ptr_va, &raw))
		return false;
	end = raw * unit_bytes / sizeof(uint32_t);
	/* A program may ring the doorbell only and leave the write pointer's memory alone. */
	rung = queue->doorbell_seen * unit_bytes / sizeof(uint32_t);
	if (queue->doorbell_rung && in_ring(ring, rung) && (!in_ring(ring, end) || rung > end))
		end = rung;
	if (in_ring(ring, end)) /* else a pointer that makes no sense: as if nothing were there */
		ring->end = end;
	return true;
}

enum gpu_step gpu_except(struct gpu_work *work, uint32_t code)
{
	work->exception = code;
	return GPU_STEP_DEAD;
}
