/* SPDX-License-Identifier: MIT */
/*
 * PM4 commands: of PM4 queues, of the indirect buffers that AQL queues are given, and of the raw
 * slots of gfx8 (gpu_packets.md 6). There are no registers; packets about them are passed over.
 */
#include "model/gpu/queue.h"

#define PM4_MAX_DWORDS 16 /* of a packet that are looked at; data beyond is read where it lies */

enum pm4_op {
	PM4_NOP = 0x10,
	PM4_DISPATCH_DIRECT = 0x15,
	PM4_ATOMIC_MEM = 0x1e,
	PM4_PRED_EXEC = 0x23,
	PM4_WRITE_DATA = 0x37,
	PM4_WAIT_REG_MEM = 0x3c,
	PM4_INDIRECT_BUFFER = 0x3f,
	PM4_COPY_DATA = 0x40,
	PM4_EVENT_WRITE_EOP = 0x47,
	PM4_RELEASE_MEM = 0x49,
	PM4_DMA_DATA = 0x50,
	PM4_SET_SH_REG = 0x76,
};

/* Offsets of SET_SH_REG at which the address of a compute program is. */
enum { SH_COMPUTE_PGM_LO = 0x20c, SH_COMPUTE_PGM_HI = 0x20d };

struct pm4_packet {
	struct kfd_model_queue *queue;
	struct gpu_work *work;
	struct gpu_level *level;
	uint32_t dw[PM4_MAX_DWORDS];
	uint64_t dwords;
};

struct pm4_entry {
	uint8_t op;
	uint32_t min_dwords; /* a shorter packet is passed over */
	enum gpu_step (*run)(struct pm4_packet *packet);
};

static uint64_t address(const uint32_t *dw)
{
	return dw[0] | (uint64_t)dw[1] << 32;
}

static enum gpu_step result(bool ok)
{
	return ok ? GPU_STEP_DONE : GPU_STEP_DEAD;
}

static enum gpu_step run_dispatch(struct pm4_packet *packet)
{
	const struct gpu_pm4_state *state = &packet->queue->pm4;

	packet->work->dispatched = true;
	packet->work->kernel_object = (state->program_low | (uint64_t)state->program_high << 32)
				      << 8;
	return GPU_STEP_DONE;
}

static enum gpu_step run_set_sh_reg(struct pm4_packet *packet)
{
	uint32_t first = packet->dw[1] & 0xffff;
	struct gpu_pm4_state *state = &packet->queue->pm4;

	for (uint32_t i = 2; i < packet->dwords && i < PM4_MAX_DWORDS; i++) {
		if (first + i - 2 == SH_COMPUTE_PGM_LO)
			state->program_low = packet->dw[i];
		if (first + i - 2 == SH_COMPUTE_PGM_HI)
			state->program_high = packet->dw[i];
	}
	return GPU_STEP_DONE;
}

static enum gpu_step run_atomic_mem(struct pm4_packet *packet)
{
	const uint32_t *dw = packet->dw;
	uint32_t op = dw[1] & 0x7f;
	bool wide = op & GPU_ATOMIC_64BIT, loop = (dw[1] >> 8 & 0xf) == 1;
	uint64_t compare = wide ? address(&dw[6]) : dw[6], old = 0;

	if (!gpu_atomic_known(op))
		return gpu_except(packet->work, GPU_EXCEPTION_PACKET_RESERVED);
	if (!gpu_atomic(packet->work, op, address(&dw[2]), address(&dw[4]), compare, &old))
		return GPU_STEP_DEAD;
	if (loop && (op & 31u) == GPU_ATOMIC_CMPSWAP && old != compare)
		return GPU_STEP_WAIT;
	packet->queue->pm4.atomic_return = old;
	return GPU_STEP_DONE;
}

/* Of the dies of a GPU this is number 0: what is for others is passed over. */
static enum gpu_step run_pred_exec(struct pm4_packet *packet)
{
	uint64_t count = packet->dw[1] & 0x3fff;

	if (packet->dw[1] >> 24 & 1)
		return GPU_STEP_DONE;
	if (gpu_level_left(packet->level) < packet->dwords + count) {
		if (packet->level->size_dwords)
			return GPU_STEP_EMPTY;
		return gpu_except(packet->work, GPU_EXCEPTION_PACKET_RESERVED);
	}
	packet->dwords += count;
	return GPU_STEP_DONE;
}

static enum gpu_step run_write_data(struct pm4_packet *packet)
{
	uint32_t to = packet->dw[1] >> 8 & 0xf;
	bool one_address = packet->dw[1] & 1u << 16;
	uint64_t dst = address(&packet->dw[2]), count = packet->dwords - 4;

	if (to != 1 && to != 2 && to != 5) /* a register */
		return GPU_STEP_DONE;
	if (one_address && count) /* each overwrites the one before */
		return result(gpu_level_copy_out(packet->work, packet->level, packet->dwords - 1,
						 dst, 1));
	return result(gpu_level_copy_out(packet->work, packet->level, 4, dst, count));
}

static enum gpu_step run_wait_reg_mem(struct pm4_packet *packet)
{
	const uint32_t *dw = packet->dw;
	uint32_t value = 0;

	if ((dw[1] >> 4 & 3) != 1) /* a register */
		return GPU_STEP_DONE;
	if (!gpu_load32(packet->work, address(&dw[2]) & ~3ull, &value))
		return GPU_STEP_DEAD;
	return gpu_compare(dw[1] & 7, value & dw[5], dw[4]) ? GPU_STEP_DONE : GPU_STEP_WAIT;
}

static enum gpu_step run_indirect_buffer(struct pm4_packet *packet)
{
	uint64_t va = (packet->dw[1] & ~3u) | (uint64_t)(packet->dw[2] & 0xffff) << 32;

	if (!gpu_stream_push(&packet->queue->stream, va, packet->dw[3] & 0xfffff))
		return gpu_except(packet->work, GPU_EXCEPTION_PACKET_RESERVED);
	return GPU_STEP_DONE;
}

/* The value to be copied; *ok becomes false after a fault. */
static uint64_t copy_data_source(struct pm4_packet *packet, bool wide, bool *ok)
{
	const uint32_t *dw = packet->dw;
	uint64_t value = 0;
	uint32_t low = 0;

	switch (dw[1] & 0xf) {
	case 1: /* memory, directly or through the L2 */
	case 2:
		*ok = wide ? gpu_load64(packet->work, address(&dw[2]), &value)
			   : gpu_load32(packet->work, address(&dw[2]), &low);
		return wide ? value : low;
	case 5: /* immediate */
		return address(&dw[2]);
	case 6: /* what the last atomic found */
		return packet->queue->pm4.atomic_return;
	case 9: /* GPU clock */
		return packet->work->host->clock(packet->work->vm);
	default: /* registers and counters read as nothing */
		return 0;
	}
}

static enum gpu_step run_copy_data(struct pm4_packet *packet)
{
	uint32_t to = packet->dw[1] >> 8 & 0xf;
	uint64_t dst = address(&packet->dw[4]), value;
	bool wide = packet->dw[1] & 1u << 16, ok = true;

	value = copy_data_source(packet, wide, &ok);
	if (!ok)
		return GPU_STEP_DEAD;
	if (to != 1 && to != 2 && to != 5) /* a register */
		return GPU_STEP_DONE;
	return result(wide ? gpu_store64(packet->work, dst, value)
			   : gpu_store32(packet->work, dst, (uint32_t)value));
}

static enum gpu_step run_dma_data(struct pm4_packet *packet)
{
	const uint32_t *dw = packet->dw;
	uint32_t from = dw[1] >> 29 & 3, to = dw[1] >> 20 & 3;
	uint64_t bytes = dw[6] & 0x3ffffff, dst = address(&dw[4]);

	if (from == 1 || to == 1) /* global data share: there is none */
		return GPU_STEP_DONE;
	if (from == 2) /* the source field is the data */
		return result(gpu_fill(packet->work, dst, &dw[2], sizeof(dw[2]), bytes));
	return result(gpu_copy(packet->work, dst, address(&dw[2]), bytes));
}

/* The store and the interrupt at the end of the pipe. */
static enum gpu_step end_of_pipe(struct pm4_packet *packet, uint32_t interrupt_select,
				 uint32_t data_select, uint64_t dst, uint64_t data,
				 uint32_t context_id)
{
	bool ok = true;

	switch (data_select) {
	case 1:
		ok = gpu_store32(packet->work, dst, (uint32_t)data);
		break;
	case 2:
		ok = gpu_store64(packet->work, dst, data);
		break;
	case 3:
		ok = gpu_store64(packet->work, dst, packet->work->host->clock(packet->work->vm));
		break;
	default:
		break;
	}
	if (!ok)
		return GPU_STEP_DEAD;
	if (interrupt_select == 1 || interrupt_select == 2) {
		packet->work->has_interrupt = true;
		packet->work->interrupt_id = context_id;
	}
	return GPU_STEP_DONE;
}

static enum gpu_step run_release_mem(struct pm4_packet *packet)
{
	const uint32_t *dw = packet->dw;
	/* Before gfx9 the packet names no event: 0 lets the driver look at all of them. */
	uint32_t context_id = packet->dwords >= 8 ? dw[7] : 0;

	return end_of_pipe(packet, dw[2] >> 24 & 7, dw[2] >> 29, address(&dw[3]), address(&dw[5]),
			   context_id);
}

static enum gpu_step run_event_write_eop(struct pm4_packet *packet)
{
	const uint32_t *dw = packet->dw;
	uint64_t dst = dw[2] | (uint64_t)(dw[3] & 0xffff) << 32;

	return end_of_pipe(packet, dw[3] >> 24 & 3, dw[3] >> 29, dst, address(&dw[4]), 0);
}

/* Every other packet is passed over: caches, register contexts, events without a store. */
static const struct pm4_entry entries[] = {
	{ PM4_DISPATCH_DIRECT, 5, run_dispatch },  { PM4_ATOMIC_MEM, 9, run_atomic_mem },
	{ PM4_PRED_EXEC, 2, run_pred_exec },       { PM4_WRITE_DATA, 4, run_write_data },
	{ PM4_WAIT_REG_MEM, 7, run_wait_reg_mem }, { PM4_INDIRECT_BUFFER, 4, run_indirect_buffer },
	{ PM4_COPY_DATA, 6, run_copy_data },       { PM4_EVENT_WRITE_EOP, 6, run_event_write_eop },
	{ PM4_RELEASE_MEM, 7, run_release_mem },   { PM4_DMA_DATA, 7, run_dma_data },
	{ PM4_SET_SH_REG, 3, run_set_sh_reg },
};

static uint64_t length(uint32_t header)
{
	uint32_t count = header >> 16 & 0x3fff;

	switch (header >> 30) {
	case 0: /* registers in sequence */
		return count + 2;
	case 3:
		if ((header >> 8 & 0xff) == PM4_NOP && count == 0x3fff)
			return 1;
		return count + 2;
	default: /* filler */
		return 1;
	}
}

static enum gpu_step run(struct pm4_packet *packet)
{
	if (packet->dw[0] >> 30 != 3)
		return GPU_STEP_DONE;
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		if (entries[i].op == (packet->dw[0] >> 8 & 0xff) &&
		    packet->dwords >= entries[i].min_dwords)
			return entries[i].run(packet);
	}
	return GPU_STEP_DONE;
}

enum gpu_step gpu_pm4_step(struct kfd_model_queue *queue, struct gpu_work *work)
{
	struct gpu_level *level = gpu_stream_top(&queue->stream);
	struct pm4_packet packet = { .queue = queue, .work = work, .level = level };
	uint64_t left = level ? gpu_level_left(level) : 0;
	enum gpu_step step;

	if (!left)
		return GPU_STEP_EMPTY;
	if (!gpu_level_read(work, level, 0, packet.dw, 1))
		return GPU_STEP_DEAD;
	packet.dwords = length(packet.dw[0]);
	if (left < packet.dwords) /* more may come into a ring, nothing into a buffer */
		return level->size_dwords ? GPU_STEP_EMPTY
					  : gpu_except(work, GPU_EXCEPTION_PACKET_RESERVED);
	if (!gpu_level_read(work, level, 0, packet.dw,
			    packet.dwords < PM4_MAX_DWORDS ? packet.dwords : PM4_MAX_DWORDS))
		return GPU_STEP_DEAD;
	step = run(&packet);
	if (step == GPU_STEP_DONE)
		level->pos += packet.dwords;
	return step;
}

static enum gpu_step pm4_queue_step(struct kfd_model_queue *queue, struct gpu_work *work)
{
	const struct gpu_level *ring = &queue->stream.level[0];
	enum gpu_step step;

	if (!gpu_ring_update(queue, work, sizeof(uint32_t)))
		return GPU_STEP_DEAD;
	step = gpu_pm4_step(queue, work);
	if (step != GPU_STEP_DONE)
		return step;
	gpu_stream_top(
		&queue->stream); /* a buffer that has ended frees the packet that opened it */
	if (queue->stream.depth == 1 && !gpu_store32(work, queue->config.read_ptr_va,
						     (uint32_t)(ring->pos % ring->size_dwords)))
		return GPU_STEP_DEAD;
	return GPU_STEP_DONE;
}

const struct gpu_processor gpu_processor_pm4 = { .step = pm4_queue_step };
