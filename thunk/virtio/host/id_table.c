/* SPDX-License-Identifier: MIT */
/* Open addressing with linear probing (id_table.h). */
#include "virtio/host/id_table.h"

#include <stdlib.h>

static struct virtio_id *slot_of(const struct virtio_ids *ids, uint64_t id)
{
	uint32_t at = (uint32_t)((id * 0x9E3779B97F4A7C15ull) >> 32) & (ids->capacity - 1);

	while (ids->slots[at].id && ids->slots[at].id != id)
		at = (at + 1) & (ids->capacity - 1);
	return &ids->slots[at];
}

static bool grow(struct virtio_ids *ids)
{
	struct virtio_ids larger = { .capacity = 32 };

	while (larger.capacity < 4 * (ids->count + 1))
		larger.capacity *= 2;
	larger.slots = calloc(larger.capacity, sizeof(*larger.slots));
	if (!larger.slots)
		return false;
	for (uint32_t i = 0; i < ids->capacity; i++) {
		if (!ids->slots[i].value)
			continue;
		*slot_of(&larger, ids->slots[i].id) = ids->slots[i];
		larger.used++;
	}
	larger.count = larger.used;
	free(ids->slots);
	*ids = larger;
	return true;
}

bool virtio_ids_add(struct virtio_ids *ids, uint64_t id, void *value)
{
	struct virtio_id *slot;

	if (2 * (ids->used + 1) > ids->capacity && !grow(ids))
		return false;
	slot = slot_of(ids, id);
	ids->used += slot->id == 0;
	ids->count++;
	*slot = (struct virtio_id){ .id = id, .value = value };
	return true;
}

void *virtio_ids_find(const struct virtio_ids *ids, uint64_t id)
{
	return id && ids->capacity ? slot_of(ids, id)->value : NULL;
}

void *virtio_ids_remove(struct virtio_ids *ids, uint64_t id)
{
	struct virtio_id *slot;
	void *value;

	if (!virtio_ids_find(ids, id))
		return NULL;
	slot = slot_of(ids, id);
	value = slot->value;
	slot->value = NULL;
	ids->count--;
	return value;
}

void virtio_ids_fini(struct virtio_ids *ids)
{
	free(ids->slots);
	*ids = (struct virtio_ids){ 0 };
}
