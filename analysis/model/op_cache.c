/* SPDX-License-Identifier: MIT */
/* Calls by name, once (op_cache.h). */
#include "op_cache.h"

#include <string.h>

void op_cache_init(struct op_cache *cache, const struct op_name *names, size_t count)
{
	cache->names = names;
	cache->count = count;
	cache->known = g_array_new(FALSE, FALSE, sizeof(int));
}

void op_cache_fini(struct op_cache *cache)
{
	g_array_free(cache->known, TRUE);
}

static int look_up(const struct op_cache *cache, const struct call_type *type)
{
	for (size_t i = 0; i < cache->count; i++) {
		if (cache->names[i].layer == type->layer &&
		    strcmp(cache->names[i].name, type->name) == 0)
			return cache->names[i].op;
	}
	return 0;
}

int op_cache_look_up(struct op_cache *cache, const struct call_type *type)
{
	const int unknown = -1;
	int *slot;

	while (type->index >= cache->known->len)
		g_array_append_val(cache->known, unknown);
	slot = &g_array_index(cache->known, int, type->index);
	if (*slot == unknown)
		*slot = look_up(cache, type);
	return *slot;
}

bool call_is_inner(const struct call *call)
{
	const struct thread *thread = call->thread;

	for (guint i = 0; i + 1 < thread->calls->len; i++) {
		if (g_array_index(thread->calls, struct call, i).type->layer == LAYER_API)
			return true;
	}
	return false;
}
