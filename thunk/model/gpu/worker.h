/* SPDX-License-Identifier: MIT */
/* What the worker thread of a GPU and those who start, stop and change queues share. */
#ifndef KFDSCOPE_THUNK_MODEL_GPU_WORKER_H
#define KFDSCOPE_THUNK_MODEL_GPU_WORKER_H

#include <pthread.h>

#include "model/gpu/queue.h"

struct kfd_model_gpu {
	const struct kfd_model_gpu_host *host; /* borrowed */
	pthread_t thread;
	bool has_thread;         /* lock */
	pthread_mutex_t lock;    /* never held while a host function or a packet is running */
	pthread_cond_t wake;     /* the worker's: something about the queues has changed */
	pthread_cond_t put_away; /* callers': the packet in work is done */
	struct kfd_model_queue *queues;  /* owned by who made them; lock */
	struct kfd_model_queue *current; /* whose packet is being worked on; lock */
	bool reporting;                  /* its packet is done, the host is being told; lock */
	bool kicked, stop;               /* lock */
};

/* The thread's function; arg is the GPU. */
void *gpu_worker(void *arg);
/* What is in a queue's doorbell now, in its generation's width. */
uint64_t gpu_doorbell_read(const struct kfd_model_queue *queue);

#endif
