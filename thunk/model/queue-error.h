/* SPDX-License-Identifier: MIT */
/* How a runtime that knows nothing of exceptions learns that a queue has failed (gpu_packets.md 4). */
#ifndef KFDSCOPE_THUNK_MODEL_QUEUE_ERROR_H
#define KFDSCOPE_THUNK_MODEL_QUEUE_ERROR_H

#include "process.h"

/*
 * Stores what failed into the queue_inactive_signal of an AQL queue and wakes who waits for it, as the
 * firmware does. Does nothing for other queues and for codes that the signal cannot tell.
 *
 * @param code  EC_* number.
 */
void kfd_model_queue_error_signal(struct kfd_model_process *process,
				  const struct kfd_model_kfd_queue *queue, uint32_t code);

#endif
