/* SPDX-License-Identifier: MIT */
/*
 * A set of live handles. Public handles are addresses that come back from the caller, possibly
 * stale or made up; whoever hands them out looks them up here before following them.
 *
 * The lock is a leaf: nothing else is taken while it is held.
 */
#ifndef KFDSCOPE_THUNK_EVENT_HANDLE_SET_H
#define KFDSCOPE_THUNK_EVENT_HANDLE_SET_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kmt_handle_slot {
	uint64_t handle; /* 0: never used; 1: taken away again */
	void *record;    /* borrowed; the owner of the set frees it */
};

struct kmt_handle_set {
	pthread_rwlock_t lock;         /* protects everything below */
	struct kmt_handle_slot *slots; /* owned; open addressing, capacity a power of two */
	size_t capacity;
	size_t live; /* slots with a handle */
	size_t used; /* live ones and those that held one */
};

void kmt_handle_set_init(struct kmt_handle_set *set);
/*
 * Frees the table, not the records. Takes no lock, so that it works in a forked child in which
 * another thread's lock is left behind.
 */
void kmt_handle_set_fini(struct kmt_handle_set *set);

/* Handles 0 and 1 cannot be added. @return false without memory. */
bool kmt_handle_set_add(struct kmt_handle_set *set, uint64_t handle, void *record)
	__attribute__((warn_unused_result));
/* @return the record; NULL for a handle that is not live. */
void *kmt_handle_set_find(struct kmt_handle_set *set, uint64_t handle);
/* Finds and removes in one step: of two callers with the same handle one gets NULL. */
void *kmt_handle_set_take(struct kmt_handle_set *set, uint64_t handle);

/* For several look-ups in a row: between read_lock and unlock use find_locked. */
void kmt_handle_set_read_lock(struct kmt_handle_set *set);
/* Ends what read_lock began. */
void kmt_handle_set_unlock(struct kmt_handle_set *set);
/* As find, with the lock held. */
void *kmt_handle_set_find_locked(const struct kmt_handle_set *set, uint64_t handle);

/* Calls visit for each record, in no order, under the lock. */
void kmt_handle_set_for_each(struct kmt_handle_set *set, void (*visit)(void *record, void *data),
			     void *data);
/* The same without the lock, for destructors. */
void kmt_handle_set_for_each_unlocked(const struct kmt_handle_set *set,
				      void (*visit)(void *record, void *data), void *data);

#endif
