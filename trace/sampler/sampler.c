/* SPDX-License-Identifier: MIT */
/* The table of queues, the looks at them, and the thread (sampler.h). */
#include "sampler/sampler.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "hsakmt/linux/kfd_ioctl.h"
#include "own_lock.h"
#include "sampler/packets.h"
#include "thread.h"
#include "values.h"

enum {
	QUEUES_MAX = 4096,   /* sampled at once; further ones are not */
	IDLE_NS = 200000000, /* between looks whether a recording wants samples */
	DWORD_BYTES = 4,
};

struct sampled {
	const struct device *dev; /* borrowed; only compared */
	int fd;
	uint32_t id, gpu_id, type;
	uint64_t ring_va, ring_bytes, read_va, write_va;
	uint64_t read, write; /* as seen last */
	uint32_t looks;       /* since it was told last */
	uint32_t busy_looks;  /* of which found work */
	bool is_told;
	bool is_ending; /* its destruction is under way: not to be touched */
	struct packet_ring packets;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects all below */
static struct sampled *queues;                           /* owned; unordered */
static size_t queue_count, queue_capacity;
static bool has_thread, has_exit_handler;
/* A signal handler that interrupts its own thread in here is not served, rather than stuck. */
static __thread bool is_inside __attribute__((tls_model("initial-exec")));

static bool enter(void)
{
	return own_lock_enter(&lock, &is_inside);
}

static void leave(void)
{
	own_lock_leave(&lock, &is_inside);
}

/* Through the kernel, for which memory that is gone is an error and no fault. */
static bool copy_own(void *to, uint64_t from, size_t size_bytes)
{
	const struct iovec local = { .iov_base = to, .iov_len = size_bytes };
	const struct iovec remote = { .iov_base = (void *)(uintptr_t)from, .iov_len = size_bytes };

	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)size_bytes;
}

/* The read pointer of PM4 queues has 32 bits and counts in the ring (gpu_packets.md 1). */
static bool read_indices(const struct sampled *queue, uint64_t *read, uint64_t *write)
{
	const bool is_narrow = queue->type == KFD_IOC_QUEUE_TYPE_COMPUTE;

	*read = *write = 0;
	return copy_own(read, queue->read_va, is_narrow ? sizeof(uint32_t) : sizeof(*read)) &&
	       copy_own(write, queue->write_va, sizeof(*write));
}

/* Work that the GPU has not taken yet: packets of AQL queues, else bytes. */
static uint64_t pending(const struct sampled *queue, uint64_t read, uint64_t write)
{
	const uint64_t distance = write - read;

	switch (queue->type) {
	case KFD_IOC_QUEUE_TYPE_COMPUTE_AQL:
		return write > read ? distance : 0;
	case KFD_IOC_QUEUE_TYPE_COMPUTE:
		return distance * DWORD_BYTES & (queue->ring_bytes - 1);
	default:
		return distance & (queue->ring_bytes - 1);
	}
}

static void fill_packets(struct kmt_queue_sample *event, const struct packet_ring *packets)
{
	event->packets_valid = packets->packet_count != 0;
	event->kernel_dispatches = packets->counts[PACKET_KERNEL_DISPATCH];
	event->barriers_and = packets->counts[PACKET_BARRIER_AND];
	event->barriers_or = packets->counts[PACKET_BARRIER_OR];
	event->barriers_other = packets->counts[PACKET_BARRIER];
	event->agent_dispatches = packets->counts[PACKET_AGENT_DISPATCH];
	event->vendor_packets = packets->counts[PACKET_VENDOR_SPECIFIC];
	event->unseen_packets = packets->counts[PACKET_UNSEEN];
}

static void tell(struct sampled *queue, struct kmt_queue_sample *event)
{
	if (!trace_point_begin(TRACE_kmt_queue_sample))
		return;
	event->queue_id = queue->id;
	event->gpu_id = queue->gpu_id;
	event->type = (int32_t)queue->type;
	event->ring_va = queue->ring_va;
	event->ring_size_bytes = queue->ring_bytes;
	event->looks = queue->looks;
	event->busy_looks = queue->busy_looks;
	fill_packets(event, &queue->packets);
	trace_call_fire(TRACE_kmt_queue_sample, event);
	memset(queue->packets.counts, 0, sizeof(queue->packets.counts));
	queue->looks = queue->busy_looks = 0;
	queue->is_told = true;
}

/*
 * Tells of a queue when there is news. One that stands still is told of no more until it moves, which
 * its next event has the number of looks for.
 */
static void look(struct sampled *queue, bool is_last)
{
	struct kmt_queue_sample event = { .is_last = is_last };
	uint64_t read, write;
	bool is_news;

	event.indices_valid = read_indices(queue, &read, &write);
	event.os_errno = event.indices_valid ? 0 : errno;
	event.read_index = read;
	event.write_index = write;
	queue->looks++;
	if (event.indices_valid) {
		event.pending = pending(queue, read, write);
		queue->busy_looks += event.pending != 0;
		packets_count(&queue->packets, read, write, copy_own);
	}
	is_news = !queue->is_told || is_last || read != queue->read || write != queue->write;
	queue->read = read;
	queue->write = write;
	if (is_news)
		tell(queue, &event);
}

static bool is_wanted(void)
{
	const struct trace_provider *provider = trace_provider_get();

	return provider && trace_enabled(provider, TRACE_kmt_queue_sample);
}

static void look_at_all(bool is_last)
{
	if (!enter())
		return;
	for (size_t i = 0; i < queue_count; i++) {
		if (!queues[i].is_ending)
			look(&queues[i], is_last);
	}
	leave();
}

/* Samples are wanted again: what happened meanwhile is not theirs. */
static void begin_anew(void)
{
	uint64_t read, write;

	if (!enter())
		return;
	for (size_t i = 0; i < queue_count; i++) {
		struct sampled *queue = &queues[i];

		if (!queue->is_ending && read_indices(queue, &read, &write))
			queue->packets.next = write;
		memset(queue->packets.counts, 0, sizeof(queue->packets.counts));
		queue->looks = queue->busy_looks = 0;
		queue->is_told = false;
	}
	leave();
}

static void *sample(void *unused)
{
	const uint64_t period_ns = 1000000000 / trace_options()->queue_hz;
	bool was_wanted = true; /* a queue has just been made, and is counted from its beginning */

	(void)unused;
	for (;;) {
		const bool wanted = is_wanted();
		const uint64_t ns = wanted || period_ns > IDLE_NS ? period_ns : IDLE_NS;
		const struct timespec pause = { (time_t)(ns / 1000000000),
						(long)(ns % 1000000000) };

		(void)nanosleep(&pause, NULL); /* all signals are blocked */
		if (wanted && !was_wanted)
			begin_anew();
		else if (wanted)
			look_at_all(false);
		was_wanted = wanted;
	}
	return NULL;
}

/* What the queues did up to the end of the program. */
static void look_at_exit(void)
{
	if (is_wanted())
		look_at_all(true);
}

/* Tried again with the next queue; until then, queues are seen when they end. The caller holds the lock. */
static void start_thread(void)
{
	if (!has_thread)
		has_thread = trace_thread_start(sample, "kfdscope-queues");
	if (!has_exit_handler)
		has_exit_handler = atexit(look_at_exit) == 0;
}

static struct sampled *find(const struct device *dev, uint32_t id)
{
	for (size_t i = 0; i < queue_count; i++) {
		if (queues[i].dev == dev && queues[i].id == id)
			return &queues[i];
	}
	return NULL;
}

static void drop(struct sampled *queue)
{
	*queue = queues[--queue_count];
}

static struct sampled *add(void)
{
	const size_t wanted = queue_capacity ? 2 * queue_capacity : 16;
	struct sampled *more;

	if (queue_count == queue_capacity) {
		more = wanted <= QUEUES_MAX ? realloc(queues, wanted * sizeof(*queues)) : NULL;
		if (!more)
			return NULL;
		queues = more;
		queue_capacity = wanted;
	}
	memset(&queues[queue_count], 0, sizeof(*queues));
	return &queues[queue_count++];
}

static void set_ring(struct sampled *queue, uint64_t address, uint64_t size_bytes)
{
	const uint64_t count = size_bytes / PACKET_BYTES;
	const bool is_aql = queue->type == KFD_IOC_QUEUE_TYPE_COMPUTE_AQL;

	queue->ring_va = address;
	queue->ring_bytes = size_bytes;
	queue->packets.address = address;
	queue->packets.packet_count = is_aql && (count & (count - 1)) == 0 ? count : 0;
	queue->packets.read_va = queue->read_va;
	queue->packets.write_va = queue->write_va;
}

/* The caller holds the lock. */
static void note_create(const struct device *dev, int fd,
			const struct kfd_ioctl_create_queue_args *args)
{
	struct sampled *queue = find(dev, args->queue_id);
	uint64_t read, write;

	if (queue)
		drop(queue);
	queue = add();
	if (!queue)
		return;
	queue->dev = dev;
	queue->fd = fd;
	queue->id = args->queue_id;
	queue->gpu_id = args->gpu_id;
	queue->type = args->queue_type;
	queue->read_va = args->read_pointer_address;
	queue->write_va = args->write_pointer_address;
	set_ring(queue, args->ring_base_address, args->ring_size);
	/* What was written before the queue existed is work like any other; what was read is not. */
	if (read_indices(queue, &read, &write))
		queue->packets.next = read;
	start_thread();
}

/* Without a ring an update stops the queue, and it keeps the ring it has. */
static void note_update(const struct device *dev, const struct kfd_ioctl_update_queue_args *args)
{
	struct sampled *queue = find(dev, args->queue_id);

	if (queue && args->ring_base_address && args->ring_size)
		set_ring(queue, args->ring_base_address, args->ring_size);
}

static void note_destroy(const struct device *dev, const struct kfd_ioctl_destroy_queue_args *args,
			 int ret)
{
	struct sampled *queue = find(dev, args->queue_id);

	if (!queue)
		return;
	if (ret != 0) {
		queue->is_ending = false;
		return;
	}
	/* Whoever is to free its memory waits for this ioctl, and now the GPU is done with it. */
	look(queue, true);
	drop(queue);
}

union argument {
	struct kfd_ioctl_create_queue_args create;
	struct kfd_ioctl_update_queue_args update;
	struct kfd_ioctl_destroy_queue_args destroy;
};

static bool is_about_queues(unsigned long request)
{
	switch (_IOC_NR(request)) {
	case _IOC_NR(AMDKFD_IOC_CREATE_QUEUE):
	case _IOC_NR(AMDKFD_IOC_UPDATE_QUEUE):
	case _IOC_NR(AMDKFD_IOC_DESTROY_QUEUE):
		return trace_options()->queue_hz != 0;
	}
	return false;
}

void sampler_before_ioctl(const struct device *dev, unsigned long request, const void *arg)
{
	union argument a;
	struct sampled *queue;
	const int saved_errno = errno;

	if (!is_about_queues(request) || _IOC_NR(request) != _IOC_NR(AMDKFD_IOC_DESTROY_QUEUE) ||
	    !enter())
		return;
	trace_copy_argument(&a, sizeof(a), request, arg);
	queue = find(dev, a.destroy.queue_id);
	if (queue && !queue->is_ending) {
		look(queue, false);
		queue->is_ending = true;
	}
	leave();
	errno = saved_errno;
}

void sampler_when_done(const struct device *dev, unsigned long request, const void *arg, int ret)
{
	union argument a;
	const int saved_errno = errno;

	if (!is_about_queues(request) || _IOC_NR(request) != _IOC_NR(AMDKFD_IOC_DESTROY_QUEUE) ||
	    !enter())
		return;
	trace_copy_argument(&a, sizeof(a), request, arg);
	note_destroy(dev, &a.destroy, ret);
	leave();
	errno = saved_errno;
}

void sampler_after_ioctl(const struct device *dev, int fd, unsigned long request, const void *arg,
			 int ret)
{
	union argument a;
	const int saved_errno = errno;

	if (!is_about_queues(request) || ret != 0 || !enter())
		return;
	trace_copy_argument(&a, sizeof(a), request, arg);
	if (_IOC_NR(request) == _IOC_NR(AMDKFD_IOC_CREATE_QUEUE))
		note_create(dev, fd, &a.create);
	else if (_IOC_NR(request) == _IOC_NR(AMDKFD_IOC_UPDATE_QUEUE))
		note_update(dev, &a.update);
	leave();
	errno = saved_errno;
}

void sampler_before_close(const struct device *dev, int fd)
{
	const int saved_errno = errno;

	if (!trace_options()->queue_hz || !enter())
		return;
	for (size_t i = queue_count; i-- > 0;) {
		if (queues[i].dev != dev || !sampler_ends_with(queues[i].fd, fd))
			continue;
		if (!queues[i].is_ending)
			look(&queues[i], true);
		drop(&queues[i]);
	}
	leave();
	errno = saved_errno;
}

void sampler_forked(void)
{
	/* Another thread of the parent may have held the lock, in the middle of a change. */
	if (pthread_mutex_trylock(&lock) == 0)
		free(queues);
	queues = NULL;
	queue_count = queue_capacity = 0;
	has_thread = false;
	is_inside = false;
	pthread_mutex_init(&lock, NULL);
}
