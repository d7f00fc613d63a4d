/* SPDX-License-Identifier: MIT */
/*
 * U16: a wait that never returns, or returns after two seconds. usage: u16 never|later
 * Prints how long the one that returns took at the most, in nanoseconds.
 */
#include "asleep.h"
#include "client.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

static pid_t waiting;

static CASE_FUNCTION HsaEvent *make_signal(void)
{
	HsaEventDescriptor descriptor = { .EventType = HSA_EVENTTYPE_SIGNAL, .NodeId = 1 };
	HsaEvent *event = NULL;

	OK(hsaKmtCreateEvent(&descriptor, false, false, &event));
	return event;
}

static CASE_FUNCTION void wait_done(HsaEvent *event)
{
	asleep_mark(&waiting);
	OK(hsaKmtWaitOnEvent(event, 0xFFFFFFFF));
}

static CASE_FUNCTION void set_done(HsaEvent *event)
{
	OK(hsaKmtSetEvent(event));
}

static void *waiter(void *event)
{
	wait_done(event);
	return NULL;
}

static void *setter(void *event)
{
	sleep(2);
	set_done(event);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t a, b;
	uint64_t begin_ns;
	HsaEvent *event;

	open_driver();
	event = make_signal();
	begin_ns = now_ns();
	if (pthread_create(&a, NULL, waiter, event))
		return 98;
	asleep_await(&waiting);
	if (argc > 1 && strcmp(argv[1], "never") == 0) {
		sleep(5);
		return 0; /* thread A is still inside */
	}
	if (pthread_create(&b, NULL, setter, event))
		return 98;
	pthread_join(a, NULL);
	printf("%llu\n", (unsigned long long)(now_ns() - begin_ns));
	pthread_join(b, NULL);
	OK(hsaKmtDestroyEvent(event));
	close_driver();
	return 0;
}
