/* SPDX-License-Identifier: MIT */
/*
 * Memory for many small things that all live as long as their owner: taken piece by piece, given back
 * at once.
 */
#ifndef KFDSCOPE_ANALYSIS_MODEL_POOL_H
#define KFDSCOPE_ANALYSIS_MODEL_POOL_H

#include <stddef.h>

struct pool_chunk;

/* All zeros: an empty one. */
struct pool {
	struct pool_chunk *chunks; /* owned: the newest first */
	size_t left;               /* bytes at the end of the newest */
};

/* @return zeroed memory, aligned for anything, until pool_fini(). */
void *pool_take(struct pool *pool, size_t size);
void pool_fini(struct pool *pool);

#endif
