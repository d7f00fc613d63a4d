/* SPDX-License-Identifier: MIT */
/* The serving side: a thread that carries out what other processes ask of this one's KFD. */
#include "control.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "caller.h"
#include "criu.h"
#include "debug-remote.h"
#include "process.h"
#include "store.h"
#include "sysfs.h"

#define STACK_BYTES  (512u << 10)
#define BACKLOG      16
#define PATIENCE_SEC 5 /* for a client that stops in the middle of a call */

struct kfd_model_control {
	struct kfd_model_process *process; /* borrowed */
	pthread_t thread;
	sem_t ready; /* posted when the thread serves, or will not */
	bool serving;
	int listener; /* in the thread's table */
	int watched;  /* pidfd of the debugger, same table, or -1 */
	pid_t watched_pid;
};

/* One call in work. */
struct session {
	struct kfd_model_caller caller;    /* first: the callbacks get this */
	struct kfd_model_control *control; /* borrowed */
	int socket;
	struct kfd_model_message message; /* in work */
};

/* Asks the client for something. @return its result. */
static int ask(struct session *session, size_t size_bytes, int send_fd, int *fd)
{
	int got = -1;
	int rc = kfd_model_message_send(session->socket, &session->message, size_bytes, send_fd);

	if (!rc)
		rc = kfd_model_message_receive(session->socket, &session->message, &got);
	if (!rc)
		rc = session->message.rc;
	if (fd)
		*fd = got;
	else if (got >= 0)
		kfd_model_close_fd(got);
	return rc;
}

static int copy_in(struct kfd_model_caller *caller, void *to, uint64_t from, size_t size_bytes)
{
	struct session *session = (struct session *)caller;
	struct kfd_model_message *message = &session->message;

	for (size_t done = 0; done < size_bytes;) {
		size_t part = size_bytes - done;

		if (part > sizeof(message->bytes))
			part = sizeof(message->bytes);
		message->kind = KFD_MODEL_MESSAGE_COPY_IN;
		message->address = from + done;
		message->size_bytes = (uint32_t)part;
		if (ask(session, 0, -1, NULL))
			return -EFAULT;
		memcpy((char *)to + done, message->bytes, part);
		done += part;
	}
	return 0;
}

static int copy_out(struct kfd_model_caller *caller, uint64_t to, const void *from,
		    size_t size_bytes)
{
	struct session *session = (struct session *)caller;
	struct kfd_model_message *message = &session->message;

	for (size_t done = 0; done < size_bytes;) {
		size_t part = size_bytes - done;

		if (part > sizeof(message->bytes))
			part = sizeof(message->bytes);
		message->kind = KFD_MODEL_MESSAGE_COPY_OUT;
		message->address = to + done;
		message->size_bytes = (uint32_t)part;
		memcpy(message->bytes, (const char *)from + done, part);
		if (ask(session, part, -1, NULL))
			return -EFAULT;
		done += part;
	}
	return 0;
}

static int take_fd(struct kfd_model_caller *caller, int fd)
{
	struct session *session = (struct session *)caller;
	int ours = -1;

	session->message.kind = KFD_MODEL_MESSAGE_TAKE_FD;
	session->message.rc = fd;
	session->message.size_bytes = 0;
	if (ask(session, 0, -1, &ours) || ours < 0)
		return -EBADF;
	return ours;
}

static int give_fd(struct kfd_model_caller *caller, int fd)
{
	struct session *session = (struct session *)caller;
	int rc;

	session->message.kind = KFD_MODEL_MESSAGE_GIVE_FD;
	session->message.size_bytes = 0;
	rc = ask(session, 0, fd, NULL);
	kfd_model_close_fd(fd);
	return rc;
}

/* Watches whether the debugger lives, so that its target does not wait for it for ever. */
static void watch_debugger(struct kfd_model_control *control)
{
	pid_t pid = kfd_model_debug_debugger(control->process);

	if (pid == control->watched_pid)
		return;
	if (control->watched >= 0)
		kfd_model_close_fd(control->watched);
	control->watched = pid ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
	control->watched_pid = pid;
	if (pid && control->watched < 0 && errno == ESRCH) { /* gone already */
		kfd_model_debug_debugger_died(control->process);
		control->watched_pid = 0;
	}
}

static int carry_out(struct kfd_model_control *control, uint64_t call, pid_t caller, void *args)
{
	switch (call) {
	case KFD_MODEL_CONTROL_DEBUG:
		return kfd_model_debug_serve(control->process, args);
	case KFD_MODEL_CONTROL_CRIU:
		return kfd_model_criu_serve(control->process, args);
	case KFD_MODEL_CONTROL_SYSFS:
		return kfd_model_sysfs_serve(control->process, args);
	case KFD_MODEL_CONTROL_TARGET:
		return kfd_model_debug_start_of(control->process->model, caller, args);
	}
	return -EINVAL;
}

static bool is_friend(int socket, pid_t *pid)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) ||
	    (peer.uid != geteuid() && peer.uid != 0))
		return false;
	*pid = peer.pid;
	return true;
}

static void serve(struct session *session)
{
	const struct timeval patience = { .tv_sec = PATIENCE_SEC };
	struct kfd_model_message *message = &session->message;
	_Alignas(16) char args[KFD_MODEL_CONTROL_ARGS] = { 0 };
	int fd = -1, rc;
	size_t size;

	setsockopt(session->socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(session->socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (!is_friend(session->socket, &session->caller.pid) ||
	    kfd_model_message_receive(session->socket, message, &fd))
		return;
	if (fd >= 0)
		kfd_model_close_fd(fd);
	size = message->size_bytes;
	if (message->kind != KFD_MODEL_MESSAGE_CALL || size > sizeof(args))
		return;
	memcpy(args, message->bytes, size);
	kfd_model_caller_set(&session->caller);
	rc = carry_out(session->control, message->address, session->caller.pid, args);
	kfd_model_caller_set(NULL);
	message->kind = KFD_MODEL_MESSAGE_DONE;
	message->rc = rc;
	message->size_bytes = (uint32_t)size;
	memcpy(message->bytes, args, size);
	/* who is gone by now needs no answer */
	(void)kfd_model_message_send(session->socket, message, size, -1);
}

/*
 * Leaves the program's descriptor table for one with nothing in it but the memory file, which keeps
 * its number. The kernels that cannot do it in one step have no pidfds either; there are no services.
 */
static bool leave_table(int memory)
{
	unsigned int number = (unsigned int)memory;

	if (syscall(SYS_close_range, number + 1, ~0u, CLOSE_RANGE_UNSHARE))
		return false;
	kfd_model_caller_leave_table();
	return !number || syscall(SYS_close_range, 0, number - 1, 0) == 0;
}

static bool listen_here(struct kfd_model_control *control)
{
	struct sockaddr_un name;
	unsigned int length = kfd_model_control_name(getpid(), &name);

	if (!length || !leave_table(kfd_model_store_fd(control->process->store)))
		return false;
	control->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	return control->listener >= 0 &&
	       bind(control->listener, (struct sockaddr *)&name, length) == 0 &&
	       listen(control->listener, BACKLOG) == 0;
}

/*
 * The only place where the thread may be cancelled: it holds nothing there. Not instrumented, since a
 * cancelled frame would leave its guard zones behind for the frames of the clean-up.
 */
__attribute__((no_sanitize_address)) static void wait_for_work(struct pollfd fds[2], nfds_t count)
{
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
	if (poll(fds, count, -1) < 0)
		fds[0].revents = fds[1].revents = 0;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
}

/*
 * Whoever joins the thread may open the KFD again at once, under the same name: the name must be free
 * by then, and the kernel closes a thread's table only after it has told that the thread is gone.
 */
static void finish(void *data)
{
	struct session *session = data;

	kfd_model_close_fd(session->control->listener);
	free(session);
}

static void *run(void *data)
{
	struct kfd_model_control *control = data;
	struct session *session = calloc(1, sizeof(*session));
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	prctl(PR_SET_NAME, "kfd-model-ctl", 0, 0, 0);
	control->serving = session && listen_here(control);
	if (!control->serving) {
		free(session);
		sem_post(&control->ready);
		return NULL;
	}
	session->caller = (struct kfd_model_caller){
		.copy_in = copy_in, .copy_out = copy_out, .take_fd = take_fd, .give_fd = give_fd
	};
	session->control = control;
	kfd_model_debug_greet(control->process);
	watch_debugger(control);
	sem_post(&control->ready);
	pthread_cleanup_push(finish, session);
	for (;;) {
		struct pollfd fds[2] = { { .fd = control->listener, .events = POLLIN },
					 { .fd = control->watched, .events = POLLIN } };

		wait_for_work(fds, 2);
		if (fds[1].revents)
			kfd_model_debug_debugger_died(control->process);
		if (fds[0].revents & POLLIN) {
			session->socket = accept4(control->listener, NULL, NULL, SOCK_CLOEXEC);
			if (session->socket >= 0) {
				serve(session);
				kfd_model_close_fd(session->socket);
			}
		}
		watch_debugger(control);
	}
	pthread_cleanup_pop(1);
	return NULL;
}

static bool start(struct kfd_model_control *control)
{
	pthread_attr_t attr;
	sigset_t all, old;
	int rc;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	/* the program's signals are for the program's threads */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&control->thread, &attr, run, control);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	return rc == 0;
}

struct kfd_model_control *kfd_model_control_new(struct kfd_model_process *process)
{
	struct kfd_model_control *control = calloc(1, sizeof(*control));

	if (!control)
		return NULL;
	control->process = process;
	control->listener = control->watched = -1;
	sem_init(&control->ready, 0, 0);
	if (!start(control)) {
		sem_destroy(&control->ready);
		free(control);
		return NULL;
	}
	while (sem_wait(&control->ready) && errno == EINTR)
		;
	if (control->serving)
		return control;
	kfd_model_control_free(control);
	return NULL;
}

void kfd_model_control_free(struct kfd_model_control *control)
{
	if (!control)
		return;
	if (control->serving)
		pthread_cancel(control->thread);
	pthread_join(control->thread, NULL);
	sem_destroy(&control->ready);
	free(control);
}

void kfd_model_control_after_fork(struct kfd_model_control *control)
{
	free(control);
}
