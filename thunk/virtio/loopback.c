/* SPDX-License-Identifier: MIT */
/* Packets with descriptors (loopback.h). */
#include "virtio/loopback.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define FDS_MAX 4 /* more than one are closed again */

union control {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(FDS_MAX * sizeof(int))];
};

int loopback_send(int sock, const void *packet, uint32_t bytes, int fd)
{
	struct iovec part = { .iov_base = (void *)(uintptr_t)packet, .iov_len = bytes };
	union control control = { 0 };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	ssize_t sent;

	if (fd >= 0) {
		message.msg_control = control.bytes;
		message.msg_controllen = CMSG_SPACE(sizeof(int));
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	}
	do
		sent = sendmsg(sock, &message, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	if (sent < 0)
		return -errno;
	return sent == (ssize_t)bytes ? 0 : -EPROTO;
}

/* Keeps the first descriptor and closes what else came. */
static void take_fds(struct msghdr *message, int *fd)
{
	for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header;
	     header = CMSG_NXTHDR(message, header)) {
		size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		int fds[FDS_MAX];

		if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
			continue;
		memcpy(fds, CMSG_DATA(header), count * sizeof(int));
		for (size_t i = 0; i < count; i++) {
			if (*fd < 0)
				*fd = fds[i];
			else
				close(fds[i]);
		}
	}
}

int loopback_receive(int sock, void *packet, uint32_t bytes, int *fd)
{
	struct iovec part = { .iov_base = packet, .iov_len = bytes };
	union control control = { 0 };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = control.bytes,
				  .msg_controllen = sizeof(control.bytes) };
	ssize_t got;

	*fd = -1;
	do
		got = recvmsg(sock, &message, MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	if (got <= 0)
		return got < 0 ? -errno : -EPIPE;
	take_fds(&message, fd);
	if (got == (ssize_t)bytes && !(message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)))
		return 0;
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	return -EPROTO;
}
