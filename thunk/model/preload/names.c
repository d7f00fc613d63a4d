/* SPDX-License-Identifier: MIT */
/* readlink, realpath and the reading of extended attributes. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "machine.h"
#include "paths.h"
#include "places.h"
#include "real.h"
#include "stat.h"

typedef ssize_t (*readlinkat_fn)(int, const char *, char *, size_t);
typedef char *(*realpath_fn)(const char *, char *);
typedef int (*access_fn)(const char *, int);
typedef ssize_t (*getxattr_fn)(const char *, const char *, void *, size_t);
typedef ssize_t (*listxattr_fn)(const char *, char *, size_t);

PRELOAD_REAL(readlinkat, readlinkat_fn)
PRELOAD_REAL(realpath, realpath_fn)
PRELOAD_REAL(access, access_fn)
PRELOAD_REAL(getxattr, getxattr_fn)
PRELOAD_REAL(lgetxattr, getxattr_fn)
PRELOAD_REAL(listxattr, listxattr_fn)
PRELOAD_REAL(llistxattr, listxattr_fn)

/* What fortified programs call. */
PRELOAD_EXPORT ssize_t __readlink_chk(const char *path, char *target, size_t size, size_t room);
PRELOAD_EXPORT ssize_t __readlinkat_chk(int directory, const char *path, char *target, size_t size,
					size_t room);
PRELOAD_EXPORT char *__realpath_chk(const char *path, char *resolved, size_t size);

static ssize_t give(const char *text, char *target, size_t size)
{
	size_t length = strlen(text);

	if (length > size)
		length = size;
	memcpy(target, text, length);
	return (ssize_t)length;
}

/* The links of /proc that lead to what is open or current show what we put there (places.h). */
static ssize_t read_real(int directory, const char *path, char *target, size_t size)
{
	char text[PATH_MAX], ours[PATH_MAX];
	ssize_t length = real_readlinkat()(directory, path, target, size);

	if (length <= 0 || length >= PATH_MAX || target[0] != '/')
		return length;
	memcpy(text, target, (size_t)length);
	text[length] = '\0';
	return preload_place_of_link(text, ours) ? give(ours, target, size) : length;
}

PRELOAD_EXPORT ssize_t readlinkat(int directory, const char *path, char *target, size_t size)
{
	char text[PRELOAD_TEXT_MAX];
	struct preload_path at;
	struct stat st;
	int rc = preload_stat_at(directory, path, false, &at, &st);

	if (rc > 0)
		return read_real(directory, preload_real_path(path, &at), target, size);
	if (rc < 0)
		return rc;
	if (!S_ISLNK(st.st_mode)) {
		errno = EINVAL;
		return -1;
	}
	preload_virtual_text(preload_machine(), &at.entry, text);
	return give(text, target, size);
}

PRELOAD_EXPORT ssize_t readlink(const char *path, char *target, size_t size)
{
	return readlinkat(AT_FDCWD, path, target, size);
}

/* The callers' buffers are as long as they say, or the real one complains. */
ssize_t __readlink_chk(const char *path, char *target, size_t size, size_t room)
{
	return readlink(path, target, size < room ? size : room);
}

ssize_t __readlinkat_chk(int directory, const char *path, char *target, size_t size, size_t room)
{
	return readlinkat(directory, path, target, size < room ? size : room);
}

PRELOAD_EXPORT char *realpath(const char *path, char *resolved)
{
	struct preload_path at;
	struct stat st;
	int rc = preload_stat_at(AT_FDCWD, path, true, &at, &st);
	size_t length;

	/* a moved path must not give away where it was moved to: it is real for the program */
	if (rc > 0 && at.what != PATH_MOVED)
		return real_realpath()(preload_real_path(path, &at), resolved);
	if (rc < 0 || (rc > 0 && real_access()(at.real, F_OK)))
		return NULL;
	length = strlen(at.canonical) + 1;
	if (!resolved)
		resolved = malloc(length > PATH_MAX ? length : PATH_MAX);
	if (resolved)
		memcpy(resolved, at.canonical, length);
	return resolved;
}

char *__realpath_chk(const char *path, char *resolved, size_t size)
{
	(void)size; /* the callers' buffers are of PATH_MAX bytes, or the real one complains */
	return realpath(path, resolved);
}

PRELOAD_EXPORT char *canonicalize_file_name(const char *path)
{
	return realpath(path, NULL);
}

/* What is ours has no extended attributes; ls asks each file for some. @return 1 when foreign. */
static int no_attributes(const char *path, bool follow, int error, struct preload_path *at)
{
	struct stat st;
	int rc = preload_stat_at(AT_FDCWD, path, follow, at, &st);

	if (rc > 0 && at->what != PATH_MOVED)
		return 1;
	if (rc > 0)
		rc = real_access()(at->real, F_OK);
	if (rc == 0)
		errno = error;
	return rc == 0 && error == 0 ? 0 : -1;
}

PRELOAD_EXPORT ssize_t getxattr(const char *path, const char *name, void *value, size_t size)
{
	struct preload_path at;
	int rc = no_attributes(path, true, ENODATA, &at);

	return rc <= 0 ? rc : real_getxattr()(preload_real_path(path, &at), name, value, size);
}

PRELOAD_EXPORT ssize_t lgetxattr(const char *path, const char *name, void *value, size_t size)
{
	struct preload_path at;
	int rc = no_attributes(path, false, ENODATA, &at);

	return rc <= 0 ? rc : real_lgetxattr()(preload_real_path(path, &at), name, value, size);
}

PRELOAD_EXPORT ssize_t listxattr(const char *path, char *list, size_t size)
{
	struct preload_path at;
	int rc = no_attributes(path, true, 0, &at);

	return rc <= 0 ? rc : real_listxattr()(preload_real_path(path, &at), list, size);
}

PRELOAD_EXPORT ssize_t llistxattr(const char *path, char *list, size_t size)
{
	struct preload_path at;
	int rc = no_attributes(path, false, 0, &at);

	return rc <= 0 ? rc : real_llistxattr()(preload_real_path(path, &at), list, size);
}
