/* SPDX-License-Identifier: MIT */
#include "sleep.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* A wait with a deadline that is restarted after a handler; kernels before 5.16 do not have it. */
static long wait_restartable(_Atomic uint32_t *word, uint32_t seen, const struct timespec *deadline)
{
#ifdef SYS_futex_waitv
	struct futex_waitv wait = { .val = seen,
				    .uaddr = (uintptr_t)word,
				    .flags = FUTEX_32 | FUTEX_PRIVATE_FLAG };

	return syscall(SYS_futex_waitv, &wait, 1, 0, deadline, CLOCK_MONOTONIC);
#else
	(void)word, (void)seen, (void)deadline;
	errno = ENOSYS;
	return -1;
#endif
}

int kfd_model_sleep(_Atomic uint32_t *word, uint32_t seen, uint64_t deadline_ns)
{
	const struct timespec deadline = {
		.tv_sec = (time_t)(deadline_ns / 1000000000ull),
		.tv_nsec = (long)(deadline_ns % 1000000000ull),
	};
	const struct timespec *limit = deadline_ns == KFD_MODEL_FOREVER ? NULL : &deadline;
	long rc = wait_restartable(word, seen, limit);

	/* what filters system calls may know no new one */
	if (rc < 0 && (errno == ENOSYS || errno == EPERM))
		rc = syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, seen, limit, NULL,
			     FUTEX_BITSET_MATCH_ANY);
	return rc < 0 && (errno == ETIMEDOUT || errno == EINTR) ? -errno : 0;
}

int kfd_model_sleep_unlocked(_Atomic uint32_t *word, pthread_mutex_t *lock)
{
	const uint32_t seen = atomic_load(word);
	int rc;

	pthread_mutex_unlock(lock);
	rc = kfd_model_sleep(word, seen, KFD_MODEL_FOREVER);
	pthread_mutex_lock(lock);
	return rc;
}

void kfd_model_wake(_Atomic uint32_t *word)
{
	atomic_fetch_add(word, 1);
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}
