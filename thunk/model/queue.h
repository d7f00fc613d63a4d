/* SPDX-License-Identifier: MIT */
/* The queues of a process: argument checks, ids, limits, doorbells (kfd.md 5). */
#ifndef KFDSCOPE_THUNK_MODEL_QUEUE_H
#define KFDSCOPE_THUNK_MODEL_QUEUE_H

#include "hsakmt/hsakmtmodeliface.h"
#include "hsakmt/linux/kfd_ioctl.h"
#include "process.h"

#define KFD_MODEL_QUEUE_BUFFERS 5 /* ring, read pointer, write pointer, EOP, save area */
#define KFD_MODEL_CU_MASK_WORDS 32

struct kfd_model_kfd_queue {
	struct kfd_model_vm *vm; /* borrowed */
	uint32_t id, type, doorbell_slot;
	int sdma_slot;                           /* -1 when it has none */
	struct kfd_ioctl_create_queue_args args; /* as created, later updates applied */
	struct kfd_model_bo *buffers[KFD_MODEL_QUEUE_BUFFERS]; /* counted, with a use; or NULL */
	struct kfd_model_queue *engine;                        /* owned; NULL with outside */
	hsakmt_model_queue_t *outside; /* owned; the plug-in's, NULL while it is stopped */
	bool is_active, is_suspended, has_gws, is_new;
	bool awaits_resume; /* restored, and evicted until its process is resumed */
	uint32_t cu_mask_bits;
	uint32_t cu_mask[KFD_MODEL_CU_MASK_WORDS];
	uint64_t exceptions; /* raised and not cleared; protected by the queues' lock */
};

/* The ioctls; the caller holds the process's lock. */
int kfd_model_queue_create(struct kfd_model_process *process,
			   struct kfd_ioctl_create_queue_args *args);
int kfd_model_queue_destroy(struct kfd_model_process *process, uint32_t queue_id);
int kfd_model_queue_change(struct kfd_model_process *process,
			   const struct kfd_ioctl_update_queue_args *args);
int kfd_model_queue_set_cu_mask(struct kfd_model_process *process,
				const struct kfd_ioctl_set_cu_mask_args *args);
int kfd_model_queue_wave_state(struct kfd_model_process *process,
			       struct kfd_ioctl_get_queue_wave_state_args *args);
int kfd_model_queue_gws(struct kfd_model_process *process,
			struct kfd_ioctl_alloc_queue_gws_args *args);

/* @return NULL for an unknown id. Same lock, or the queues' lock. */
struct kfd_model_kfd_queue *kfd_model_queue_find(struct kfd_model_process *process,
						 uint32_t queue_id);
void kfd_model_queues_destroy_all(struct kfd_model_process *process);
/*
 * Takes one queue off its GPU, or puts it back. A plug-in of interface 0.4 has no such call: its
 * engines go on.
 */
void kfd_model_queue_pause(struct kfd_model_kfd_queue *queue, bool pause);
/* Takes the process's queues off a GPU, or off all (vm NULL), and puts them back. */
void kfd_model_queues_evict(struct kfd_model_process *process, struct kfd_model_vm *vm, bool evict);

#endif
