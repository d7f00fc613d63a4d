/* SPDX-License-Identifier: MIT */
/*
 * A lock that a thread knows it is inside of: a signal handler that interrupts its own thread in there
 * is refused, rather than stuck. The flag is a thread's own, of the initial-exec model, since another
 * model may allocate in the handler.
 */
#ifndef KFDSCOPE_TRACE_OWN_LOCK_H
#define KFDSCOPE_TRACE_OWN_LOCK_H

#include <pthread.h>
#include <stdbool.h>

/** @return false when this thread is inside already; else own_lock_leave() must follow. */
static inline bool own_lock_enter(pthread_mutex_t *lock, bool *is_inside)
{
	if (*is_inside)
		return false;
	*is_inside = true;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	pthread_mutex_lock(lock);
	return true;
}

static inline void own_lock_leave(pthread_mutex_t *lock, bool *is_inside)
{
	pthread_mutex_unlock(lock);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	*is_inside = false;
}

#endif
