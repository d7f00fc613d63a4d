/* SPDX-License-Identifier: MIT */
/* The table of descriptors that are devices (preload.h). */
#include <string.h>
#include <unistd.h>

#include "preload/preload.h"

uint8_t preload_kinds[PRELOAD_FDS_MAX];

/*
 * Whose table this is. A child of vfork() writes to its parent's memory, and closes and copies
 * descriptors of its own.
 */
static pid_t owner;

static bool is_number(const char *text)
{
	return *text && strspn(text, "0123456789") == strlen(text);
}

enum preload_kind preload_kind_of_path(const char *path)
{
	static const char render[] = "renderD";
	const char *slash, *file;
	size_t length;

	if (!path)
		return PRELOAD_OTHER;
	slash = strrchr(path, '/');
	file = slash ? slash + 1 : path;
	length = (size_t)(file - path);
	/* Relative names are for openat() of /dev and /dev/dri. */
	if (strcmp(file, "kfd") == 0 && (length == 0 || strncmp(path, "/dev/", length) == 0))
		return PRELOAD_KFD;
	if (strncmp(file, render, sizeof(render) - 1) == 0 &&
	    is_number(file + sizeof(render) - 1) &&
	    (length == 0 || strncmp(path, "/dev/dri/", length) == 0))
		return PRELOAD_RENDER;
	return PRELOAD_OTHER;
}

void preload_fd_set(int fd, enum preload_kind kind)
{
	if (fd < 0 || fd >= PRELOAD_FDS_MAX || preload_kind(fd) == kind)
		return;
	if (!owner)
		owner = getpid();
	if (owner == getpid())
		__atomic_store_n(&preload_kinds[fd], (uint8_t)kind, __ATOMIC_RELAXED);
}

void preload_fds_forked(void)
{
	owner = getpid();
}
