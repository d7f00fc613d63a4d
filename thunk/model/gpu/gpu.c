/* SPDX-License-Identifier: MIT */
/*
 * Simulated GPUs and their queues come, change and go. Everything that has to wait for the packet in
 * work does so through pause_queue().
 */
#include "model/gpu.h"

#include <signal.h>
#include <stdlib.h>

#include "model/gpu/state.h"
#include "model/gpu/worker.h"

/* Called with the lock held. */
static bool start_thread(struct kfd_model_gpu *gpu)
{
	sigset_t all, old;

	if (gpu->has_thread)
		return true;
	/* The program's signals are for the program's threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	gpu->has_thread = !pthread_create(&gpu->thread, NULL, gpu_worker, gpu);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return gpu->has_thread;
}

/* Called with the lock held. */
static void kick(struct kfd_model_gpu *gpu)
{
	gpu->kicked = true;
	pthread_cond_signal(&gpu->wake);
}

/*
 * Waits until no packet of the queue is being worked on, and none will be begun until paused is
 * taken back. Called with the lock held.
 *
 * @param reported  also wait until the host has been told of its results.
 */
static void pause_queue(struct kfd_model_queue *queue, bool reported)
{
	struct kfd_model_gpu *gpu = queue->gpu;

	queue->paused++;
	while (gpu->current == queue && (reported || !gpu->reporting))
		pthread_cond_wait(&gpu->put_away, &gpu->lock);
}

struct kfd_model_gpu *kfd_model_gpu_new(const struct kfd_model_gpu_host *host)
{
	struct kfd_model_gpu *gpu = calloc(1, sizeof(*gpu));
	pthread_condattr_t attr;

	if (!gpu)
		return NULL;
	gpu->host = host;
	pthread_mutex_init(&gpu->lock, NULL);
	pthread_cond_init(&gpu->put_away, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&gpu->wake, &attr);
	pthread_condattr_destroy(&attr);
	return gpu;
}

static const struct gpu_processor *processor_of(enum kfd_model_queue_type type)
{
	switch (type) {
	case KFD_MODEL_QUEUE_COMPUTE_PM4:
		return &gpu_processor_pm4;
	case KFD_MODEL_QUEUE_COMPUTE_AQL:
		return &gpu_processor_aql;
	case KFD_MODEL_QUEUE_SDMA:
	case KFD_MODEL_QUEUE_SDMA_XGMI:
	case KFD_MODEL_QUEUE_SDMA_BY_ENG_ID:
		return &gpu_processor_sdma;
	}
	return NULL;
}

/* The place in a ring starts at 0 with the queue and survives a new ring, as in hardware. */
static void ring_set(struct kfd_model_queue *queue, uint64_t ring_va, uint64_t ring_size_bytes)
{
	queue->config.ring_va = ring_va;
	queue->config.ring_size_bytes = ring_size_bytes;
	if (queue->processor != &gpu_processor_aql) {
		queue->stream.level[0].va = ring_va;
		queue->stream.level[0].size_dwords = ring_size_bytes / sizeof(uint32_t);
		if (!queue->stream.depth)
			queue->stream.depth = 1;
	}
}

struct kfd_model_queue *kfd_model_queue_new(struct kfd_model_gpu *gpu,
					    const struct kfd_model_queue_config *config)
{
	struct kfd_model_queue *queue = calloc(1, sizeof(*queue));

	if (!queue)
		return NULL;
	queue->gpu = gpu;
	queue->config = *config;
	queue->processor = processor_of(config->type);
	queue->stopped = !config->ring_va || !config->ring_size_bytes;
	if (!queue->processor)
		goto out;
	ring_set(queue, config->ring_va, config->ring_size_bytes);
	if (config->state)
		gpu_state_load(queue, config->state);
	queue->config.state = NULL;
	queue->doorbell_seen = gpu_doorbell_read(queue);
	pthread_mutex_lock(&gpu->lock);
	if (!start_thread(gpu)) {
		pthread_mutex_unlock(&gpu->lock);
		goto out;
	}
	queue->next = gpu->queues;
	gpu->queues = queue;
	kick(gpu);
	pthread_mutex_unlock(&gpu->lock);
	return queue;
out:
	free(queue);
	return NULL;
}

void kfd_model_queue_update(struct kfd_model_queue *queue, uint64_t ring_va,
			    uint64_t ring_size_bytes, uint32_t percentage)
{
	struct kfd_model_gpu *gpu = queue->gpu;

	pthread_mutex_lock(&gpu->lock);
	pause_queue(queue, false);
	queue->stopped = !ring_va || !ring_size_bytes || !percentage;
	if (!queue->stopped)
		ring_set(queue, ring_va, ring_size_bytes);
	queue->looked_ns = 0; /* hardware reads the write pointer again when it maps a queue */
	queue->paused--;
	kick(gpu);
	pthread_mutex_unlock(&gpu->lock);
}

void kfd_model_queue_suspend(struct kfd_model_queue *queue, bool suspend)
{
	struct kfd_model_gpu *gpu = queue->gpu;

	pthread_mutex_lock(&gpu->lock);
	if (suspend) {
		pause_queue(queue, false);
		queue->suspended++;
		queue->paused--;
	} else if (queue->suspended && !--queue->suspended) {
		queue->looked_ns = 0;
		kick(gpu);
	}
	pthread_mutex_unlock(&gpu->lock);
}

void kfd_model_queue_free(struct kfd_model_queue *queue)
{
	struct kfd_model_queue **link;
	struct kfd_model_gpu *gpu;

	if (!queue)
		return;
	gpu = queue->gpu;
	pthread_mutex_lock(&gpu->lock);
	pause_queue(queue, true);
	for (link = &gpu->queues; *link != queue; link = &(*link)->next) {
	}
	*link = queue->next;
	pthread_mutex_unlock(&gpu->lock);
	free(queue);
}

void kfd_model_gpu_free(struct kfd_model_gpu *gpu)
{
	if (!gpu)
		return;
	pthread_mutex_lock(&gpu->lock);
	gpu->stop = true;
	pthread_cond_signal(&gpu->wake);
	pthread_mutex_unlock(&gpu->lock);
	if (gpu->has_thread)
		pthread_join(gpu->thread, NULL);
	pthread_cond_destroy(&gpu->wake);
	pthread_cond_destroy(&gpu->put_away);
	pthread_mutex_destroy(&gpu->lock);
	free(gpu);
}

void kfd_model_gpu_after_fork(struct kfd_model_gpu *gpu)
{
	struct kfd_model_queue *next;

	if (!gpu)
		return;
	for (struct kfd_model_queue *queue = gpu->queues; queue; queue = next) {
		next = queue->next;
		free(queue);
	}
	free(gpu); /* its lock may be held by a thread that is no more: not destroyed */
}
