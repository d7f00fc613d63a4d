/* SPDX-License-Identifier: MIT */
/*
 * Queues, doorbells, save areas and the trap handler (queues.md): the API's implementation, and
 * what other modules may ask.
 *
 * Lock order: kmt_global_lock(), then a doorbell's lock; the handle set's lock is a leaf.
 */
#ifndef KFDSCOPE_THUNK_QUEUE_QUEUE_H
#define KFDSCOPE_THUNK_QUEUE_QUEUE_H

#include "context.h"

/* The queue part of a context, without doorbell records. @return NULL without memory. */
struct kmt_queues *kmt_queues_new(void);
/*
 * Forgets every queue; accepts NULL. Issues no ioctl and leaves GPU-visible memory to the memory
 * manager.
 */
void kmt_queues_free(struct kmt_queues *queues);

/*
 * The doorbell records, one a node: made by AcquireSystemProperties after the apertures, destroyed
 * by ReleaseSystemProperties before them. The caller holds the global lock.
 */
HSAKMT_STATUS kmt_doorbells_init(struct kmt_context *ctx);
/* Unmaps the doorbells and drops the records; harmless without any. */
void kmt_doorbells_fini(struct kmt_context *ctx);
/* In a forked child: munmap the plainly mapped ones only. */
void kmt_doorbells_after_fork(struct kmt_context *ctx);

/*
 * Queue handles, of the primary context, to kernel queue ids.
 * @return a new array for free(); NULL for count 0, a NULL array or element, a handle that is not
 *         live, or no memory.
 */
uint32_t *kmt_queue_kernel_ids(const HSA_QUEUEID *queues, uint32_t count);
/* The same for any context. */
uint32_t *kmt_queue_kernel_ids_of(struct kmt_context *ctx, const HSA_QUEUEID *queues,
				  uint32_t count);

/* One live queue, for the state dump and the queue sampler. */
struct kmt_queue_info {
	uint64_t handle;
	uint32_t kernel_id, node_id, gpu_id;
	uint32_t type;    /* HSA_QUEUE_TYPE */
	int32_t priority; /* HSA_QUEUE_PRIORITY */
	uint32_t percentage;
	uint64_t ring_va, ring_size_bytes;
	uint64_t read_ptr_va, write_ptr_va, doorbell_va;
	uint64_t eop_va, eop_size_bytes, cwsr_va, cwsr_size_bytes;
	uint64_t origin; /* origin.h */
};
/* Calls visit for each live queue under the queue list's lock; visit must not call the thunk. */
void kmt_queue_for_each(struct kmt_context *ctx,
			void (*visit)(const struct kmt_queue_info *info, void *data), void *data);

/*
 * Creates a queue (queues.md 5).
 *
 * @param percentage  passed through: bits 7:0 share, 15:8 XCC of PM4 queues.
 * @param engine_id   for HSA_QUEUE_SDMA_BY_ENG_ID.
 * @param ring        GPU-visible, ring_size_bytes long; the kernel checks both.
 * @param metadata_size_bytes  of the metadata ring, whole pages; 0: none.
 * @param event       signalled on queue exceptions; may be NULL.
 * @param resource    in: ErrorReason, and for AQL the pointers; out: handle, doorbell, pointers.
 * @return SUCCESS; KERNEL_IO_CHANNEL_NOT_OPENED; INVALID_PARAMETER (also: NULL resource, type that
 *         the KFD has not, priority outside -3..3, refused by the kernel); INVALID_NODE_UNIT for an
 *         unknown or CPU-only node; NOT_SUPPORTED for a metadata ring before KFD 1.19; NO_MEMORY;
 *         ERROR.
 */
HSAKMT_STATUS kmt_create_queue_v2(struct kmt_context *ctx, HSAuint32 node_id, HSA_QUEUE_TYPE type,
				  HSAuint32 percentage, HSA_QUEUE_PRIORITY priority,
				  HSAuint32 engine_id, void *ring, HSAuint64 ring_size_bytes,
				  HSAuint64 metadata_size_bytes, HsaEvent *event,
				  HsaQueueResource *resource);
/* The same without a metadata ring. */
HSAKMT_STATUS kmt_create_queue_ext(struct kmt_context *ctx, HSAuint32 node_id, HSA_QUEUE_TYPE type,
				   HSAuint32 percentage, HSA_QUEUE_PRIORITY priority,
				   HSAuint32 engine_id, void *ring, HSAuint64 ring_size_bytes,
				   HsaEvent *event, HsaQueueResource *resource);
/* The same without an engine; HSA_QUEUE_SDMA_BY_ENG_ID is ERROR before all other checks. */
HSAKMT_STATUS kmt_create_queue(struct kmt_context *ctx, HSAuint32 node_id, HSA_QUEUE_TYPE type,
			       HSAuint32 percentage, HSA_QUEUE_PRIORITY priority, void *ring,
			       HSAuint64 ring_size_bytes, HsaEvent *event,
			       HsaQueueResource *resource);
/*
 * Changes a queue; a NULL ring, size 0 or 0 percent stops it. The event is ignored.
 * @return SUCCESS; KERNEL_IO_CHANNEL_NOT_OPENED; INVALID_PARAMETER for a priority outside -3..3 and
 *         for what is no live queue; ERROR.
 */
HSAKMT_STATUS kmt_update_queue(struct kmt_context *ctx, HSA_QUEUEID handle, HSAuint32 percentage,
			       HSA_QUEUE_PRIORITY priority, void *ring, HSAuint64 ring_size_bytes,
			       HsaEvent *event);
/*
 * Destroys a queue and frees its memory; a failure keeps everything.
 * @return SUCCESS; KERNEL_IO_CHANNEL_NOT_OPENED; INVALID_PARAMETER for what is no live queue;
 *         ERROR.
 */
HSAKMT_STATUS kmt_destroy_queue(struct kmt_context *ctx, HSA_QUEUEID handle);
/*
 * Chooses the compute units of a queue.
 *
 * @param bit_count  a multiple of 32, not 0.
 * @return SUCCESS; KERNEL_IO_CHANNEL_NOT_OPENED; INVALID_PARAMETER (also: more bits than a queue
 *         keeps, what is no live queue); ERROR.
 */
HSAKMT_STATUS kmt_set_queue_cu_mask(struct kmt_context *ctx, HSA_QUEUEID handle,
				    HSAuint32 bit_count, HSAuint32 *mask);
/*
 * The saved state of a stopped queue. The pointers in *info are the library's, until the queue is
 * destroyed.
 * @return SUCCESS; KERNEL_IO_CHANNEL_NOT_OPENED; INVALID_PARAMETER for NULL and for what is no live
 *         queue; ERROR without a save area and for a running queue.
 */
HSAKMT_STATUS kmt_get_queue_info(struct kmt_context *ctx, HSA_QUEUEID handle, HsaQueueInfo *info);
/*
 * The number that the kernel gave to a queue; needs no open KFD.
 * @return SUCCESS; INVALID_PARAMETER for NULL and for what is no live queue.
 */
HSAKMT_STATUS kmt_get_kernel_queue_id(struct kmt_context *ctx, HSA_QUEUEID handle,
				      HSAuint32 *kernel_id);
/*
 * Takes slots of the global wave sync, or gives them back with count 0.
 *
 * @param first  written on success only; may be NULL.
 * @return SUCCESS; KERNEL_IO_CHANNEL_NOT_OPENED; INVALID_PARAMETER; OUT_OF_RESOURCES when another
 *         queue has them; NOT_SUPPORTED; ERROR.
 */
HSAKMT_STATUS kmt_alloc_queue_gws(struct kmt_context *ctx, HSA_QUEUEID handle, HSAuint32 count,
				  HSAuint32 *first);
/*
 * Sets, or with NULL clears, the second-level trap handler of a GPU. Sizes are not used.
 * @return SUCCESS; KERNEL_IO_CHANNEL_NOT_OPENED; INVALID_NODE_UNIT; ERROR.
 */
HSAKMT_STATUS kmt_set_trap_handler(struct kmt_context *ctx, HSAuint32 node_id, void *handler,
				   HSAuint64 handler_size_bytes, void *buffer,
				   HSAuint64 buffer_size_bytes);

/*
 * Declared by the API, and never implemented on Linux by anyone (api.md): the KFD has no ioctl that
 * answers it. @return NOT_SUPPORTED.
 */
HSAKMT_STATUS kmt_report_queue(struct kmt_context *ctx, HSA_QUEUEID handle, HsaQueueReport *report);
/* For transports without a mapped doorbell; here callers write it. @return NOT_SUPPORTED. */
HSAKMT_STATUS kmt_queue_ring_doorbell(struct kmt_context *ctx, HSA_QUEUEID handle, HSAuint64 value);

#endif
