/* SPDX-License-Identifier: MIT */
/* U43: a small program for viewers: two blocks, two queues, two threads that wait. */
#include "queues.h"

#include <pthread.h>

static HsaEvent *make_event(void)
{
	HsaEventDescriptor descriptor = { .EventType = HSA_EVENTTYPE_SIGNAL, .NodeId = 1 };
	HsaEvent *event = NULL;

	OK(hsaKmtCreateEvent(&descriptor, false, false, &event));
	return event;
}

static void *wait_in_vain(void *event)
{
	EXPECT(HSAKMT_STATUS_WAIT_TIMEOUT, hsaKmtWaitOnEvent(event, 20));
	return NULL;
}

int main(void)
{
	HsaEvent *events[2];
	HSA_QUEUEID queues[2];
	void *rings[2], *blocks[2];
	pthread_t waiter;

	open_driver();
	for (int i = 0; i < 2; i++) {
		blocks[i] = alloc_device(1, 1 << 20);
		events[i] = make_event();
		rings[i] = make_ring();
		OK(make_queue(1, HSA_QUEUE_COMPUTE, rings[i], &queues[i]));
	}
	if (pthread_create(&waiter, NULL, wait_in_vain, events[0]) != 0)
		return 98;
	(void)wait_in_vain(events[1]);
	pthread_join(waiter, NULL);
	for (int i = 0; i < 2; i++) {
		OK(hsaKmtDestroyQueue(queues[i]));
		drop_ring(rings[i]);
		OK(hsaKmtDestroyEvent(events[i]));
		OK(hsaKmtFreeMemory(blocks[i], 1 << 20));
	}
	close_driver();
	return 0;
}
