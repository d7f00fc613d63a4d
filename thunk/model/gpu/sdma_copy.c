/* SPDX-License-Identifier: MIT */
/* SDMA copies: linear with one or more destinations, rectangles, exchange (gpu_packets.md 5.1-5.6). */
#include "model/gpu/sdma.h"

#define COUNT_MASK 0x3fffffffu

enum {
	LINEAR_BROADCAST = 27, /* bits of dw0 */
	LINEAR_WAIT = 30,
	LINEAR_SIGNAL = 31,
	LINEAR_WAIT_INDIRECT = 20,
	LINEAR_SIGNAL_INDIRECT = 21,
	WAIT_DWORDS = 7,
	SIGNAL_DWORDS = 5,
};

static bool bit(uint32_t dw, unsigned int number)
{
	return dw >> number & 1;
}

/* The count of a copy: one less than the bytes since gfx9. */
static uint64_t count_bytes(uint32_t dw, uint32_t gfx_version)
{
	return (dw & COUNT_MASK) + (gfx_version >= GPU_GFX9);
}

uint64_t sdma_copy_linear_dwords(const uint32_t *dw, uint32_t gfx_version)
{
	uint64_t dwords = 7;

	if (bit(dw[0], LINEAR_BROADCAST))
		return 9;
	if (gfx_version >= GPU_GFX1250) {
		dwords += bit(dw[0], LINEAR_WAIT) ? WAIT_DWORDS : 0;
		dwords += bit(dw[0], LINEAR_SIGNAL) ? SIGNAL_DWORDS : 0;
	}
	return dwords;
}

uint64_t sdma_copy_multicast_dwords(const uint32_t *dw, uint32_t gfx_version)
{
	uint32_t destinations = dw[2] & 0x3ff;

	(void)gfx_version;
	return 7 + 2 * (destinations ? destinations - 1 : 0);
}

/* The condition in front of a gfx1250 copy. @return GPU_STEP_DONE when it holds. */
static enum gpu_step wait_part(struct sdma_packet *packet, const uint32_t *dw)
{
	uint64_t va = sdma_u64(&dw[1]), value = 0;

	if (bit(packet->dw[0], LINEAR_WAIT_INDIRECT) && !gpu_load64(packet->work, va, &va))
		return GPU_STEP_DEAD;
	if (!gpu_load64(packet->work, va, &value))
		return GPU_STEP_DEAD;
	return gpu_compare(dw[0] & 7, value & sdma_u64(&dw[5]), sdma_u64(&dw[3])) ? GPU_STEP_DONE
										  : GPU_STEP_WAIT;
}

/* The signal behind a gfx1250 copy: one of the cache's operations, or a plain store. */
static enum gpu_step signal_part(struct sdma_packet *packet, const uint32_t *dw)
{
	uint64_t va = sdma_u64(&dw[1]), data = sdma_u64(&dw[3]), old = 0;
	uint32_t op = dw[0] & 0x7f;

	if (bit(packet->dw[0], LINEAR_SIGNAL_INDIRECT) && !gpu_load64(packet->work, va, &va))
		return GPU_STEP_DEAD;
	if (!op)
		return sdma_result(gpu_store64(packet->work, va, data));
	if (!gpu_atomic_known(op))
		return gpu_except(packet->work, GPU_EXCEPTION_PACKET_RESERVED);
	return sdma_result(gpu_atomic(packet->work, op, va, data, 0, &old));
}

enum gpu_step sdma_copy_linear(struct sdma_packet *packet)
{
	struct gpu_work *work = packet->work;
	bool extended = work->gfx_version >= GPU_GFX1250 && !bit(packet->dw[0], LINEAR_BROADCAST);
	const uint32_t *dw = &packet->dw[1];
	enum gpu_step step = GPU_STEP_DONE;
	uint64_t bytes;

	if (extended && bit(packet->dw[0], LINEAR_WAIT)) {
		step = wait_part(packet, dw);
		dw += WAIT_DWORDS;
	}
	if (step != GPU_STEP_DONE)
		return step;
	bytes = count_bytes(dw[0], work->gfx_version);
	if (!gpu_copy(work, sdma_u64(&dw[4]), sdma_u64(&dw[2]), bytes))
		return GPU_STEP_DEAD;
	if (bit(packet->dw[0], LINEAR_BROADCAST) &&
	    !gpu_copy(work, sdma_u64(&dw[6]), sdma_u64(&dw[2]), bytes))
		return GPU_STEP_DEAD;
	if (extended && bit(packet->dw[0], LINEAR_SIGNAL))
		step = signal_part(packet, &dw[6]);
	return step;
}

enum gpu_step sdma_copy_swap(struct sdma_packet *packet)
{
	return sdma_result(gpu_swap(packet->work, sdma_u64(&packet->dw[3]),
				    sdma_u64(&packet->dw[5]),
				    count_bytes(packet->dw[1], packet->work->gfx_version)));
}

enum gpu_step sdma_copy_multicast(struct sdma_packet *packet)
{
	uint64_t bytes = count_bytes(packet->dw[1], packet->work->gfx_version);
	uint64_t src = sdma_u64(&packet->dw[3]);

	for (uint32_t i = 0; i < (packet->dw[2] & 0x3ff); i++) {
		uint32_t dst[2];

		if (!gpu_level_read(packet->work, packet->level, 5 + 2 * (uint64_t)i, dst, 2) ||
		    !gpu_copy(packet->work, sdma_u64(dst), src, bytes))
			return GPU_STEP_DEAD;
	}
	return GPU_STEP_DONE;
}

/* One side of a rectangle copy, in elements. */
struct window {
	uint64_t base, x, y, z, pitch, slice;
};

static struct window window_read(const uint32_t *dw, bool wide)
{
	struct window window = { .base = sdma_u64(dw) };

	if (wide) {
		window.x = dw[2] & 0xffff;
		window.y = dw[2] >> 16;
		window.z = dw[3] & 0x3fff;
		window.pitch = (dw[3] >> 16) + 1;
		window.slice = (uint64_t)dw[4] + 1;
	} else {
		window.x = dw[2] & 0x3fff;
		window.y = dw[2] >> 16 & 0x3fff;
		window.z = dw[3] & 0x7ff;
		window.pitch = (dw[3] >> 13) + 1;
		window.slice = (dw[4] & 0xfffffff) + 1;
	}
	return window;
}

static uint64_t row_va(const struct window *window, uint64_t y, uint64_t z, unsigned int shift)
{
	uint64_t element =
		(window->z + z) * window->slice + (window->y + y) * window->pitch + window->x;

	return window->base + (element << shift);
}

enum gpu_step sdma_copy_rect(struct sdma_packet *packet)
{
	bool wide = packet->work->gfx_version >= GPU_GFX12;
	const uint32_t *dw = packet->dw;
	unsigned int shift = dw[0] >> 29;
	struct window src = window_read(&dw[1], wide), dst = window_read(&dw[6], wide);
	uint64_t columns = (dw[11] & (wide ? 0xffff : 0x3fff)) + 1;
	uint64_t rows = (dw[11] >> 16 & (wide ? 0xffff : 0x3fff)) + 1;
	uint64_t slices = (dw[12] & (wide ? 0x3fff : 0x7ff)) + 1;

	if (shift > 4)
		return gpu_except(packet->work, GPU_EXCEPTION_PACKET_RESERVED);
	for (uint64_t z = 0; z < slices; z++) {
		for (uint64_t y = 0; y < rows; y++) {
			if (!gpu_copy(packet->work, row_va(&dst, y, z, shift),
				      row_va(&src, y, z, shift), columns << shift))
				return GPU_STEP_DEAD;
		}
	}
	return GPU_STEP_DONE;
}
