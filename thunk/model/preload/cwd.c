/* SPDX-License-Identifier: MIT */
/* The current directory, which may be one of ours. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "paths.h"
#include "places.h"
#include "real.h"
#include "stat.h"

typedef int (*chdir_fn)(const char *);
typedef int (*fchdir_fn)(int);
typedef char *(*getcwd_fn)(char *, size_t);
typedef char *(*get_current_dir_name_fn)(void);
typedef int (*close_fn)(int);

PRELOAD_REAL(chdir, chdir_fn)
PRELOAD_REAL(fchdir, fchdir_fn)
PRELOAD_REAL(getcwd, getcwd_fn)
PRELOAD_REAL(get_current_dir_name, get_current_dir_name_fn)
PRELOAD_REAL(close, close_fn)

PRELOAD_EXPORT char *__getcwd_chk(char *path, size_t size, size_t room);

PRELOAD_EXPORT int chdir(const char *path)
{
	struct preload_path at;
	struct stat st;
	int fd, rc = preload_stat_at(AT_FDCWD, path, true, &at, &st);

	if (rc > 0) {
		rc = real_chdir()(preload_real_path(path, &at));
	} else if (!rc && !S_ISDIR(st.st_mode)) {
		errno = ENOTDIR;
		rc = -1;
	} else if (!rc) {
		fd = preload_place_directory(at.canonical, O_CLOEXEC);
		rc = fd < 0 ? -1 : real_fchdir()(fd);
		if (fd >= 0)
			real_close()(fd);
	}
	if (!rc)
		preload_place_changed();
	return rc;
}

PRELOAD_EXPORT int fchdir(int fd)
{
	int rc = real_fchdir()(fd);

	if (!rc)
		preload_place_changed();
	return rc;
}

PRELOAD_EXPORT char *getcwd(char *path, size_t size)
{
	char ours[PATH_MAX];
	size_t length;

	if (!preload_place_of(AT_FDCWD, ours))
		return real_getcwd()(path, size);
	length = strlen(ours) + 1;
	if (path && !size) {
		errno = EINVAL;
		return NULL;
	}
	if (size && size < length) {
		errno = ERANGE;
		return NULL;
	}
	if (!path)
		path = malloc(size ? size : length);
	if (path)
		memcpy(path, ours, length);
	return path;
}

char *__getcwd_chk(char *path, size_t size, size_t room)
{
	return getcwd(path, size < room ? size : room);
}

PRELOAD_EXPORT char *get_current_dir_name(void)
{
	char ours[PATH_MAX];

	return preload_place_of(AT_FDCWD, ours) ? strdup(ours) : real_get_current_dir_name()();
}
