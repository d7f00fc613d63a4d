/* SPDX-License-Identifier: MIT */
/*
 * Open directories and files of ours, and where relative paths begin. A directory of ours that is open
 * or the current one is a real directory that was removed at once: the kernel keeps its name, and the
 * name says which of ours it stands for. So duplicates, children, programs after exec and receivers of
 * the descriptor know it, too. A file is a memory file whose name says the same.
 */
#ifndef KFDSCOPE_THUNK_MODEL_PRELOAD_PLACES_H
#define KFDSCOPE_THUNK_MODEL_PRELOAD_PLACES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Opens what stands for a directory.
 * @param flags  of open; what matters is whether it stays over exec.
 * @return a descriptor, or -1 with errno set.
 */
int preload_place_directory(const char *path, int flags);
/* The same for a link to target, which is itself opened (O_PATH and O_NOFOLLOW). */
int preload_place_link(const char *path, const char *target, int flags);
/* The same for a file with this text. */
int preload_place_file(const char *path, const char *text, size_t length, int flags);
/* Which of ours a descriptor stands for, AT_FDCWD for the current directory. Keeps errno. */
bool preload_place_of(int fd, char path[PATH_MAX]);
/* The same by what a link in /proc/PID/fd says. */
bool preload_place_of_link(const char *target, char path[PATH_MAX]);
/*
 * Where a relative path begins. Keeps errno.
 * @param is_ours  out: that directory is one of ours.
 * @return false when that can be nowhere near anything of ours.
 */
bool preload_place_base(int directory, const char *relative, char path[PATH_MAX], bool *is_ours);
/* The current directory is another one. */
void preload_place_changed(void);

#endif
