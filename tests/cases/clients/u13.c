/* SPDX-License-Identifier: MIT */
/* U13: three good queues, then four creations that the driver refuses. */
#include "queues.h"

static CASE_FUNCTION void try_queue(void *ring)
{
	HSA_QUEUEID id;

	if (make_queue(1, HSA_QUEUE_COMPUTE, ring, &id) == HSAKMT_STATUS_SUCCESS) {
		fprintf(stderr, "client: the creation was not refused\n");
		exit(99);
	}
}

int main(void)
{
	HSA_QUEUEID ids[3];
	void *ring;

	open_driver();
	ring = make_ring();
	for (int i = 0; i < 3; i++)
		OK(make_queue(1, HSA_QUEUE_COMPUTE, ring, &ids[i]));
	for (int i = 0; i < 4; i++)
		try_queue(ring);
	for (int i = 0; i < 3; i++)
		OK(hsaKmtDestroyQueue(ids[i]));
	drop_ring(ring);
	close_driver();
	return 0;
}
