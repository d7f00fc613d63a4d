/* SPDX-License-Identifier: MIT */
/* Objects that are found by an id (idtable.h). */
#include "idtable.h"

#include <stdlib.h>
#include <string.h>

void *idtable_at(const struct idtable *table, uint32_t index)
{
	return table->elements + (size_t)index * table->element_bytes;
}

/* BOs are known by 64 bits, the others by 32. */
static uint64_t id_of(const struct idtable *table, const void *object)
{
	uint64_t wide;
	uint32_t narrow;

	if (table->is_wide) {
		memcpy(&wide, object, sizeof(wide));
		return wide;
	}
	memcpy(&narrow, object, sizeof(narrow));
	return narrow;
}

static uint32_t slot_count(const struct idtable *table)
{
	return table->capacity * 2;
}

static uint32_t home(const struct idtable *table, uint64_t id)
{
	return (uint32_t)(id * 0x9E3779B97F4A7C15ULL >> 32) & (slot_count(table) - 1);
}

/* @return the slot of the id, or the empty one where it belongs. */
static uint32_t find_slot(const struct idtable *table, uint64_t id)
{
	uint32_t slot = home(table, id);

	while (table->slots[slot] && id_of(table, idtable_at(table, table->slots[slot] - 1)) != id)
		slot = (slot + 1) & (slot_count(table) - 1);
	return slot;
}

static bool grow(struct idtable *table)
{
	struct idtable bigger = *table;

	bigger.capacity = table->capacity ? table->capacity * 2 : 256;
	if (bigger.capacity > IDTABLE_MAX)
		return false;
	bigger.slots = calloc(slot_count(&bigger), sizeof(*bigger.slots));
	if (!bigger.slots)
		return false;
	bigger.elements = realloc(table->elements, (size_t)bigger.capacity * table->element_bytes);
	if (!bigger.elements) {
		free(bigger.slots);
		return false;
	}
	for (uint32_t i = 0; i < bigger.count; i++)
		bigger.slots[find_slot(&bigger, id_of(table, idtable_at(&bigger, i)))] = i + 1;
	free(table->slots);
	*table = bigger;
	return true;
}

void idtable_put(struct idtable *table, const void *object)
{
	uint32_t slot;

	if (table->count == table->capacity && !grow(table))
		return;
	slot = find_slot(table, id_of(table, object));
	if (!table->slots[slot])
		table->slots[slot] = ++table->count;
	memcpy(idtable_at(table, table->slots[slot] - 1), object, table->element_bytes);
}

const void *idtable_find(const struct idtable *table, uint64_t id)
{
	uint32_t slot;

	if (table->count == 0)
		return NULL;
	slot = find_slot(table, id);
	return table->slots[slot] ? idtable_at(table, table->slots[slot] - 1) : NULL;
}

/* Closes the gap that an emptied slot leaves in the chains that pass it. */
static void close_gap(struct idtable *table, uint32_t gap)
{
	const uint32_t mask = slot_count(table) - 1;

	table->slots[gap] = 0;
	for (uint32_t slot = (gap + 1) & mask; table->slots[slot]; slot = (slot + 1) & mask) {
		const uint64_t id = id_of(table, idtable_at(table, table->slots[slot] - 1));

		if (((slot - home(table, id)) & mask) < ((slot - gap) & mask))
			continue;
		table->slots[gap] = table->slots[slot];
		table->slots[slot] = 0;
		gap = slot;
	}
}

bool idtable_take(struct idtable *table, uint64_t id, void *out)
{
	uint32_t slot, index, last;

	if (table->count == 0)
		return false;
	slot = find_slot(table, id);
	if (!table->slots[slot])
		return false;
	index = table->slots[slot] - 1;
	if (out)
		memcpy(out, idtable_at(table, index), table->element_bytes);
	close_gap(table, slot);
	last = --table->count;
	if (index == last)
		return true;
	/* The last element takes the free place. */
	table->slots[find_slot(table, id_of(table, idtable_at(table, last)))] = index + 1;
	memcpy(idtable_at(table, index), idtable_at(table, last), table->element_bytes);
	return true;
}

void idtable_clear(struct idtable *table, bool is_whole)
{
	if (is_whole) {
		free(table->elements);
		free(table->slots);
	}
	*table = (struct idtable){ .element_bytes = table->element_bytes,
				   .is_wide = table->is_wide };
}
