/* SPDX-License-Identifier: MIT */
/* opendir and what is done with what it returns. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine.h"
#include "paths.h"
#include "places.h"
#include "real.h"
#include "stat.h"

typedef DIR *(*opendir_fn)(const char *);
typedef DIR *(*fdopendir_fn)(int);
typedef struct dirent *(*readdir_fn)(DIR *);
typedef int (*readdir_r_fn)(DIR *, struct dirent *, struct dirent **);
typedef int (*closedir_fn)(DIR *);
typedef void (*rewinddir_fn)(DIR *);
typedef long (*telldir_fn)(DIR *);
typedef void (*seekdir_fn)(DIR *, long);
typedef int (*dirfd_fn)(DIR *);
typedef int (*close_fn)(int);

PRELOAD_REAL(opendir, opendir_fn)
PRELOAD_REAL(fdopendir, fdopendir_fn)
PRELOAD_REAL(readdir, readdir_fn)
PRELOAD_REAL(readdir_r, readdir_r_fn)
PRELOAD_REAL(closedir, closedir_fn)
PRELOAD_REAL(rewinddir, rewinddir_fn)
PRELOAD_REAL(telldir, telldir_fn)
PRELOAD_REAL(seekdir, seekdir_fn)
PRELOAD_REAL(dirfd, dirfd_fn)
PRELOAD_REAL(close, close_fn)

#define OPEN_MAX_VIRTUAL 256
#define NO_DESCRIPTOR    (-1)

/*
 * A directory that is being read; its address is the program's DIR. Its entries are those of a real
 * directory, if it has one, and behind them those of the list, unless it is a moved one.
 */
struct directory {
	struct preload_entry entry;
	DIR *real;     /* owned, or NULL */
	bool is_moved; /* all entries are in real */
	int fd;        /* owned; NO_DESCRIPTOR when none was needed yet, or real's is it */
	unsigned int position;
	struct dirent current;
};

static _Atomic(struct directory *) open_directories[OPEN_MAX_VIRTUAL]; /* owned */
static _Atomic unsigned int open_count; /* most programs have none: their calls need no search */

static struct directory *ours(DIR *dir)
{
	for (unsigned int i = 0; open_count && dir && i < OPEN_MAX_VIRTUAL; i++)
		if ((DIR *)open_directories[i] == dir)
			return open_directories[i];
	return NULL;
}

static void directory_free(struct directory *directory)
{
	if (directory->real)
		real_closedir()(directory->real);
	if (directory->fd >= 0)
		real_close()(directory->fd);
	free(directory);
}

/* @param real  taken over, unless this fails. */
static DIR *directory_new(const char *path, DIR *real, bool is_moved, int fd)
{
	struct directory *directory;

	if (strlen(path) >= sizeof(directory->entry.path)) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	directory = calloc(1, sizeof(*directory));
	if (!directory)
		return NULL;
	directory->entry.type = ENTRY_DIRECTORY;
	strcpy(directory->entry.path, path);
	directory->real = real;
	directory->is_moved = is_moved;
	directory->fd = fd;
	for (unsigned int i = 0; i < OPEN_MAX_VIRTUAL; i++) {
		struct directory *none = NULL;

		if (atomic_compare_exchange_strong(&open_directories[i], &none, directory)) {
			open_count++;
			return (DIR *)directory;
		}
	}
	free(directory);
	errno = EMFILE;
	return NULL;
}

/* A moved one. @param fd  taken over, unless this fails. */
static DIR *open_moved(const struct preload_path *at, int fd)
{
	DIR *real = real_opendir()(at->real);
	DIR *dir = real ? directory_new(at->canonical, real, true, fd) : NULL;

	if (real && !dir)
		real_closedir()(real);
	return dir;
}

/* One of the real machine, which may have entries of ours. @param real  taken over. */
static DIR *open_shared(const char *path, DIR *real)
{
	DIR *dir;

	if (!real || !*path || !preload_virtual_is_shared(path))
		return real;
	dir = directory_new(path, real, false, NO_DESCRIPTOR);
	return dir ? dir : real;
}

PRELOAD_EXPORT DIR *opendir(const char *path)
{
	struct preload_path at;

	switch (preload_look(path, &at)) {
	case PATH_VIRTUAL:
		if (at.entry.type == ENTRY_DIRECTORY)
			return directory_new(at.canonical, NULL, false, NO_DESCRIPTOR);
		errno = ENOTDIR;
		return NULL;
	case PATH_MOVED:
		return open_moved(&at, NO_DESCRIPTOR);
	case PATH_KFD:
	case PATH_DRM:
		errno = ENOTDIR;
		return NULL;
	case PATH_REFUSED:
		errno = at.error;
		return NULL;
	case PATH_ELSEWHERE:
	case PATH_FOREIGN:
		break;
	}
	return open_shared(at.canonical, real_opendir()(preload_real_path(path, &at)));
}

/* The real path of a descriptor; "" when it is none of those that are shared. */
static void shared_path(int fd, char path[PATH_MAX])
{
	bool is_ours;

	if (!preload_place_base(fd, "", path, &is_ours))
		path[0] = '\0';
}

PRELOAD_EXPORT DIR *fdopendir(int fd)
{
	struct preload_path at;
	char path[PATH_MAX];
	struct stat st;

	if (!preload_place_of(fd, path)) {
		shared_path(fd, path);
		return open_shared(path, real_fdopendir()(fd));
	}
	if (fstat(fd, &st))
		return NULL;
	if (!S_ISDIR(st.st_mode)) {
		errno = ENOTDIR;
		return NULL;
	}
	switch (preload_look(path, &at)) {
	case PATH_MOVED:
		return open_moved(&at, fd);
	case PATH_REFUSED:
		errno = at.error;
		return NULL;
	case PATH_VIRTUAL:
	case PATH_ELSEWHERE:
	case PATH_FOREIGN:
	case PATH_KFD:
	case PATH_DRM:
		break; /* gone meanwhile: it has no entries then */
	}
	return directory_new(path, NULL, false, fd);
}

static unsigned char dirent_type(enum preload_entry_type type)
{
	switch (type) {
	case ENTRY_FILE:
		return DT_REG;
	case ENTRY_DIRECTORY:
		return DT_DIR;
	case ENTRY_LINK:
		return DT_LNK;
	case ENTRY_DEVICE:
		return DT_CHR;
	}
	return DT_UNKNOWN;
}

/* Path of an entry. */
static void child_path(const struct directory *directory, const char *name,
		       char path[PRELOAD_ENTRY_MAX + NAME_MAX + 2])
{
	snprintf(path, PRELOAD_ENTRY_MAX + NAME_MAX + 2, "%s/%s", directory->entry.path, name);
	if (strcmp(name, ".") == 0) {
		strcpy(path, directory->entry.path);
	} else if (strcmp(name, "..") == 0) {
		strcpy(path, directory->entry.path);
		*strrchr(path, '/') = '\0';
	}
}

/* The next entry of the real directory that is none of the list's. */
static struct dirent *read_real(struct directory *directory)
{
	char path[PRELOAD_ENTRY_MAX + NAME_MAX + 2];
	struct preload_entry entry;
	struct dirent *got;

	while ((got = real_readdir()(directory->real))) {
		bool is_dots = strcmp(got->d_name, ".") == 0 || strcmp(got->d_name, "..") == 0;

		child_path(directory, got->d_name, path);
		if (directory->is_moved) {
			/* what describes the host lies beside the topology (paths.c) */
			if (strcmp(got->d_name, "host") == 0)
				continue;
			if (got->d_type != DT_REG)
				got->d_ino = preload_inode(path);
			return got;
		}
		if (is_dots || !preload_virtual_find(preload_machine(), path, &entry) ||
		    preload_virtual_is_shared(path))
			return got;
	}
	return NULL;
}

/* Whether the real directory has shown this one already. */
static bool is_shown(const struct directory *directory, const char *name, const char *path)
{
	if (!directory->real)
		return false;
	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return true;
	return preload_virtual_is_shared(path) &&
	       faccessat(real_dirfd()(directory->real), name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static struct dirent *read_list(struct directory *directory)
{
	char path[PRELOAD_ENTRY_MAX + NAME_MAX + 2];
	struct dirent *current = &directory->current;
	enum preload_entry_type type;
	char name[64];

	for (;;) {
		if (!preload_virtual_child(preload_machine(), &directory->entry,
					   &directory->position, name, &type))
			return NULL;
		child_path(directory, name, path);
		if (!is_shown(directory, name, path))
			break;
	}
	memcpy(current->d_name, name, sizeof(name));
	current->d_type = dirent_type(type);
	current->d_ino = preload_inode(path);
	current->d_off = directory->position;
	current->d_reclen = sizeof(*current);
	return current;
}

PRELOAD_EXPORT struct dirent *readdir(DIR *dir)
{
	struct directory *directory = ours(dir);
	struct dirent *got = NULL;
	int saved = errno;

	if (!directory)
		return real_readdir()(dir);
	if (directory->real && !directory->position)
		got = read_real(directory);
	if (!got && !directory->is_moved)
		got = read_list(directory);
	if (got)
		errno = saved; /* looks at other files are ours, not the program's */
	return got;
}

PRELOAD_EXPORT struct dirent64 *readdir64(DIR *dir) __attribute__((alias("readdir")));

PRELOAD_EXPORT int readdir_r(DIR *dir, struct dirent *entry, struct dirent **result)
{
	struct dirent *got;
	int saved = errno, rc;

	if (!ours(dir))
		return real_readdir_r()(dir, entry, result);
	errno = 0;
	got = readdir(dir);
	rc = got ? 0 : errno;
	errno = saved;
	if (got)
		memcpy(entry, got, offsetof(struct dirent, d_name) + strlen(got->d_name) + 1);
	*result = got ? entry : NULL;
	return rc;
}

PRELOAD_EXPORT int readdir64_r(DIR *dir, struct dirent64 *entry, struct dirent64 **result)
	__attribute__((alias("readdir_r")));

PRELOAD_EXPORT void rewinddir(DIR *dir)
{
	struct directory *directory = ours(dir);

	if (!directory || directory->real)
		real_rewinddir()(directory ? directory->real : dir);
	if (directory)
		directory->position = 0;
}

/* Places in the list are negative, less one; those of a real directory are the kernel's. */
PRELOAD_EXPORT long telldir(DIR *dir)
{
	struct directory *directory = ours(dir);

	if (!directory)
		return real_telldir()(dir);
	if (directory->real && !directory->position)
		return real_telldir()(directory->real);
	return -1 - (long)directory->position;
}

PRELOAD_EXPORT void seekdir(DIR *dir, long place)
{
	struct directory *directory = ours(dir);

	if (!directory || (directory->real && place >= 0)) {
		real_seekdir()(directory ? directory->real : dir, place);
		if (directory)
			directory->position = 0;
		return;
	}
	directory->position = place < 0 ? (unsigned int)(-1 - place) : 0;
}

PRELOAD_EXPORT int dirfd(DIR *dir)
{
	struct directory *directory = ours(dir);

	if (!directory)
		return real_dirfd()(dir);
	if (directory->real && !directory->is_moved)
		return real_dirfd()(directory->real);
	if (directory->fd < 0)
		directory->fd = preload_place_directory(directory->entry.path, O_CLOEXEC);
	return directory->fd;
}

PRELOAD_EXPORT int closedir(DIR *dir)
{
	for (unsigned int i = 0; open_count && dir && i < OPEN_MAX_VIRTUAL; i++) {
		struct directory *directory = open_directories[i];

		if ((DIR *)directory != dir)
			continue;
		open_directories[i] = NULL;
		open_count--;
		directory_free(directory);
		return 0;
	}
	return real_closedir()(dir);
}
