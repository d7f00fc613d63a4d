/* SPDX-License-Identifier: MIT */
/* Opening and closing (virtio.md 2). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "log.h"
#include "virtio/guest/calls.h"
#include "virtio/guest/guest.h"
#include "virtio/loopback.h"
#include "virtio/observer.h"

#define RESERVE_FLAGS (MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)

static pthread_mutex_t device_lock = PTHREAD_MUTEX_INITIALIZER; /* protects the three */
static struct vkmt_device *opened;                              /* owned; NULL when closed */
static uint32_t open_count;
static pid_t opener;

struct vkmt_device *vkmt_device(void)
{
	struct vkmt_device *device = __atomic_load_n(&opened, __ATOMIC_ACQUIRE);

	return device && opener == getpid() ? device : NULL;
}

uint64_t vkmt_blob_id(struct vkmt_device *device)
{
	uint32_t id = ++device->last_blob_id;

	/* After the last one, 0 stays: ids are never used again. */
	if (id == 0)
		device->last_blob_id = UINT32_MAX;
	return id;
}

int vkmt_resource_new(struct vkmt_device *device, uint64_t blob_id, uint64_t size_bytes,
		      bool mappable, void *pages, uint32_t *handle, uint32_t *res_id)
{
	const struct vkmt_blob blob = {
		.mem = pages ? VKMT_MEM_HOST3D_GUEST : VKMT_MEM_HOST3D,
		.flags = (mappable ? VKMT_BLOB_MAPPABLE : 0u) | (pages ? VKMT_BLOB_USERPTR : 0u),
		.size_bytes = size_bytes,
		.blob_id = blob_id,
		.pages = pages,
	};

	struct virtio_observed observed = { .guest = device->vm_start,
					    .seqno = (uint32_t)blob_id,
					    .command = VIRTIO_OBSERVED_MAKE };

	if (virtio_observer)
		virtio_observer->guest_begin(&observed);
	observed.ret =
		device->transport->ops->blob_create(device->transport, &blob, handle, res_id);
	if (virtio_observer)
		virtio_observer->guest_end(&observed);
	return observed.ret;
}

void vkmt_resource_free(struct vkmt_device *device, uint32_t handle, uint32_t res_id)
{
	struct virtio_observed observed = { .guest = device->vm_start,
					    .seqno = res_id,
					    .command = VIRTIO_OBSERVED_CLOSE };

	if (virtio_observer)
		virtio_observer->guest_begin(&observed);
	/* Nobody could do anything about a failure: the host frees all when we go. */
	observed.ret = device->transport->ops->blob_close(device->transport, handle);
	if (virtio_observer)
		virtio_observer->guest_end(&observed);
}

bool vkmt_in_vm(const struct vkmt_device *device, uint64_t address)
{
	return address >= device->vm_start && address - device->vm_start < device->vm_bytes;
}

static int open_transport(struct vkmt_transport **out)
{
	const char *path = getenv(LOOPBACK_SOCKET_ENV);
	const char *node = getenv("KFDSCOPE_VIRTIO_TRANSPORT");
	int rc;

	if (path && *path && !(node && strcmp(node, "drm") == 0)) {
		rc = vkmt_loopback_open(path, out);
		if (rc < 0)
			kmt_log(KMT_LOG_ERR, "cannot reach a virtio host at '%s': %s", path,
				strerror(-rc));
		return rc;
	}
	rc = vkmt_virtgpu_open(out);
	if (rc < 0)
		kmt_log(KMT_LOG_ERR, "no render node of a virtio-gpu for the KFD: %s",
			strerror(-rc));
	return rc;
}

static int make_shmem(struct vkmt_device *device)
{
	int rc = vkmt_resource_new(device, 0, device->shmem_bytes, true, NULL,
				   &device->shmem_handle, &device->shmem_res_id);
	void *mapped;

	if (rc != 0)
		return rc;
	mapped = device->transport->ops->blob_map(device->transport, device->shmem_handle,
						  device->shmem_bytes, NULL, 0);
	if (mapped == MAP_FAILED)
		return -errno;
	device->shmem = mapped;
	rc = (int)device->shmem->rsp_mem_offset;
	if (rc < (int)sizeof(*device->shmem) || rc % 8 || (uint32_t)rc >= device->shmem_bytes)
		return -EPROTO;
	device->response_area = (char *)mapped + rc;
	device->response_bytes = device->shmem_bytes - (uint32_t)rc;
	return 0;
}

static int reserve(struct vkmt_device *device, uint64_t start, uint64_t bytes)
{
	void *wanted = (void *)(uintptr_t)start;
	void *got = mmap(wanted, bytes, PROT_NONE, RESERVE_FLAGS | MAP_FIXED_NOREPLACE, -1, 0);

	if (got == MAP_FAILED)
		return -errno;
	if (got != wanted) {
		munmap(got, bytes);
		return -EEXIST;
	}
	(void)madvise(got, bytes, MADV_DONTFORK); /* a hint that every kernel of use has */
	device->vm_start = start;
	device->vm_bytes = bytes;
	return 0;
}

/* Says where our heap is, and learns which addresses we share with the host. */
static int ask_for_addresses(struct vkmt_device *device)
{
	struct vhsakmt_ccmd_query_info_req req = { .type = VIRTIO_QUERY_OPEN_KFD };
	struct vhsakmt_ccmd_query_info_rsp rsp;
	void *heap = malloc(VIRTIO_PAGE_BYTES);
	int rc;

	req.open_kfd_args.cur_vm_start = (uintptr_t)heap;
	free(heap);
	rc = vkmt_send(device, VIRTIO_CMD_QUERY_INFO, &req, sizeof(req), &rsp, sizeof(rsp));
	if (rc != 0)
		return rc;
	if (rsp.ret != 0 || !rsp.open_kfd_rsp.vm_start || !rsp.open_kfd_rsp.vm_size) {
		kmt_log(KMT_LOG_ERR, "the virtio host has no addresses above our heap: status %d",
			rsp.ret);
		return -ENOSPC;
	}
	if (device->vm_start)
		return rsp.open_kfd_rsp.vm_start == device->vm_start ? 0 : -EPROTO;
	rc = reserve(device, rsp.open_kfd_rsp.vm_start, rsp.open_kfd_rsp.vm_size);
	if (rc != 0)
		kmt_log(KMT_LOG_ERR, "the virtio host's addresses from %#lx are in use here: %s",
			(unsigned long)rsp.open_kfd_rsp.vm_start, strerror(-rc));
	return rc;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* For whoever compares times of both sides. Only when somebody records: it is a round trip. */
static void compare_clocks(struct vkmt_device *device)
{
	struct vhsakmt_ccmd_query_info_req req = { .type = VIRTIO_QUERY_NANO_TIME };
	struct vhsakmt_ccmd_query_info_rsp rsp;
	uint64_t before_ns = now_ns();

	if (virtio_observer &&
	    vkmt_send(device, VIRTIO_CMD_QUERY_INFO, &req, sizeof(req), &rsp, sizeof(rsp)) == 0)
		virtio_observer->clock_pair(device->vm_start, before_ns,
					    rsp.nano_time_rsp.nano_time, now_ns());
}

static void free_bos(struct vkmt_device *device)
{
	struct range_node *node;

	vkmt_queues_free(device);
	vkmt_events_free(device);
	pthread_mutex_lock(&device->bo_lock);
	while ((node = range_tree_first(&device->bos)))
		vkmt_bo_free(device, (struct vkmt_bo *)node);
	pthread_mutex_unlock(&device->bo_lock);
	for (uint32_t i = 0; i < VKMT_NODES_MAX; i++) {
		if (device->doorbell_pages[i])
			munmap(device->doorbell_pages[i], VIRTIO_DOORBELL_BYTES);
		if (device->doorbells[i])
			vkmt_resource_free(device, device->doorbells[i],
					   device->doorbell_res_ids[i]);
	}
}

static void free_device(struct vkmt_device *device)
{
	if (!device)
		return;
	if (device->response_area)
		free_bos(device);
	if (device->vm_bytes)
		munmap((void *)(uintptr_t)device->vm_start, device->vm_bytes);
	if (device->shmem)
		munmap(device->shmem, device->shmem_bytes);
	if (device->shmem_handle)
		vkmt_resource_free(device, device->shmem_handle, device->shmem_res_id);
	if (device->transport)
		device->transport->ops->free(device->transport);
	free(device->request);
	pthread_mutex_destroy(&device->exec_lock);
	pthread_mutex_destroy(&device->response_lock);
	pthread_cond_destroy(&device->response_done);
	pthread_mutex_destroy(&device->bo_lock);
	pthread_mutex_destroy(&device->cache_lock);
	free(device);
}

static enum virtio_revision wanted_revision(void)
{
	const char *wanted = getenv("KFDSCOPE_VIRTIO_REVISION");

	return wanted && strcmp(wanted, "1") == 0 ? VIRTIO_REVISION_1 : VIRTIO_REVISION_2;
}

static struct vkmt_device *new_device(void)
{
	struct vkmt_device *device = calloc(1, sizeof(*device));

	if (!device)
		return NULL;
	pthread_mutex_init(&device->exec_lock, NULL);
	pthread_mutex_init(&device->response_lock, NULL);
	pthread_cond_init(&device->response_done, NULL);
	pthread_mutex_init(&device->bo_lock, NULL);
	pthread_mutex_init(&device->cache_lock, NULL);
	device->last_blob_id = 1;
	device->revision = wanted_revision();
	device->shmem_bytes = device->revision == VIRTIO_REVISION_1 ? VIRTIO_SHMEM_BYTES_R1
								    : VIRTIO_SHMEM_BYTES_R2;
	device->request = malloc(device->shmem_bytes);
	return device;
}

static int open_device(struct vkmt_device *device)
{
	struct vhsakmt_capset capset;
	int rc;

	if (!device->request)
		return -ENOMEM;
	rc = open_transport(&device->transport);
	if (rc == 0)
		rc = device->transport->ops->get_caps(device->transport, &capset);
	if (rc >= 0 && capset.context_type != VIRTIO_CONTEXT_TYPE_AMDGPU)
		rc = -ENODEV;
	if (rc >= 0) {
		rc = device->transport->ops->init(device->transport);
		if (rc < 0)
			kmt_log(KMT_LOG_ERR, "the virtio host gives us no context: %s",
				strerror(-rc));
	}
	if (rc >= 0)
		rc = make_shmem(device);
	if (rc == 0)
		rc = ask_for_addresses(device);
	return rc;
}

HSAKMT_STATUS vkmt_open_kfd(void)
{
	HSAKMT_STATUS status = HSAKMT_STATUS_SUCCESS;
	struct vkmt_device *device = NULL;
	int rc;

	pthread_mutex_lock(&device_lock);
	kmt_log_read_level("VHSAKMT_DEBUG_LEVEL");
	if (opened && opener != getpid()) {
		/* A child: the parent's device is left alone, for it has no addresses here. */
		__atomic_store_n(&opened, NULL, __ATOMIC_RELEASE);
		open_count = 0;
	}
	if (opened) {
		rc = ask_for_addresses(opened);
	} else {
		device = new_device();
		rc = device ? open_device(device) : -ENOMEM;
	}
	if (rc < 0) {
		status = rc == -ENOMEM ? HSAKMT_STATUS_NO_MEMORY : HSAKMT_STATUS_ERROR;
		free_device(device);
	} else if (device) {
		opener = getpid();
		open_count = 1;
		__atomic_store_n(&opened, device, __ATOMIC_RELEASE);
		compare_clocks(device);
	}
	pthread_mutex_unlock(&device_lock);
	return status;
}

HSAKMT_STATUS vkmt_close_kfd(void)
{
	HSAKMT_STATUS status = HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;

	pthread_mutex_lock(&device_lock);
	if (vkmt_device()) {
		status = HSAKMT_STATUS_SUCCESS;
		if (--open_count == 0) {
			struct vkmt_device *device = opened;

			__atomic_store_n(&opened, NULL, __ATOMIC_RELEASE);
			free_device(device);
		}
	}
	pthread_mutex_unlock(&device_lock);
	return status;
}
