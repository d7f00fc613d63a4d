/* SPDX-License-Identifier: MIT */
/*
 * The buffer objects of libdrm that a context holds. libdrm gives the same object again for the same
 * buffer, so each is counted.
 */
#ifndef KFDSCOPE_THUNK_HANDLE_HANDLE_TABLE_H
#define KFDSCOPE_THUNK_HANDLE_HANDLE_TABLE_H

#include <pthread.h>
#include <stdbool.h>

#include "memory/range_tree.h"

struct handle_table {
	pthread_mutex_t lock;   /* protects the tree */
	struct range_tree tree; /* by the object's address */
};

void handle_table_init(struct handle_table *table);
/* Forgets all objects; libdrm keeps them as long as its devices. */
void handle_table_fini(struct handle_table *table);

/* Counts an object, of this libdrm device. @return false without memory. */
bool handle_table_add(struct handle_table *table, const void *bo, void *device)
	__attribute__((warn_unused_result));
/* @return whether the object is held; *device, if not NULL, is its device then. */
bool handle_table_has(struct handle_table *table, const void *bo, void **device);
/* Counts down. @return false for an object that is not held. */
bool handle_table_drop(struct handle_table *table, const void *bo);

#endif
