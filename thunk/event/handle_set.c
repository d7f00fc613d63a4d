/* SPDX-License-Identifier: MIT */
/* The set of live handles: an open-addressing hash table under a read-write lock. */
#include "event/handle_set.h"

#include <stdlib.h>

#define SLOT_FREE    0
#define SLOT_REMOVED 1
#define MIN_CAPACITY 64

static size_t slot_of(const struct kmt_handle_set *set, uint64_t handle)
{
	/* Handles are aligned addresses: the multiplication spreads their low zero bits. */
	return (size_t)((handle * 0x9E3779B97F4A7C15ull) >> 20) & (set->capacity - 1);
}

static struct kmt_handle_slot *find_slot(const struct kmt_handle_set *set, uint64_t handle)
{
	if (!set->capacity || handle <= SLOT_REMOVED)
		return NULL;
	for (size_t i = slot_of(set, handle);; i = (i + 1) & (set->capacity - 1)) {
		if (set->slots[i].handle == handle)
			return &set->slots[i];
		/* The table is never full (see make_room), so that this ends. */
		if (set->slots[i].handle == SLOT_FREE)
			return NULL;
	}
}

static void put(struct kmt_handle_set *set, uint64_t handle, void *record)
{
	size_t i = slot_of(set, handle);

	while (set->slots[i].handle > SLOT_REMOVED)
		i = (i + 1) & (set->capacity - 1);
	if (set->slots[i].handle == SLOT_FREE)
		set->used++;
	set->slots[i].handle = handle;
	set->slots[i].record = record;
	set->live++;
}

/* Keeps at least a quarter of the slots free; a rebuild drops the removed ones. */
static bool make_room(struct kmt_handle_set *set)
{
	struct kmt_handle_slot *old = set->slots;
	size_t old_capacity = set->capacity;
	size_t capacity = MIN_CAPACITY;

	if ((set->used + 1) * 4 <= set->capacity * 3)
		return true;
	while (capacity < (set->live + 1) * 2)
		capacity *= 2;
	set->slots = calloc(capacity, sizeof(*set->slots));
	if (!set->slots) {
		set->slots = old;
		/* One free slot is enough to be correct. */
		return set->used + 1 < set->capacity;
	}
	set->capacity = capacity;
	set->live = set->used = 0;
	for (size_t i = 0; i < old_capacity; i++)
		if (old[i].handle > SLOT_REMOVED)
			put(set, old[i].handle, old[i].record);
	free(old);
	return true;
}

void kmt_handle_set_init(struct kmt_handle_set *set)
{
	*set = (struct kmt_handle_set){ 0 };
	pthread_rwlock_init(&set->lock, NULL);
}

void kmt_handle_set_fini(struct kmt_handle_set *set)
{
	free(set->slots);
	set->slots = NULL;
	set->capacity = set->live = set->used = 0;
}

bool kmt_handle_set_add(struct kmt_handle_set *set, uint64_t handle, void *record)
{
	bool added = false;

	if (handle <= SLOT_REMOVED)
		return false;
	pthread_rwlock_wrlock(&set->lock);
	if (make_room(set)) {
		put(set, handle, record);
		added = true;
	}
	pthread_rwlock_unlock(&set->lock);
	return added;
}

void *kmt_handle_set_find_locked(const struct kmt_handle_set *set, uint64_t handle)
{
	const struct kmt_handle_slot *slot = find_slot(set, handle);

	return slot ? slot->record : NULL;
}

void *kmt_handle_set_find(struct kmt_handle_set *set, uint64_t handle)
{
	void *record;

	pthread_rwlock_rdlock(&set->lock);
	record = kmt_handle_set_find_locked(set, handle);
	pthread_rwlock_unlock(&set->lock);
	return record;
}

void *kmt_handle_set_take(struct kmt_handle_set *set, uint64_t handle)
{
	struct kmt_handle_slot *slot;
	void *record = NULL;

	pthread_rwlock_wrlock(&set->lock);
	slot = find_slot(set, handle);
	if (slot) {
		record = slot->record;
		slot->handle = SLOT_REMOVED;
		slot->record = NULL;
		set->live--;
	}
	pthread_rwlock_unlock(&set->lock);
	return record;
}

void kmt_handle_set_read_lock(struct kmt_handle_set *set)
{
	pthread_rwlock_rdlock(&set->lock);
}

void kmt_handle_set_unlock(struct kmt_handle_set *set)
{
	pthread_rwlock_unlock(&set->lock);
}

void kmt_handle_set_for_each_unlocked(const struct kmt_handle_set *set,
				      void (*visit)(void *record, void *data), void *data)
{
	for (size_t i = 0; i < set->capacity; i++)
		if (set->slots[i].handle > SLOT_REMOVED)
			visit(set->slots[i].record, data);
}

void kmt_handle_set_for_each(struct kmt_handle_set *set, void (*visit)(void *record, void *data),
			     void *data)
{
	pthread_rwlock_rdlock(&set->lock);
	kmt_handle_set_for_each_unlocked(set, visit, data);
	pthread_rwlock_unlock(&set->lock);
}
