/* SPDX-License-Identifier: MIT */
/*
 * The worker of one simulated GPU: a thread that goes round the queues and lets the packet
 * processors do one packet after the other. Nobody wakes it when a doorbell is written, since that
 * is a plain store of the program's; it looks often after work was found and ever more seldom the
 * longer there was none.
 */
#include "model/gpu/worker.h"

#include <sys/prctl.h>
#include <time.h>

#define NS_PER_SEC   1000000000u
#define SPIN_NS      15000u /* look without sleeping for that long after the last packet */
#define SLEEP_MIN_NS 10000u
#define SLEEP_MAX_NS 1000000u /* bounds the delay of a packet after a pause */
#define SLEEP_SHARE  8 /* sleep for this part of the time without work: delay in proportion */
#define DOZE_MAX_NS  10000000u /* bounds it for a program that has done nothing for long */
#define DOZE_SHARE   200
#define HOT_NS       2000000u  /* how long the write pointer is read on each round */
#define LOOK_NS      20000000u /* later so often, in case no doorbell was rung */
#define BATCH        64        /* packets of one queue before the next one's turn */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_SEC + (uint64_t)now.tv_nsec;
}

uint64_t gpu_doorbell_read(const struct kfd_model_queue *queue)
{
	if (queue->config.gfx_version >= GPU_GFX9)
		return __atomic_load_n((const uint64_t *)queue->config.doorbell, __ATOMIC_ACQUIRE);
	return __atomic_load_n((const uint32_t *)queue->config.doorbell, __ATOMIC_ACQUIRE);
}

static bool runnable(const struct kfd_model_queue *queue)
{
	return !queue->suspended && !queue->paused && !queue->stopped && !queue->dead;
}

/* Whether it is worth a look: a rung doorbell, a packet that waits, recent work, or a long time. */
static bool due(struct kfd_model_queue *queue, uint64_t now)
{
	uint64_t doorbell = gpu_doorbell_read(queue);

	if (doorbell != queue->doorbell_seen) {
		queue->doorbell_seen = doorbell;
		queue->doorbell_rung = true;
		return true;
	}
	return queue->waiting || now - queue->active_ns < HOT_NS ||
	       now - queue->looked_ns >= LOOK_NS;
}

static bool has_report(const struct gpu_work *work)
{
	return work->has_interrupt || work->faulted || work->exception || work->dispatched;
}

static void report(const struct kfd_model_queue *queue, const struct gpu_work *work)
{
	const struct kfd_model_gpu_host *host = work->host;

	if (work->dispatched && host->simulated_dispatch)
		host->simulated_dispatch(work->vm, queue->config.queue_id, work->kernel_object);
	if (work->has_interrupt)
		host->interrupt(work->vm, work->interrupt_id);
	if (work->faulted)
		host->fault(work->vm, work->fault_va, work->fault_write);
	if (work->exception)
		host->queue_exception(work->vm, queue->config.queue_id, work->exception);
}

/* One packet of a runnable queue. Called with the lock held, which is released meanwhile. */
static enum gpu_step work_on(struct kfd_model_gpu *gpu, struct kfd_model_queue *queue)
{
	struct gpu_work work = { .host = gpu->host,
				 .vm = queue->config.vm,
				 .gfx_version = queue->config.gfx_version };
	enum gpu_step step;

	gpu->current = queue;
	pthread_mutex_unlock(&gpu->lock);
	gpu->host->enter(work.vm);
	step = queue->processor->step(queue, &work);
	gpu->host->leave(work.vm);
	pthread_mutex_lock(&gpu->lock);
	if (work.faulted || work.exception)
		queue->dead = true;
	if (has_report(&work)) {
		gpu->reporting = true;
		pthread_cond_broadcast(&gpu->put_away);
		pthread_mutex_unlock(&gpu->lock);
		report(queue, &work);
		pthread_mutex_lock(&gpu->lock);
		gpu->reporting = false;
	}
	gpu->current = NULL;
	if (queue->paused)
		pthread_cond_broadcast(&gpu->put_away);
	return step;
}

/* A queue's turn. @return whether a packet was done. */
static bool serve(struct kfd_model_gpu *gpu, struct kfd_model_queue *queue, uint64_t now)
{
	enum gpu_step step = GPU_STEP_DONE;
	bool progress = false;

	for (int i = 0; i < BATCH && step == GPU_STEP_DONE && runnable(queue); i++) {
		step = work_on(gpu, queue);
		if (step == GPU_STEP_DONE)
			progress = true;
	}
	queue->waiting = step == GPU_STEP_WAIT;
	queue->looked_ns = now;
	if (progress)
		queue->active_ns = now;
	return progress;
}

/*
 * A moment in the spinning phase. Not sched_yield(): on a busy machine that costs a time slice, while
 * a thread that wakes from a short sleep is run at once.
 */
static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#endif
}

/* How long to sleep after so long without work; a wake-up costs more than the round it is for. */
static uint64_t sleep_length_ns(uint64_t idle_ns)
{
	uint64_t sleep_ns = idle_ns / SLEEP_SHARE, doze_ns = idle_ns / DOZE_SHARE;

	sleep_ns = sleep_ns < SLEEP_MIN_NS ? SLEEP_MIN_NS : sleep_ns;
	sleep_ns = sleep_ns > SLEEP_MAX_NS ? SLEEP_MAX_NS : sleep_ns;
	doze_ns = doze_ns > DOZE_MAX_NS ? DOZE_MAX_NS : doze_ns;
	return sleep_ns > doze_ns ? sleep_ns : doze_ns;
}

/* Sleeps until something may have to be done. Called with the lock held. */
static void rest(struct kfd_model_gpu *gpu, bool any_runnable, uint64_t idle_ns)
{
	struct timespec until;

	if (!any_runnable) {
		while (!gpu->kicked && !gpu->stop)
			pthread_cond_wait(&gpu->wake, &gpu->lock);
		return;
	}
	if (idle_ns < SPIN_NS) {
		pthread_mutex_unlock(&gpu->lock);
		relax();
		pthread_mutex_lock(&gpu->lock);
		return;
	}
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += (long)sleep_length_ns(idle_ns);
	if (until.tv_nsec >= (long)NS_PER_SEC) {
		until.tv_nsec -= (long)NS_PER_SEC;
		until.tv_sec++;
	}
	if (!gpu->kicked && !gpu->stop)
		pthread_cond_timedwait(&gpu->wake, &gpu->lock, &until);
}

void *gpu_worker(void *arg)
{
	struct kfd_model_gpu *gpu = arg;
	uint64_t active_ns = now_ns();

	pthread_setname_np(pthread_self(), "kfd-model-gpu");
	prctl(PR_SET_TIMERSLACK, 1000ul, 0ul, 0ul,
	      0ul); /* else each short sleep costs 50 us more */
	pthread_mutex_lock(&gpu->lock);
	while (!gpu->stop) {
		bool any_runnable = false, progress = false;
		uint64_t now = now_ns();

		if (gpu->kicked)
			active_ns = now;
		gpu->kicked = false;
		/* The lock is only released while current keeps the queue from being freed. */
		for (struct kfd_model_queue *queue = gpu->queues; queue; queue = queue->next) {
			if (!runnable(queue))
				continue;
			any_runnable = true;
			if (due(queue, now))
				progress |= serve(gpu, queue, now);
		}
		if (progress)
			active_ns = now_ns();
		else
			rest(gpu, any_runnable, now_ns() - active_ns);
	}
	pthread_mutex_unlock(&gpu->lock);
	return NULL;
}
