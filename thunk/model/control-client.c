/* SPDX-License-Identifier: MIT */
/* The asking side: has a call carried out by the KFD of another process. */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "caller.h"
#include "control.h"
#include "usercopy.h"

#define LOOK_MS     50   /* how long to sleep before a look at the process that is asked */
#define PATIENCE_MS 2000 /* after which a signal ends the wait */

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

/* The name says which process it should be, the kernel says which it is. */
static bool is_really(int socket, pid_t pid)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid == pid &&
	       (peer.uid == geteuid() || geteuid() == 0);
}

static int connect_to(pid_t pid)
{
	struct sockaddr_un name;
	unsigned int length = kfd_model_control_name(pid, &name);
	int fd;

	if (!length)
		return KFD_MODEL_NO_KFD;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (connect(fd, (struct sockaddr *)&name, length) || !is_really(fd, pid)) {
		kfd_model_close_fd(fd);
		return KFD_MODEL_NO_KFD;
	}
	return fd;
}

/* Waits for a message. @return 0, or -EINTR: by a signal, or because that took long enough. */
static int wait_for(int socket, uint64_t since_ms, bool bounded)
{
	struct pollfd pfd = { .fd = socket, .events = POLLIN };
	int rc;

	for (;;) {
		rc = poll(&pfd, 1, LOOK_MS);
		if (rc > 0)
			return 0;
		/* a call of the driver is not interrupted as long as it makes progress */
		if ((bounded || (rc < 0 && errno == EINTR)) && now_ms() - since_ms > PATIENCE_MS)
			return -EINTR;
	}
}

/* Does what the server needs from this process. fd came with the message. */
static int answer(int socket, struct kfd_model_message *message, int fd)
{
	size_t size = 0;
	int give = -1, rc;

	switch (message->kind) {
	case KFD_MODEL_MESSAGE_COPY_IN:
		message->rc =
			kfd_model_copy_in(message->bytes, message->address, message->size_bytes);
		size = message->rc ? 0 : message->size_bytes;
		break;
	case KFD_MODEL_MESSAGE_COPY_OUT:
		message->rc =
			kfd_model_copy_out(message->address, message->bytes, message->size_bytes);
		break;
	case KFD_MODEL_MESSAGE_TAKE_FD:
		give = kfd_model_caller_take_fd(message->rc);
		message->rc = give < 0 ? give : 0;
		break;
	case KFD_MODEL_MESSAGE_GIVE_FD:
		message->rc = fd < 0 ? -EMFILE : fd;
		fd = -1;
		break;
	default:
		message->rc = -EINVAL;
		break;
	}
	if (fd >= 0)
		kfd_model_close_fd(fd);
	message->kind = KFD_MODEL_MESSAGE_ANSWER;
	message->size_bytes = (uint32_t)size;
	rc = kfd_model_message_send(socket, message, size, give);
	if (give >= 0)
		kfd_model_close_fd(give);
	return rc;
}

static int converse(int socket, struct kfd_model_message *message, void *args, size_t size_bytes,
		    bool bounded)
{
	uint64_t since_ms = now_ms();
	int rc, fd;

	for (;;) {
		rc = wait_for(socket, since_ms, bounded);
		if (!rc)
			rc = kfd_model_message_receive(socket, message, &fd);
		if (rc)
			return rc;
		if (message->kind == KFD_MODEL_MESSAGE_DONE)
			break;
		rc = answer(socket, message, fd);
		if (rc)
			return rc;
	}
	if (fd >= 0)
		kfd_model_close_fd(fd);
	if (message->size_bytes == size_bytes)
		memcpy(args, message->bytes, size_bytes);
	return message->rc;
}

int kfd_model_control_call(pid_t pid, enum kfd_model_control_call call, void *args,
			   size_t size_bytes)
{
	struct kfd_model_message *message = calloc(1, sizeof(*message));
	int socket = message ? connect_to(pid) : -ENOMEM;
	int rc = socket;

	if (socket >= 0) {
		message->kind = KFD_MODEL_MESSAGE_CALL;
		message->address = call;
		message->size_bytes = (uint32_t)size_bytes;
		memcpy(message->bytes, args, size_bytes);
		rc = kfd_model_message_send(socket, message, size_bytes, -1);
		if (!rc)
			rc = converse(socket, message, args, size_bytes,
				      call == KFD_MODEL_CONTROL_TARGET);
		kfd_model_close_fd(socket);
	}
	free(message);
	return rc;
}
