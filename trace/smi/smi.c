/* SPDX-License-Identifier: MIT */
/* The streams, and the thread that reads them (smi.h). */
#include "smi/smi.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hsakmt/linux/kfd_ioctl.h"
#include "own_lock.h"
#include "sampler/sampler.h"
#include "smi/tell.h"
#include "thread.h"
#include "values.h"

enum {
	STREAMS_MAX = 128,   /* GPUs; further ones are not listened to */
	FIRST_FD = 512,      /* out of the way of the program's */
	POLL_MS = 200,       /* after which a new stream is noticed */
	BUFFER_BYTES = 4096, /* the driver keeps 1024 (kfd.md 9) */
	LINK_BYTES = 64,
};
/* Of this process, all events there are or will be. */
#define EVENTS_MASK (~KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_ALL_PROCESS))

struct stream {
	const struct device *dev; /* borrowed; only compared */
	int kfd;                  /* the descriptor it was opened through */
	uint32_t gpu_id;
	int fd;                /* owned; -1: it could not be opened */
	int os_errno;          /* why */
	char link[LINK_BYTES]; /* what the descriptor is, to notice when it no longer is */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects all below */
static struct stream streams[STREAMS_MAX];
static size_t stream_count;
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

static void read_link(int fd, char link[LINK_BYTES])
{
	char path[32];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	length = readlink(path, link, LINK_BYTES - 1);
	link[length > 0 ? length : 0] = '\0';
}

/* False when the program has closed it, and perhaps something of its own has the number. */
static bool is_ours(const struct stream *stream)
{
	char link[LINK_BYTES];

	if (stream->fd < 0)
		return false;
	read_link(stream->fd, link);
	return link[0] && strcmp(link, stream->link) == 0;
}

static void drop(struct stream *stream)
{
	if (is_ours(stream))
		close(stream->fd);
	*stream = streams[--stream_count];
}

/* Tells all lines that wait. The caller holds the lock. */
static void drain(const struct stream *stream)
{
	char buffer[BUFFER_BYTES];
	struct pollfd ready = { .fd = stream->fd, .events = POLLIN };
	ssize_t got;

	if (!is_ours(stream))
		return;
	/* An empty stream that is a blocking descriptor must not be read. */
	while (poll(&ready, 1, 0) > 0 && (ready.revents & POLLIN)) {
		const char *at = buffer, *end, *newline;

		got = read(stream->fd, buffer, sizeof(buffer));
		if (got <= 0)
			return;
		for (end = buffer + got; at < end; at = newline + 1) {
			newline = memchr(at, '\n', (size_t)(end - at));
			if (!newline)
				newline = end;
			if (newline > at)
				smi_tell(stream->gpu_id, at, (size_t)(newline - at));
		}
	}
}

static void drain_all(void)
{
	if (!enter())
		return;
	for (size_t i = 0; i < stream_count; i++)
		drain(&streams[i]);
	leave();
}

/* Forgets streams that the program has closed. @return how many descriptors there are. */
static nfds_t list(struct pollfd fds[STREAMS_MAX])
{
	nfds_t count = 0;

	if (!enter())
		return 0;
	for (size_t i = stream_count; i-- > 0;) {
		if (streams[i].fd < 0)
			continue;
		if (is_ours(&streams[i]))
			fds[count++] = (struct pollfd){ .fd = streams[i].fd, .events = POLLIN };
		else
			drop(&streams[i]);
	}
	leave();
	return count;
}

static void *listen_to_all(void *unused)
{
	struct pollfd fds[STREAMS_MAX];

	(void)unused;
	for (;;) {
		if (poll(fds, list(fds), POLL_MS) > 0)
			drain_all();
	}
	return NULL;
}

/* Tried again with the next stream; until then, streams are read when they are closed. The caller holds the lock. */
static void start_thread(void)
{
	if (!has_thread)
		has_thread = trace_thread_start(listen_to_all, "kfdscope-smi");
	if (!has_exit_handler)
		has_exit_handler = atexit(drain_all) == 0;
}

/* @return the descriptor moved out of the way, or as it is. */
static int move_up(int fd)
{
	const int higher = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FD);

	if (higher < 0) {
		(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
		return fd;
	}
	close(fd);
	return higher;
}

/* @return a descriptor that tells all events, or -errno. */
static int open_stream(struct device *dev, int kfd, uint32_t gpu_id)
{
	struct kfd_ioctl_smi_events_args args = { .gpuid = gpu_id };
	const uint64_t mask = EVENTS_MASK;
	const struct trace_provider *provider = trace_provider_get();
	int ret, fd;

	/* Whoever records at the libc boundary below us is to leave these calls alone. */
	(*provider->device_depth())++;
	ret = dev->base_ops->ioctl(dev, kfd, AMDKFD_IOC_SMI_EVENTS, &args);
	fd = ret < 0 ? ret : move_up((int)args.anon_fd);
	if (fd >= 0 && write(fd, &mask, sizeof(mask)) < 0) {
		ret = -errno;
		close(fd);
		fd = ret;
	}
	(*provider->device_depth())--;
	return fd;
}

static struct kmt_smi_stream stream_event(const struct stream *stream)
{
	return (struct kmt_smi_stream){
		.gpu_id = stream->gpu_id,
		.fd = stream->fd,
		.os_errno = stream->os_errno,
		.mask = EVENTS_MASK,
	};
}

/* The caller holds the lock. */
static void add(struct device *dev, int kfd, uint32_t gpu_id)
{
	struct stream *stream = &streams[stream_count];
	struct kmt_smi_stream event;

	for (size_t i = 0; i < stream_count; i++) {
		if (streams[i].gpu_id == gpu_id)
			return;
	}
	if (stream_count == STREAMS_MAX)
		return;
	*stream = (struct stream){ .dev = dev, .kfd = kfd, .gpu_id = gpu_id };
	stream->fd = open_stream(dev, kfd, gpu_id);
	if (stream->fd < 0) {
		stream->os_errno = -stream->fd;
		stream->fd = -1;
	} else {
		read_link(stream->fd, stream->link);
	}
	stream_count++;
	event = stream_event(stream);
	if (trace_point_begin(TRACE_kmt_smi_stream))
		trace_call_fire(TRACE_kmt_smi_stream, &event);
	if (stream->fd >= 0)
		start_thread();
}

void smi_after_ioctl(struct device *dev, int fd, unsigned long request, const void *arg, int ret)
{
	struct kfd_ioctl_acquire_vm_args args;
	const int saved_errno = errno;

	if (!trace_options()->smi || _IOC_NR(request) != _IOC_NR(AMDKFD_IOC_ACQUIRE_VM) ||
	    ret < 0 || !enter())
		return;
	trace_copy_argument(&args, sizeof(args), request, arg);
	add(dev, fd, args.gpu_id);
	leave();
	errno = saved_errno;
}

void smi_before_close(const struct device *dev, int fd)
{
	const int saved_errno = errno;

	if (!trace_options()->smi || !enter())
		return;
	for (size_t i = stream_count; i-- > 0;) {
		if (streams[i].dev != dev || !sampler_ends_with(streams[i].kfd, fd))
			continue;
		drain(&streams[i]);
		drop(&streams[i]);
	}
	leave();
	errno = saved_errno;
}

void smi_dump(const struct trace_provider *provider)
{
	if (!trace_enabled(provider, TRACE_kmt_smi_stream) || !enter())
		return;
	for (size_t i = 0; i < stream_count; i++) {
		const struct kmt_smi_stream event = stream_event(&streams[i]);

		provider->fire[TRACE_kmt_smi_stream](&event);
	}
	leave();
}

void smi_forked(void)
{
	/* Another thread of the parent may have held the lock, in the middle of a change. */
	const bool is_whole = pthread_mutex_trylock(&lock) == 0;

	while (is_whole && stream_count)
		drop(&streams[stream_count - 1]);
	stream_count = 0;
	has_thread = false;
	is_inside = false;
	pthread_mutex_init(&lock, NULL);
}
