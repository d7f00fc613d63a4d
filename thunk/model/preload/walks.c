/* SPDX-License-Identifier: MIT */
/* glob and scandir, which libc carries out by functions of its own that nothing else can see. */
#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "real.h"

typedef int (*glob_fn)(const char *, int, int (*)(const char *, int), glob_t *);

PRELOAD_REAL(glob, glob_fn)

static void *open_directory(const char *path)
{
	return opendir(path);
}

static struct dirent *read_directory(void *dir)
{
	return readdir(dir);
}

static void close_directory(void *dir)
{
	closedir(dir);
}

static int look(const char *path, struct stat *st)
{
	return stat(path, st);
}

static int look_at_link(const char *path, struct stat *st)
{
	return lstat(path, st);
}

PRELOAD_EXPORT int glob(const char *pattern, int flags, int (*failed)(const char *, int),
			glob_t *out)
{
	if (!(flags & GLOB_ALTDIRFUNC)) {
		out->gl_opendir = open_directory;
		out->gl_readdir = read_directory;
		out->gl_closedir = close_directory;
		out->gl_stat = look;
		out->gl_lstat = look_at_link;
	}
	return real_glob()(pattern, flags | GLOB_ALTDIRFUNC, failed, out);
}

PRELOAD_EXPORT int glob64(const char *pattern, int flags, int (*failed)(const char *, int),
			  glob64_t *out) __attribute__((alias("glob")));

static int collect(DIR *dir, struct dirent ***list, int (*wanted)(const struct dirent *))
{
	size_t room = 0, count = 0;
	struct dirent *entry;

	*list = NULL;
	errno = 0;
	while ((entry = readdir(dir))) {
		struct dirent *copy, **more;

		if (wanted && !wanted(entry)) {
			errno = 0;
			continue;
		}
		if (count == room) {
			room = room ? room * 2 : 16;
			more = realloc((void *)*list, room * sizeof(struct dirent *));
			if (!more)
				break;
			*list = more;
		}
		copy = malloc(entry->d_reclen);
		if (!copy)
			break;
		memcpy(copy, entry, entry->d_reclen);
		(*list)[count++] = copy;
		errno = 0;
	}
	if (!errno)
		return (int)count;
	while (count)
		free((*list)[--count]);
	free((void *)*list);
	return -1;
}

typedef int (*compare_fn)(const struct dirent **, const struct dirent **);

PRELOAD_EXPORT int scandir(const char *path, struct dirent ***list,
			   int (*wanted)(const struct dirent *), compare_fn compare)
{
	DIR *dir = opendir(path);
	int count, saved = errno;

	if (!dir)
		return -1;
	count = collect(dir, list, wanted);
	if (count >= 0)
		errno = saved;
	saved = errno;
	closedir(dir);
	errno = saved;
	if (count > 0 && compare)
		qsort((void *)*list, (size_t)count, sizeof(struct dirent *),
		      (int (*)(const void *, const void *))compare);
	return count;
}

PRELOAD_EXPORT int scandir64(const char *path, struct dirent64 ***list,
			     int (*wanted)(const struct dirent64 *),
			     int (*compare)(const struct dirent64 **, const struct dirent64 **))
	__attribute__((alias("scandir")));
