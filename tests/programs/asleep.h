/* SPDX-License-Identifier: MIT */
/*
 * When another thread has got to its wait. There is no mark to set that late: the thread tells its
 * number and calls, and then it sleeps. Locks on its way there make it sleep as well, for a moment, so
 * that it must be found asleep several times in a row; a thread that a busy machine keeps from running
 * is not asleep.
 */
#ifndef KFDSCOPE_TESTS_PROGRAMS_ASLEEP_H
#define KFDSCOPE_TESTS_PROGRAMS_ASLEEP_H

#include <stdio.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#define ASLEEP_LOOKS    5
#define ASLEEP_PAUSE_NS 5000000

/* @return the state of a thread of this process as the kernel names it ('S': asleep), 0: it is gone. */
static inline char asleep_state(pid_t thread)
{
	char path[64], state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)thread);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fscanf(file, "%*[^)]) %c", &state) != 1)
		state = 0;
	fclose(file);
	return state;
}

static inline void asleep_pause(void)
{
	const struct timespec pause = { 0, ASLEEP_PAUSE_NS };

	nanosleep(&pause, NULL);
}

/** Tells who calls, right before the call that it is to sleep in. @param thread read by asleep_await() */
static inline void asleep_mark(pid_t *thread)
{
	__atomic_store_n(thread, gettid(), __ATOMIC_RELEASE);
}

/** Waits until the thread sleeps that has told its number. @param thread 0 until it has */
static inline void asleep_await(const pid_t *thread)
{
	for (int looks = 0; looks < ASLEEP_LOOKS;) {
		pid_t number;

		asleep_pause();
		number = __atomic_load_n(thread, __ATOMIC_ACQUIRE);
		looks = number && asleep_state(number) == 'S' ? looks + 1 : 0;
	}
}

/** Waits until a thread of this process has ended. @param thread its number */
static inline void asleep_await_end(pid_t thread)
{
	while (asleep_state(thread))
		asleep_pause();
}

#endif
