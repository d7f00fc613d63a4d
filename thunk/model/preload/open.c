/* SPDX-License-Identifier: MIT */
/* open and its relatives. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fds.h"
#include "machine.h"
#include "paths.h"
#include "real.h"
#include "virtgpu.h"

typedef int (*open_fn)(const char *, int, ...);
typedef int (*openat_fn)(int, const char *, int, ...);
typedef FILE *(*fopen_fn)(const char *, const char *);

PRELOAD_REAL(open, open_fn)
PRELOAD_REAL(openat, openat_fn)
PRELOAD_REAL(fopen, fopen_fn)

/* A descriptor that reads as the text of a virtual file. */
static int open_text(const struct preload_entry *entry, int flags)
{
	char text[PRELOAD_TEXT_MAX];
	size_t length;
	int fd;

	if (entry->type != ENTRY_FILE || (flags & O_ACCMODE) != O_RDONLY) {
		errno = entry->type == ENTRY_FILE ? EACCES : EISDIR;
		return -1;
	}
	length = preload_virtual_text(preload_machine(), entry, text);
	fd = memfd_create("kfdscope-sysfs", flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
	if (fd >= 0 && (write(fd, text, length) != (ssize_t)length || lseek(fd, 0, SEEK_SET))) {
		close(fd);
		errno = EIO;
		return -1;
	}
	return fd;
}

/* @return true when the path is ours; *fd is then the answer, and errno is set when it is -1. */
static bool open_ours(const char *path, int flags, struct preload_path *at, int *fd)
{
	if (preload_virtgpu_is(path)) {
		*fd = preload_open_virtgpu(flags);
		return true;
	}
	switch (preload_look(path, at)) {
	case PATH_FOREIGN:
	case PATH_MOVED:
		return false;
	case PATH_KFD:
		*fd = preload_open_kfd(preload_machine(), flags);
		return true;
	case PATH_RENDER:
		*fd = preload_open_render(preload_machine(), at->node, flags);
		return true;
	case PATH_VIRTUAL:
		*fd = open_text(&at->entry, flags);
		return true;
	case PATH_REFUSED:
		errno = at->error;
		*fd = -1;
		return true;
	}
	return false;
}

/*
 * Whether another path may be opened like this. sysfs and procfs let nobody write, root neither, and
 * the tree behind them is our data; only the file that stands for the device takes writers.
 */
static bool may_open(const struct preload_path *at, int flags)
{
	if ((flags & O_ACCMODE) == O_RDONLY && !(flags & (O_CREAT | O_TRUNC)))
		return true;
	return strcmp(at->real, "/dev/null") == 0;
}

static int open_any(int directory, const char *path, int flags, mode_t mode)
{
	struct preload_path at;
	int fd;

	if (open_ours(path, flags, &at, &fd))
		return fd;
	if (at.what == PATH_MOVED) {
		if (!may_open(&at, flags)) {
			errno = EACCES;
			return -1;
		}
		path = at.real;
	}
	if (directory == AT_FDCWD)
		return real_open()(path, flags, mode);
	return real_openat()(directory, path, flags, mode);
}

static mode_t mode_of(int flags, va_list args)
{
	/* the third argument exists only for these */
	return flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY)) ? va_arg(args, mode_t) : 0;
}

PRELOAD_EXPORT int open(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = mode_of(flags, args);
	va_end(args);
	return open_any(AT_FDCWD, path, flags, mode);
}

PRELOAD_EXPORT int openat(int directory, const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = mode_of(flags, args);
	va_end(args);
	return open_any(directory, path, flags, mode);
}

/* On 64-bit systems the 64-bit names are the same functions. */
PRELOAD_EXPORT int open64(const char *path, int flags, ...) __attribute__((alias("open")));
PRELOAD_EXPORT int openat64(int directory, const char *path, int flags, ...)
	__attribute__((alias("openat")));

/* What fortified programs call. */
PRELOAD_EXPORT int __open_2(const char *path, int flags);
PRELOAD_EXPORT int __open64_2(const char *path, int flags) __attribute__((alias("__open_2")));
PRELOAD_EXPORT int __openat_2(int directory, const char *path, int flags);
PRELOAD_EXPORT int __openat64_2(int directory, const char *path, int flags)
	__attribute__((alias("__openat_2")));

int __open_2(const char *path, int flags)
{
	return open_any(AT_FDCWD, path, flags, 0);
}

int __openat_2(int directory, const char *path, int flags)
{
	return open_any(directory, path, flags, 0);
}

PRELOAD_EXPORT FILE *fopen(const char *path, const char *mode)
{
	struct preload_path at;
	FILE *stream = NULL;
	int fd;

	if (!open_ours(path, O_RDONLY | O_CLOEXEC, &at, &fd)) {
		if (at.what != PATH_MOVED)
			return real_fopen()(path, mode);
		if (may_open(&at, mode[0] == 'r' && !strchr(mode, '+') ? O_RDONLY : O_RDWR))
			return real_fopen()(at.real, mode);
		errno = EACCES;
		return NULL;
	}
	if (fd >= 0)
		stream = fdopen(fd, mode);
	if (fd >= 0 && !stream)
		close(fd);
	return stream;
}

PRELOAD_EXPORT FILE *fopen64(const char *path, const char *mode) __attribute__((alias("fopen")));
