/* SPDX-License-Identifier: MIT */
/* U18: a thousand signals that nobody waits for, and ten that somebody does. */
#include "asleep.h"
#include "client.h"

#include <pthread.h>
#include <unistd.h>

static pid_t waiters[10]; /* the thread, once for each of its waits */

static CASE_FUNCTION HsaEvent *make_signal(void)
{
	HsaEventDescriptor descriptor = { .EventType = HSA_EVENTTYPE_SIGNAL, .NodeId = 1 };
	HsaEvent *event = NULL;

	OK(hsaKmtCreateEvent(&descriptor, false, false, &event));
	return event;
}

static CASE_FUNCTION void signal_nobody(HsaEvent *event)
{
	for (int i = 0; i < 1000; i++)
		OK(hsaKmtSetEvent(event));
}

static CASE_FUNCTION void *wait_ten_times(void *event)
{
	for (int i = 0; i < 10; i++) {
		asleep_mark(&waiters[i]);
		OK(hsaKmtWaitOnEvent(event, 0xFFFFFFFF));
	}
	return NULL;
}

static CASE_FUNCTION void signal_waiter(HsaEvent *event)
{
	for (int i = 0; i < 10; i++) {
		asleep_await(&waiters[i]);
		OK(hsaKmtSetEvent(event));
	}
}

int main(void)
{
	pthread_t thread;
	HsaEvent *event;

	open_driver();
	event = make_signal();
	signal_nobody(event);
	OK(hsaKmtResetEvent(event));
	if (pthread_create(&thread, NULL, wait_ten_times, event))
		return 98;
	signal_waiter(event);
	pthread_join(thread, NULL);
	OK(hsaKmtDestroyEvent(event));
	close_driver();
	return 0;
}
