/* SPDX-License-Identifier: MIT */
/* The calls that make, copy and close descriptors. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/preload.h"
#include "preload/real.h"

typedef int (*open_function)(const char *, int, ...);
typedef int (*openat_function)(int, const char *, int, ...);
typedef int (*open2_function)(const char *, int);
typedef int (*openat2_function)(int, const char *, int);
typedef int (*close_function)(int);
typedef int (*close_range_function)(unsigned int, unsigned int, int);
typedef void (*closefrom_function)(int);
typedef int (*dup_function)(int);
typedef int (*dup2_function)(int, int);
typedef int (*dup3_function)(int, int, int);
typedef int (*fcntl_function)(int, int, ...);

/* The events of an open are made around it whatever its form, since all have a path and flags. */
struct opening {
	struct trace_device_call call;
	enum preload_kind kind;
	bool is_recorded;
};

static void opening_begin(struct opening *opening, const char *path, int flags, const void *caller)
{
	opening->kind = preload_kind_of_path(path);
	opening->is_recorded = opening->kind != PRELOAD_OTHER && preload_records();
	if (opening->is_recorded)
		trace_open_enter(&opening->call, caller, path, flags);
}

/* @return fd. */
static int opening_end(struct opening *opening, int fd)
{
	const int saved_errno = errno;

	if (opening->is_recorded)
		trace_open_leave(&opening->call, fd < 0 ? -saved_errno : fd);
	/* A new descriptor may have the number of one that was closed unseen. */
	preload_fd_set(fd, opening->kind);
	if (fd >= 0 && opening->kind == PRELOAD_KFD)
		preload_opened();
	errno = saved_errno;
	return fd;
}

static mode_t mode_of(int flags, va_list args)
{
	/* the third argument exists only for these */
	return flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY)) ? va_arg(args, mode_t) : 0;
}

#define DEFINE_OPEN(name)                                                                          \
	LAYER_API int name(const char *path, int flags, ...)                                       \
	{                                                                                          \
		const open_function next = REAL(name, open_function);                              \
		struct opening opening = { .call.number = 0 };                                     \
		va_list args;                                                                      \
		mode_t mode;                                                                       \
                                                                                                   \
		va_start(args, flags);                                                             \
		mode = mode_of(flags, args);                                                       \
		va_end(args);                                                                      \
		if (!next)                                                                         \
			return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);              \
		opening_begin(&opening, path, flags, __builtin_return_address(0));                 \
		return opening_end(&opening, next(path, flags, mode));                             \
	}

#define DEFINE_OPENAT(name)                                                                        \
	LAYER_API int name(int directory, const char *path, int flags, ...)                        \
	{                                                                                          \
		const openat_function next = REAL(name, openat_function);                          \
		struct opening opening = { .call.number = 0 };                                     \
		va_list args;                                                                      \
		mode_t mode;                                                                       \
                                                                                                   \
		va_start(args, flags);                                                             \
		mode = mode_of(flags, args);                                                       \
		va_end(args);                                                                      \
		if (!next)                                                                         \
			return (int)syscall(SYS_openat, directory, path, flags, mode);             \
		opening_begin(&opening, path, flags, __builtin_return_address(0));                 \
		return opening_end(&opening, next(directory, path, flags, mode));                  \
	}

/* What fortified programs call. */
#define DEFINE_OPEN_2(name)                                                                        \
	LAYER_API int name(const char *path, int flags);                                           \
	int name(const char *path, int flags)                                                      \
	{                                                                                          \
		const open2_function next = REAL(name, open2_function);                            \
		struct opening opening = { .call.number = 0 };                                     \
                                                                                                   \
		if (!next)                                                                         \
			return (int)syscall(SYS_openat, AT_FDCWD, path, flags, 0);                 \
		opening_begin(&opening, path, flags, __builtin_return_address(0));                 \
		return opening_end(&opening, next(path, flags));                                   \
	}

#define DEFINE_OPENAT_2(name)                                                                      \
	LAYER_API int name(int directory, const char *path, int flags);                            \
	int name(int directory, const char *path, int flags)                                       \
	{                                                                                          \
		const openat2_function next = REAL(name, openat2_function);                        \
		struct opening opening = { .call.number = 0 };                                     \
                                                                                                   \
		if (!next)                                                                         \
			return (int)syscall(SYS_openat, directory, path, flags, 0);                \
		opening_begin(&opening, path, flags, __builtin_return_address(0));                 \
		return opening_end(&opening, next(directory, path, flags));                        \
	}

DEFINE_OPEN(open)
DEFINE_OPEN(open64)
DEFINE_OPENAT(openat)
DEFINE_OPENAT(openat64)
DEFINE_OPEN_2(__open_2)
DEFINE_OPEN_2(__open64_2)
DEFINE_OPENAT_2(__openat_2)
DEFINE_OPENAT_2(__openat64_2)

LAYER_API int close(int fd)
{
	const enum preload_kind kind = preload_kind(fd);
	const close_function next = REAL(close, close_function);
	struct device *dev;
	int rc;

	if (__builtin_expect(kind == PRELOAD_OTHER, 1))
		return next ? next(fd) : (int)syscall(SYS_close, fd);
	/* Before the call: the number may be another thread's right after it. */
	preload_fd_set(fd, PRELOAD_OTHER);
	if (!preload_records())
		return next ? next(fd) : (int)syscall(SYS_close, fd);
	dev = preload_device();
	trace_thread.caller = __builtin_return_address(0);
	rc = dev->ops->close(dev, fd);
	trace_thread.caller = NULL;
	if (rc >= 0)
		return rc;
	errno = -rc;
	return -1;
}

static void forget_range(unsigned int first, unsigned int last)
{
	for (unsigned int fd = first; fd <= last && fd < PRELOAD_FDS_MAX; fd++)
		preload_fd_set((int)fd, PRELOAD_OTHER);
}

LAYER_API int close_range(unsigned int first, unsigned int last, int flags)
{
	const close_range_function next = REAL(close_range, close_range_function);
	int rc =
		next ? next(first, last, flags) : (int)syscall(SYS_close_range, first, last, flags);

	if (rc == 0 && !(flags & CLOSE_RANGE_CLOEXEC))
		forget_range(first, last);
	return rc;
}

LAYER_API void closefrom(int first)
{
	const closefrom_function next = REAL(closefrom, closefrom_function);

	if (next)
		next(first);
	forget_range(first > 0 ? (unsigned int)first : 0, PRELOAD_FDS_MAX);
}

LAYER_API int dup(int fd)
{
	const dup_function next = REAL(dup, dup_function);
	int copy = next ? next(fd) : (int)syscall(SYS_dup, fd);

	preload_fd_set(copy, preload_kind(fd));
	return copy;
}

LAYER_API int dup2(int fd, int wanted)
{
	const dup2_function next = REAL(dup2, dup2_function);
	int copy = next ? next(fd, wanted) : (int)syscall(SYS_dup2, fd, wanted);

	preload_fd_set(copy, preload_kind(fd));
	return copy;
}

LAYER_API int dup3(int fd, int wanted, int flags)
{
	const dup3_function next = REAL(dup3, dup3_function);
	int copy = next ? next(fd, wanted, flags) : (int)syscall(SYS_dup3, fd, wanted, flags);

	preload_fd_set(copy, preload_kind(fd));
	return copy;
}

static int copied(int fd, int command, int rc)
{
	if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)
		preload_fd_set(rc, preload_kind(fd));
	return rc;
}

#define DEFINE_FCNTL(name)                                                                         \
	LAYER_API int name(int fd, int command, ...)                                               \
	{                                                                                          \
		const fcntl_function next = REAL(name, fcntl_function);                            \
		va_list args;                                                                      \
		void *arg;                                                                         \
                                                                                                   \
		va_start(args, command);                                                           \
		arg = va_arg(args, void *); /* as libc itself takes it, whatever it is */          \
		va_end(args);                                                                      \
		return copied(fd, command,                                                         \
			      next ? next(fd, command, arg)                                        \
				   : (int)syscall(SYS_fcntl, fd, command, arg));                   \
	}

DEFINE_FCNTL(fcntl)
DEFINE_FCNTL(fcntl64)
