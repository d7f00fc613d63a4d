/* SPDX-License-Identifier: MIT */
/* Beginning and end of being debugged, and how the debugger is woken: by a byte in its descriptor. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "caller.h"
#include "debug-state.h"
#include "sleep.h"

/* A full pipe has told the debugger already; nobody waits for it, and nobody dies of a closed one. */
static void write_byte(int fd)
{
	struct pollfd pfd = { .fd = fd, .events = POLLOUT };
	const struct timespec at_once = { 0 };
	sigset_t pipe_only, old, pending;

	if (poll(&pfd, 1, 0) != 1 || !(pfd.revents & POLLOUT))
		return;
	sigemptyset(&pipe_only);
	sigaddset(&pipe_only, SIGPIPE);
	sigpending(&pending);
	pthread_sigmask(SIG_BLOCK, &pipe_only, &old);
	if (write(fd, ".", 1) < 0 && errno == EPIPE && !sigismember(&pending, SIGPIPE))
		sigtimedwait(&pipe_only, NULL, &at_once);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static void *ring(void *data)
{
	struct kfd_model_process *process = data;
	struct kfd_model_debug *debug = process->debug;

	prctl(PR_SET_NAME, "kfd-model-bell", 0, 0, 0);
	pthread_mutex_lock(&process->queues_lock);
	while (!debug->bell_stop) {
		if (!debug->rings) {
			pthread_cond_wait(&debug->ring, &process->queues_lock);
			continue;
		}
		debug->rings--;
		pthread_mutex_unlock(&process->queues_lock);
		write_byte(debug->fd);
		pthread_mutex_lock(&process->queues_lock);
	}
	pthread_mutex_unlock(&process->queues_lock);
	kfd_model_close_fd(debug->fd);
	return NULL;
}

bool kfd_model_debug_tell_debugger(struct kfd_model_process *process, uint64_t mask)
{
	struct kfd_model_debug *debug = process->debug;

	if (!debug->attached || !(debug->enabled & mask))
		return false;
	if (debug->has_bell) {
		debug->rings++;
		pthread_cond_signal(&debug->ring);
	} else if (debug->fd >= 0) {
		write_byte(debug->fd);
	}
	return true;
}

/* The caller is the control thread, whose signals are blocked as those of its child are to be. */
static int hang_bell(struct kfd_model_process *process)
{
	struct kfd_model_debug *debug = process->debug;

	debug->rings = 0;
	debug->bell_stop = false;
	debug->has_bell = pthread_create(&debug->bell, NULL, ring, process) == 0;
	return debug->has_bell ? 0 : -ENOMEM;
}

int kfd_model_debug_attach(struct kfd_model_process *process, int fd, pid_t debugger,
			   uint64_t enabled)
{
	struct kfd_model_debug *debug = process->debug;
	bool is_other = debugger != getpid();
	int rc = 0;

	pthread_mutex_lock(&process->queues_lock);
	debug->fd = fd;
	if (is_other)
		rc = hang_bell(process);
	if (rc) {
		debug->fd = -1;
	} else {
		debug->attached = true;
		debug->debugger = is_other ? debugger : 0;
		debug->enabled = enabled;
	}
	pthread_mutex_unlock(&process->queues_lock);
	return rc;
}

void kfd_model_debug_detach(struct kfd_model_process *process)
{
	struct kfd_model_debug *debug = process->debug;
	bool had_bell;

	pthread_mutex_lock(&process->queues_lock);
	had_bell = debug->has_bell;
	debug->attached = debug->has_bell = false;
	debug->debugger = 0;
	debug->bell_stop = true;
	pthread_cond_signal(&debug->ring);
	debug->enabled = debug->process_exceptions = 0;
	debug->flags = debug->override_mask = debug->launch_mode = 0;
	for (uint32_t i = 0; i < KFD_MODEL_MAX_GPUS; i++)
		debug->watch_used[i] = 0;
	pthread_mutex_unlock(&process->queues_lock);
	if (had_bell)
		pthread_join(debug->bell, NULL);
	else if (debug->fd >= 0)
		kfd_model_close_fd(debug->fd);
	debug->fd = -1;
	debug->runtime_waits = false;
	kfd_model_wake(&debug->lets_go);
}
