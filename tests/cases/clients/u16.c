/* SPDX-License-Identifier: MIT */
/* U16: a wait that never returns, or returns after two seconds. usage: u16 never|later */
#include "client.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

static CASE_FUNCTION HsaEvent *make_signal(void)
{
	HsaEventDescriptor descriptor = { .EventType = HSA_EVENTTYPE_SIGNAL, .NodeId = 1 };
	HsaEvent *event = NULL;

	OK(hsaKmtCreateEvent(&descriptor, false, false, &event));
	return event;
}

static CASE_FUNCTION void wait_done(HsaEvent *event)
{
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
	HsaEvent *event;

	open_driver();
	event = make_signal();
	if (pthread_create(&a, NULL, waiter, event))
		return 98;
	if (argc > 1 && strcmp(argv[1], "never") == 0) {
		usleep(5200000);
		return 0; /* thread A is still inside */
	}
	if (pthread_create(&b, NULL, setter, event))
		return 98;
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	OK(hsaKmtDestroyEvent(event));
	close_driver();
	return 0;
}
