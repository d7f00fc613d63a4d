/* SPDX-License-Identifier: MIT */
/*
 * Commands and answers (virtio.md 3). An answer has a slot in the response area until it is copied
 * out. Slots are given out in a ring that starts over only when none is in use, so that an answer is
 * never overwritten by another thread's.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log.h"
#include "virtio/codec.h"
#include "virtio/guest/guest.h"
#include "virtio/names.h"
#include "virtio/observer.h"

/* What the host overwrites with its result: still there means that there was none. */
#define NO_RESULT INT32_MIN

struct slot {
	uint32_t len;
	int32_t ret;
};

static uint32_t round_up_8(size_t size)
{
	return (uint32_t)((size + 7) & ~(size_t)7);
}

/* @return the slot's offset. */
static int take_slot(struct vkmt_device *device, uint32_t size, uint32_t *offset)
{
	struct slot slot = { .len = size, .ret = NO_RESULT };

	if (size > device->response_bytes)
		return -E2BIG;
	pthread_mutex_lock(&device->response_lock);
	while (device->response_next + size > device->response_bytes) {
		if (device->in_flight == 0)
			device->response_next = 0;
		else
			pthread_cond_wait(&device->response_done, &device->response_lock);
	}
	*offset = device->response_next;
	device->response_next += size;
	device->in_flight++;
	pthread_mutex_unlock(&device->response_lock);
	memcpy(device->response_area + *offset, &slot, sizeof(slot));
	return 0;
}

static void give_slot(struct vkmt_device *device)
{
	pthread_mutex_lock(&device->response_lock);
	if (--device->in_flight == 0)
		pthread_cond_broadcast(&device->response_done);
	pthread_mutex_unlock(&device->response_lock);
}

/* The number is given, and told to who watches, in the order of submission. */
static int submit(struct vkmt_device *device, struct vhsakmt_req_header *header,
		  struct virtio_observed *observed)
{
	int fence = -1, rc;

	pthread_mutex_lock(&device->exec_lock);
	header->seqno = observed->seqno = ++device->seqno;
	memcpy(device->request, header, header->len);
	if (virtio_observer)
		virtio_observer->guest_begin(observed);
	rc = device->transport->ops->submit(device->transport, device->request, header->len,
					    &fence);
	pthread_mutex_unlock(&device->exec_lock);
	if (fence >= 0) {
		struct pollfd wait = { .fd = fence, .events = POLLIN };

		while (rc == 0 && poll(&wait, 1, -1) < 0 && errno == EINTR)
			continue;
		close(fence);
	}
	return rc;
}

static int wait_for(struct vkmt_device *device, uint32_t seqno)
{
	for (;;) {
		uint32_t done = __atomic_load_n(&device->shmem->seqno, __ATOMIC_ACQUIRE);

		if ((int32_t)(done - seqno) >= 0)
			return 0;
		/* The host has given up a stream, and will not come to this number. */
		if (__atomic_load_n(&device->shmem->async_error, __ATOMIC_ACQUIRE))
			return -EIO;
		sched_yield();
	}
}

/* Converts and copies the answer out of its slot. */
static int read_response(struct vkmt_device *device, uint32_t command, uint32_t type,
			 uint32_t offset, uint32_t room, void *response, size_t response_bytes)
{
	struct slot slot;
	void *copy, *wide;
	int rc = -ENOMEM;

	memcpy(&slot, device->response_area + offset, sizeof(slot));
	if (slot.ret == NO_RESULT || slot.len < sizeof(slot) || slot.len > room)
		return -EIO;
	copy = malloc(slot.len);
	wide = calloc(1, response_bytes + room);
	if (copy && wide) {
		memcpy(copy, device->response_area + offset, slot.len);
		virtio_convert_response(device->revision, VIRTIO_REVISION_2, command, type, copy,
					slot.len, wide, response_bytes + room);
		memcpy(response, wide, response_bytes);
		rc = 0;
	}
	free(copy);
	free(wide);
	return rc;
}

static int exchange(struct vkmt_device *device, struct vhsakmt_req_header *header, uint32_t type,
		    void *response, size_t response_bytes, struct virtio_observed *observed)
{
	uint32_t room = round_up_8(response_bytes);
	int rc = room ? take_slot(device, room, &header->rsp_off) : 0;

	if (rc != 0)
		return rc;
	rc = submit(device, header, observed);
	if (rc == 0)
		rc = wait_for(device, observed->seqno);
	if (rc == 0 && response_bytes)
		rc = read_response(device, header->cmd, type, header->rsp_off, room, response,
				   response_bytes);
	if (room)
		give_slot(device);
	if (rc != 0)
		kmt_log(KMT_LOG_ERR, "no answer of the virtio host to %s: %s",
			virtio_command_name(header->cmd, type), strerror(-rc));
	observed->ret = rc != 0 ? rc : response_bytes ? ((const struct slot *)response)->ret : 0;
	if (virtio_observer)
		virtio_observer->guest_end(observed);
	return rc;
}

int vkmt_send(struct vkmt_device *device, uint32_t command, const void *request,
	      size_t request_bytes, void *response, size_t response_bytes)
{
	uint32_t type = virtio_request_type(command, request);
	struct virtio_observed observed = { .guest = device->vm_start,
					    .command = command,
					    .type = type };
	size_t capacity = request_bytes + 8, length;
	struct vhsakmt_req_header *header;
	int rc = -EINVAL;

	if (!virtio_has_type(device->revision, command, type))
		return -EOPNOTSUPP; /* of the newer revision */
	header = calloc(1, capacity);
	if (!header)
		return -ENOMEM;
	length = virtio_convert_request(VIRTIO_REVISION_2, device->revision, command, request,
					request_bytes, header, capacity);
	if (length == 0 || length + 8 > device->shmem_bytes)
		goto out;
	header->cmd = command;
	header->len = round_up_8(length);
	rc = exchange(device, header, type, response, response_bytes, &observed);
out:
	free(header);
	return rc;
}
