/* SPDX-License-Identifier: MIT */
/*
 * The guest's device: one a process, with the connection to the host, the reserved addresses and the
 * buffer objects (virtio.md 2 to 4). For virtio/guest/ only.
 *
 * Lock order: device, then buffers, then what sends. A forked child must not use the device: its
 * addresses are not inherited.
 */
#ifndef KFDSCOPE_THUNK_VIRTIO_GUEST_GUEST_H
#define KFDSCOPE_THUNK_VIRTIO_GUEST_GUEST_H

#include <pthread.h>
#include <stdbool.h>

#include "memory/range_tree.h"
#include "virtio/guest/transport.h"
#include "virtio/proto.h"

#define VKMT_NODES_MAX 64u

enum vkmt_bo_kind {
	VKMT_BO_MEMORY,
	VKMT_BO_USERPTR,
	VKMT_BO_SCRATCH,
	VKMT_BO_SCRATCH_MAP, /* hangs on its scratch object */
	VKMT_BO_IMPORT,      /* of a graphics library or another process */
};

/* Something at an address. Queues, events and doorbells are resources without one. */
struct vkmt_bo {
	struct range_node place; /* CPU addresses; for user pointers whole pages */
	enum vkmt_bo_kind kind;
	uint32_t refs; /* registrations of a user pointer */
	uint32_t handle, res_id;
	uint64_t host_address;
	bool cpu_mapped;
	void *user_data;
	uint32_t *metadata;  /* owned; of a graphics import */
	struct vkmt_bo *map; /* owned: a scratch object's mapping */
};

struct vkmt_device {
	struct vkmt_transport *transport; /* owned */
	enum virtio_revision revision;
	uint32_t shmem_handle, shmem_res_id;
	struct vhsakmt_shmem *shmem;
	char *response_area;
	uint32_t response_bytes, shmem_bytes;

	pthread_mutex_t exec_lock; /* protects seqno and the request buffer */
	uint32_t seqno;
	char *request;                 /* owned, shmem_bytes long */
	pthread_mutex_t response_lock; /* protects the two that follow */
	pthread_cond_t response_done;
	uint32_t response_next, in_flight;

	uint64_t vm_start, vm_bytes;
	_Atomic uint32_t last_blob_id;

	pthread_mutex_t bo_lock;            /* protects what follows */
	struct range_tree bos;              /* owned struct vkmt_bo */
	uint32_t doorbells[VKMT_NODES_MAX]; /* handle; 0: none yet */
	uint32_t doorbell_res_ids[VKMT_NODES_MAX];
	char *doorbell_pages[VKMT_NODES_MAX];
	struct vkmt_event *events; /* owned list: event.c */
	struct vkmt_queue *queues; /* owned list: queue.c */

	pthread_mutex_t cache_lock; /* protects what follows */
	bool has_system;
	HsaSystemProperties system;
	bool has_node[VKMT_NODES_MAX];
	HsaNodeProperties nodes[VKMT_NODES_MAX];
};

/* @return the opened device, or NULL; valid until the last close. */
struct vkmt_device *vkmt_device(void);

/* A new blob id: counted up, never 0, never used twice. @return 0: all are used up. */
uint64_t vkmt_blob_id(struct vkmt_device *device);

/*
 * Sends a command and waits for its answer.
 *
 * @param request         revision 2's structure and its payload; the header need not be filled in.
 * @param request_bytes   of both; rounded up to a multiple of 8 on the way.
 * @param response        revision 2's structure and payload, zeroed where the host sent less.
 * @param response_bytes  of both: the most that the host may answer.
 * @return 0: response->ret tells; -errno: there is no answer.
 */
int vkmt_send(struct vkmt_device *device, uint32_t command, const void *request,
	      size_t request_bytes, void *response, size_t response_bytes);

/*
 * Makes a resource of what was created under a blob id, or of pages.
 * @param pages  NULL: of the host's.
 */
int vkmt_resource_new(struct vkmt_device *device, uint64_t blob_id, uint64_t size_bytes,
		      bool mappable, void *pages, uint32_t *handle, uint32_t *res_id);
void vkmt_resource_free(struct vkmt_device *device, uint32_t handle, uint32_t res_id);

/* @return whether the addresses are the ones that guest and host share. */
bool vkmt_in_vm(const struct vkmt_device *device, uint64_t address);

/* Files a buffer object. The caller holds bo_lock for all of these. */
void vkmt_bo_insert(struct vkmt_device *device, struct vkmt_bo *bo, uint64_t address,
		    uint64_t size_bytes);
/* @return the object that begins at the address, or NULL. */
struct vkmt_bo *vkmt_bo_at(struct vkmt_device *device, uint64_t address);
/* @return the object that holds the address, or NULL. */
struct vkmt_bo *vkmt_bo_holding(struct vkmt_device *device, uint64_t address);
/* Removes it, takes its memory away and closes its resource; the host then frees it. */
void vkmt_bo_free(struct vkmt_device *device, struct vkmt_bo *bo);

/* At the last close. */
void vkmt_events_free(struct vkmt_device *device);
void vkmt_queues_free(struct vkmt_device *device);

/* The host's handle of an event of ours; 0: none, or not ours. Takes bo_lock. */
uint64_t vkmt_event_handle(struct vkmt_device *device, const HsaEvent *event);

/* The status of a sent command: the host's, or what a broken connection means. */
static inline HSAKMT_STATUS vkmt_status(int rc, int32_t ret)
{
	if (rc != 0)
		return rc == -12 /* ENOMEM */ ? HSAKMT_STATUS_NO_MEMORY : HSAKMT_STATUS_ERROR;
	return (HSAKMT_STATUS)ret;
}

#endif
