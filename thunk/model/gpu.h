/* SPDX-License-Identifier: MIT */
/*
 * The seam between the simulated KFD (which owns processes, memory and events) and the simulated GPU
 * (which runs queues). The GPU knows nothing of ioctls; the KFD knows nothing of packets.
 */
#ifndef KFDSCOPE_THUNK_MODEL_GPU_H
#define KFDSCOPE_THUNK_MODEL_GPU_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Locks: the worker calls every host function with none of the GPU's own locks held, and interrupt,
 * fault, queue_exception and simulated_dispatch outside enter/leave, when the packet is done. In
 * return the host must not hold a lock that one of its functions takes while it calls
 * kfd_model_queue_free(), _update() or _suspend(true), which wait for the packet in work. From inside
 * those four callbacks kfd_model_queue_update() and _suspend() may be called for any queue (a fault
 * evicts), kfd_model_queue_free() not.
 */
/* What the simulated KFD does for a queue. vm is the process's view of one GPU. */
struct kfd_model_gpu_host {
	/*
	 * Brackets the work on one packet: between the two no mapping of the VM changes, so that
	 * pointers from translate() stay valid. Never held while a packet waits for a condition.
	 */
	void (*enter)(void *vm);
	void (*leave)(void *vm);
	/*
	 * Host address of GPU address va, with the number of bytes valid from there in *span_bytes.
	 * @return NULL when va is not mapped to this GPU, or is mapped read-only and write is true.
	 */
	void *(*translate)(void *vm, uint64_t va, bool write, uint64_t *span_bytes);
	/*
	 * Reports an access that translate() refused: raises the memory event (kfd.md 7.2). The queue
	 * has stopped for good: the packet is neither consumed nor completed.
	 */
	void (*fault)(void *vm, uint64_t va, bool write);
	/* End-of-pipe interrupt with this context id; 0 means partial information (kfd.md 7.2). */
	void (*interrupt)(void *vm, uint32_t context_id);
	/* GPU clock in ticks, the same that GET_CLOCK_COUNTERS reports. */
	uint64_t (*clock)(void *vm);
	/*
	 * A queue exception, code as in EC_* of the KFD header (the number, not the mask); the KFD
	 * decides how the runtime gets to know (gpu_packets.md 4). The queue has stopped for good.
	 */
	void (*queue_exception)(void *vm, uint32_t queue_id, uint32_t code);
	/* A packet was carried out without running its shader; for statistics. May be NULL. */
	void (*simulated_dispatch)(void *vm, uint32_t queue_id, uint64_t kernel_object);
};

enum kfd_model_queue_type {
	KFD_MODEL_QUEUE_COMPUTE_PM4 = 0, /* the KFD's numbers (kfd.md 5.1) */
	KFD_MODEL_QUEUE_SDMA = 1,
	KFD_MODEL_QUEUE_COMPUTE_AQL = 2,
	KFD_MODEL_QUEUE_SDMA_XGMI = 3,
	KFD_MODEL_QUEUE_SDMA_BY_ENG_ID = 4,
};

#define KFD_MODEL_QUEUE_LEVELS 3 /* a ring and the buffers that its packets lead into */

/* How far an engine has got with a queue; part of checkpoints. */
struct kfd_model_queue_state {
	uint32_t dead;
	uint32_t depth; /* levels in use */
	struct {
		uint64_t va, pos, end; /* as in struct gpu_level */
	} levels[KFD_MODEL_QUEUE_LEVELS];
	uint64_t atomic_return;
	uint32_t program_low, program_high;
	uint64_t read; /* packets consumed */
	uint64_t start_ticks;
	uint32_t started, deps_met;
};

struct kfd_model_queue_config {
	enum kfd_model_queue_type type;
	uint32_t queue_id;    /* the KFD's */
	uint32_t gfx_version; /* gfx_target_version of the node: 90010, 110000 … */
	uint64_t ring_va, ring_size_bytes;
	uint64_t read_ptr_va, write_ptr_va;
	/*
	 * Host address of this queue's doorbell; 8 bytes on gfx9+, else 4. It should hold all ones
	 * when the queue is made: a first doorbell that changes nothing is noticed late.
	 */
	const void *doorbell;
	void *vm; /* handed back to the host functions */
	/* What the queue goes on from, once its one eviction ends; NULL for a new one. Borrowed. */
	const struct kfd_model_queue_state *state;
};

/* The engines of one simulated GPU: threads that serve its queues. */
struct kfd_model_gpu;
struct kfd_model_queue;

/*
 * @param host  borrowed, must outlive the GPU.
 * @return NULL without memory. No thread runs before the first queue.
 */
struct kfd_model_gpu *kfd_model_gpu_new(const struct kfd_model_gpu_host *host);
/* Stops the threads; all queues must be gone. Accepts NULL. */
void kfd_model_gpu_free(struct kfd_model_gpu *gpu);

/* Starts serving a queue. @return NULL without memory or thread. */
struct kfd_model_queue *kfd_model_queue_new(struct kfd_model_gpu *gpu,
					    const struct kfd_model_queue_config *config);
/* Whether the configuration's state can be one of such a queue. */
bool kfd_model_queue_may_load(const struct kfd_model_queue_config *config);
/* How far a queue is that is evicted. */
void kfd_model_queue_save(struct kfd_model_queue *queue, struct kfd_model_queue_state *state);
/* New ring, or a stop when ring_va, ring_size_bytes or percentage is 0. Returns when in force. */
void kfd_model_queue_update(struct kfd_model_queue *queue, uint64_t ring_va,
			    uint64_t ring_size_bytes, uint32_t percentage);
/*
 * Evicts (true) or restores (false) a queue: nested calls count. Returns when no packet is being
 * worked on.
 */
void kfd_model_queue_suspend(struct kfd_model_queue *queue, bool suspend);
/* Stops and frees; a packet that waits for a condition is abandoned. Accepts NULL. */
void kfd_model_queue_free(struct kfd_model_queue *queue);

/*
 * In a forked child: the threads are gone and only memory is left. Frees it without waiting.
 */
void kfd_model_gpu_after_fork(struct kfd_model_gpu *gpu);

#endif
