/* SPDX-License-Identifier: MIT */
/*
 * The private data of a checkpoint: what RESTORE needs besides the buckets. Opaque to user space, and
 * checked like any other input when it comes back. The order is head, devices, buffers, queues,
 * events, SVM ranges; numbers have the machine's own byte order.
 */
#ifndef KFDSCOPE_THUNK_MODEL_CRIU_IMAGE_H
#define KFDSCOPE_THUNK_MODEL_CRIU_IMAGE_H

#include "event.h"
#include "gpu.h"
#include "hsakmt/linux/kfd_ioctl.h"
#include "queue.h"

#define KFD_MODEL_IMAGE_MAGIC   0x6567616d69646b66ull /* "fkdimage" */
#define KFD_MODEL_IMAGE_VERSION 1

struct kfd_model_image_head {
	uint64_t magic;
	uint32_t version, head_bytes;
	uint64_t checksum; /* of everything behind the head */
	uint32_t device_count, bo_count, queue_count, event_count, range_count;
	uint32_t xnack_enabled, runtime_enabled, ttmp_enabled;
	uint64_t r_debug;
	uint32_t has_user_page, has_kernel_page; /* of the events; one at most */
	uint64_t page_handle;
	uint32_t slot_limit, reserved;
};

/* In the order of the device buckets; bit masks of devices count in that order, too. */
struct kfd_model_image_device {
	uint32_t gpu_id; /* as the process sees it */
	uint32_t gfx_version, acquired, has_doorbells, has_mmio, gws_used;
	uint64_t tba, tma, scratch_base, alternate_base, alternate_size;
	uint32_t default_policy, alternate_policy;
};

/* Its address, size, flags and GPU are in the bucket. */
struct kfd_model_image_bo {
	uint64_t handle, user_addr, mapped_devices;
};

struct kfd_model_image_queue {
	struct kfd_ioctl_create_queue_args args;
	uint32_t id, doorbell_slot;
	int32_t sdma_slot;
	uint32_t has_gws, cu_mask_bits;
	uint32_t cu_mask[KFD_MODEL_CU_MASK_WORDS];
	uint64_t exceptions, doorbell;
	struct kfd_model_queue_state engine;
};

struct kfd_model_image_event {
	uint32_t id, type, node_id, auto_reset, signaled, reserved;
	uint64_t age, slot;
	struct kfd_hsa_memory_exception_data memory;
	struct kfd_hsa_hw_exception_data hw;
};

struct kfd_model_image_range {
	uint64_t start, end;
	uint32_t preferred, prefetch, flags, granularity;
	uint64_t access, in_place, no_access;
};

/* Of everything behind the head. */
uint64_t kfd_model_image_checksum(const struct kfd_model_image_head *head, uint64_t total_bytes);

/*
 * Queues. The caller holds the process's lock.
 * @return how many were written; more than max stay out but are counted.
 */
uint32_t kfd_model_queues_save(struct kfd_model_process *process,
			       struct kfd_model_image_queue *images, uint32_t max);
/* Makes a queue as it was, evicted until kfd_model_queues_resume(). @return 0 or -errno. */
int kfd_model_queue_load(struct kfd_model_process *process,
			 const struct kfd_model_image_queue *image);
void kfd_model_queues_resume(struct kfd_model_process *process);

/* Events, the same way, and what the head says of their page. */
uint32_t kfd_model_events_save(struct kfd_model_process *process, struct kfd_model_image_head *head,
			       struct kfd_model_image_event *images, uint32_t max);
int kfd_model_events_load(struct kfd_model_process *process,
			  const struct kfd_model_image_head *head,
			  const struct kfd_model_image_event *images);
/* Destroys all, and gives up the page. */
void kfd_model_events_clear(struct kfd_model_process *process);

/*
 * Ranges, the same way. Those that are loaded wait for kfd_model_svm_resume(), since until then the
 * memory of the program may come and go.
 */
uint32_t kfd_model_svm_save(struct kfd_model_process *process, struct kfd_model_image_range *images,
			    uint32_t max);
int kfd_model_svm_load(struct kfd_model_process *process,
		       const struct kfd_model_image_range *images, uint32_t count);
/* @return 0, -EADDRINUSE where buffers are now, -EFAULT where nothing is mapped, or -ENOMEM. */
int kfd_model_svm_resume(struct kfd_model_process *process);
/* Forgets all ranges, loaded ones, too. */
void kfd_model_svm_clear(struct kfd_model_process *process);

#endif
