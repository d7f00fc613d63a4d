/* SPDX-License-Identifier: MIT */
/* What is done with an open descriptor: ioctl, mmap, close, dup, fcntl, lseek. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <linux/close_range.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fds.h"
#include "machine.h"
#include "real.h"
#include "virtgpu.h"

typedef int (*ioctl_fn)(int, unsigned long, ...);
typedef void *(*mmap_fn)(void *, size_t, int, int, int, off_t);
typedef int (*munmap_fn)(void *, size_t);
typedef void *(*mremap_fn)(void *, size_t, size_t, int, ...);
typedef int (*close_fn)(int);
typedef int (*close_range_fn)(unsigned int, unsigned int, int);
typedef void (*closefrom_fn)(int);
typedef int (*dup_fn)(int);
typedef int (*dup2_fn)(int, int);
typedef int (*dup3_fn)(int, int, int);
typedef int (*fcntl_fn)(int, int, ...);
typedef off_t (*lseek_fn)(int, off_t, int);

PRELOAD_REAL(ioctl, ioctl_fn)
PRELOAD_REAL(mmap, mmap_fn)
PRELOAD_REAL(munmap, munmap_fn)
PRELOAD_REAL(mremap, mremap_fn)
PRELOAD_REAL(close, close_fn)
PRELOAD_REAL(close_range, close_range_fn)
PRELOAD_REAL(closefrom, closefrom_fn)
PRELOAD_REAL(dup, dup_fn)
PRELOAD_REAL(dup2, dup2_fn)
PRELOAD_REAL(dup3, dup3_fn)
PRELOAD_REAL(fcntl, fcntl_fn)
PRELOAD_REAL(lseek, lseek_fn)

static int answer(int rc)
{
	if (rc >= 0)
		return rc;
	errno = -rc;
	return -1;
}

PRELOAD_EXPORT int ioctl(int fd, unsigned long request, ...)
{
	/* of other types only what is known already can be ours */
	bool may_be_ours = _IOC_TYPE(request) == 'K' || _IOC_TYPE(request) == 'd';
	struct preload_file *file = preload_fd_hold(fd, may_be_ours);
	const int saved_errno = errno; /* a system call that succeeds leaves it alone */
	va_list args;
	void *arg;
	int rc = -ENOTTY;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (!file)
		return real_ioctl()(fd, request, arg);
	switch (file->kind) {
	case PRELOAD_KFD:
		/* a call with another type is none of the driver's */
		if (_IOC_TYPE(request) == 'K')
			rc = kfd_model_ioctl(file->kfd, request, arg);
		break;
	case PRELOAD_DRM:
		rc = kfd_model_drm_ioctl(file->model, file->node, file->file_id, request, arg);
		break;
	case PRELOAD_VIRTGPU:
		rc = preload_virtgpu_ioctl(file->virtgpu, request, arg);
		break;
	}
	preload_file_put(file);
	errno = saved_errno;
	return answer(rc);
}

/* A dma-buf maps from its own first byte; in the memory file it lies somewhere else. */
static void *map_plain(void *addr, size_t size, int prot, int flags, int fd, off_t offset)
{
	uint64_t bytes, at;

	if (fd >= 0 && preload_machine_made() && kfd_model_dmabuf_look(fd, &bytes, &at)) {
		if ((uint64_t)offset + size > bytes) {
			errno = EINVAL;
			return MAP_FAILED;
		}
		offset += (off_t)at;
	}
	return real_mmap()(addr, size, prot, flags, fd, offset);
}

/* What was there is gone, as the driver hears of it from the memory management. */
static void unmapped(void *addr, size_t size)
{
	struct kfd_model *model = preload_machine_made();

	if (model && size)
		kfd_model_cpu_unmapped(model, (uintptr_t)addr, size);
}

static void *map_any(void *addr, size_t size, int prot, int flags, int fd, off_t offset)
{
	struct preload_file *file = flags & MAP_ANONYMOUS ? NULL : preload_fd_hold(fd, false);
	void *map;

	if (!file) {
		map = flags & MAP_ANONYMOUS ? real_mmap()(addr, size, prot, flags, fd, offset)
					    : map_plain(addr, size, prot, flags, fd, offset);
		/* what stands for a device cannot be mapped */
		if (map != MAP_FAILED || errno != ENODEV || (flags & MAP_ANONYMOUS))
			return map;
		file = preload_fd_hold(fd, true);
		if (!file)
			return map;
	}
	switch (file->kind) {
	case PRELOAD_KFD:
		map = kfd_model_mmap(file->model, file->kfd, addr, size, prot, flags, offset);
		break;
	case PRELOAD_DRM:
		map = kfd_model_render_mmap(file->model, addr, size, prot, flags, offset);
		break;
	case PRELOAD_VIRTGPU:
		map = preload_virtgpu_mmap(file->virtgpu, addr, size, flags, offset);
		break;
	}
	preload_file_put(file);
	return map;
}

PRELOAD_EXPORT void *mmap(void *addr, size_t size, int prot, int flags, int fd, off_t offset)
{
	void *map = map_any(addr, size, prot, flags, fd, offset);

	if (map != MAP_FAILED && (flags & MAP_FIXED))
		unmapped(map, size);
	return map;
}

PRELOAD_EXPORT void *mmap64(void *addr, size_t size, int prot, int flags, int fd, off64_t offset)
	__attribute__((alias("mmap")));

PRELOAD_EXPORT int munmap(void *addr, size_t size)
{
	int rc = real_munmap()(addr, size);

	if (!rc)
		unmapped(addr, size);
	return rc;
}

PRELOAD_EXPORT void *mremap(void *addr, size_t size, size_t new_size, int flags, ...)
{
	va_list args;
	void *wanted, *map;

	va_start(args, flags);
	wanted = flags & MREMAP_FIXED ? va_arg(args, void *) : NULL;
	va_end(args);
	map = real_mremap()(addr, size, new_size, flags, wanted);
	if (map == MAP_FAILED)
		return map;
	if (map != addr)
		unmapped(addr, size);
	else if (new_size < size)
		unmapped((char *)addr + new_size, size - new_size);
	if (flags & MREMAP_FIXED)
		unmapped(map, new_size);
	return map;
}

PRELOAD_EXPORT int close(int fd)
{
	preload_fd_gone(fd);
	return real_close()(fd);
}

PRELOAD_EXPORT int close_range(unsigned int first, unsigned int last, int flags)
{
	if (!(flags & CLOSE_RANGE_CLOEXEC))
		preload_fds_gone_from(first, last);
	return real_close_range()(first, last, flags);
}

PRELOAD_EXPORT void closefrom(int first)
{
	preload_fds_gone_from(first < 0 ? 0 : (unsigned int)first, UINT32_MAX);
	real_closefrom()(first);
}

PRELOAD_EXPORT int dup(int fd)
{
	int copy = real_dup()(fd);

	preload_fd_copied(fd, copy);
	return copy;
}

PRELOAD_EXPORT int dup2(int fd, int to)
{
	int copy = real_dup2()(fd, to);

	preload_fd_copied(fd, copy);
	return copy;
}

PRELOAD_EXPORT int dup3(int fd, int to, int flags)
{
	int copy = real_dup3()(fd, to, flags);

	preload_fd_copied(fd, copy);
	return copy;
}

PRELOAD_EXPORT int fcntl(int fd, int command, ...)
{
	va_list args;
	void *arg;
	int rc;

	/* an int and a pointer travel alike on the machines that have these GPUs */
	va_start(args, command);
	arg = va_arg(args, void *);
	va_end(args);
	rc = real_fcntl()(fd, command, arg);
	if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)
		preload_fd_copied(fd, rc);
	return rc;
}

PRELOAD_EXPORT int fcntl64(int fd, int command, ...) __attribute__((alias("fcntl")));

PRELOAD_EXPORT off_t lseek(int fd, off_t offset, int whence)
{
	uint64_t bytes;

	/*
	 * How programs ask for the size of a dma-buf. The position must stay: it says which buffer
	 * this is (share.c).
	 */
	if ((whence == SEEK_END || whence == SEEK_SET) && preload_machine_made() &&
	    kfd_model_dmabuf_look(fd, &bytes, NULL)) {
		if (offset == 0)
			return whence == SEEK_END ? (off_t)bytes : 0;
		errno = EINVAL;
		return -1;
	}
	return real_lseek()(fd, offset, whence);
}

PRELOAD_EXPORT off64_t lseek64(int fd, off64_t offset, int whence) __attribute__((alias("lseek")));
