/* SPDX-License-Identifier: MIT */
/* A free list over chunks that grow with the need. */
#include "memory/node_pool.h"

#include <stdlib.h>

#define FIRST_CHUNK_NODES 1024
#define CHUNK_NODES_LIMIT 32768 /* 2 MiB, a large page */

_Static_assert(sizeof(struct range_node) == 64, "a node is a cache line");

void node_pool_init(struct node_pool *pool)
{
	pthread_mutex_init(&pool->lock, NULL);
	pool->free = pool->chunks = NULL;
	pool->next_chunk_nodes = FIRST_CHUNK_NODES;
}

void node_pool_fini(struct node_pool *pool)
{
	while (pool->chunks) {
		struct range_node *next = pool->chunks->right;

		free(pool->chunks);
		pool->chunks = next;
	}
	pool->free = NULL;
	pthread_mutex_destroy(&pool->lock);
}

void node_pool_after_fork(struct node_pool *pool)
{
	pthread_mutex_init(&pool->lock, NULL);
}

/* The caller holds the lock. The first node of a chunk keeps the list of chunks. */
static void grow(struct node_pool *pool)
{
	unsigned int count = pool->next_chunk_nodes;
	struct range_node *chunk = aligned_alloc(sizeof(*chunk), count * sizeof(*chunk));

	if (!chunk)
		return;
	chunk[0].right = pool->chunks;
	pool->chunks = chunk;
	for (unsigned int i = count - 1; i > 0; i--) {
		chunk[i].right = pool->free;
		pool->free = &chunk[i];
	}
	if (count < CHUNK_NODES_LIMIT)
		pool->next_chunk_nodes = 2 * count;
}

struct range_node *node_pool_get(struct node_pool *pool)
{
	struct range_node *node;

	pthread_mutex_lock(&pool->lock);
	if (!pool->free)
		grow(pool);
	node = pool->free;
	if (node)
		pool->free = node->right;
	pthread_mutex_unlock(&pool->lock);
	return node;
}

void node_pool_put(struct node_pool *pool, struct range_node *node)
{
	if (!node)
		return;
	pthread_mutex_lock(&pool->lock);
	node->right = pool->free;
	pool->free = node;
	pthread_mutex_unlock(&pool->lock);
}
