/* SPDX-License-Identifier: MIT */
/* Chunks, and pieces of them (pool.h). */
#include "pool.h"

#include <glib.h>

#define CHUNK_BYTES ((size_t)1 << 16)

struct pool_chunk {
	struct pool_chunk *next;
	size_t size; /* of what follows */
	_Alignas(max_align_t) unsigned char bytes[];
};

void *pool_take(struct pool *pool, size_t size)
{
	const size_t align = _Alignof(max_align_t);
	struct pool_chunk *chunk = pool->chunks;

	size = (size + align - 1) / align * align;
	if (size > pool->left) {
		size_t room = MAX(CHUNK_BYTES - sizeof(*chunk), size);

		chunk = g_malloc0(sizeof(*chunk) + room);
		chunk->next = pool->chunks;
		chunk->size = pool->left = room;
		pool->chunks = chunk;
	}
	pool->left -= size;
	return chunk->bytes + (chunk->size - pool->left - size);
}

void pool_fini(struct pool *pool)
{
	while (pool->chunks) {
		struct pool_chunk *chunk = pool->chunks;

		pool->chunks = chunk->next;
		g_free(chunk);
	}
	pool->left = 0;
}
