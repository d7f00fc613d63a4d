/* SPDX-License-Identifier: MIT */
/* Counting the buffer objects that callers hold. */
#include "handle/handle_table.h"

#include <stdlib.h>

struct entry {
	struct range_node node; /* first: a node is an entry */
	unsigned int refs;
	void *device; /* borrowed: the library's libdrm devices live as long as the context */
};

void handle_table_init(struct handle_table *table)
{
	pthread_mutex_init(&table->lock, NULL);
	table->tree.root = NULL;
}

void handle_table_fini(struct handle_table *table)
{
	struct range_node *node;

	/* Held in a forked child by a thread that it has not: the tree may be half changed. */
	if (pthread_mutex_trylock(&table->lock) != 0)
		return;
	while ((node = table->tree.root)) {
		range_tree_remove(&table->tree, node);
		free(node);
	}
	pthread_mutex_unlock(&table->lock);
	pthread_mutex_destroy(&table->lock);
}

static struct entry *find(const struct handle_table *table, const void *bo)
{
	return (struct entry *)range_tree_find(&table->tree, (uintptr_t)bo);
}

bool handle_table_add(struct handle_table *table, const void *bo, void *device)
{
	struct entry *entry;

	pthread_mutex_lock(&table->lock);
	entry = find(table, bo);
	if (entry) {
		entry->refs++;
		goto out;
	}
	entry = calloc(1, sizeof(*entry));
	if (!entry)
		goto out;
	entry->refs = 1;
	entry->device = device;
	entry->node.start = (uintptr_t)bo;
	entry->node.size_bytes = 1;
	range_tree_insert(&table->tree, &entry->node);
out:
	pthread_mutex_unlock(&table->lock);
	return entry;
}

bool handle_table_has(struct handle_table *table, const void *bo, void **device)
{
	struct entry *entry;

	pthread_mutex_lock(&table->lock);
	entry = find(table, bo);
	if (entry && device)
		*device = entry->device;
	pthread_mutex_unlock(&table->lock);
	return entry;
}

bool handle_table_drop(struct handle_table *table, const void *bo)
{
	struct entry *entry;
	bool is_known;

	pthread_mutex_lock(&table->lock);
	entry = find(table, bo);
	is_known = entry;
	if (entry && --entry->refs == 0) {
		range_tree_remove(&table->tree, &entry->node);
		free(entry);
	}
	pthread_mutex_unlock(&table->lock);
	return is_known;
}
