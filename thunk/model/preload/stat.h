/* SPDX-License-Identifier: MIT */
/* What the names of ours look like. */
#ifndef KFDSCOPE_THUNK_MODEL_PRELOAD_STAT_H
#define KFDSCOPE_THUNK_MODEL_PRELOAD_STAT_H

#include <stdint.h>
#include <sys/stat.h>

#include "paths.h"

/* Number of a file of ours, by its canonical path. */
uint64_t preload_inode(const char *path);
/*
 * Looks at a path (preload_look_at()) and tells what is there.
 * @return 0, -1 with errno set, or 1 when the real function has to answer for preload_real_path().
 */
int preload_stat_at(int directory, const char *path, bool follow, struct preload_path *at,
		    struct stat *st);

#endif
