/* SPDX-License-Identifier: MIT */
/* Threads that wait for events. */
#ifndef KFDSCOPE_THUNK_MODEL_WAIT_H
#define KFDSCOPE_THUNK_MODEL_WAIT_H

#include "event.h"

struct kfd_model_waiter {
	_Atomic uint32_t wakeups; /* counted up by who wakes (sleep.h) */
};

/* One event that a waiter waits for. */
struct kfd_model_wait_entry {
	struct kfd_model_waiter *waiter; /* borrowed */
	struct kfd_model_event *event;   /* borrowed; NULL when destroyed during the wait */
	struct kfd_model_wait_entry *prev, *next; /* in the event's list */
	bool activated;                           /* counts */
	bool tells_age;                           /* the waiter gave one and gets one back */
};

/* Marks every waiter of the event and wakes them. The caller holds the events' lock. */
void kfd_model_waiters_wake(struct kfd_model_event *event);
/* The event goes away: its waiters fail. Same lock. */
void kfd_model_waiters_orphan(struct kfd_model_event *event);

#endif
