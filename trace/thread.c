/* SPDX-License-Identifier: MIT */
/* Threads of our own in the traced program (thread.h). */
#include "thread.h"

#include <pthread.h>
#include <signal.h>

enum { STACK_BYTES = 256 << 10 };

bool trace_thread_start(void *(*body)(void *), const char *name)
{
	pthread_t thread;
	pthread_attr_t attr;
	sigset_t all, before;
	bool started;

	if (pthread_attr_init(&attr) != 0)
		return false;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	(void)pthread_attr_setstacksize(&attr, STACK_BYTES);
	started = pthread_create(&thread, &attr, body, NULL) == 0;
	if (started)
		pthread_setname_np(thread, name);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return started;
}
