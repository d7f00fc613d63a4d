/* SPDX-License-Identifier: MIT */
/* Which doorbell and which SDMA slot a queue gets (kfd.md 5.3, 5.4). */
#ifndef KFDSCOPE_THUNK_MODEL_DOORBELL_H
#define KFDSCOPE_THUNK_MODEL_DOORBELL_H

#include "process.h"

/*
 * Takes a slot for a queue that is not SDMA.
 * @return the slot, or -EBUSY.
 */
int kfd_model_doorbell_take(struct kfd_model_vm *vm, uint32_t queue_id);
/* Takes the slot that belongs to a hardware SDMA queue. Same result. */
int kfd_model_doorbell_take_sdma(struct kfd_model_vm *vm, uint32_t queue_id, uint32_t engine,
				 uint32_t hw_queue);
/* Takes this very slot for a queue that is not SDMA. @return the slot, or -EBUSY. */
int kfd_model_doorbell_take_at(struct kfd_model_vm *vm, uint32_t queue_id, uint32_t slot);
void kfd_model_doorbell_release(struct kfd_model_vm *vm, uint32_t slot);

/*
 * Takes an SDMA slot of a queue type.
 * @param engine_id  wanted engine, for the BY_ENG_ID type only.
 * @param engine, hw_queue  out: which one it is.
 * @return the slot, or -ENOMEM.
 */
int kfd_model_sdma_take(struct kfd_model_vm *vm, uint32_t queue_type, uint32_t engine_id,
			uint32_t *engine, uint32_t *hw_queue);
/* Takes this very slot. @return 0, or -EINVAL when the type has no such slot or it is taken. */
int kfd_model_sdma_take_at(struct kfd_model_vm *vm, uint32_t queue_type, uint32_t engine_id,
			   int taken, uint32_t *engine, uint32_t *hw_queue);
void kfd_model_sdma_release(struct kfd_model_vm *vm, int slot);

#endif
