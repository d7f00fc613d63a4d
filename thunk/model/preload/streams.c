/* SPDX-License-Identifier: MIT */
/*
 * Reading and writing the event stream of a GPU (kfd.md 9), which is a socket here. Unlike a socket
 * the driver's file takes masks of eight bytes only, and no read of it ever waits.
 */
#include <errno.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#include "real.h"
#include "smi.h"

typedef ssize_t (*read_fn)(int, void *, size_t);
typedef ssize_t (*write_fn)(int, const void *, size_t);

PRELOAD_REAL(read, read_fn)
PRELOAD_REAL(write, write_fn)

PRELOAD_EXPORT ssize_t write(int fd, const void *bytes, size_t size)
{
	const int saved_errno = errno;

	if (!kfd_model_smi_is(fd)) {
		errno = saved_errno;
		return real_write()(fd, bytes, size);
	}
	if (size < sizeof(uint64_t)) {
		errno = EFAULT;
		return -1;
	}
	return real_write()(fd, bytes, sizeof(uint64_t));
}

static ssize_t read_any(int fd, void *bytes, size_t size)
{
	const int saved_errno = errno;

	if (kfd_model_smi_is(fd))
		return recv(fd, bytes, size, MSG_DONTWAIT);
	errno = saved_errno;
	return real_read()(fd, bytes, size);
}

PRELOAD_EXPORT ssize_t read(int fd, void *bytes, size_t size)
{
	return read_any(fd, bytes, size);
}

/* What fortified programs call. */
PRELOAD_EXPORT ssize_t __read_chk(int fd, void *bytes, size_t size, size_t room);

ssize_t __read_chk(int fd, void *bytes, size_t size, size_t room)
{
	if (size > room)
		__builtin_trap();
	return read_any(fd, bytes, size);
}
