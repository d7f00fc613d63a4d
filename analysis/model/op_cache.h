/* SPDX-License-Identifier: MIT */
/*
 * What a kind of call is to one watcher: looked up by name once for each kind, by index from then on.
 */
#ifndef KFDSCOPE_ANALYSIS_MODEL_OP_CACHE_H
#define KFDSCOPE_ANALYSIS_MODEL_OP_CACHE_H

#include <glib.h>

#include "process.h"

struct op_name {
	enum layer layer;
	const char *name;
	int op; /* not 0 */
};

struct op_cache {
	const struct op_name *names; /* borrowed */
	size_t count;
	GArray *known; /* of int, by call_type.index: -1 not looked up */
};

void op_cache_init(struct op_cache *cache, const struct op_name *names, size_t count);
void op_cache_fini(struct op_cache *cache);
int op_cache_look_up(struct op_cache *cache, const struct call_type *type);

/* @return the watcher's number for that kind of call, or 0. */
static inline int op_cache_find(struct op_cache *cache, const struct call_type *type)
{
	const GArray *known = cache->known;

	if (type->index < known->len && g_array_index(known, int, type->index) >= 0)
		return g_array_index(known, int, type->index);
	return op_cache_look_up(cache, type);
}

/*
 * True for the innermost call of a thread when a library call is open around it: what it does is that
 * call's business.
 */
bool call_is_inner(const struct call *call);

#endif
