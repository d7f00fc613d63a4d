/* SPDX-License-Identifier: MIT */
/* Where the topology trees are: next to the library that this code is in. */
#ifndef KFDSCOPE_THUNK_MODEL_LOCATION_H
#define KFDSCOPE_THUNK_MODEL_LOCATION_H

#include <stddef.h>

/*
 * The directory of a topology.
 *
 * @param wanted  a directory; or the plain name of a tree that comes with us; NULL or empty for the
 *                default one.
 * @param path    out: the directory.
 * @return 0, -ENOENT, or -ENAMETOOLONG.
 */
int kfd_model_topology_path(const char *wanted, char *path, size_t size_bytes);

#endif
