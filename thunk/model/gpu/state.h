/* SPDX-License-Identifier: MIT */
/* Puts a saved state into a queue that no worker knows yet. */
#ifndef KFDSCOPE_THUNK_MODEL_GPU_STATE_H
#define KFDSCOPE_THUNK_MODEL_GPU_STATE_H

#include "model/gpu/queue.h"

/* The state is one that kfd_model_queue_may_load() has seen; the queue is evicted once. */
void gpu_state_load(struct kfd_model_queue *queue, const struct kfd_model_queue_state *state);

#endif
