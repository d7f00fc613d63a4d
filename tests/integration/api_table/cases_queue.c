/* SPDX-License-Identifier: MIT */
/* Queues, their masks and states, trap handlers and wave sync slots. */
#include <stdlib.h>
#include <string.h>

#include "walk.h"

#define RING WALK_PAGE

/* Ring and pointers of a queue; the driver wants the ring to be an allocation of its own. */
struct ring {
	void *memory, *pointers;
	HsaQueueResource *resource;
};

static bool ring_begin(struct walk *w, struct ring *ring)
{
	ring->memory = walk_host(w, RING);
	ring->pointers = walk_host(w, WALK_PAGE);
	ring->resource = calloc(1, sizeof(*ring->resource));
	if (!ring->memory || !ring->pointers)
		return false;
	memset(ring->memory, 0, RING);
	ring->resource->Queue_read_ptr_aql = ring->pointers;
	ring->resource->Queue_write_ptr_aql = ring->resource->Queue_read_ptr_aql + 8;
	return true;
}

static void ring_end(struct walk *w, struct ring *ring)
{
	walk_unmap_release(w, ring->memory, RING);
	walk_unmap_release(w, ring->pointers, WALK_PAGE);
	free(ring->resource);
}

/* A queue is destroyed, at the second try when a call was made to fail. */
static void destroy(struct walk *w, HSA_QUEUEID id)
{
	if (!API(SUCCESS, hsaKmtDestroyQueue, id) && w->relaxed)
		(void)hsaKmtDestroyQueue(id); /* the ring's free tells */
}

static bool create(struct walk *w, HSA_QUEUE_TYPE type, struct ring *ring)
{
	return API(SUCCESS, hsaKmtCreateQueue, w->gpu, type, 100, HSA_QUEUE_PRIORITY_NORMAL,
		   ring->memory, RING, NULL, ring->resource);
}

static void queues_of_each_kind_live(struct walk *w)
{
	static const HSA_QUEUE_TYPE types[] = { HSA_QUEUE_COMPUTE, HSA_QUEUE_SDMA,
						HSA_QUEUE_COMPUTE_AQL, HSA_QUEUE_SDMA_XGMI };
	struct ring ring;

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (ring_begin(w, &ring) && create(w, types[i], &ring)) {
			walk_number(w, "doorbell", ring.resource->QueueDoorBell != 0);
			walk_number(w, "read pointer", ring.resource->QueueRptrValue != 0);
			walk_number(w, "write pointer", ring.resource->QueueWptrValue != 0);
			destroy(w, ring.resource->QueueId);
		}
		ring_end(w, &ring);
	}
}

static void wrong_queues_are_refused(struct walk *w)
{
	struct ring ring;

	if (ring_begin(w, &ring)) {
		API(INVALID_PARAMETER, hsaKmtCreateQueue, w->gpu, (HSA_QUEUE_TYPE)99, 100,
		    HSA_QUEUE_PRIORITY_NORMAL, ring.memory, RING, NULL, ring.resource);
		API(INVALID_PARAMETER, hsaKmtCreateQueue, w->gpu, HSA_QUEUE_COMPUTE, 100,
		    (HSA_QUEUE_PRIORITY)9, ring.memory, RING, NULL, ring.resource);
		API(INVALID_NODE_UNIT, hsaKmtCreateQueue, WALK_BAD_NODE, HSA_QUEUE_COMPUTE, 100,
		    HSA_QUEUE_PRIORITY_NORMAL, ring.memory, RING, NULL, ring.resource);
		API(INVALID_PARAMETER, hsaKmtCreateQueue, w->gpu, HSA_QUEUE_COMPUTE, 101,
		    HSA_QUEUE_PRIORITY_NORMAL, ring.memory, RING, NULL, ring.resource);
	}
	ring_end(w, &ring);
}

static void a_queue_is_changed(struct walk *w)
{
	HSAuint32 mask[2] = { 0xffffffffu, 0xffffffffu };
	HsaQueueInfo info;
	struct ring ring;

	memset(&info, 0, sizeof(info));
	if (ring_begin(w, &ring) && create(w, HSA_QUEUE_COMPUTE_AQL, &ring)) {
		HSA_QUEUEID id = ring.resource->QueueId;

		API(INVALID_PARAMETER, hsaKmtUpdateQueue, id, 100, (HSA_QUEUE_PRIORITY)9,
		    ring.memory, RING, NULL);
		API(SUCCESS, hsaKmtUpdateQueue, id, 50, HSA_QUEUE_PRIORITY_HIGH, ring.memory, RING,
		    NULL);
		API(SUCCESS, hsaKmtSetQueueCUMask, id, 64, mask);
		API(INVALID_PARAMETER, hsaKmtSetQueueCUMask, id, 0, mask);
		API(INVALID_PARAMETER, hsaKmtSetQueueCUMask, id, 33, mask);
		API(INVALID_PARAMETER, hsaKmtSetQueueCUMask, id, 32, NULL);
		API(ERROR, hsaKmtGetQueueInfo, id, &info); /* it runs */
		API(SUCCESS, hsaKmtUpdateQueue, id, 0, HSA_QUEUE_PRIORITY_HIGH, ring.memory, RING,
		    NULL);
		API(INVALID_PARAMETER, hsaKmtGetQueueInfo, id, NULL);
		if (API(SUCCESS, hsaKmtGetQueueInfo, id, &info)) {
			walk_number(w, "compute units", info.NumCUAssigned);
			walk_number(w, "save area", info.UserContextSaveArea != NULL);
			walk_number(w, "used", info.SaveAreaSizeInBytes);
			walk_number(w, "control stack used", info.ControlStackUsedInBytes);
		}
		destroy(w, id);
	}
	ring_end(w, &ring);
	API(INVALID_PARAMETER, hsaKmtUpdateQueue, 0, 100, HSA_QUEUE_PRIORITY_NORMAL, NULL, RING,
	    NULL);
	API(INVALID_PARAMETER, hsaKmtDestroyQueue, 0);
	API(INVALID_PARAMETER, hsaKmtGetQueueInfo, 0, &info);
}

static void wave_sync_slots_are_given_once(struct walk *w)
{
	HSAuint32 first = 99;
	struct ring ring, other;

	if (ring_begin(w, &ring) && create(w, HSA_QUEUE_COMPUTE_AQL, &ring)) {
		if (API(SUCCESS, hsaKmtAllocQueueGWS, ring.resource->QueueId, 64, &first))
			walk_number(w, "first slot", first);
		if (ring_begin(w, &other) && create(w, HSA_QUEUE_COMPUTE_AQL, &other)) {
			API(OUT_OF_RESOURCES, hsaKmtAllocQueueGWS, other.resource->QueueId, 64,
			    &first);
			destroy(w, other.resource->QueueId);
		}
		ring_end(w, &other);
		API(SUCCESS, hsaKmtAllocQueueGWS, ring.resource->QueueId, 0, NULL);
		destroy(w, ring.resource->QueueId);
	}
	ring_end(w, &ring);
}

static void trap_handlers_are_set(struct walk *w)
{
	void *code = walk_vram(w, WALK_PAGE);

	API(INVALID_NODE_UNIT, hsaKmtSetTrapHandler, WALK_BAD_NODE, code, WALK_PAGE, NULL, 0);
	API(SUCCESS, hsaKmtSetTrapHandler, w->gpu, code, WALK_PAGE, NULL, 0);
	API(SUCCESS, hsaKmtSetTrapHandler, w->gpu, NULL, 0, NULL, 0);
	walk_unmap_release(w, code, WALK_PAGE);
}

static void without_an_open_driver_there_is_no_queue(struct walk *w)
{
	HsaQueueResource resource;
	HSAuint32 word = 0;
	HsaQueueInfo info;

#ifdef WALK_CTX
	if (walk_open(w) == HSAKMT_STATUS_SUCCESS) /* to have a context at all */
		(void)walk_close(w);               /* tested elsewhere */
#endif
	memset(&resource, 0, sizeof(resource));
	memset(&info, 0, sizeof(info));
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtCreateQueue, 0, HSA_QUEUE_COMPUTE, 100,
	    HSA_QUEUE_PRIORITY_NORMAL, &word, RING, NULL, &resource);
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtUpdateQueue, 1, 100, HSA_QUEUE_PRIORITY_NORMAL,
	    &word, RING, NULL);
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtDestroyQueue, 1);
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtSetQueueCUMask, 1, 32, &word);
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtGetQueueInfo, 1, &info);
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtAllocQueueGWS, 1, 1, &word);
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtSetTrapHandler, 0, NULL, 0, NULL, 0);
}

#ifndef WALK_STOCK
static void made_up_queues_are_refused(struct walk *w)
{
	HSAuint32 word = 0xffffffffu;
	HsaQueueReport report = { 0 };
	HsaQueueInfo info = { 0 };

	API(INVALID_PARAMETER, hsaKmtUpdateQueue, (HSA_QUEUEID)&info, 100,
	    HSA_QUEUE_PRIORITY_NORMAL, &word, RING, NULL);
	API(INVALID_PARAMETER, hsaKmtDestroyQueue, (HSA_QUEUEID)&info);
	API(INVALID_PARAMETER, hsaKmtSetQueueCUMask, (HSA_QUEUEID)&info, 32, &word);
	API(INVALID_PARAMETER, hsaKmtGetQueueInfo, (HSA_QUEUEID)&info, &info);
	API(INVALID_PARAMETER, hsaKmtAllocQueueGWS, (HSA_QUEUEID)&info, 1, &word);
	PLAIN(INVALID_PARAMETER, hsaKmtGetKernelQueueId, (HSA_QUEUEID)&info, &word);
	PLAIN(NOT_SUPPORTED, hsaKmtReportQueue, (HSA_QUEUEID)&info, &report);
	PLAIN(NOT_SUPPORTED, hsaKmtQueueRingDoorbell, (HSA_QUEUEID)&info, 1);
}

static void queues_of_newer_kinds_live(struct walk *w)
{
	HSAuint32 number = 99;
	struct ring ring;

	if (ring_begin(w, &ring)) {
		API(ERROR, hsaKmtCreateQueue, w->gpu, HSA_QUEUE_SDMA_BY_ENG_ID, 100,
		    HSA_QUEUE_PRIORITY_NORMAL, ring.memory, RING, NULL, ring.resource);
		API(INVALID_PARAMETER, hsaKmtCreateQueueExt, w->gpu, HSA_QUEUE_SDMA_BY_ENG_ID, 100,
		    HSA_QUEUE_PRIORITY_NORMAL, 99, ring.memory, RING, NULL, ring.resource);
		API(INVALID_PARAMETER, hsaKmtCreateQueueV2, w->gpu, HSA_QUEUE_COMPUTE_AQL, 100,
		    HSA_QUEUE_PRIORITY_NORMAL, 0, ring.memory, RING, 100, NULL, ring.resource);
		API(INVALID_PARAMETER, hsaKmtCreateQueue, w->gpu, HSA_QUEUE_COMPUTE, 100,
		    HSA_QUEUE_PRIORITY_NORMAL, ring.memory, RING, NULL, NULL);
		if (API(SUCCESS, hsaKmtCreateQueueExt, w->gpu, HSA_QUEUE_SDMA_BY_ENG_ID, 100,
			HSA_QUEUE_PRIORITY_NORMAL, 1, ring.memory, RING, NULL, ring.resource))
			destroy(w, ring.resource->QueueId);
		if (API(SUCCESS, hsaKmtCreateQueueV2, w->gpu, HSA_QUEUE_COMPUTE, 100,
			HSA_QUEUE_PRIORITY_NORMAL, 0, ring.memory, RING, 0, NULL, ring.resource)) {
			PLAIN(SUCCESS, hsaKmtGetKernelQueueId, ring.resource->QueueId, &number);
			PLAIN(INVALID_PARAMETER, hsaKmtGetKernelQueueId, ring.resource->QueueId,
			      NULL);
			destroy(w, ring.resource->QueueId);
		}
	}
	ring_end(w, &ring);
}
#endif

const struct walk_case walk_queue_cases[] = {
	{ "without an open driver there is no queue", without_an_open_driver_there_is_no_queue,
	  true },
	{ "queues of each kind live", queues_of_each_kind_live, false },
	{ "wrong queues are refused", wrong_queues_are_refused, false },
	{ "a queue is changed", a_queue_is_changed, false },
	{ "wave sync slots are given once", wave_sync_slots_are_given_once, false },
	{ "trap handlers are set", trap_handlers_are_set, false },
#ifndef WALK_STOCK
	{ "made-up queues are refused", made_up_queues_are_refused, false },
	{ "queues of newer kinds live", queues_of_newer_kinds_live, false },
#endif
	{ NULL, NULL, false },
};
