/* SPDX-License-Identifier: MIT */
/* U19: a library that makes queues for its callers. */
#include "../queues.h"

HSAKMT_STATUS make_for_stream(HSA_QUEUE_TYPE type, void *ring, HSA_QUEUEID *id);

__attribute__((visibility("default"))) HSAKMT_STATUS make_for_stream(HSA_QUEUE_TYPE type,
								     void *ring, HSA_QUEUEID *id)
{
	return make_queue(1, type, ring, id);
}
