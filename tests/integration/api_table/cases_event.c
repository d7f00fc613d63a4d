/* SPDX-License-Identifier: MIT */
/* Events and waits. */
#include <string.h>

#include "walk.h"

static void destroy(struct walk *w, HsaEvent *event)
{
	if (!API(SUCCESS, hsaKmtDestroyEvent, event) && w->relaxed)
		(void)hsaKmtDestroyEvent(event); /* one call fails only */
}

static bool create(struct walk *w, HSA_EVENTTYPE type, bool manual, bool set, HsaEvent **event)
{
	HsaEventDescriptor desc;

	memset(&desc, 0, sizeof(desc));
	desc.EventType = type;
	desc.NodeId = w->gpu;
	desc.SyncVar.SyncVar.UserData = (void *)0x5678;
	desc.SyncVar.SyncVarSize = 8;
	return API(SUCCESS, hsaKmtCreateEvent, &desc, manual, set, event);
}

static void events_of_each_type_live(struct walk *w)
{
	for (int type = HSA_EVENTTYPE_SIGNAL; type < HSA_EVENTTYPE_MAXID; type++) {
		HsaEvent *event = NULL;

		if (!create(w, (HSA_EVENTTYPE)type, false, false, &event))
			continue;
		walk_number(w, "type", event->EventData.EventType);
		walk_number(w, "user data",
			    (uintptr_t)event->EventData.EventData.SyncVar.SyncVar.UserData);
		walk_number(w, "has a mailbox", event->EventData.HWData2 != 0);
		walk_number(w, "trigger", event->EventData.HWData3 != 0);
		destroy(w, event);
	}
}

static void wrong_events_are_refused(struct walk *w)
{
	HsaEventDescriptor desc;
	HsaEvent *event = NULL;

	memset(&desc, 0, sizeof(desc));
	desc.EventType = HSA_EVENTTYPE_MAXID;
	API(INVALID_PARAMETER, hsaKmtCreateEvent, &desc, false, false, &event);
	API(INVALID_HANDLE, hsaKmtDestroyEvent, NULL);
	API(INVALID_HANDLE, hsaKmtSetEvent, NULL);
	API(INVALID_HANDLE, hsaKmtResetEvent, NULL);
	API(INVALID_HANDLE, hsaKmtQueryEventState, NULL);
	API(INVALID_HANDLE, hsaKmtWaitOnEvent, NULL, 0);
	API(INVALID_HANDLE, hsaKmtWaitOnMultipleEvents, NULL, 1, false, 0);
}

static void an_event_is_set_and_waited_for(struct walk *w)
{
	HsaEvent *event = NULL;

	if (!create(w, HSA_EVENTTYPE_SIGNAL, false, false, &event))
		return;
	API(WAIT_TIMEOUT, hsaKmtWaitOnEvent, event, 1);
	API(SUCCESS, hsaKmtSetEvent, event);
	API(SUCCESS, hsaKmtQueryEventState, event);
	API(SUCCESS, hsaKmtWaitOnEvent, event, 1000);
	API(WAIT_TIMEOUT, hsaKmtWaitOnEvent, event, 0); /* it reset itself */
	API(SUCCESS, hsaKmtSetEvent, event);
	API(SUCCESS, hsaKmtResetEvent, event);
	API(WAIT_TIMEOUT, hsaKmtWaitOnEvent, event, 0);
	destroy(w, event);
}

static void several_events_are_waited_for(struct walk *w)
{
	HsaEvent *events[2] = { NULL, NULL };

	if (create(w, HSA_EVENTTYPE_SIGNAL, true, true, &events[0])) {
		if (create(w, HSA_EVENTTYPE_SIGNAL, true, false, &events[1])) {
			API(SUCCESS, hsaKmtWaitOnMultipleEvents, events, 2, false, 1000);
			API(WAIT_TIMEOUT, hsaKmtWaitOnMultipleEvents, events, 2, true, 1);
			API(SUCCESS, hsaKmtSetEvent, events[1]);
			API(SUCCESS, hsaKmtWaitOnMultipleEvents, events, 2, true, 1000);
			destroy(w, events[1]);
		}
		destroy(w, events[0]);
	}
}

static void system_events_are_not_the_programs(struct walk *w)
{
	HsaEvent *event = NULL;

	if (!create(w, HSA_EVENTTYPE_MEMORY, false, true, &event))
		return;
	API(ERROR, hsaKmtSetEvent, event);
	API(ERROR, hsaKmtResetEvent, event);
	API(WAIT_TIMEOUT, hsaKmtWaitOnEvent, event, 0);
	destroy(w, event);
}

static void without_an_open_driver_there_is_no_event(struct walk *w)
{
	HsaEventDescriptor desc;
	HsaEvent event, *events = &event;

#ifdef WALK_CTX
	if (walk_open(w) == HSAKMT_STATUS_SUCCESS) /* to have a context at all */
		(void)walk_close(w);               /* tested elsewhere */
#endif
	memset(&desc, 0, sizeof(desc));
	memset(&event, 0, sizeof(event));
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtCreateEvent, &desc, false, false, &events);
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtDestroyEvent, &event);
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtSetEvent, &event);
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtResetEvent, &event);
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtQueryEventState, &event);
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtWaitOnEvent, &event, 0);
	events = &event;
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtWaitOnMultipleEvents, &events, 1, false, 0);
}

#ifndef WALK_STOCK
static void made_up_events_are_refused(struct walk *w)
{
	HsaEvent made_up = { 0 }, *events[1] = { &made_up };
	HsaEventDescriptor desc = { 0 };
	uint64_t age = 1;

	API(INVALID_HANDLE, hsaKmtDestroyEvent, &made_up);
	API(INVALID_HANDLE, hsaKmtSetEvent, &made_up);
	API(INVALID_HANDLE, hsaKmtResetEvent, &made_up);
	API(INVALID_HANDLE, hsaKmtQueryEventState, &made_up);
	API(INVALID_HANDLE, hsaKmtWaitOnEvent, &made_up, 0);
	API(INVALID_HANDLE, hsaKmtWaitOnEvent_Ext, &made_up, 0, &age);
	API(INVALID_HANDLE, hsaKmtWaitOnMultipleEvents, events, 1, false, 0);
	API(INVALID_HANDLE, hsaKmtWaitOnMultipleEvents_Ext, events, 1, false, 0, &age);
	API(INVALID_PARAMETER, hsaKmtCreateEvent, NULL, false, false, events);
	API(INVALID_PARAMETER, hsaKmtCreateEvent, &desc, false, false, NULL);
}

static void events_have_an_age(struct walk *w)
{
	HsaEvent *event = NULL;
	uint64_t age = 1;

	if (!create(w, HSA_EVENTTYPE_SIGNAL, false, false, &event))
		return;
	API(WAIT_TIMEOUT, hsaKmtWaitOnEvent_Ext, event, 0, &age);
	API(SUCCESS, hsaKmtSetEvent, event);
	if (API(SUCCESS, hsaKmtWaitOnEvent_Ext, event, 1000, &age))
		walk_expect(w, "age", age, 2);
	API(SUCCESS, hsaKmtSetEvent, event);
	if (API(SUCCESS, hsaKmtWaitOnMultipleEvents_Ext, &event, 1, true, 1000, &age))
		walk_expect(w, "age", age, 3);
	destroy(w, event);
}
#endif

const struct walk_case walk_event_cases[] = {
	{ "without an open driver there is no event", without_an_open_driver_there_is_no_event,
	  true },
	{ "events of each type live", events_of_each_type_live, false },
	{ "wrong events are refused", wrong_events_are_refused, false },
	{ "an event is set and waited for", an_event_is_set_and_waited_for, false },
	{ "several events are waited for", several_events_are_waited_for, false },
	{ "system events are not the program's", system_events_are_not_the_programs, false },
#ifndef WALK_STOCK
	{ "made-up events are refused", made_up_events_are_refused, false },
	{ "events have an age", events_have_an_age, false },
#endif
	{ NULL, NULL, false },
};
