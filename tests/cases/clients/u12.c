/* SPDX-License-Identifier: MIT */
/* U12: more events than there are slots; two functions make them in ratio 3 to 1. */
#include "client.h"

#define EVENTS 4095 /* the driver has 4096 slots and gives out no id 0 */

static HsaEvent *events[EVENTS];

static CASE_FUNCTION HsaEvent *make_stream_signal(void)
{
	HsaEventDescriptor descriptor = { .EventType = HSA_EVENTTYPE_SIGNAL, .NodeId = 1 };
	HsaEvent *event = NULL;

	OK(hsaKmtCreateEvent(&descriptor, false, false, &event));
	return event;
}

static CASE_FUNCTION HsaEvent *make_copy_signal(void)
{
	HsaEventDescriptor descriptor = { .EventType = HSA_EVENTTYPE_SIGNAL, .NodeId = 1 };
	HsaEvent *event = NULL;

	OK(hsaKmtCreateEvent(&descriptor, false, false, &event));
	return event;
}

static CASE_FUNCTION void make_one_too_many(void)
{
	HsaEventDescriptor descriptor = { .EventType = HSA_EVENTTYPE_SIGNAL, .NodeId = 1 };
	HsaEvent *event = NULL;

	EXPECT(HSAKMT_STATUS_ERROR, hsaKmtCreateEvent(&descriptor, false, false, &event));
}

int main(void)
{
	open_driver();
	for (int i = 0; i < EVENTS; i++)
		events[i] = i % 4 != 3 ? make_stream_signal() : make_copy_signal();
	make_one_too_many();
	for (int i = 0; i < EVENTS; i++)
		OK(hsaKmtDestroyEvent(events[i]));
	close_driver();
	return 0;
}
