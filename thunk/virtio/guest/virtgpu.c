/* SPDX-License-Identifier: MIT */
/* The real transport: a render node of the virtio-gpu driver (virtio.md 2, 3). */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "virtio/guest/transport.h"
#include "virtio/virtgpu.h"

#define NODES_MAX    10 /* looked at */
#define RENDER_FIRST 128
#define RENDER_LAST  255

struct virtgpu {
	struct vkmt_transport transport; /* first: what callers hold */
	int fd;
};

static int virtgpu_ioctl(struct vkmt_transport *transport, unsigned long request, void *arg)
{
	int rc;

	do
		rc = ioctl(((struct virtgpu *)transport)->fd, request, arg);
	while (rc < 0 && (errno == EINTR || errno == EAGAIN));
	return rc < 0 ? -errno : rc;
}

static int get_caps(struct vkmt_transport *transport, struct vhsakmt_capset *out)
{
	struct virtgpu_get_caps caps = { .cap_set_id = VIRTIO_CAPSET_ID,
					 .addr = (uintptr_t)out,
					 .size = sizeof(*out) };

	memset(out, 0, sizeof(*out));
	return virtgpu_ioctl(transport, VIRTGPU_IOCTL(VIRTGPU_GET_CAPS, struct virtgpu_get_caps),
			     &caps);
}

static int init(struct vkmt_transport *transport)
{
	struct virtgpu_context_param params[] = { { VIRTGPU_PARAM_CAPSET_ID, VIRTIO_CAPSET_ID },
						  { VIRTGPU_PARAM_NUM_RINGS, VIRTIO_RINGS } };
	struct virtgpu_context_init args = { .num_params = 2, .params = (uintptr_t)params };

	return virtgpu_ioctl(
		transport, VIRTGPU_IOCTL(VIRTGPU_CONTEXT_INIT, struct virtgpu_context_init), &args);
}

static int resource_of(struct vkmt_transport *transport, uint32_t handle, uint32_t *res_id)
{
	struct virtgpu_resource_info info = { .bo_handle = handle };
	int rc = virtgpu_ioctl(transport,
			       VIRTGPU_IOCTL(VIRTGPU_RESOURCE_INFO, struct virtgpu_resource_info),
			       &info);

	*res_id = info.res_handle;
	return rc;
}

static int blob_close(struct vkmt_transport *transport, uint32_t handle)
{
	struct virtgpu_gem_close args = { .handle = handle };

	return virtgpu_ioctl(transport, DRM_GEM_CLOSE, &args);
}

static int blob_create(struct vkmt_transport *transport, const struct vkmt_blob *blob,
		       uint32_t *handle, uint32_t *res_id)
{
	struct virtgpu_resource_create_blob args = { .blob_mem = blob->mem,
						     .blob_flags = blob->flags,
						     .size = blob->size_bytes,
						     .blob_id = blob->blob_id,
						     .userptr = (uintptr_t)blob->pages };
	int rc = virtgpu_ioctl(
		transport,
		VIRTGPU_IOCTL(VIRTGPU_RESOURCE_CREATE_BLOB, struct virtgpu_resource_create_blob),
		&args);

	if (rc < 0)
		return rc;
	*handle = args.bo_handle;
	rc = resource_of(transport, args.bo_handle, res_id);
	if (rc < 0)
		(void)blob_close(transport, args.bo_handle);
	return rc < 0 ? rc : 0;
}

static void *blob_map(struct vkmt_transport *transport, uint32_t handle, uint64_t size_bytes,
		      void *at, int fixed)
{
	struct virtgpu_map args = { .handle = handle };
	int rc = virtgpu_ioctl(transport, VIRTGPU_IOCTL(VIRTGPU_MAP, struct virtgpu_map), &args);

	if (rc < 0) {
		errno = -rc;
		return MAP_FAILED;
	}
	return mmap(at, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | fixed,
		    ((struct virtgpu *)transport)->fd, (off_t)args.offset);
}

static int submit(struct vkmt_transport *transport, const void *stream, size_t bytes, int *fence)
{
	struct virtgpu_execbuffer args = {
		.flags = VIRTGPU_RING_IDX | VIRTGPU_FENCE_FD_OUT,
		.size = (uint32_t)bytes,
		.command = (uintptr_t)stream,
		.fence_fd = -1,
		.syncobj_stride = sizeof(struct virtgpu_execbuffer_syncobj),
	};
	int rc = virtgpu_ioctl(transport,
			       VIRTGPU_IOCTL(VIRTGPU_EXECBUFFER, struct virtgpu_execbuffer), &args);

	*fence = rc < 0 ? -1 : args.fence_fd;
	return rc < 0 ? rc : 0;
}

static int import(struct vkmt_transport *transport, int fd, uint32_t *handle, uint32_t *res_id)
{
	struct virtgpu_prime args = { .fd = fd };
	int rc = virtgpu_ioctl(transport, DRM_PRIME_TO_HANDLE, &args);

	*handle = args.handle;
	if (rc >= 0)
		rc = resource_of(transport, args.handle, res_id);
	return rc < 0 ? rc : 0;
}

static int export(struct vkmt_transport *transport, uint32_t handle)
{
	struct virtgpu_prime args = { .handle = handle, .flags = O_CLOEXEC | O_RDWR, .fd = -1 };
	int rc = virtgpu_ioctl(transport, DRM_PRIME_TO_FD, &args);

	return rc < 0 ? rc : args.fd;
}

static void virtgpu_free(struct vkmt_transport *transport)
{
	close(((struct virtgpu *)transport)->fd);
	free(transport);
}

static const struct vkmt_transport_ops ops = {
	.get_caps = get_caps,
	.init = init,
	.blob_create = blob_create,
	.blob_map = blob_map,
	.blob_close = blob_close,
	.submit = submit,
	.import = import,
	.export = export,
	.free = virtgpu_free,
};

/* @return 1: the node speaks the protocol, and is the transport's; 0: another; -1: there is none. */
static int try_node(struct virtgpu *virtgpu, unsigned int minor)
{
	struct vhsakmt_capset capset;
	char path[64];

	snprintf(path, sizeof(path), "/dev/dri/renderD%u", minor);
	virtgpu->fd = open(path, O_RDWR | O_CLOEXEC);
	if (virtgpu->fd < 0)
		return errno == ENOENT ? -1 : 0;
	if (get_caps(&virtgpu->transport, &capset) >= 0 &&
	    capset.context_type == VIRTIO_CONTEXT_TYPE_AMDGPU)
		return 1;
	close(virtgpu->fd);
	return 0;
}

int vkmt_virtgpu_open(struct vkmt_transport **out)
{
	struct virtgpu *virtgpu = calloc(1, sizeof(*virtgpu));
	int looked_at = 0;

	if (!virtgpu)
		return -ENOMEM;
	virtgpu->transport.ops = &ops;
	for (unsigned int minor = RENDER_FIRST; minor <= RENDER_LAST; minor++) {
		int found = try_node(virtgpu, minor);

		if (found == 1) {
			*out = &virtgpu->transport;
			return 0;
		}
		looked_at += found == 0;
		if (looked_at == NODES_MAX)
			break;
	}
	free(virtgpu);
	return -ENODEV;
}
