/* SPDX-License-Identifier: MIT */
/* What guests need that send commands by hand. */
#include "fixture.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "virtio/guest/guest.h"

HSAuint32 gpu;
HsaNodeProperties gpu_properties;

bool holds(bool is_true, const char *file, int line, const char *what)
{
	if (!is_true)
		fprintf(stderr, "%s:%d: %s\n", file, line, what);
	return is_true;
}

bool by_hand(uint32_t command, const void *request, size_t request_bytes, void *response,
	     size_t response_bytes)
{
	int rc =
		vkmt_send(vkmt_device(), command, request, request_bytes, response, response_bytes);

	return rc == 0 && (!response_bytes || ((int32_t *)response)[1] == 0);
}

int dmabuf_of(void *address)
{
	struct vkmt_device *device = vkmt_device();
	const struct vkmt_bo *bo;
	int fd = -1;

	pthread_mutex_lock(&device->bo_lock);
	bo = vkmt_bo_at(device, (uintptr_t)address);
	if (bo)
		fd = device->transport->ops->export(device->transport, bo->handle);
	pthread_mutex_unlock(&device->bo_lock);
	return fd;
}

static void *take(HSAuint32 node, size_t bytes, HsaMemFlags flags)
{
	void *memory = NULL;

	return OK(vhsaKmtAllocMemory(node, bytes, flags, &memory)) ? memory : NULL;
}

void *take_vram(size_t bytes)
{
	return take(gpu, bytes, (HsaMemFlags){ .ui32 = { .HostAccess = 1, .NonPaged = 1 } });
}

void *take_system(size_t bytes)
{
	return take(0, bytes, (HsaMemFlags){ .ui32 = { .HostAccess = 1, .ExecuteAccess = 1 } });
}

bool find_gpu(void)
{
	struct vhsakmt_ccmd_query_info_req req = { .type = VIRTIO_QUERY_GET_NODE_PROP };
	struct vhsakmt_ccmd_query_info_rsp rsp;

	for (; req.NodeID < 64; req.NodeID++) {
		if (!by_hand(VIRTIO_CMD_QUERY_INFO, &req, sizeof(req), &rsp, sizeof(rsp)))
			return false;
		gpu = req.NodeID;
		gpu_properties = rsp.node_props;
		if (rsp.node_props.NumFComputeCores)
			return true;
	}
	return false;
}

bool ring_begin(struct ring *ring, HSA_QUEUE_TYPE type)
{
	*ring = (struct ring){ .ring = take_system(RING), .pointers = take_system(PAGE) };
	if (!ring->ring || !ring->pointers || !OK(vhsaKmtMapMemoryToGPU(ring->ring, RING, NULL)) ||
	    !OK(vhsaKmtMapMemoryToGPU(ring->pointers, PAGE, NULL)))
		return false;
	for (size_t i = 0; i < RING / 64; i++)
		((unsigned short *)ring->ring)[i * 32] = 1; /* invalid packet */
	if (type == HSA_QUEUE_COMPUTE_AQL) {
		ring->resource.Queue_write_ptr_aql = ring->pointers;
		ring->resource.Queue_read_ptr_aql = (HSAuint64 *)ring->pointers + 8;
	}
	return OK(vhsaKmtCreateQueue(gpu, type, 100, HSA_QUEUE_PRIORITY_NORMAL, ring->ring, RING,
				     NULL, &ring->resource));
}

bool ring_end(struct ring *ring)
{
	bool good = !ring->resource.QueueId || OK(vhsaKmtDestroyQueue(ring->resource.QueueId));

	good = OK(vhsaKmtFreeMemory(ring->ring, RING)) && good;
	return OK(vhsaKmtFreeMemory(ring->pointers, PAGE)) && good;
}

bool ring_runs(struct ring *ring)
{
	HSAuint64 *read = ring->resource.Queue_read_ptr_aql;

	((unsigned short *)ring->ring)[0] = 3 | 1 << 8; /* barrier-AND, barrier bit */
	__atomic_store_n(ring->resource.Queue_write_ptr_aql, 1, __ATOMIC_RELEASE);
	*(volatile HSAuint64 *)ring->resource.Queue_DoorBell_aql = 0;
	for (int i = 0; i < 60000 && !__atomic_load_n(read, __ATOMIC_ACQUIRE); i++)
		usleep(1000);
	return HOLDS(*read == 1);
}
