/* SPDX-License-Identifier: MIT */
/* Making queues, for the clients that are about them. */
#ifndef KFDSCOPE_TESTS_CASES_QUEUES_H
#define KFDSCOPE_TESTS_CASES_QUEUES_H

#include "client.h"

#include <string.h>

#define RING_BYTES 4096u

/* A ring that a GPU may read: host memory, mapped. */
static inline void *make_ring(void)
{
	HsaMemFlags flags = { 0 };
	HSAuint64 gpu_va;
	void *ring = NULL;

	flags.ui32.HostAccess = 1;
	flags.ui32.ExecuteAccess = 1;
	OK(hsaKmtAllocMemory(0, RING_BYTES, flags, &ring));
	OK(hsaKmtMapMemoryToGPU(ring, RING_BYTES, &gpu_va));
	return ring;
}

static inline void drop_ring(void *ring)
{
	OK(hsaKmtUnmapMemoryToGPU(ring));
	OK(hsaKmtFreeMemory(ring, RING_BYTES));
}

static inline HSAKMT_STATUS make_queue(HSAuint32 node, HSA_QUEUE_TYPE type, void *ring,
				       HSA_QUEUEID *id)
{
	HsaQueueResource resource;
	HSAKMT_STATUS status;

	memset(&resource, 0, sizeof(resource));
	status = hsaKmtCreateQueue(node, type, 100, HSA_QUEUE_PRIORITY_NORMAL, ring, RING_BYTES,
				   NULL, &resource);
	*id = resource.QueueId;
	return status;
}

#endif
