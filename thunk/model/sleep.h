/* SPDX-License-Identifier: MIT */
/*
 * How calls wait: on a futex word rather than a condition variable, because a signal handler must be
 * able to end the wait as it ends a system call, with EINTR, or to have it restarted if the handler
 * was installed so (SA_RESTART).
 */
#ifndef KFDSCOPE_THUNK_MODEL_SLEEP_H
#define KFDSCOPE_THUNK_MODEL_SLEEP_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#define KFD_MODEL_FOREVER UINT64_MAX

/*
 * Sleeps until the word is woken, unless it is another one than seen already.
 * @param deadline_ns  of CLOCK_MONOTONIC, or KFD_MODEL_FOREVER.
 * @return 0, also for no reason at all; -ETIMEDOUT or -EINTR.
 */
int kfd_model_sleep(_Atomic uint32_t *word, uint32_t seen, uint64_t deadline_ns);
/*
 * The same for ever, without a lock meanwhile. To be called with what is waited for looked at under
 * the lock, under which the word is changed, too.
 */
int kfd_model_sleep_unlocked(_Atomic uint32_t *word, pthread_mutex_t *lock);
/* Counts the word up and wakes whoever sleeps on it. */
void kfd_model_wake(_Atomic uint32_t *word);

#endif
