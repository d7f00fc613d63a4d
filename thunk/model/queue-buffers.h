/* SPDX-License-Identifier: MIT */
/* The memory that a queue stands on and that must stay while it does (kfd.md 5.2). */
#ifndef KFDSCOPE_THUNK_MODEL_QUEUE_BUFFERS_H
#define KFDSCOPE_THUNK_MODEL_QUEUE_BUFFERS_H

#include "queue.h"

/*
 * Checks ring, pointers, EOP buffer and save area and takes a use of each. Kernels before 6.12
 * (interface 1.17) look at none of them.
 * @return 0 or -EINVAL; the queue then holds what kfd_model_queue_buffers_put() gives back.
 */
int kfd_model_queue_buffers_get(struct kfd_model_kfd_queue *queue);
/* Drops all uses. */
void kfd_model_queue_buffers_put(struct kfd_model_kfd_queue *queue);
/* Swaps the use of the old ring for one of the new. @return 0 or -EINVAL with nothing changed. */
int kfd_model_queue_buffers_move_ring(struct kfd_model_kfd_queue *queue,
				      const struct kfd_ioctl_create_queue_args *updated);
/*
 * The same for a queue that is restored: it passed the checks when it was made, and its save area may
 * be memory that is not registered again yet. What is found is kept from being freed.
 */
void kfd_model_queue_buffers_reuse(struct kfd_model_kfd_queue *queue);

#endif
