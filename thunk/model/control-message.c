/* SPDX-License-Identifier: MIT */
/* What both sides of a connection need: the name of a socket, and messages with descriptors. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "caller.h"
#include "control.h"

#define HEAD_BYTES offsetof(struct kfd_model_message, bytes)
#define STAT_START 20 /* words from the state to the time of the start, in /proc/PID/stat */

/* Text of /proc/PID/file. @return false when there is no such process. */
static bool read_proc(pid_t pid, const char *file, char *text, size_t size)
{
	char path[64];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	got = read(fd, text, size - 1);
	kfd_model_close_fd(fd);
	text[got > 0 ? got : 0] = '\0';
	return got > 0;
}

unsigned int kfd_model_control_name(pid_t pid, struct sockaddr_un *name)
{
	char text[1024], *word;
	int length;

	if (!read_proc(pid, "stat", text, sizeof(text)))
		return 0;
	word = strrchr(text, ')'); /* the name of the program may have blanks in it */
	for (int i = 0; word && i < STAT_START; i++)
		word = strchr(word + 1, ' ');
	if (!word)
		return 0;
	memset(name, 0, sizeof(*name));
	name->sun_family = AF_UNIX;
	/* the start tells a process from a later one with the same number */
	length = snprintf(name->sun_path + 1, sizeof(name->sun_path) - 1,
			  KFD_MODEL_CONTROL_PREFIX "%d/%llu", (int)pid, strtoull(word, NULL, 10));
	return (unsigned int)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

pid_t kfd_model_status_pid(pid_t pid, const char *key)
{
	char text[4096];
	const char *at;

	if (!read_proc(pid, "status", text, sizeof(text)))
		return 0;
	at = strstr(text, key);
	return at ? (pid_t)strtol(at + strlen(key), NULL, 10) : 0;
}

int kfd_model_message_send(int socket, const struct kfd_model_message *message, size_t size_bytes,
			   int fd)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec iov = { .iov_base = (void *)(uintptr_t)message,
			     .iov_len = HEAD_BYTES + size_bytes };
	struct msghdr head = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t sent;

	if (fd >= 0) {
		struct cmsghdr *c = (struct cmsghdr *)(void *)control;

		head.msg_control = control;
		head.msg_controllen = sizeof(control);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	}
	do {
		sent = sendmsg(socket, &head, MSG_NOSIGNAL);
	} while (sent < 0 && errno == EINTR);
	if (sent >= 0)
		return 0;
	return errno == EPIPE || errno == ECONNRESET ? -ESRCH : -errno;
}

int kfd_model_message_receive(int socket, struct kfd_model_message *message, int *fd)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec iov = { .iov_base = message, .iov_len = sizeof(*message) };
	struct msghdr head = { .msg_iov = &iov,
			       .msg_iovlen = 1,
			       .msg_control = control,
			       .msg_controllen = sizeof(control) };
	struct cmsghdr *c;
	ssize_t got = recvmsg(socket, &head, MSG_CMSG_CLOEXEC);

	*fd = -1;
	if (got < 0)
		return errno == ECONNRESET ? -ESRCH : -errno;
	c = CMSG_FIRSTHDR(&head);
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(c), sizeof(*fd));
	if (got < (ssize_t)HEAD_BYTES || message->size_bytes > sizeof(message->bytes)) {
		if (*fd >= 0)
			kfd_model_close_fd(*fd);
		*fd = -1;
		return -ESRCH;
	}
	return 0;
}
