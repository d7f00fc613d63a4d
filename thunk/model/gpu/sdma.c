/* SPDX-License-Identifier: MIT */
/*
 * SDMA queues: a table of packets by operation and generation, and the handlers of all packets that
 * are not copies (gpu_packets.md 5).
 */
#include "model/gpu/sdma.h"

#define ANY_END UINT32_MAX

struct sdma_entry {
	uint8_t op, sub_op;
	bool any_sub_op;
	uint32_t from_gfx, until_gfx; /* first version that has it, first that has not */
	uint32_t dwords;              /* length, or the dwords that length() looks at */
	uint64_t (*length)(const uint32_t *dw, uint32_t gfx_version); /* NULL: fixed */
	enum gpu_step (*run)(struct sdma_packet *packet);
};

static uint64_t nop_dwords(const uint32_t *dw, uint32_t gfx_version)
{
	(void)gfx_version;
	return 1 + (dw[0] >> 16 & 0x3fff);
}

static uint64_t write_dwords(const uint32_t *dw, uint32_t gfx_version)
{
	(void)gfx_version;
	return 4 + (dw[3] & 0xfffff) + 1;
}

static enum gpu_step run_nothing(struct sdma_packet *packet)
{
	(void)packet;
	return GPU_STEP_DONE;
}

static enum gpu_step run_write(struct sdma_packet *packet)
{
	uint64_t dst = sdma_u64(&packet->dw[1]);

	return sdma_result(
		gpu_level_copy_out(packet->work, packet->level, 4, dst, packet->dwords - 4));
}

static enum gpu_step run_indirect(struct sdma_packet *packet)
{
	/* Only one level deep, and the packet is done when its buffer is. */
	if (packet->queue->stream.depth > 1)
		return gpu_except(packet->work, GPU_EXCEPTION_PACKET_RESERVED);
	gpu_stream_push(&packet->queue->stream, sdma_u64(&packet->dw[1]), packet->dw[3] & 0xfffff);
	return GPU_STEP_DONE;
}

static enum gpu_step run_fence(struct sdma_packet *packet)
{
	return sdma_result(gpu_store32(packet->work, sdma_u64(&packet->dw[1]), packet->dw[3]));
}

static enum gpu_step run_fence64(struct sdma_packet *packet)
{
	return sdma_result(
		gpu_store64(packet->work, sdma_u64(&packet->dw[1]), sdma_u64(&packet->dw[3])));
}

static enum gpu_step run_trap(struct sdma_packet *packet)
{
	packet->work->has_interrupt = true;
	packet->work->interrupt_id = packet->dw[1] & 0xfffffff;
	return GPU_STEP_DONE;
}

static enum gpu_step run_poll(struct sdma_packet *packet)
{
	uint32_t value = 0;

	if (!(packet->dw[0] >> 31)) /* a register: only the HDP flush, done at once */
		return GPU_STEP_DONE;
	if (!gpu_load32(packet->work, sdma_u64(&packet->dw[1]), &value))
		return GPU_STEP_DEAD;
	value &= packet->dw[4];
	return gpu_compare(packet->dw[0] >> 28 & 7, value, packet->dw[3]) ? GPU_STEP_DONE
									  : GPU_STEP_WAIT;
}

static enum gpu_step run_poll64(struct sdma_packet *packet)
{
	uint64_t value = 0;

	if (!gpu_load64(packet->work, sdma_u64(&packet->dw[1]), &value))
		return GPU_STEP_DEAD;
	value &= sdma_u64(&packet->dw[5]);
	return gpu_compare(packet->dw[0] >> 28 & 7, value, sdma_u64(&packet->dw[3]))
		       ? GPU_STEP_DONE
		       : GPU_STEP_WAIT;
}

static enum gpu_step run_atomic(struct sdma_packet *packet)
{
	uint32_t op = packet->dw[0] >> 25;
	bool loop = packet->dw[0] & 1u << 16;
	uint64_t compare = sdma_u64(&packet->dw[5]), old = 0;

	if (!gpu_atomic_known(op))
		return gpu_except(packet->work, GPU_EXCEPTION_PACKET_RESERVED);
	if (!(op & GPU_ATOMIC_64BIT))
		compare = (uint32_t)compare;
	if (!gpu_atomic(packet->work, op, sdma_u64(&packet->dw[1]), sdma_u64(&packet->dw[3]),
			compare, &old))
		return GPU_STEP_DEAD;
	if (loop && (op & 31u) == GPU_ATOMIC_CMPSWAP && old != compare)
		return GPU_STEP_WAIT;
	return GPU_STEP_DONE;
}

static enum gpu_step run_fill(struct sdma_packet *packet)
{
	uint64_t count = packet->dw[4] & 0x3fffffff, dst = sdma_u64(&packet->dw[1]);

	switch (packet->dw[0] >> 30) {
	case 0:
		return sdma_result(gpu_fill(packet->work, dst, &packet->dw[3], 1, count + 1));
	case 2:
		return sdma_result(gpu_fill(packet->work, dst, &packet->dw[3], sizeof(uint32_t),
					    ((count >> 2) + 1) * sizeof(uint32_t)));
	default:
		return gpu_except(packet->work, GPU_EXCEPTION_PACKET_RESERVED);
	}
}

static enum gpu_step run_timestamp(struct sdma_packet *packet)
{
	return sdma_result(gpu_store64(packet->work, sdma_u64(&packet->dw[1]),
				       packet->work->host->clock(packet->work->vm)));
}

/* clang-format off */
static const struct sdma_entry entries[] = {
	/* op sub  any    from          until         dwords  length                      run */
	{  0,  0, true,  0,            ANY_END,       1, nop_dwords,                 run_nothing },
	{  1,  0, false, 0,            ANY_END,       1, sdma_copy_linear_dwords,    sdma_copy_linear },
	{  1,  4, false, 0,            ANY_END,      13, NULL,                       sdma_copy_rect },
	{  1,  9, false, GPU_GFX94,    GPU_GFX10,     7, NULL,                       sdma_copy_swap },
	{  1,  9, false, GPU_GFX1250,  ANY_END,       7, NULL,                       sdma_copy_swap },
	{  1, 10, false, GPU_GFX1250,  ANY_END,       3, sdma_copy_multicast_dwords, sdma_copy_multicast },
	{  2,  0, false, 0,            ANY_END,       4, write_dwords,               run_write },
	{  4,  0, true,  0,            ANY_END,       6, NULL,                       run_indirect },
	{  5,  0, false, 0,            ANY_END,       4, NULL,                       run_fence },
	{  5,  2, false, GPU_GFX1250,  ANY_END,       5, NULL,                       run_fence64 },
	{  6,  0, false, 0,            ANY_END,       2, NULL,                       run_trap },
	{  8,  0, false, 0,            ANY_END,       6, NULL,                       run_poll },
	{  8,  5, false, GPU_GFX1250,  ANY_END,       8, NULL,                       run_poll64 },
	{ 10,  0, true,  0,            ANY_END,       8, NULL,                       run_atomic },
	{ 11,  0, false, 0,            ANY_END,       5, NULL,                       run_fill },
	{ 13,  2, false, 0,            ANY_END,       3, NULL,                       run_timestamp },
	{ 17,  1, false, GPU_GFX10,    GPU_GFX1250,   5, NULL,                       run_nothing },
	{ 17,  1, false, GPU_GFX1250,  ANY_END,       6, NULL,                       run_nothing },
};
/* clang-format on */

static const struct sdma_entry *find(uint32_t dw0, uint32_t gfx_version)
{
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		const struct sdma_entry *entry = &entries[i];

		if (entry->op == (dw0 & 0xff) &&
		    (entry->any_sub_op || entry->sub_op == (dw0 >> 8 & 0xff)) &&
		    gfx_version >= entry->from_gfx && gfx_version < entry->until_gfx)
			return entry;
	}
	return NULL;
}

/* A packet that is not there whole: more may come into a ring, nothing into a buffer. */
static enum gpu_step cut_short(struct kfd_model_queue *queue, struct gpu_work *work)
{
	if (queue->stream.depth > 1)
		return gpu_except(work, GPU_EXCEPTION_PACKET_RESERVED);
	return GPU_STEP_EMPTY;
}

/* Reads the packet's beginning. @return GPU_STEP_DONE when the whole packet is there. */
static enum gpu_step fetch(struct sdma_packet *packet, const struct sdma_entry **entry)
{
	struct kfd_model_queue *queue = packet->queue;
	uint64_t left = gpu_level_left(packet->level);
	uint64_t ring_dwords = queue->stream.level[0].size_dwords;

	if (!left)
		return GPU_STEP_EMPTY;
	if (!gpu_level_read(packet->work, packet->level, 0, packet->dw, 1))
		return GPU_STEP_DEAD;
	*entry = find(packet->dw[0], packet->work->gfx_version);
	if (!*entry)
		return gpu_except(packet->work, GPU_EXCEPTION_PACKET_UNSUPPORTED);
	packet->dwords = (*entry)->dwords;
	if (left < packet->dwords)
		return cut_short(queue, packet->work);
	if (!gpu_level_read(packet->work, packet->level, 0, packet->dw, packet->dwords))
		return GPU_STEP_DEAD;
	if ((*entry)->length)
		packet->dwords = (*entry)->length(packet->dw, packet->work->gfx_version);
	if (queue->stream.depth == 1 && packet->dwords > ring_dwords)
		return gpu_except(packet->work, GPU_EXCEPTION_PACKET_RESERVED);
	if (left < packet->dwords)
		return cut_short(queue, packet->work);
	if (!gpu_level_read(packet->work, packet->level, 0, packet->dw,
			    packet->dwords < SDMA_MAX_DWORDS ? packet->dwords : SDMA_MAX_DWORDS))
		return GPU_STEP_DEAD;
	return GPU_STEP_DONE;
}

/* Tells how far the ring has been read; only on packet starts, since ROCr looks things up by it. */
static bool publish(struct kfd_model_queue *queue, struct gpu_work *work)
{
	const struct gpu_level *ring = &queue->stream.level[0];

	if (work->gfx_version >= GPU_GFX9)
		return gpu_store64(work, queue->config.read_ptr_va, ring->pos * sizeof(uint32_t));
	return gpu_store32(work, queue->config.read_ptr_va,
			   (uint32_t)(ring->pos % ring->size_dwords * sizeof(uint32_t)));
}

static enum gpu_step sdma_step(struct kfd_model_queue *queue, struct gpu_work *work)
{
	struct sdma_packet packet = { .queue = queue, .work = work };
	const struct sdma_entry *entry = NULL;
	struct gpu_level *level;
	enum gpu_step step;

	if (!gpu_ring_update(queue, work, 1))
		return GPU_STEP_DEAD;
	level = gpu_stream_top(&queue->stream);
	packet.level = level;
	step = fetch(&packet, &entry);
	if (step == GPU_STEP_DONE)
		step = entry->run(&packet);
	if (step != GPU_STEP_DONE)
		return step;
	level->pos += packet.dwords;
	/* Leaving a buffer that has ended consumes the packet that opened it. */
	gpu_stream_top(&queue->stream);
	if (queue->stream.depth == 1 && !publish(queue, work))
		return GPU_STEP_DEAD;
	return GPU_STEP_DONE;
}

const struct gpu_processor gpu_processor_sdma = { .step = sdma_step };
