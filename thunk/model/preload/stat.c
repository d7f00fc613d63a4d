/* SPDX-License-Identifier: MIT */
/* The stat family, access, readlink, realpath and the reading of extended attributes. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "fds.h"
#include "machine.h"
#include "paths.h"
#include "real.h"

#define KFD_MAJOR 511 /* dynamic in the kernel; this one is the first it tries */
#define DRM_MAJOR 226

typedef int (*stat_fn)(const char *, struct stat *);
typedef int (*fstat_fn)(int, struct stat *);
typedef int (*fstatat_fn)(int, const char *, struct stat *, int);
typedef int (*statx_fn)(int, const char *, int, unsigned int, struct statx *);
typedef int (*access_fn)(const char *, int);
typedef int (*faccessat_fn)(int, const char *, int, int);
typedef ssize_t (*readlink_fn)(const char *, char *, size_t);
typedef char *(*realpath_fn)(const char *, char *);
typedef ssize_t (*getxattr_fn)(const char *, const char *, void *, size_t);
typedef ssize_t (*listxattr_fn)(const char *, char *, size_t);

PRELOAD_REAL(stat, stat_fn)
PRELOAD_REAL(lstat, stat_fn)
PRELOAD_REAL(fstat, fstat_fn)
PRELOAD_REAL(fstatat, fstatat_fn)
PRELOAD_REAL(statx, statx_fn)
PRELOAD_REAL(access, access_fn)
PRELOAD_REAL(faccessat, faccessat_fn)
PRELOAD_REAL(readlink, readlink_fn)
PRELOAD_REAL(realpath, realpath_fn)
PRELOAD_REAL(getxattr, getxattr_fn)
PRELOAD_REAL(lgetxattr, getxattr_fn)
PRELOAD_REAL(listxattr, listxattr_fn)
PRELOAD_REAL(llistxattr, listxattr_fn)

static void fill(struct stat *st, mode_t mode, dev_t device)
{
	memset(st, 0, sizeof(*st));
	st->st_mode = mode;
	st->st_nlink = 1;
	st->st_rdev = device;
	st->st_blksize = 4096;
	st->st_ino = device ? device : 1;
}

static mode_t entry_mode(enum preload_entry_type type)
{
	switch (type) {
	case ENTRY_FILE:
		return S_IFREG | 0444;
	case ENTRY_DIRECTORY:
		return S_IFDIR | 0755;
	case ENTRY_LINK:
		return S_IFLNK | 0777;
	}
	return 0;
}

/* @return 1 when the path is foreign or moved (then at->real), else 0 or -1 with errno. */
static int stat_ours(const char *path, struct preload_path *at, struct stat *st)
{
	switch (preload_look(path, at)) {
	case PATH_KFD:
		fill(st, S_IFCHR | 0666, makedev(KFD_MAJOR, 0));
		return 0;
	case PATH_RENDER:
		fill(st, S_IFCHR | 0666, makedev(DRM_MAJOR, at->node->render_minor));
		return 0;
	case PATH_VIRTUAL:
		fill(st, entry_mode(at->entry.type), 0);
		return 0;
	case PATH_REFUSED:
		errno = at->error;
		return -1;
	case PATH_MOVED:
	case PATH_FOREIGN:
		break;
	}
	return 1;
}

static const char *where(const char *path, const struct preload_path *at)
{
	return at->what == PATH_MOVED ? at->real : path;
}

/* Fortified and older programs; the layouts and versions are those of the machine's libc. */
PRELOAD_EXPORT int __xstat(int version, const char *path, struct stat *st);
PRELOAD_EXPORT int __lxstat(int version, const char *path, struct stat *st);
PRELOAD_EXPORT int __fxstat(int version, int fd, struct stat *st);
PRELOAD_EXPORT int __xstat64(int version, const char *path, struct stat64 *st)
	__attribute__((alias("__xstat")));
PRELOAD_EXPORT int __lxstat64(int version, const char *path, struct stat64 *st)
	__attribute__((alias("__lxstat")));
PRELOAD_EXPORT int __fxstat64(int version, int fd, struct stat64 *st)
	__attribute__((alias("__fxstat")));
PRELOAD_EXPORT int __fxstatat(int version, int directory, const char *path, struct stat *st,
			      int flags);
PRELOAD_EXPORT int __fxstatat64(int version, int directory, const char *path, struct stat64 *st,
				int flags) __attribute__((alias("__fxstatat")));
PRELOAD_EXPORT char *__realpath_chk(const char *path, char *resolved, size_t size);

PRELOAD_EXPORT int stat(const char *path, struct stat *st)
{
	struct preload_path at;
	int rc = stat_ours(path, &at, st);

	return rc <= 0 ? rc : real_stat()(where(path, &at), st);
}

PRELOAD_EXPORT int lstat(const char *path, struct stat *st)
{
	struct preload_path at;
	int rc = stat_ours(path, &at, st);

	return rc <= 0 ? rc : real_lstat()(where(path, &at), st);
}

PRELOAD_EXPORT int fstat(int fd, struct stat *st)
{
	const struct preload_file *file = preload_fd(fd);

	if (!file)
		return real_fstat()(fd, st);
	if (file->kind == PRELOAD_KFD)
		fill(st, S_IFCHR | 0666, makedev(KFD_MAJOR, 0));
	else
		fill(st, S_IFCHR | 0666, makedev(DRM_MAJOR, file->node->render_minor));
	return 0;
}

PRELOAD_EXPORT int fstatat(int directory, const char *path, struct stat *st, int flags)
{
	struct preload_path at;
	int rc;

	if ((flags & AT_EMPTY_PATH) && path && !*path)
		return preload_fd(directory) ? fstat(directory, st)
					     : real_fstatat()(directory, path, st, flags);
	rc = stat_ours(path, &at, st);
	return rc <= 0 ? rc : real_fstatat()(directory, where(path, &at), st, flags);
}

PRELOAD_EXPORT int stat64(const char *path, struct stat64 *st) __attribute__((alias("stat")));
PRELOAD_EXPORT int lstat64(const char *path, struct stat64 *st) __attribute__((alias("lstat")));
PRELOAD_EXPORT int fstat64(int fd, struct stat64 *st) __attribute__((alias("fstat")));
PRELOAD_EXPORT int fstatat64(int directory, const char *path, struct stat64 *st, int flags)
	__attribute__((alias("fstatat")));

int __xstat(int version, const char *path, struct stat *st)
{
	(void)version;
	return stat(path, st);
}

int __lxstat(int version, const char *path, struct stat *st)
{
	(void)version;
	return lstat(path, st);
}

int __fxstat(int version, int fd, struct stat *st)
{
	(void)version;
	return fstat(fd, st);
}

int __fxstatat(int version, int directory, const char *path, struct stat *st, int flags)
{
	(void)version;
	return fstatat(directory, path, st, flags);
}

static void widen(const struct stat *st, struct statx *out)
{
	memset(out, 0, sizeof(*out));
	out->stx_mask = STATX_BASIC_STATS;
	out->stx_mode = (uint16_t)st->st_mode;
	out->stx_nlink = (uint32_t)st->st_nlink;
	out->stx_ino = st->st_ino;
	out->stx_blksize = (uint32_t)st->st_blksize;
	out->stx_rdev_major = major(st->st_rdev);
	out->stx_rdev_minor = minor(st->st_rdev);
}

PRELOAD_EXPORT int statx(int directory, const char *path, int flags, unsigned int mask,
			 struct statx *out)
{
	struct preload_path at;
	struct stat st;
	int rc;

	if ((flags & AT_EMPTY_PATH) && path && !*path) {
		at.what = PATH_FOREIGN;
		rc = preload_fd(directory) ? fstat(directory, &st) : 1;
	} else {
		rc = stat_ours(path, &at, &st);
	}
	if (rc > 0)
		return real_statx()(directory, where(path, &at), flags, mask, out);
	if (!rc)
		widen(&st, out);
	return rc;
}

/* @return 1 when the real function has to answer. */
static int access_ours(const char *path, int mode, struct preload_path *at)
{
	struct stat st;
	int rc = stat_ours(path, at, &st);

	if (rc || !(mode & W_OK) || S_ISCHR(st.st_mode))
		return rc;
	errno = EACCES;
	return -1;
}

PRELOAD_EXPORT int access(const char *path, int mode)
{
	struct preload_path at;
	int rc = access_ours(path, mode, &at);

	return rc <= 0 ? rc : real_access()(where(path, &at), mode);
}

PRELOAD_EXPORT int faccessat(int directory, const char *path, int mode, int flags)
{
	struct preload_path at;
	int rc = access_ours(path, mode, &at);

	return rc <= 0 ? rc : real_faccessat()(directory, where(path, &at), mode, flags);
}

PRELOAD_EXPORT ssize_t readlink(const char *path, char *target, size_t size)
{
	char text[PRELOAD_TEXT_MAX];
	struct preload_path at;
	struct stat st;
	size_t length;
	int rc = stat_ours(path, &at, &st);

	if (rc > 0)
		return real_readlink()(where(path, &at), target, size);
	if (rc < 0)
		return rc;
	if (!S_ISLNK(st.st_mode)) {
		errno = EINVAL;
		return -1;
	}
	length = preload_virtual_text(preload_machine(), &at.entry, text);
	if (length > size)
		length = size;
	memcpy(target, text, length);
	return (ssize_t)length;
}

PRELOAD_EXPORT char *realpath(const char *path, char *resolved)
{
	struct preload_path at;
	struct stat st;
	int rc = stat_ours(path, &at, &st);
	size_t length;

	/* a moved path must not give away where it was moved to: it is real for the program */
	if (rc > 0 && at.what != PATH_MOVED)
		return real_realpath()(path, resolved);
	if (rc < 0 || (rc > 0 && real_access()(at.real, F_OK)))
		return NULL;
	length = strlen(path) + 1;
	if (!resolved)
		resolved = malloc(length > PATH_MAX ? length : PATH_MAX);
	if (resolved)
		memcpy(resolved, path, length);
	return resolved;
}

char *__realpath_chk(const char *path, char *resolved, size_t size)
{
	(void)size; /* the callers' buffers are of PATH_MAX bytes, or the real one complains */
	return realpath(path, resolved);
}

/* What is ours has no extended attributes; ls asks each file for some. @return 1 when foreign. */
static int no_attributes(const char *path, int error)
{
	struct preload_path at;
	struct stat st;
	int rc = stat_ours(path, &at, &st);

	if (rc > 0 && at.what != PATH_MOVED)
		return 1;
	if (rc > 0)
		rc = real_access()(at.real, F_OK);
	if (rc == 0)
		errno = error;
	return rc == 0 && error == 0 ? 0 : -1;
}

PRELOAD_EXPORT ssize_t getxattr(const char *path, const char *name, void *value, size_t size)
{
	int rc = no_attributes(path, ENODATA);

	return rc <= 0 ? rc : real_getxattr()(path, name, value, size);
}

PRELOAD_EXPORT ssize_t lgetxattr(const char *path, const char *name, void *value, size_t size)
{
	int rc = no_attributes(path, ENODATA);

	return rc <= 0 ? rc : real_lgetxattr()(path, name, value, size);
}

PRELOAD_EXPORT ssize_t listxattr(const char *path, char *list, size_t size)
{
	int rc = no_attributes(path, 0);

	return rc <= 0 ? rc : real_listxattr()(path, list, size);
}

PRELOAD_EXPORT ssize_t llistxattr(const char *path, char *list, size_t size)
{
	int rc = no_attributes(path, 0);

	return rc <= 0 ? rc : real_llistxattr()(path, list, size);
}
