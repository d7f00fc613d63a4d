/* SPDX-License-Identifier: MIT */
/* opendir and what is done with what it returns. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "paths.h"
#include "real.h"

typedef DIR *(*opendir_fn)(const char *);
typedef struct dirent *(*readdir_fn)(DIR *);
typedef int (*closedir_fn)(DIR *);
typedef void (*rewinddir_fn)(DIR *);
typedef int (*dirfd_fn)(DIR *);

PRELOAD_REAL(opendir, opendir_fn)
PRELOAD_REAL(readdir, readdir_fn)
PRELOAD_REAL(closedir, closedir_fn)
PRELOAD_REAL(rewinddir, rewinddir_fn)
PRELOAD_REAL(dirfd, dirfd_fn)

#define OPEN_MAX_VIRTUAL 64

/* A virtual directory that is being read; its address is the program's DIR. */
struct directory {
	struct preload_entry entry;
	unsigned int position;
	struct dirent current;
};

static _Atomic(struct directory *) open_directories[OPEN_MAX_VIRTUAL]; /* owned */

static struct directory *ours(DIR *dir)
{
	for (unsigned int i = 0; dir && i < OPEN_MAX_VIRTUAL; i++)
		if ((DIR *)open_directories[i] == dir)
			return open_directories[i];
	return NULL;
}

static DIR *open_virtual(const struct preload_entry *entry)
{
	struct directory *directory;

	if (entry->type != ENTRY_DIRECTORY) {
		errno = ENOTDIR;
		return NULL;
	}
	directory = calloc(1, sizeof(*directory));
	if (!directory)
		return NULL;
	directory->entry = *entry;
	for (unsigned int i = 0; i < OPEN_MAX_VIRTUAL; i++) {
		struct directory *none = NULL;

		if (atomic_compare_exchange_strong(&open_directories[i], &none, directory))
			return (DIR *)directory;
	}
	free(directory);
	errno = EMFILE;
	return NULL;
}

PRELOAD_EXPORT DIR *opendir(const char *path)
{
	struct preload_path at;

	switch (preload_look(path, &at)) {
	case PATH_VIRTUAL:
		return open_virtual(&at.entry);
	case PATH_MOVED:
		return real_opendir()(at.real);
	case PATH_KFD:
	case PATH_RENDER:
		errno = ENOTDIR;
		return NULL;
	case PATH_REFUSED:
		errno = at.error;
		return NULL;
	case PATH_FOREIGN:
		break;
	}
	return real_opendir()(path);
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
	}
	return DT_UNKNOWN;
}

PRELOAD_EXPORT struct dirent *readdir(DIR *dir)
{
	struct directory *directory = ours(dir);
	enum preload_entry_type type;
	char name[64];

	if (!directory)
		return real_readdir()(dir);
	if (!preload_virtual_child(preload_machine(), &directory->entry, directory->position, name,
				   &type))
		return NULL;
	memcpy(directory->current.d_name, name, sizeof(name));
	directory->current.d_type = dirent_type(type);
	directory->current.d_ino = ++directory->position;
	directory->current.d_reclen = sizeof(directory->current);
	return &directory->current;
}

PRELOAD_EXPORT struct dirent64 *readdir64(DIR *dir) __attribute__((alias("readdir")));

PRELOAD_EXPORT void rewinddir(DIR *dir)
{
	struct directory *directory = ours(dir);

	if (directory)
		directory->position = 0;
	else
		real_rewinddir()(dir);
}

PRELOAD_EXPORT int dirfd(DIR *dir)
{
	if (!ours(dir))
		return real_dirfd()(dir);
	errno = ENOTSUP;
	return -1;
}

PRELOAD_EXPORT int closedir(DIR *dir)
{
	for (unsigned int i = 0; dir && i < OPEN_MAX_VIRTUAL; i++) {
		struct directory *directory = open_directories[i];

		if ((DIR *)directory != dir)
			continue;
		open_directories[i] = NULL;
		free(directory);
		return 0;
	}
	return real_closedir()(dir);
}
