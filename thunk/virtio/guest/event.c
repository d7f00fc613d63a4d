/* SPDX-License-Identifier: MIT */
/*
 * Events live on the host; what the caller holds is the protocol's copy. Waiting does not work: a
 * guest's runtime polls its signals (virtio.md 5, Events).
 */
#include <stdlib.h>

#include "virtio/guest/calls.h"
#include "virtio/guest/guest.h"

#define NOT_OPENED HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED

struct vkmt_event {
	struct vHsaEvent event; /* first: the caller holds its address */
	struct vkmt_event *next;
	uint32_t handle;
};

/* Finds the place in the list that holds an event of ours. The caller holds bo_lock. */
static struct vkmt_event **place_of(struct vkmt_device *device, const HsaEvent *event)
{
	struct vkmt_event **at = &device->events;

	while (*at && &(*at)->event.event != event)
		at = &(*at)->next;
	return at;
}

uint64_t vkmt_event_handle(struct vkmt_device *device, const HsaEvent *event)
{
	const struct vkmt_event *found;
	uint64_t handle;

	pthread_mutex_lock(&device->bo_lock);
	found = *place_of(device, event);
	handle = found ? found->event.event_handle : 0;
	pthread_mutex_unlock(&device->bo_lock);
	return handle;
}

void vkmt_events_free(struct vkmt_device *device)
{
	while (device->events) {
		struct vkmt_event *event = device->events;

		device->events = event->next;
		vkmt_resource_free(device, event->handle, event->event.res_id);
		free(event);
	}
}

HSAKMT_STATUS vkmt_create_event(HsaEventDescriptor *EventDesc, bool ManualReset, bool IsSignaled,
				HsaEvent **Event)
{
	struct vkmt_device *device = vkmt_device();
	struct vhsakmt_ccmd_event_req req = { .type = VIRTIO_EVENT_CREATE };
	struct vhsakmt_ccmd_event_rsp rsp;
	struct vkmt_event *event;
	HSAKMT_STATUS status;
	int rc;

	if (!device)
		return NOT_OPENED;
	if (!EventDesc || !Event)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	event = calloc(1, sizeof(*event));
	req.blob_id = event ? vkmt_blob_id(device) : 0;
	if (!req.blob_id) {
		free(event);
		return HSAKMT_STATUS_NO_MEMORY;
	}
	req.create_args.EventDesc = *EventDesc;
	req.create_args.ManualReset = ManualReset;
	req.create_args.IsSignaled = IsSignaled;
	rc = vkmt_send(device, VIRTIO_CMD_EVENT, &req, sizeof(req), &rsp, sizeof(rsp));
	status = vkmt_status(rc, rc == 0 ? rsp.ret : 0);
	if (status == HSAKMT_STATUS_SUCCESS) {
		event->event = rsp.vevent;
		if (vkmt_resource_new(device, req.blob_id, sizeof(rsp.vevent), false, NULL,
				      &event->handle, &event->event.res_id) != 0)
			status = HSAKMT_STATUS_NO_MEMORY;
	}
	if (status != HSAKMT_STATUS_SUCCESS) {
		free(event);
		return status;
	}
	event->event.bo_handle = event->handle;
	event->event.event.EventData.EventData.SyncVar = EventDesc->SyncVar;
	pthread_mutex_lock(&device->bo_lock);
	event->next = device->events;
	device->events = event;
	pthread_mutex_unlock(&device->bo_lock);
	*Event = &event->event.event;
	return status;
}

HSAKMT_STATUS vkmt_destroy_event(HsaEvent *Event)
{
	struct vkmt_device *device = vkmt_device();
	struct vkmt_event *event, **at;

	if (!device)
		return NOT_OPENED;
	if (!Event)
		return HSAKMT_STATUS_SUCCESS;
	pthread_mutex_lock(&device->bo_lock);
	at = place_of(device, Event);
	event = *at;
	if (event)
		*at = event->next;
	pthread_mutex_unlock(&device->bo_lock);
	if (!event)
		return HSAKMT_STATUS_INVALID_HANDLE;
	vkmt_resource_free(device, event->handle, event->event.res_id);
	free(event);
	return HSAKMT_STATUS_SUCCESS;
}

static HSAKMT_STATUS on_event(HsaEvent *event, uint32_t type)
{
	struct vkmt_device *device = vkmt_device();
	struct vhsakmt_ccmd_event_req req = { .type = type };
	struct vhsakmt_ccmd_event_rsp rsp;
	const struct vkmt_event *found;
	int rc;

	if (!device)
		return NOT_OPENED;
	if (!event)
		return HSAKMT_STATUS_INVALID_HANDLE;
	pthread_mutex_lock(&device->bo_lock);
	found = *place_of(device, event);
	if (found) {
		req.event_hanele = found->event.event_handle;
		req.res_id = found->event.res_id;
	}
	pthread_mutex_unlock(&device->bo_lock);
	if (!req.res_id)
		return HSAKMT_STATUS_INVALID_HANDLE;
	rc = vkmt_send(device, VIRTIO_CMD_EVENT, &req, sizeof(req), &rsp, sizeof(rsp));
	return vkmt_status(rc, rc == 0 ? rsp.ret : 0);
}

HSAKMT_STATUS vkmt_set_event(HsaEvent *Event)
{
	return on_event(Event, VIRTIO_EVENT_SET);
}

HSAKMT_STATUS vkmt_reset_event(HsaEvent *Event)
{
	return on_event(Event, VIRTIO_EVENT_RESET);
}

HSAKMT_STATUS vkmt_query_event_state(HsaEvent *Event)
{
	return on_event(Event, VIRTIO_EVENT_QUERY_STATE);
}

static HSAKMT_STATUS cannot_wait(void)
{
	return vkmt_device() ? HSAKMT_STATUS_ERROR : NOT_OPENED;
}

HSAKMT_STATUS vkmt_wait_on_event(HsaEvent *Event, HSAuint32 Milliseconds)
{
	(void)Event;
	(void)Milliseconds;
	return cannot_wait();
}

HSAKMT_STATUS vkmt_wait_on_event_ext(HsaEvent *Event, HSAuint32 Milliseconds, uint64_t *event_age)
{
	(void)Event;
	(void)Milliseconds;
	(void)event_age;
	return cannot_wait();
}

HSAKMT_STATUS vkmt_wait_on_multiple_events(HsaEvent **Events, HSAuint32 NumEvents, bool WaitOnAll,
					   HSAuint32 Milliseconds)
{
	(void)Events;
	(void)NumEvents;
	(void)WaitOnAll;
	(void)Milliseconds;
	return cannot_wait();
}

HSAKMT_STATUS vkmt_wait_on_multiple_events_ext(HsaEvent **Events, HSAuint32 NumEvents,
					       bool WaitOnAll, HSAuint32 Milliseconds,
					       uint64_t *event_age)
{
	(void)Events;
	(void)NumEvents;
	(void)WaitOnAll;
	(void)Milliseconds;
	(void)event_age;
	return cannot_wait();
}

HSAKMT_STATUS vkmt_set_trap_handler(HSAuint32 NodeId, void *TrapHandlerBaseAddress,
				    HSAuint64 TrapHandlerSizeInBytes, void *TrapBufferBaseAddress,
				    HSAuint64 TrapBufferSizeInBytes)
{
	struct vkmt_device *device = vkmt_device();
	struct vhsakmt_ccmd_event_req req = { .type = VIRTIO_EVENT_SET_TRAP };
	struct vhsakmt_ccmd_event_rsp rsp;
	int rc;

	if (!device)
		return NOT_OPENED;
	req.set_trap_handler_args = (struct event_set_trap_handler_args){
		.TrapHandlerBaseAddress = (uintptr_t)TrapHandlerBaseAddress,
		.TrapHandlerSizeInBytes = TrapHandlerSizeInBytes,
		.TrapBufferBaseAddress = (uintptr_t)TrapBufferBaseAddress,
		.TrapBufferSizeInBytes = TrapBufferSizeInBytes,
		.NodeId = NodeId,
	};
	rc = vkmt_send(device, VIRTIO_CMD_EVENT, &req, sizeof(req), &rsp, sizeof(rsp));
	return vkmt_status(rc, rc == 0 ? rsp.ret : 0);
}
