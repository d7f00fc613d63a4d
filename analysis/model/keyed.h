/* SPDX-License-Identifier: MIT */
/*
 * What a watcher keeps of each thread or process, by its address. Neighbours in time are often of one
 * thread: the last one that was found is found again without a look into the table.
 */
#ifndef KFDSCOPE_ANALYSIS_MODEL_KEYED_H
#define KFDSCOPE_ANALYSIS_MODEL_KEYED_H

#include <glib.h>

struct keyed {
	GHashTable *table; /* key (borrowed) -> value, owned */
	const void *last_key;
	void *last; /* borrowed; NULL: the table has nothing of last_key */
};

/* @param free_value  of what is still in it in the end. */
static inline void keyed_init(struct keyed *keyed, GDestroyNotify free_value)
{
	*keyed = (struct keyed){ .table = g_hash_table_new_full(NULL, NULL, NULL, free_value) };
}

static inline void keyed_fini(struct keyed *keyed)
{
	g_hash_table_destroy(keyed->table);
}

/* @return borrowed; NULL: nothing yet. */
static inline void *keyed_find(struct keyed *keyed, const void *key)
{
	if (key != keyed->last_key) {
		keyed->last_key = key;
		keyed->last = g_hash_table_lookup(keyed->table, key);
	}
	return keyed->last;
}

/* @param value  owned from now on. @return it. */
static inline void *keyed_add(struct keyed *keyed, const void *key, void *value)
{
	g_hash_table_insert(keyed->table, (void *)key, value);
	keyed->last_key = key;
	return keyed->last = value;
}

#endif
