/* SPDX-License-Identifier: MIT */
/* Interned lists of GPUs: a hash table that only grows, read without a lock. */
#include "memory/gpu_set.h"

#include <stdlib.h>
#include <string.h>

/* Node arrays that a new numbering replaced. */
struct gpu_set_nodes {
	struct gpu_set_nodes *next;
	uint32_t node_ids[];
};

static uint32_t hash(const uint32_t *gpu_ids, uint32_t count)
{
	uint32_t value = 2166136261u;

	for (uint32_t i = 0; i < count; i++)
		value = (value ^ gpu_ids[i]) * 16777619u;
	return (value ^ (value >> 16)) % GPU_SET_BUCKETS;
}

void gpu_sets_init(struct gpu_sets *sets)
{
	memset(sets, 0, sizeof(*sets));
	pthread_mutex_init(&sets->lock, NULL);
}

static void free_nodes(struct gpu_set_nodes *list)
{
	while (list) {
		struct gpu_set_nodes *next = list->next;

		free(list);
		list = next;
	}
}

void gpu_sets_fini(struct gpu_sets *sets)
{
	for (unsigned int i = 0; i < GPU_SET_BUCKETS; i++) {
		struct gpu_set *set = atomic_load(&sets->buckets[i]);

		while (set) {
			struct gpu_set *next = set->next;

			free(set);
			set = next;
		}
	}
	free_nodes(sets->retired);
	pthread_mutex_destroy(&sets->lock);
}

static struct gpu_set *lookup(struct gpu_set *set, const uint32_t *gpu_ids, uint32_t count)
{
	for (; set; set = set->next)
		if (set->count == count &&
		    memcmp(set->gpu_ids, gpu_ids, count * sizeof(*gpu_ids)) == 0)
			return set;
	return NULL;
}

static struct gpu_set *set_new(const uint32_t *gpu_ids, uint32_t count,
			       gpu_set_translate_fn translate, const void *data)
{
	struct gpu_set *set = malloc(sizeof(*set) + 2 * (size_t)count * sizeof(*gpu_ids));

	if (!set)
		return NULL;
	set->count = count;
	memcpy(set->gpu_ids, gpu_ids, count * sizeof(*gpu_ids));
	for (uint32_t i = 0; i < count; i++)
		set->gpu_ids[count + i] = translate(gpu_ids[i], data);
	atomic_init(&set->node_ids, &set->gpu_ids[count]);
	return set;
}

const struct gpu_set *gpu_sets_get(struct gpu_sets *sets, const uint32_t *gpu_ids, uint32_t count,
				   gpu_set_translate_fn translate, const void *data)
{
	_Atomic(struct gpu_set *) *bucket;
	struct gpu_set *set;

	if (!count)
		return NULL;
	bucket = &sets->buckets[hash(gpu_ids, count)];
	set = lookup(atomic_load_explicit(bucket, memory_order_acquire), gpu_ids, count);
	if (set)
		return set;
	pthread_mutex_lock(&sets->lock);
	set = lookup(atomic_load(bucket), gpu_ids, count);
	if (set || sets->count >= GPU_SET_LIMIT)
		goto out;
	set = set_new(gpu_ids, count, translate, data);
	if (!set)
		goto out;
	set->next = atomic_load(bucket);
	atomic_store_explicit(bucket, set, memory_order_release);
	sets->count++;
out:
	pthread_mutex_unlock(&sets->lock);
	return set;
}

/* The old array may be in a caller's hands: it is kept until the end, whoever owned it. */
static bool translate_set(struct gpu_sets *sets, struct gpu_set *set,
			  gpu_set_translate_fn translate, const void *data)
{
	struct gpu_set_nodes *nodes = malloc(sizeof(*nodes) + set->count * sizeof(uint32_t));

	if (!nodes)
		return false;
	for (uint32_t i = 0; i < set->count; i++)
		nodes->node_ids[i] = translate(set->gpu_ids[i], data);
	nodes->next = sets->retired;
	sets->retired = nodes;
	atomic_store(&set->node_ids, nodes->node_ids);
	return true;
}

bool gpu_sets_translate_again(struct gpu_sets *sets, gpu_set_translate_fn translate,
			      const void *data)
{
	bool all = true;

	pthread_mutex_lock(&sets->lock);
	for (unsigned int i = 0; i < GPU_SET_BUCKETS; i++)
		for (struct gpu_set *set = atomic_load(&sets->buckets[i]); set; set = set->next)
			all = translate_set(sets, set, translate, data) && all;
	pthread_mutex_unlock(&sets->lock);
	return all;
}

bool gpu_set_has(const struct gpu_set *set, uint32_t gpu_id)
{
	for (uint32_t i = 0; i < gpu_set_count(set); i++)
		if (set->gpu_ids[i] == gpu_id)
			return true;
	return false;
}
