/* SPDX-License-Identifier: MIT */
/*
 * One queue as the worker and the three packet processors see it. A processor does one packet a
 * call and keeps what it has to remember between calls in here; it never sleeps, so that a packet
 * that waits holds up nothing but its own queue.
 */
#ifndef KFDSCOPE_THUNK_MODEL_GPU_QUEUE_H
#define KFDSCOPE_THUNK_MODEL_GPU_QUEUE_H

#include "model/gpu/stream.h"

enum gpu_step {
	GPU_STEP_DONE,  /* something was done; there may be more */
	GPU_STEP_WAIT,  /* the packet's condition does not hold yet */
	GPU_STEP_EMPTY, /* no packet is ready */
	GPU_STEP_DEAD,  /* fault or exception noted in the work: the queue has stopped */
};

struct gpu_processor {
	/* Does at most one packet, between enter() and leave(). */
	enum gpu_step (*step)(struct kfd_model_queue *queue, struct gpu_work *work);
};

extern const struct gpu_processor gpu_processor_aql;
extern const struct gpu_processor gpu_processor_sdma;
extern const struct gpu_processor gpu_processor_pm4;

/* Registers and results that live from one PM4 packet to the next. */
struct gpu_pm4_state {
	uint64_t atomic_return; /* COPY_DATA can ask for it */
	uint32_t program_low, program_high;
};

struct kfd_model_queue {
	struct kfd_model_gpu *gpu;            /* borrowed */
	struct kfd_model_queue *next;         /* in the GPU's list; gpu->lock */
	struct kfd_model_queue_config config; /* ring and size change in update only */
	const struct gpu_processor *processor;

	/* Protected by gpu->lock. */
	unsigned int suspended; /* nested evictions */
	unsigned int paused;    /* callers that wait for the packet in work */
	bool stopped;           /* no ring or percentage 0 */
	bool dead;

	/* The worker's own. */
	uint64_t doorbell_first, doorbell_seen;
	bool doorbell_rung; /* it has changed since the queue was made */
	uint64_t active_ns; /* when a packet was last done */
	uint64_t looked_ns; /* when the write pointer was last read */
	bool waiting;       /* the last step ended in GPU_STEP_WAIT */
	struct gpu_stream stream;
	struct gpu_pm4_state pm4;
	struct {
		uint64_t read; /* packets consumed */
		bool started;  /* the packet at read is being worked on */
		uint64_t start_ticks;
		unsigned int deps_met; /* of a barrier-AND, in order */
	} aql;
};

/* gfx_target_version from which something about packets or pointers differs. */
#define GPU_GFX9    90000u
#define GPU_GFX94   90400u
#define GPU_GFX10   100000u
#define GPU_GFX12   120000u
#define GPU_GFX1250 120500u

/*
 * Brings level 0 of the queue's stream up to date with the write pointer.
 *
 * @param unit_bytes  what the write pointer counts: 1 for SDMA, 4 for PM4.
 * @return false on a fault.
 */
bool gpu_ring_update(struct kfd_model_queue *queue, struct gpu_work *work, uint64_t unit_bytes);

/*
 * Does one PM4 packet of the queue's stream, whatever is at its bottom: for AQL slots too.
 *
 * @return GPU_STEP_EMPTY when the stream has no whole packet left.
 */
enum gpu_step gpu_pm4_step(struct kfd_model_queue *queue, struct gpu_work *work);

/* Notes a queue exception (EC_* number) and returns GPU_STEP_DEAD. */
enum gpu_step gpu_except(struct gpu_work *work, uint32_t code);

/* Of the EC_* numbers of the KFD header, those a queue processor finds. */
enum gpu_exception {
	GPU_EXCEPTION_DISPATCH_DIM_INVALID = 16,
	GPU_EXCEPTION_GROUP_SEGMENT_SIZE_INVALID = 17,
	GPU_EXCEPTION_CODE_INVALID = 18,
	GPU_EXCEPTION_PACKET_RESERVED = 19,
	GPU_EXCEPTION_PACKET_UNSUPPORTED = 20,
	GPU_EXCEPTION_WORK_GROUP_SIZE_INVALID = 21,
	GPU_EXCEPTION_VENDOR_UNSUPPORTED = 23,
};

#endif
