/* SPDX-License-Identifier: MIT */
/* U23: killed with memory held, while a thread waits. usage: u23 SIGNAL-NUMBER (6 means abort()) */
#include "asleep.h"
#include "client.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static pid_t waiting;

static CASE_FUNCTION void hold_memory(void)
{
	for (int i = 0; i < 8; i++)
		alloc_device(1, 32 << 20);
}

static CASE_FUNCTION void wait_for_ever(HsaEvent *event)
{
	asleep_mark(&waiting);
	hsaKmtWaitOnEvent(event, 0xFFFFFFFF); /* never returns: the process dies first */
}

static void *waiter(void *event)
{
	wait_for_ever(event);
	return NULL;
}

int main(int argc, char **argv)
{
	HsaEventDescriptor descriptor = { .EventType = HSA_EVENTTYPE_SIGNAL, .NodeId = 1 };
	int number = argc > 1 ? atoi(argv[1]) : SIGKILL;
	HsaEvent *event;
	pthread_t thread;

	open_driver();
	hold_memory();
	OK(hsaKmtCreateEvent(&descriptor, false, false, &event));
	if (pthread_create(&thread, NULL, waiter, event))
		return 98;
	asleep_await(&waiting);
	if (number == SIGABRT)
		abort();
	kill(getpid(), number);
	pause();
	return 97;
}
