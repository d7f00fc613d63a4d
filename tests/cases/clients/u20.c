/* SPDX-License-Identifier: MIT */
/* U20: five queues of which one is never destroyed, and one of a type that does not exist. */
#include "queues.h"

static CASE_FUNCTION HSA_QUEUEID open_stream(void *ring)
{
	HSA_QUEUEID id;

	OK(make_queue(1, HSA_QUEUE_COMPUTE, ring, &id));
	return id;
}

static CASE_FUNCTION void try_unknown_type(void *ring)
{
	HSA_QUEUEID id;

	EXPECT(HSAKMT_STATUS_INVALID_PARAMETER, make_queue(1, (HSA_QUEUE_TYPE)99, ring, &id));
}

int main(void)
{
	HSA_QUEUEID ids[5];
	void *ring;

	open_driver();
	ring = make_ring();
	for (int i = 0; i < 5; i++)
		ids[i] = open_stream(ring);
	for (int i = 0; i < 4; i++)
		OK(hsaKmtDestroyQueue(ids[i]));
	try_unknown_type(ring);
	close_driver();
	return 0;
}
