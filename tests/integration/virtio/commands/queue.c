/* SPDX-License-Identifier: MIT */
/* QUEUE and EVENT. */
#include <string.h>
#include <unistd.h>

#include "commands.h"

typedef struct vhsakmt_ccmd_event_req event_req;
typedef struct vhsakmt_ccmd_event_rsp event_rsp;

static bool create(void)
{
	struct ring ring;
	bool good = ring_begin(&ring, HSA_QUEUE_COMPUTE_AQL) && ring_runs(&ring);

	good = ring_end(&ring) && good;
	good = ring_begin(&ring, HSA_QUEUE_SDMA) && HOLDS(ring.resource.Queue_write_ptr != NULL) &&
	       good;
	return ring_end(&ring) && good;
}

/*
 * The library destroys by closing the resource; a guest may say it, too. Which resource is the queue's
 * the library does not tell: the others are none, and answered so.
 */
static bool destroy(void)
{
	struct vhsakmt_ccmd_queue_req req = { .type = VIRTIO_QUEUE_DESTROY };
	struct vhsakmt_ccmd_queue_rsp rsp;
	struct ring ring;
	bool good = ring_begin(&ring, HSA_QUEUE_COMPUTE_AQL), destroyed = false;

	for (req.res_id = 1; good && !destroyed && req.res_id < 256; req.res_id++)
		destroyed = by_hand(VIRTIO_CMD_QUEUE, &req, sizeof(req), &rsp, sizeof(rsp));
	return ring_end(&ring) && HOLDS(destroyed) && good;
}

static bool update(void)
{
	struct ring ring;
	bool good = ring_begin(&ring, HSA_QUEUE_COMPUTE_AQL) &&
		    vhsaKmtUpdateQueue(ring.resource.QueueId, 50, HSA_QUEUE_PRIORITY_HIGH,
				       ring.ring, RING, NULL) == HSAKMT_STATUS_SUCCESS &&
		    ring_runs(&ring);

	return ring_end(&ring) && good;
}

/* Of a queue that does not run. */
static bool get_info(void)
{
	HsaQueueInfo info = { 0 };
	struct ring ring;
	bool good = ring_begin(&ring, HSA_QUEUE_COMPUTE_AQL) &&
		    vhsaKmtUpdateQueue(ring.resource.QueueId, 0, HSA_QUEUE_PRIORITY_NORMAL,
				       ring.ring, RING, NULL) == HSAKMT_STATUS_SUCCESS &&
		    OK(vhsaKmtGetQueueInfo(ring.resource.QueueId, &info)) &&
		    HOLDS(info.NumCUAssigned != 0) && HOLDS(!info.UserContextSaveArea);

	return ring_end(&ring) && good;
}

static bool cu_mask(void)
{
	HSAuint32 mask[4] = { 3, 0, 0, 0 };
	struct ring ring;
	bool good =
		ring_begin(&ring, HSA_QUEUE_COMPUTE_AQL) &&
		vhsaKmtSetQueueCUMask(ring.resource.QueueId, 128, mask) == HSAKMT_STATUS_SUCCESS;

	return ring_end(&ring) && good;
}

static bool gws(void)
{
	HSAuint32 first = 99;
	struct ring ring;
	bool good =
		ring_begin(&ring, HSA_QUEUE_COMPUTE_AQL) &&
		vhsaKmtAllocQueueGWS(ring.resource.QueueId, 64, &first) == HSAKMT_STATUS_SUCCESS &&
		HOLDS(first != 99);

	return ring_end(&ring) && good;
}

const sender send_queue[VIRTIO_QUEUE_COUNT] = {
	[VIRTIO_QUEUE_CREATE] = create,       [VIRTIO_QUEUE_DESTROY] = destroy,
	[VIRTIO_QUEUE_UPDATE] = update,       [VIRTIO_QUEUE_GET_INFO] = get_info,
	[VIRTIO_QUEUE_SET_CU_MASK] = cu_mask, [VIRTIO_QUEUE_ALLOC_GWS] = gws,
};

static HsaEvent *take_event(void)
{
	HsaEventDescriptor descriptor = { .EventType = HSA_EVENTTYPE_SIGNAL };
	HsaEvent *event = NULL;

	return OK(vhsaKmtCreateEvent(&descriptor, true, false, &event)) ? event : NULL;
}

static bool create_event(void)
{
	HsaEvent *event = take_event();

	return event && HOLDS(event->EventId != 0) && OK(vhsaKmtDestroyEvent(event));
}

static bool destroy_event(void)
{
	event_req req = { .type = VIRTIO_EVENT_DESTROY };
	HsaEvent *event = take_event();
	event_rsp rsp;
	bool good;

	if (!event)
		return false;
	req.event_hanele = ((struct vHsaEvent *)event)->event_handle;
	req.res_id = ((struct vHsaEvent *)event)->res_id;
	good = HOLDS(by_hand(VIRTIO_CMD_EVENT, &req, sizeof(req), &rsp, sizeof(rsp))) &&
	       HOLDS(vhsaKmtSetEvent(event) == HSAKMT_STATUS_INVALID_HANDLE);
	return OK(vhsaKmtDestroyEvent(event)) && good;
}

static bool change_event(void)
{
	HsaEvent *event = take_event();
	bool good = event && OK(vhsaKmtSetEvent(event)) && OK(vhsaKmtResetEvent(event));

	return OK(vhsaKmtDestroyEvent(event)) && good;
}

/* The library says by itself that a guest cannot wait. */
static bool wait_for_many(void)
{
	event_req req = { .type = VIRTIO_EVENT_WAIT_ON_MULTI_EVENTS };
	event_rsp rsp;

	req.wait_on_multi_args.NumEvents = 1000000;
	return HOLDS(by_hand(VIRTIO_CMD_EVENT, &req, sizeof(req), &rsp, sizeof(rsp)));
}

/* Tells nothing of the state, as the thunk's own. */
static bool query_event(void)
{
	HsaEvent *event = take_event();
	bool good = event && OK(vhsaKmtQueryEventState(event));

	return OK(vhsaKmtDestroyEvent(event)) && good;
}

static bool set_trap(void)
{
	char *code = take_vram(2 * PAGE);
	bool good =
		code && OK(vhsaKmtMapMemoryToGPU(code, 2 * PAGE, NULL)) &&
		OK(vhsaKmtSetTrapHandler(gpu, code, PAGE, code + PAGE, PAGE)) &&
		OK(vhsaKmtSetTrapHandler(gpu, NULL, 0, NULL, 0)) &&
		HOLDS(vhsaKmtSetTrapHandler(gpu, code, 4 * PAGE, NULL, 0) != HSAKMT_STATUS_SUCCESS);

	return OK(vhsaKmtFreeMemory(code, 2 * PAGE)) && good;
}

const sender send_event[VIRTIO_EVENT_COUNT] = {
	[VIRTIO_EVENT_CREATE] = create_event,
	[VIRTIO_EVENT_DESTROY] = destroy_event,
	[VIRTIO_EVENT_SET] = change_event,
	[VIRTIO_EVENT_RESET] = change_event,
	[VIRTIO_EVENT_QUERY_STATE] = query_event,
	[VIRTIO_EVENT_WAIT_ON_MULTI_EVENTS] = wait_for_many,
	[VIRTIO_EVENT_SET_TRAP] = set_trap,
};
