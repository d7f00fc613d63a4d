/* SPDX-License-Identifier: MIT */
/* open and its relatives. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fds.h"
#include "machine.h"
#include "paths.h"
#include "places.h"
#include "real.h"
#include "stat.h"
#include "virtgpu.h"

typedef int (*open_fn)(const char *, int, ...);
typedef int (*openat_fn)(int, const char *, int, ...);
typedef FILE *(*fopen_fn)(const char *, const char *);

PRELOAD_REAL(open, open_fn)
PRELOAD_REAL(openat, openat_fn)
PRELOAD_REAL(fopen, fopen_fn)

/* What open() answers to flags that do not fit what is there; 0 when they do. */
static int misfit(mode_t mode, int flags)
{
	bool writes = (flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC);

	if ((flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
		return EEXIST;
	if (S_ISLNK(mode)) /* was not to be followed */
		return !(flags & O_PATH) ? ELOOP : flags & O_DIRECTORY ? ENOTDIR : 0;
	if (S_ISDIR(mode))
		return writes || (flags & O_CREAT) ? EISDIR : 0;
	if (flags & O_DIRECTORY)
		return ENOTDIR;
	/* sysfs lets nobody write, root neither */
	return S_ISREG(mode) && writes ? EACCES : 0;
}

static int open_entry(const struct preload_path *at, int flags)
{
	char text[PRELOAD_TEXT_MAX];
	size_t length;

	if (at->entry.type == ENTRY_DIRECTORY)
		return preload_place_directory(at->canonical, flags);
	length = preload_virtual_text(preload_machine(), &at->entry, text);
	if (at->entry.type == ENTRY_LINK)
		return preload_place_link(at->canonical, text, flags);
	return preload_place_file(at->canonical, text, length, flags);
}

/* @return true when the path is ours; *fd is then the answer, and errno is set when it is -1. */
static bool open_ours(int directory, const char *path, int flags, struct preload_path *at, int *fd)
{
	struct stat st;
	int rc;

	if (preload_virtgpu_is(path)) {
		*fd = preload_open_virtgpu(flags);
		return true;
	}
	rc = preload_stat_at(directory, path, !(flags & O_NOFOLLOW), at, &st);
	if (rc > 0)
		return false;
	*fd = -1;
	if (rc < 0) {
		/* nobody makes files there */
		if (errno == ENOENT && (flags & O_CREAT))
			errno = EACCES;
		return true;
	}
	rc = misfit(st.st_mode, flags);
	if (rc)
		errno = rc;
	else if (S_ISCHR(st.st_mode) && (flags & O_PATH)) /* names the device, opens nothing */
		*fd = preload_place_file(at->canonical, "", 0, flags);
	else if (at->what == PATH_KFD)
		*fd = preload_open_kfd(preload_machine(), flags);
	else if (at->what == PATH_DRM)
		*fd = preload_open_drm(preload_machine(), at->node, at->minor, flags);
	else if (at->what == PATH_MOVED) /* a directory */
		*fd = preload_place_directory(at->canonical, flags);
	else
		*fd = open_entry(at, flags);
	return true;
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

	if (open_ours(directory, path, flags, &at, &fd))
		return fd;
	if (at.what == PATH_MOVED && !may_open(&at, flags)) {
		errno = EACCES;
		return -1;
	}
	path = preload_real_path(path, &at);
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

/* Flags of open for a mode of fopen, as far as they matter here. */
static int flags_of(const char *mode)
{
	int flags = strchr(mode, 'e') ? O_CLOEXEC : 0;

	if (strchr(mode, '+'))
		flags |= O_RDWR;
	else if (mode[0] != 'r')
		flags |= O_WRONLY;
	return mode[0] == 'r' ? flags : flags | O_CREAT;
}

PRELOAD_EXPORT FILE *fopen(const char *path, const char *mode)
{
	struct preload_path at;
	FILE *stream = NULL;
	int fd;

	if (!open_ours(AT_FDCWD, path, flags_of(mode), &at, &fd)) {
		if (at.what != PATH_MOVED || may_open(&at, flags_of(mode)))
			return real_fopen()(preload_real_path(path, &at), mode);
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
