/* SPDX-License-Identifier: MIT */
/* What the files of the queue module share: the record of a queue, save areas and doorbells. */
#ifndef KFDSCOPE_THUNK_QUEUE_QUEUE_INTERNAL_H
#define KFDSCOPE_THUNK_QUEUE_QUEUE_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "event/handle_set.h"
#include "hsakmt/linux/kfd_ioctl.h"
#include "queue/queue.h"
#include "queue/sizes.h"

/*
 * The page that a queue's handle points to. GPU-visible, because the GPU keeps the read pointer of
 * non-AQL queues there; everything else about the queue is in struct queue, out of a GPU's reach.
 */
struct queue_page {
	uint64_t write_ptr;
	uint64_t read_ptr;
};

/* Bits of the mask that fit beside the pointers in a page of 4 KiB (queues.md 3). */
#define QUEUE_MASK_WORDS 1008

struct save_area {
	void *base; /* owned; NULL: the queue has none */
	struct kmt_save_area_sizes sizes;
	bool is_svm; /* our own mapping, known to the GPU through SVM */
};

struct queue {
	_Atomic uint32_t refs;   /* one while the handle lives, one of each call that uses it */
	struct queue_page *page; /* owned, GPU-visible; its address is the handle */
	uint32_t kernel_id;
	uint32_t node_id, gpu_id, gfx;
	HSA_QUEUE_TYPE type;
	/* What an update changes; atomic, because the state dump may read it meanwhile. */
	_Atomic HSA_QUEUE_PRIORITY priority;
	_Atomic uint32_t percentage;
	_Atomic uint64_t ring_va, ring_size_bytes;
	uint64_t write_ptr_va, read_ptr_va, doorbell_va;
	void *eop; /* owned, GPU-visible */
	uint64_t eop_size_bytes;
	struct save_area save_area;
	uint32_t cu_mask_bits;
	uint32_t cu_mask[QUEUE_MASK_WORDS];
	uint64_t origin; /* who asked for it (origin.h) */
};

struct doorbell {
	pthread_mutex_t lock; /* protects the rest */
	void *mapping;
	uint64_t size_bytes; /* 0: not mapped */
	bool is_gpuvm;       /* from the memory manager; else a plain mapping of the KFD */
};

struct kmt_queues {
	struct kmt_handle_set live; /* handle to struct queue, owned */
	/* One a node; changes under kmt_global_lock() only. */
	struct doorbell *doorbells; /* owned */
	uint32_t doorbell_count;
};

/* KFD number of a priority. @return false for a priority outside -3..3. */
bool queue_priority_to_kfd(HSA_QUEUE_PRIORITY priority, uint32_t *kfd_priority);

/*
 * The live record of a handle, or NULL. It stays until queue_put(), also when another thread
 * destroys the queue meanwhile.
 */
struct queue *queue_get(struct kmt_context *ctx, HSA_QUEUEID handle);
/* The last one frees the queue. Accepts NULL. */
void queue_put(struct kmt_context *ctx, struct queue *queue);

/* Gives back all memory of a queue that the kernel does not know (any more). Accepts NULL. */
void queue_free(struct kmt_context *ctx, struct queue *queue);
/* The DESTROY_QUEUE ioctl. @return 0 or -errno. */
int queue_destroy_id(struct kmt_context *ctx, uint32_t kernel_id);

/*
 * The memory that waves of a queue are saved to, with its headers (queues.md 5.1).
 *
 * @param area          out: base NULL when queues of the node have no save area.
 * @param error_event_id  signalled with the exception mask; 0: none.
 * @param error_reason  receives that mask; may be NULL.
 * @return SUCCESS or NO_MEMORY.
 */
HSAKMT_STATUS save_area_init(struct kmt_context *ctx, uint32_t node_id, uint32_t gfx,
			     struct save_area *area, uint32_t error_event_id,
			     volatile HSAint64 *error_reason);
/* Gives the memory back; harmless without any. */
void save_area_fini(struct kmt_context *ctx, struct save_area *area);

/*
 * Address of a queue's doorbell; the first queue of a node maps the page (queues.md 6).
 *
 * @param kfd_offset  from CREATE_QUEUE.
 * @return NULL when it cannot be mapped.
 */
void *doorbell_map(struct kmt_context *ctx, uint32_t node_id, uint32_t gfx, uint64_t kfd_offset,
		   uint32_t kernel_id);

#endif
