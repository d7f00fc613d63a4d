/* SPDX-License-Identifier: MIT */
/* The requests of a virtio-gpu, answered over a loopback (virtgpu.h). */
#include "virtgpu.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>

#include "virtio/guest/transport.h"
#include "virtio/loopback.h"
#include "virtio/virtgpu.h"

#define NODE_PATH   "/dev/dri/renderD200"
#define OFFSET_BITS 40 /* of a mapping's offset; above: the handle */

bool preload_virtgpu_is(const char *path)
{
	const char *only = getenv("KFDSCOPE_PRELOAD_ONLY");

	return only && strcmp(only, "virtio-gpu") == 0 && path && strcmp(path, NODE_PATH) == 0;
}

int preload_virtgpu_open(struct vkmt_transport **out)
{
	const char *path = getenv(LOOPBACK_SOCKET_ENV);

	return path && *path && vkmt_loopback_open(path, out) == 0 ? 0 : -ENODEV;
}

void preload_virtgpu_close(struct vkmt_transport *transport)
{
	if (transport)
		transport->ops->free(transport);
}

static int get_caps(struct vkmt_transport *transport, const struct virtgpu_get_caps *args)
{
	struct vhsakmt_capset capset;
	int rc;

	if (args->cap_set_id != VIRTIO_CAPSET_ID || args->cap_set_ver != 0)
		return -EINVAL;
	rc = transport->ops->get_caps(transport, &capset);
	if (rc == 0)
		memcpy((void *)(uintptr_t)args->addr, &capset,
		       args->size < sizeof(capset) ? args->size : sizeof(capset));
	return rc;
}

/* The context must be of the protocol's kind, with rings: the driver refuses others, too. */
static int context_init(struct vkmt_transport *transport, const struct virtgpu_context_init *args)
{
	const struct virtgpu_context_param *params = (const void *)(uintptr_t)args->params;
	bool has_capset = false, has_rings = false;

	for (uint32_t i = 0; i < args->num_params; i++) {
		has_capset |= params[i].param == VIRTGPU_PARAM_CAPSET_ID &&
			      params[i].value == VIRTIO_CAPSET_ID;
		has_rings |= params[i].param == VIRTGPU_PARAM_NUM_RINGS && params[i].value > 0 &&
			     params[i].value <= VIRTIO_RINGS;
	}
	return has_capset && has_rings ? transport->ops->init(transport) : -EINVAL;
}

static int create_blob(struct vkmt_transport *transport, struct virtgpu_resource_create_blob *args)
{
	const struct vkmt_blob blob = { .mem = args->blob_mem,
					.flags = args->blob_flags,
					.size_bytes = args->size,
					.blob_id = args->blob_id,
					.pages = (void *)(uintptr_t)args->userptr };

	return transport->ops->blob_create(transport, &blob, &args->bo_handle, &args->res_handle);
}

static int execbuffer(struct vkmt_transport *transport, struct virtgpu_execbuffer *args)
{
	int fence = -1, rc;

	if (!(args->flags & VIRTGPU_RING_IDX) || args->ring_idx != 0 || args->num_bo_handles)
		return -EINVAL;
	rc = transport->ops->submit(transport, (const void *)(uintptr_t)args->command, args->size,
				    &fence);
	if (rc == 0 && args->flags & VIRTGPU_FENCE_FD_OUT)
		args->fence_fd = eventfd(1, EFD_CLOEXEC); /* done already: readable */
	return rc;
}

static int prime_to_handle(struct vkmt_transport *transport, struct virtgpu_prime *args)
{
	uint32_t res_id;

	return transport->ops->import(transport, args->fd, &args->handle, &res_id);
}

static int prime_to_fd(struct vkmt_transport *transport, struct virtgpu_prime *args)
{
	int fd = transport->ops->export(transport, args->handle);

	args->fd = fd < 0 ? -1 : fd;
	return fd < 0 ? fd : 0;
}

int preload_virtgpu_ioctl(struct vkmt_transport *transport, unsigned long request, void *arg)
{
	struct virtgpu_resource_info *info = arg;
	struct virtgpu_map *map = arg;

	if (_IOC_TYPE(request) != 'd')
		return -ENOTTY;
	switch (_IOC_NR(request)) {
	case DRM_GEM_CLOSE_NR:
		return transport->ops->blob_close(transport,
						  ((struct virtgpu_gem_close *)arg)->handle);
	case DRM_PRIME_TO_FD_NR:
		return prime_to_fd(transport, arg);
	case DRM_PRIME_TO_HANDLE_NR:
		return prime_to_handle(transport, arg);
	case VIRTGPU_NR(VIRTGPU_GET_CAPS):
		return get_caps(transport, arg);
	case VIRTGPU_NR(VIRTGPU_CONTEXT_INIT):
		return context_init(transport, arg);
	case VIRTGPU_NR(VIRTGPU_RESOURCE_CREATE_BLOB):
		return create_blob(transport, arg);
	case VIRTGPU_NR(VIRTGPU_EXECBUFFER):
		return execbuffer(transport, arg);
	case VIRTGPU_NR(VIRTGPU_RESOURCE_INFO): /* a loopback's handles are the resources' ids */
		info->res_handle = info->bo_handle;
		return info->bo_handle ? 0 : -ENOENT;
	case VIRTGPU_NR(VIRTGPU_MAP):
		map->offset = (uint64_t)map->handle << OFFSET_BITS;
		return map->handle ? 0 : -ENOENT;
	default:
		return -EINVAL;
	}
}

void *preload_virtgpu_mmap(struct vkmt_transport *transport, void *addr, size_t size, int flags,
			   off_t offset)
{
	if (offset & ((1ll << OFFSET_BITS) - 1) || !(flags & MAP_SHARED)) {
		errno = EINVAL;
		return MAP_FAILED;
	}
	return transport->ops->blob_map(transport, (uint32_t)(offset >> OFFSET_BITS), size, addr,
					flags & (MAP_FIXED | MAP_FIXED_NOREPLACE));
}
