/* SPDX-License-Identifier: MIT */
/*
 * Objects that are found by an id: a growing array that is searched by hashing. Not thread-safe; removing
 * moves the last object to the free place.
 */
#ifndef KFDSCOPE_TRACE_IDTABLE_H
#define KFDSCOPE_TRACE_IDTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { IDTABLE_MAX = 1 << 22 }; /* objects of one table; further ones are not remembered */

/* The id is the first member of each element. */
struct idtable {
	size_t element_bytes;
	bool is_wide; /* ids have 64 bits, otherwise 32 */
	uint32_t count, capacity;
	unsigned char *elements; /* owned; unordered */
	uint32_t *slots;         /* owned; hash table of index + 1; twice the capacity */
};

/* @param index  below count. */
void *idtable_at(const struct idtable *table, uint32_t index);
/* Copies the object in, in place of one with the same id. Without memory it is not remembered. */
void idtable_put(struct idtable *table, const void *object);
/* @return the object, in place until the table changes; NULL when it is not there. */
const void *idtable_find(const struct idtable *table, uint64_t id);
/* @param out  gets the object when it was there; may be NULL. @return whether it was. */
bool idtable_take(struct idtable *table, uint64_t id, void *out);
/* Empties it. @param is_whole  false: it may be in the middle of a change; its memory is given up. */
void idtable_clear(struct idtable *table, bool is_whole);

#endif
