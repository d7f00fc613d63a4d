/* SPDX-License-Identifier: MIT */
/* U10: one queue and one event, twice in a process; the rest is the library's. */
#include "queues.h"

#include <string.h>
#include <unistd.h>

/* @param end_after  "create", "destroy" or "event": the process ends there, as if it were shot. */
static CASE_FUNCTION void use_a_queue(const char *end_after)
{
	void *ring = make_ring();
	HSA_QUEUEID queue;

	OK(make_queue(1, HSA_QUEUE_COMPUTE, ring, &queue));
	if (strcmp(end_after, "create") == 0)
		_exit(0);
	OK(hsaKmtDestroyQueue(queue));
	drop_ring(ring);
	if (strcmp(end_after, "destroy") == 0)
		_exit(0);
}

static CASE_FUNCTION void use_an_event(const char *end_after)
{
	HsaEventDescriptor descriptor = { .EventType = HSA_EVENTTYPE_SIGNAL };
	HsaEvent *event;

	OK(hsaKmtCreateEvent(&descriptor, true, false, &event));
	OK(hsaKmtDestroyEvent(event));
	if (strcmp(end_after, "event") == 0)
		_exit(0);
}

int main(int argc, char **argv)
{
	const char *end_after = argc > 1 ? argv[1] : "close";

	for (int round = 0; round < 2; round++) {
		open_driver();
		use_a_queue(end_after);
		use_an_event(end_after);
		close_driver();
	}
	return 0;
}
