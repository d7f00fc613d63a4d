/* SPDX-License-Identifier: MIT */
/* What the SDMA packet table and the handlers of its packets share. */
#ifndef KFDSCOPE_THUNK_MODEL_GPU_SDMA_H
#define KFDSCOPE_THUNK_MODEL_GPU_SDMA_H

#include "model/gpu/queue.h"

#define SDMA_MAX_DWORDS 19 /* of a packet without data or a list in it */

/* One packet being carried out. */
struct sdma_packet {
	struct kfd_model_queue *queue;
	struct gpu_work *work;
	const struct gpu_level *level; /* where the rest of a long packet is read from */
	uint32_t dw[SDMA_MAX_DWORDS];  /* its beginning */
	uint64_t dwords;               /* its whole length */
};

/* A handler's answer is that of the whole step: DONE, WAIT or DEAD. */
enum gpu_step sdma_copy_linear(struct sdma_packet *packet);
enum gpu_step sdma_copy_rect(struct sdma_packet *packet);
enum gpu_step sdma_copy_swap(struct sdma_packet *packet);
enum gpu_step sdma_copy_multicast(struct sdma_packet *packet);

/* Length of the copies whose length varies, from their first three dwords. */
uint64_t sdma_copy_linear_dwords(const uint32_t *dw, uint32_t gfx_version);
uint64_t sdma_copy_multicast_dwords(const uint32_t *dw, uint32_t gfx_version);

/* Address in two dwords. */
static inline uint64_t sdma_u64(const uint32_t *dw)
{
	return dw[0] | (uint64_t)dw[1] << 32;
}

static inline enum gpu_step sdma_result(bool ok)
{
	return ok ? GPU_STEP_DONE : GPU_STEP_DEAD;
}

#endif
