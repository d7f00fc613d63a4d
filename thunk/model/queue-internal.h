/* SPDX-License-Identifier: MIT */
/* What queue.c and queue-image.c share. The caller holds the process's lock. */
#ifndef KFDSCOPE_THUNK_MODEL_QUEUE_INTERNAL_H
#define KFDSCOPE_THUNK_MODEL_QUEUE_INTERNAL_H

#include "queue-buffers.h"
#include "queue.h"

bool kfd_model_queue_is_sdma(uint32_t type);
/* The driver's checks of an argument; vm may be NULL. @return 0 or -errno. */
int kfd_model_queue_check(const struct kfd_model_process *process,
			  struct kfd_ioctl_create_queue_args *args, const struct kfd_model_vm *vm);
/* Whether the GPU takes one more queue of the process. */
bool kfd_model_queue_has_room(const struct kfd_model_vm *vm);
/*
 * Lists a queue that has its slots, and has it served.
 * @param state  NULL for a new one, else what it goes on from, when it is resumed.
 * @return 0, -ENOMEM, or -EINVAL for a state that cannot be.
 */
int kfd_model_queue_start(struct kfd_model_process *process, struct kfd_model_kfd_queue *queue,
			  const struct kfd_model_queue_state *state);
/* Undoes whatever was done, but for the listing, and frees it. */
void kfd_model_queue_end(struct kfd_model_kfd_queue *queue, bool has_doorbell);

#endif
