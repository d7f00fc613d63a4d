/* SPDX-License-Identifier: MIT */
/*
 * Where the nodes of the address indexes live: side by side in large chunks and apart from the
 * objects, so that a search among 100,000 of them touches as few cache lines and pages as it can.
 */
#ifndef KFDSCOPE_THUNK_MEMORY_NODE_POOL_H
#define KFDSCOPE_THUNK_MEMORY_NODE_POOL_H

#include <pthread.h>

#include "memory/range_tree.h"

struct node_pool {
	pthread_mutex_t lock;      /* protects all below */
	struct range_node *free;   /* chained by right */
	struct range_node *chunks; /* owned: first nodes of the chunks, chained by right */
	unsigned int next_chunk_nodes;
};

void node_pool_init(struct node_pool *pool);
/* Frees all nodes, those in use too. */
void node_pool_fini(struct node_pool *pool);
/* In a forked child: the lock may be held by a thread that is not here. */
void node_pool_after_fork(struct node_pool *pool);

/* A node of unspecified content; NULL without memory. */
struct range_node *node_pool_get(struct node_pool *pool);
/* Gives it back; accepts NULL. */
void node_pool_put(struct node_pool *pool, struct range_node *node);

#endif
