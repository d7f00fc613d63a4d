/* SPDX-License-Identifier: MIT */
/* Queues on the host with rings and pointers of ours (virtio.md 5, Queues). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "virtio/guest/calls.h"
#include "virtio/guest/guest.h"

#define NOT_OPENED HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED
#define PAGE       ((uint64_t)VIRTIO_PAGE_BYTES)

typedef struct vhsakmt_ccmd_queue_req queue_req;
typedef struct vhsakmt_ccmd_queue_rsp queue_rsp;

/* The queue id that callers hold is its address. */
struct vkmt_queue {
	struct vkmt_queue *next;
	uint64_t host_handle;
	uint32_t handle, res_id;
	uint32_t pointers_handle; /* 0: AQL, whose pointers are the caller's */
	uint32_t pointers_res_id;
	void *pointers; /* owned mapping */
};

static bool is_aql(HSA_QUEUE_TYPE type)
{
	return type == HSA_QUEUE_COMPUTE_AQL || type == HSA_QUEUE_DMA_AQL ||
	       type == HSA_QUEUE_DMA_AQL_XGMI;
}

static uint32_t resource_at(struct vkmt_device *device, uint64_t address)
{
	struct vkmt_bo *bo = vkmt_bo_holding(device, address);

	return bo && bo->kind == VKMT_BO_MEMORY ? bo->res_id : 0;
}

static void queue_free(struct vkmt_device *device, struct vkmt_queue *queue)
{
	if (queue->handle)
		vkmt_resource_free(device, queue->handle, queue->res_id);
	if (queue->pointers)
		munmap(queue->pointers, PAGE);
	if (queue->pointers_handle)
		vkmt_resource_free(device, queue->pointers_handle, queue->pointers_res_id);
	free(queue);
}

void vkmt_queues_free(struct vkmt_device *device)
{
	while (device->queues) {
		struct vkmt_queue *queue = device->queues;

		device->queues = queue->next;
		queue_free(device, queue);
	}
}

/*
 * Maps the node's doorbells at its first queue: at the host's address if that is free here, so that
 * GPUs and processors ring at the same one, or else anywhere.
 */
static int map_doorbells(struct vkmt_device *device, uint32_t node, uint64_t blob_id,
			 const struct vHsaQueueResource *res)
{
	void *wanted = (void *)(uintptr_t)(res->host_doorbell - res->host_doorbell_offset);
	struct vkmt_transport *transport = device->transport;
	uint32_t handle, res_id;
	void *mapped;
	int rc = vkmt_resource_new(device, blob_id, VIRTIO_DOORBELL_BYTES, true, NULL, &handle,
				   &res_id);

	if (rc != 0)
		return rc;
	mapped = transport->ops->blob_map(transport, handle, VIRTIO_DOORBELL_BYTES, wanted,
					  MAP_FIXED_NOREPLACE);
	if (mapped == MAP_FAILED)
		mapped =
			transport->ops->blob_map(transport, handle, VIRTIO_DOORBELL_BYTES, NULL, 0);
	if (mapped == MAP_FAILED) {
		vkmt_resource_free(device, handle, res_id);
		return -ENOMEM;
	}
	device->doorbells[node] = handle;
	device->doorbell_res_ids[node] = res_id;
	device->doorbell_pages[node] = mapped;
	return 0;
}

static int map_pointers(struct vkmt_device *device, struct vkmt_queue *queue, uint64_t blob_id)
{
	void *mapped;
	int rc = vkmt_resource_new(device, blob_id, PAGE, true, NULL, &queue->pointers_handle,
				   &queue->pointers_res_id);

	if (rc != 0)
		return rc;
	mapped = device->transport->ops->blob_map(device->transport, queue->pointers_handle, PAGE,
						  NULL, 0);
	if (mapped == MAP_FAILED)
		return -ENOMEM;
	queue->pointers = mapped;
	return 0;
}

/* After the host has made it: resources, doorbell and pointers. The caller holds bo_lock. */
static int finish(struct vkmt_device *device, struct vkmt_queue *queue, const queue_req *req,
		  const struct vHsaQueueResource *res, HsaQueueResource *out)
{
	uint32_t node = req->create_queue_args.NodeId;
	int rc = vkmt_resource_new(device, req->blob_id, PAGE, false, NULL, &queue->handle,
				   &queue->res_id);

	queue->host_handle = res->queue_handle;
	if (rc == 0 && req->doorbell_blob_id)
		rc = map_doorbells(device, node, req->doorbell_blob_id, res);
	if (rc == 0 && req->rw_ptr_blob_id)
		rc = map_pointers(device, queue, req->rw_ptr_blob_id);
	if (rc != 0)
		return rc;
	if (res->host_doorbell_offset > VIRTIO_DOORBELL_BYTES - 8 ||
	    (queue->pointers &&
	     (res->host_write_offset > PAGE - 8 || res->host_read_offset > PAGE - 8)))
		return -EPROTO;
	out->QueueDoorBell = (uintptr_t)(device->doorbell_pages[node] + res->host_doorbell_offset);
	if (queue->pointers) {
		out->QueueWptrValue = (uintptr_t)queue->pointers + res->host_write_offset;
		out->QueueRptrValue = (uintptr_t)queue->pointers + res->host_read_offset;
	}
	out->QueueId = (uintptr_t)queue;
	return 0;
}

static HSAKMT_STATUS create(struct vkmt_device *device, queue_req *req, HsaQueueResource *out)
{
	struct queue_req_create *args = &req->create_queue_args;
	struct vkmt_queue *queue = calloc(1, sizeof(*queue));
	bool aql = is_aql((HSA_QUEUE_TYPE)args->Type);
	HSAKMT_STATUS status;
	queue_rsp rsp;
	int rc;

	if (!queue)
		return HSAKMT_STATUS_NO_MEMORY;
	req->blob_id = vkmt_blob_id(device);
	if (!device->doorbells[args->NodeId])
		req->doorbell_blob_id = vkmt_blob_id(device);
	if (!aql)
		req->rw_ptr_blob_id = vkmt_blob_id(device);
	rc = vkmt_send(device, VIRTIO_CMD_QUEUE, req, sizeof(*req), &rsp, sizeof(rsp));
	status = vkmt_status(rc, rc == 0 ? rsp.ret : 0);
	if (status == HSAKMT_STATUS_SUCCESS && finish(device, queue, req, &rsp.vqueue_res, out))
		status = HSAKMT_STATUS_NO_MEMORY;
	if (status != HSAKMT_STATUS_SUCCESS) {
		queue_free(device, queue);
		return status;
	}
	queue->next = device->queues;
	device->queues = queue;
	return status;
}

HSAKMT_STATUS vkmt_create_queue_ext(HSAuint32 NodeId, HSA_QUEUE_TYPE Type,
				    HSAuint32 QueuePercentage, HSA_QUEUE_PRIORITY Priority,
				    HSAuint32 SdmaEngineId, void *QueueAddress,
				    HSAuint64 QueueSizeInBytes, HsaEvent *Event,
				    HsaQueueResource *QueueResource)
{
	struct vkmt_device *device = vkmt_device();
	queue_req req = { .type = VIRTIO_QUEUE_CREATE };
	struct queue_req_create *args = &req.create_queue_args;
	HSAKMT_STATUS status;

	if (!device)
		return NOT_OPENED;
	if (!QueueResource || !QueueAddress)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	if (NodeId >= VKMT_NODES_MAX)
		return HSAKMT_STATUS_INVALID_NODE_UNIT;
	*args = (struct queue_req_create){ .NodeId = NodeId,
					   .Type = Type,
					   .QueuePercentage = QueuePercentage,
					   .Priority = (uint64_t)(int64_t)Priority,
					   .SdmaEngineId = SdmaEngineId,
					   .QueueAddress = (uintptr_t)QueueAddress,
					   .QueueSizeInBytes = QueueSizeInBytes };
	if (Event) {
		args->Event = vkmt_event_handle(device, Event);
		if (!args->Event)
			return HSAKMT_STATUS_INVALID_HANDLE;
	}
	pthread_mutex_lock(&device->bo_lock);
	req.queue_mem_res_id = resource_at(device, args->QueueAddress);
	status = req.queue_mem_res_id ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_NO_MEMORY;
	if (status == HSAKMT_STATUS_SUCCESS && is_aql(Type)) {
		args->Queue_write_ptr_aql = QueueResource->QueueWptrValue;
		args->Queue_read_ptr_aql = QueueResource->QueueRptrValue;
		req.res_id = resource_at(device, args->Queue_write_ptr_aql);
		if (!req.res_id)
			status = HSAKMT_STATUS_INVALID_PARAMETER;
	}
	if (status == HSAKMT_STATUS_SUCCESS)
		status = create(device, &req, QueueResource);
	pthread_mutex_unlock(&device->bo_lock);
	return status;
}

HSAKMT_STATUS vkmt_create_queue(HSAuint32 NodeId, HSA_QUEUE_TYPE Type, HSAuint32 QueuePercentage,
				HSA_QUEUE_PRIORITY Priority, void *QueueAddress,
				HSAuint64 QueueSizeInBytes, HsaEvent *Event,
				HsaQueueResource *QueueResource)
{
	return vkmt_create_queue_ext(NodeId, Type, QueuePercentage, Priority, VIRTIO_NO_ENGINE,
				     QueueAddress, QueueSizeInBytes, Event, QueueResource);
}

/* The size of the metadata ring has no place in the message. */
HSAKMT_STATUS vkmt_create_queue_v2(HSAuint32 NodeId, HSA_QUEUE_TYPE Type, HSAuint32 QueuePercentage,
				   HSA_QUEUE_PRIORITY Priority, HSAuint32 SdmaEngineId,
				   void *QueueAddress, HSAuint64 QueueSizeInBytes,
				   HSAuint64 MetaDataQueueSizeInBytes, HsaEvent *Event,
				   HsaQueueResource *QueueResource)
{
	if (!vkmt_device())
		return NOT_OPENED;
	if (MetaDataQueueSizeInBytes)
		return MetaDataQueueSizeInBytes % PAGE ? HSAKMT_STATUS_INVALID_PARAMETER
						       : HSAKMT_STATUS_NOT_SUPPORTED;
	return vkmt_create_queue_ext(NodeId, Type, QueuePercentage, Priority, SdmaEngineId,
				     QueueAddress, QueueSizeInBytes, Event, QueueResource);
}

/* The place in the list, which ends with NULL. The caller holds bo_lock. */
static struct vkmt_queue **place_of(struct vkmt_device *device, HSA_QUEUEID id)
{
	struct vkmt_queue **at = &device->queues;

	while (*at && (uintptr_t)*at != id)
		at = &(*at)->next;
	return at;
}

/* @return the queue's resource, 0: no queue of ours. */
static uint32_t queue_resource(struct vkmt_device *device, HSA_QUEUEID id, uint64_t *handle)
{
	const struct vkmt_queue *queue;
	uint32_t res_id = 0;

	pthread_mutex_lock(&device->bo_lock);
	queue = *place_of(device, id);
	if (queue) {
		res_id = queue->res_id;
		*handle = queue->host_handle;
	}
	pthread_mutex_unlock(&device->bo_lock);
	return res_id;
}

HSAKMT_STATUS vkmt_destroy_queue(HSA_QUEUEID QueueId)
{
	struct vkmt_device *device = vkmt_device();
	struct vkmt_queue *queue, **at;

	if (!device)
		return NOT_OPENED;
	pthread_mutex_lock(&device->bo_lock);
	at = place_of(device, QueueId);
	queue = *at;
	if (queue) {
		*at = queue->next;
		queue_free(device, queue);
	}
	pthread_mutex_unlock(&device->bo_lock);
	return queue ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_INVALID_PARAMETER;
}

HSAKMT_STATUS vkmt_update_queue(HSA_QUEUEID QueueId, HSAuint32 QueuePercentage,
				HSA_QUEUE_PRIORITY Priority, void *QueueAddress,
				HSAuint64 QueueSize, HsaEvent *Event)
{
	struct vkmt_device *device = vkmt_device();
	queue_req req = { .type = VIRTIO_QUEUE_UPDATE };
	uint64_t handle = 0;
	queue_rsp rsp;
	int rc;

	(void)Event; /* not transported, and the KFD would ignore it */
	if (!device)
		return NOT_OPENED;
	req.res_id = queue_resource(device, QueueId, &handle);
	if (!req.res_id)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	req.update_queue_args = (struct queue_req_update){ .QueueId = handle,
							   .QueuePercentage = QueuePercentage,
							   .Priority = (uint64_t)(int64_t)Priority,
							   .QueueAddress = (uintptr_t)QueueAddress,
							   .QueueSizeInBytes = QueueSize };
	rc = vkmt_send(device, VIRTIO_CMD_QUEUE, &req, sizeof(req), &rsp, sizeof(rsp));
	return vkmt_status(rc, rc == 0 ? rsp.ret : 0);
}

HSAKMT_STATUS vkmt_get_queue_info(HSA_QUEUEID QueueId, HsaQueueInfo *QueueInfo)
{
	struct vkmt_device *device = vkmt_device();
	queue_req req = { .type = VIRTIO_QUEUE_GET_INFO };
	HSAKMT_STATUS status;
	uint64_t handle = 0;
	queue_rsp rsp;
	int rc;

	if (!device)
		return NOT_OPENED;
	if (!QueueInfo)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	req.res_id = queue_resource(device, QueueId, &handle);
	if (!req.res_id)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	rc = vkmt_send(device, VIRTIO_CMD_QUEUE, &req, sizeof(req), &rsp, sizeof(rsp));
	status = vkmt_status(rc, rc == 0 ? rsp.ret : 0);
	if (status == HSAKMT_STATUS_SUCCESS)
		*QueueInfo = rsp.queue_info;
	return status;
}

HSAKMT_STATUS vkmt_set_queue_cu_mask(HSA_QUEUEID QueueId, HSAuint32 CUMaskCount,
				     HSAuint32 *QueueCUMask)
{
	struct vkmt_device *device = vkmt_device();
	struct {
		queue_req req;
		uint32_t words[VIRTIO_CU_MASK_WORDS_MAX];
	} message = { .req = { .type = VIRTIO_QUEUE_SET_CU_MASK } };
	uint64_t handle = 0;
	queue_rsp rsp;
	int rc;

	if (!device)
		return NOT_OPENED;
	if (!QueueCUMask || CUMaskCount == 0 || CUMaskCount % 32 ||
	    CUMaskCount / 32 > VIRTIO_CU_MASK_WORDS_MAX)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	message.req.res_id = queue_resource(device, QueueId, &handle);
	if (!message.req.res_id)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	message.req.CUMaskCount = CUMaskCount;
	memcpy(message.words, QueueCUMask, CUMaskCount / 8);
	rc = vkmt_send(device, VIRTIO_CMD_QUEUE, &message, sizeof(message), &rsp, sizeof(rsp));
	return vkmt_status(rc, rc == 0 ? rsp.ret : 0);
}

HSAKMT_STATUS vkmt_alloc_queue_gws(HSA_QUEUEID QueueId, HSAuint32 nGWS, HSAuint32 *firstGWS)
{
	struct vkmt_device *device = vkmt_device();
	queue_req req = { .type = VIRTIO_QUEUE_ALLOC_GWS };
	struct {
		queue_rsp rsp;
		uint32_t words[VIRTIO_GWS_MAX];
	} answer;
	HSAKMT_STATUS status;
	uint64_t handle = 0;
	int rc;

	if (!device)
		return NOT_OPENED;
	if (nGWS > VIRTIO_GWS_MAX)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	req.res_id = queue_resource(device, QueueId, &handle);
	if (!req.res_id)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	req.nGWS = nGWS;
	rc = vkmt_send(device, VIRTIO_CMD_QUEUE, &req, sizeof(req), &answer, sizeof(answer));
	status = vkmt_status(rc, rc == 0 ? answer.rsp.ret : 0);
	if (status == HSAKMT_STATUS_SUCCESS && firstGWS)
		*firstGWS = answer.words[0];
	return status;
}
