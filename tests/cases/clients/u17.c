/* SPDX-License-Identifier: MIT */
/* U17: a thread that sleeps properly, then polls, then waits for what is signalled for good. */
#include "client.h"

#define SPINS 100000

static HsaEvent *make_event(bool manual_reset, bool signalled)
{
	HsaEventDescriptor descriptor = { .EventType = HSA_EVENTTYPE_SIGNAL, .NodeId = 1 };
	HsaEvent *event = NULL;

	OK(hsaKmtCreateEvent(&descriptor, manual_reset, signalled, &event));
	return event;
}

static CASE_FUNCTION void sleep_properly(HsaEvent *event)
{
	for (int i = 0; i < 20; i++)
		EXPECT(HSAKMT_STATUS_WAIT_TIMEOUT, hsaKmtWaitOnEvent(event, 50));
}

static CASE_FUNCTION void poll_two(HsaEvent **events)
{
	for (int i = 0; i < SPINS; i++)
		EXPECT(HSAKMT_STATUS_WAIT_TIMEOUT, hsaKmtWaitOnMultipleEvents(events, 2, false, 0));
}

static CASE_FUNCTION void wait_for_the_set(HsaEvent *event)
{
	for (int i = 0; i < SPINS; i++)
		OK(hsaKmtWaitOnEvent(event, 0xFFFFFFFF));
}

int main(void)
{
	HsaEvent *events[2], *set;

	open_driver();
	events[0] = make_event(false, false);
	events[1] = make_event(false, false);
	set = make_event(true, true);
	sleep_properly(events[0]);
	poll_two(events);
	wait_for_the_set(set);
	OK(hsaKmtDestroyEvent(events[0]));
	OK(hsaKmtDestroyEvent(events[1]));
	OK(hsaKmtDestroyEvent(set));
	close_driver();
	return 0;
}
