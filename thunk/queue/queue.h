/* SPDX-License-Identifier: MIT */
/* Queues, doorbells and save areas (queues.md): what other modules may ask. */
#ifndef KFDSCOPE_THUNK_QUEUE_QUEUE_H
#define KFDSCOPE_THUNK_QUEUE_QUEUE_H

#include "context.h"

struct kmt_queues *kmt_queues_new(void);
void kmt_queues_free(struct kmt_queues *queues);

/*
 * The doorbell records, one a node: made by AcquireSystemProperties after the apertures, destroyed by
 * ReleaseSystemProperties before them. The caller holds the global lock.
 */
HSAKMT_STATUS kmt_doorbells_init(struct kmt_context *ctx);
void kmt_doorbells_fini(struct kmt_context *ctx);
/* In a forked child: munmap the plainly mapped ones only. */
void kmt_doorbells_after_fork(struct kmt_context *ctx);

/*
 * Queue handles to kernel queue ids.
 * @return a new array for free(); NULL for count 0, a NULL array or element, or no memory.
 */
uint32_t *kmt_queue_kernel_ids(const HSA_QUEUEID *queues, uint32_t count);

/* One live queue, for the state dump and the queue sampler. */
struct kmt_queue_info {
	uint64_t handle;
	uint32_t kernel_id, node_id, gpu_id;
	uint32_t type;	   /* HSA_QUEUE_TYPE */
	int32_t priority;  /* HSA_QUEUE_PRIORITY */
	uint32_t percentage;
	uint64_t ring_va, ring_size_bytes;
	uint64_t read_ptr_va, write_ptr_va, doorbell_va;
	uint64_t eop_va, eop_size_bytes, cwsr_va, cwsr_size_bytes;
};
/* Calls visit for each live queue under the queue list's lock; visit must not call the thunk. */
void kmt_queue_for_each(struct kmt_context *ctx,
			void (*visit)(const struct kmt_queue_info *info, void *data), void *data);

#endif
