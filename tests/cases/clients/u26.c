/* SPDX-License-Identifier: MIT */
/*
 * U26: one of several processes with the same address layout; the argument says which. Prints that
 * number, and how long its waits took at the most, in nanoseconds.
 */
#include "queues.h"

#include <string.h>

#define QUEUES_MAX 4

static CASE_FUNCTION void leak_blocks(int count)
{
	for (int i = 0; i < count; i++)
		(void)alloc_device(1, 1 << 20);
}

static CASE_FUNCTION void wait_in_vain(int count)
{
	HsaEventDescriptor descriptor = { .EventType = HSA_EVENTTYPE_SIGNAL, .NodeId = 1 };
	HsaEvent *event = NULL;
	uint64_t begin_ns;

	OK(hsaKmtCreateEvent(&descriptor, false, false, &event));
	begin_ns = now_ns();
	for (int i = 0; i < count; i++)
		EXPECT(HSAKMT_STATUS_WAIT_TIMEOUT, hsaKmtWaitOnEvent(event, 100));
	printf("%d %llu\n", count, (unsigned long long)(now_ns() - begin_ns));
	OK(hsaKmtDestroyEvent(event));
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 0;
	HSA_QUEUEID queues[QUEUES_MAX];
	void *rings[QUEUES_MAX];

	if (count < 1 || count > QUEUES_MAX)
		return 98;
	open_driver();
	leak_blocks(count);
	for (int i = 0; i < count; i++) {
		rings[i] = make_ring();
		OK(make_queue(1, HSA_QUEUE_COMPUTE, rings[i], &queues[i]));
	}
	wait_in_vain(count);
	for (int i = 0; i < count; i++) {
		OK(hsaKmtDestroyQueue(queues[i]));
		drop_ring(rings[i]);
	}
	close_driver();
	return 0;
}
