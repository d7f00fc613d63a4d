/* SPDX-License-Identifier: MIT */
/* The stat family and access. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "fds.h"
#include "machine.h"
#include "numbers.h"
#include "paths.h"
#include "places.h"
#include "real.h"
#include "stat.h"

#define FILE_BYTES 4096 /* as sysfs says of every file */

typedef int (*stat_fn)(const char *, struct stat *);
typedef int (*fstat_fn)(int, struct stat *);
typedef int (*fstatat_fn)(int, const char *, struct stat *, int);
typedef int (*statx_fn)(int, const char *, int, unsigned int, struct statx *);
typedef int (*access_fn)(const char *, int);
typedef int (*faccessat_fn)(int, const char *, int, int);

PRELOAD_REAL(stat, stat_fn)
PRELOAD_REAL(lstat, stat_fn)
PRELOAD_REAL(fstat, fstat_fn)
PRELOAD_REAL(fstatat, fstatat_fn)
PRELOAD_REAL(statx, statx_fn)
PRELOAD_REAL(access, access_fn)
PRELOAD_REAL(faccessat, faccessat_fn)

/* FNV-1a: walks tell directories by their numbers. */
uint64_t preload_inode(const char *path)
{
	uint64_t hash = 0xcbf29ce484222325ull;

	for (; *path; path++)
		hash = (hash ^ (unsigned char)*path) * 0x100000001b3ull;
	return hash ? hash : 1;
}

static void fill(struct stat *st, const char *path, mode_t mode, dev_t device)
{
	memset(st, 0, sizeof(*st));
	st->st_dev = makedev(0, PRELOAD_FS_MINOR);
	st->st_ino = preload_inode(path);
	st->st_mode = mode;
	st->st_nlink = 1;
	st->st_rdev = device;
	st->st_size = S_ISREG(mode) ? FILE_BYTES : 0;
	st->st_blksize = 4096;
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
	case ENTRY_DEVICE:
		return S_IFCHR | 0666;
	}
	return 0;
}

int preload_stat_at(int directory, const char *path, bool follow, struct preload_path *at,
		    struct stat *st)
{
	int saved = errno;

	switch (preload_look_at(directory, path, follow, at)) {
	case PATH_KFD:
		fill(st, at->canonical, S_IFCHR | 0666, makedev(PRELOAD_KFD_MAJOR, 0));
		return 0;
	case PATH_DRM:
		fill(st, at->canonical, S_IFCHR | 0666, makedev(PRELOAD_DRM_MAJOR, at->minor));
		return 0;
	case PATH_VIRTUAL:
		fill(st, at->canonical, entry_mode(at->entry.type), 0);
		return 0;
	case PATH_REFUSED:
		errno = at->error;
		return -1;
	case PATH_MOVED:
		/* as when it is open (places.h) */
		if (real_stat()(at->real, st) == 0 && S_ISDIR(st->st_mode)) {
			fill(st, at->canonical, S_IFDIR | 0755, 0);
			return 0;
		}
		errno = saved;
		break;
	case PATH_ELSEWHERE:
	case PATH_FOREIGN:
		break;
	}
	return 1;
}

/* What an open directory, file or name of ours is; leaves others alone. */
static void fill_open(int fd, struct stat *st)
{
	enum preload_entry_type type = ENTRY_FILE;
	struct preload_path at;
	off_t size = st->st_size;
	char path[PATH_MAX];

	if (!S_ISDIR(st->st_mode) && st->st_nlink != 0)
		return;
	if (!preload_place_of(fd, path))
		return;
	if (strncmp(path, "/dev/", 5) == 0 && !S_ISDIR(st->st_mode)) {
		(void)preload_stat_at(AT_FDCWD, path, false, &at, st); /* it was there */
		return;
	}
	if (S_ISDIR(st->st_mode))
		type = ENTRY_DIRECTORY;
	else if (S_ISLNK(st->st_mode))
		type = ENTRY_LINK;
	fill(st, path, entry_mode(type), 0);
	/* who looks for holes would find one behind the text, were the file as long as it looks */
	if (type == ENTRY_FILE)
		st->st_size = size;
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

PRELOAD_EXPORT int stat(const char *path, struct stat *st)
{
	struct preload_path at;
	int rc = preload_stat_at(AT_FDCWD, path, true, &at, st);

	return rc <= 0 ? rc : real_stat()(preload_real_path(path, &at), st);
}

PRELOAD_EXPORT int lstat(const char *path, struct stat *st)
{
	struct preload_path at;
	int rc = preload_stat_at(AT_FDCWD, path, false, &at, st);

	return rc <= 0 ? rc : real_lstat()(preload_real_path(path, &at), st);
}

PRELOAD_EXPORT int fstat(int fd, struct stat *st)
{
	const struct preload_file *file = preload_fd(fd);
	char path[64];

	if (!file) {
		if (real_fstat()(fd, st))
			return -1;
		if (S_ISREG(st->st_mode) && !st->st_size && !major(st->st_dev))
			file = preload_fd_adopted(fd);
	}
	if (!file) {
		fill_open(fd, st);
		return 0;
	}
	if (file->kind == PRELOAD_KFD) {
		fill(st, "/dev/kfd", S_IFCHR | 0666, makedev(PRELOAD_KFD_MAJOR, 0));
		return 0;
	}
	snprintf(path, sizeof(path), file->is_card ? "/dev/dri/card%u" : "/dev/dri/renderD%u",
		 file->minor);
	fill(st, path, S_IFCHR | 0666, makedev(PRELOAD_DRM_MAJOR, file->minor));
	return 0;
}

PRELOAD_EXPORT int fstatat(int directory, const char *path, struct stat *st, int flags)
{
	struct preload_path at;
	int rc;

	if ((flags & AT_EMPTY_PATH) && path && !*path && directory != AT_FDCWD)
		return fstat(directory, st);
	rc = preload_stat_at(directory, path, !(flags & AT_SYMLINK_NOFOLLOW), &at, st);
	return rc <= 0 ? rc : real_fstatat()(directory, preload_real_path(path, &at), st, flags);
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
	out->stx_size = (uint64_t)st->st_size;
	out->stx_blksize = (uint32_t)st->st_blksize;
	out->stx_dev_major = major(st->st_dev);
	out->stx_dev_minor = minor(st->st_dev);
	out->stx_rdev_major = major(st->st_rdev);
	out->stx_rdev_minor = minor(st->st_rdev);
}

PRELOAD_EXPORT int statx(int directory, const char *path, int flags, unsigned int mask,
			 struct statx *out)
{
	struct preload_path at;
	struct stat st;
	char ours[PATH_MAX];
	int rc;

	if ((flags & AT_EMPTY_PATH) && path && !*path && directory != AT_FDCWD) {
		if (!preload_fd_adopted(directory) && !preload_place_of(directory, ours))
			return real_statx()(directory, path, flags, mask, out);
		rc = fstat(directory, &st);
	} else {
		rc = preload_stat_at(directory, path, !(flags & AT_SYMLINK_NOFOLLOW), &at, &st);
	}
	if (rc > 0)
		return real_statx()(directory, preload_real_path(path, &at), flags, mask, out);
	if (!rc)
		widen(&st, out);
	return rc;
}

/* @return 1 when the real function has to answer. */
static int access_ours(int directory, const char *path, int mode, bool follow,
		       struct preload_path *at)
{
	struct stat st;
	int rc = preload_stat_at(directory, path, follow, at, &st);

	if (rc > 0 && at->what == PATH_MOVED && (mode & W_OK) &&
	    strcmp(at->real, "/dev/null") != 0 && real_access()(at->real, F_OK) == 0)
		rc = 0;
	if (rc || !(mode & W_OK) || S_ISCHR(st.st_mode))
		return rc;
	errno = EACCES;
	return -1;
}

PRELOAD_EXPORT int access(const char *path, int mode)
{
	struct preload_path at;
	int rc = access_ours(AT_FDCWD, path, mode, true, &at);

	return rc <= 0 ? rc : real_access()(preload_real_path(path, &at), mode);
}

PRELOAD_EXPORT int faccessat(int directory, const char *path, int mode, int flags)
{
	struct preload_path at;
	int rc = access_ours(directory, path, mode, !(flags & AT_SYMLINK_NOFOLLOW), &at);

	return rc <= 0 ? rc
		       : real_faccessat()(directory, preload_real_path(path, &at), mode, flags);
}

PRELOAD_EXPORT int eaccess(const char *path, int mode)
{
	return faccessat(AT_FDCWD, path, mode, AT_EACCESS);
}

PRELOAD_EXPORT int euidaccess(const char *path, int mode) __attribute__((alias("eaccess")));
