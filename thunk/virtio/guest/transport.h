/* SPDX-License-Identifier: MIT */
/*
 * What carries the guest's messages: a virtio-gpu's render node, or a loopback to a host in another
 * process. All results are 0 or -errno unless said otherwise; all functions may be called by several
 * threads at once.
 */
#ifndef KFDSCOPE_THUNK_VIRTIO_GUEST_TRANSPORT_H
#define KFDSCOPE_THUNK_VIRTIO_GUEST_TRANSPORT_H

#include <stddef.h>
#include <stdint.h>

#include "virtio/proto.h"

/* VIRTGPU_BLOB_MEM_* and VIRTGPU_BLOB_FLAG_*. */
enum { VKMT_MEM_HOST3D = 2, VKMT_MEM_HOST3D_GUEST = 3 };
enum { VKMT_BLOB_MAPPABLE = 1, VKMT_BLOB_USERPTR = 8 };

struct vkmt_blob {
	uint32_t mem, flags;
	uint64_t size_bytes, blob_id;
	void *pages; /* VKMT_BLOB_USERPTR: page-aligned memory of the caller */
};

struct vkmt_transport {
	const struct vkmt_transport_ops *ops;
};

struct vkmt_transport_ops {
	int (*get_caps)(struct vkmt_transport *transport, struct vhsakmt_capset *out);
	/* Makes the context, with the protocol's capset and number of rings. */
	int (*init)(struct vkmt_transport *transport);
	/* @param handle, res_id  out: the guest kernel's and the host's name of the resource. */
	int (*blob_create)(struct vkmt_transport *transport, const struct vkmt_blob *blob,
			   uint32_t *handle, uint32_t *res_id);
	/*
	 * Maps a resource.
	 * @param at     address, or NULL.
	 * @param fixed  0, MAP_FIXED or MAP_FIXED_NOREPLACE.
	 * @return MAP_FAILED with errno set.
	 */
	void *(*blob_map)(struct vkmt_transport *transport, uint32_t handle, uint64_t size_bytes,
			  void *at, int fixed);
	int (*blob_close)(struct vkmt_transport *transport, uint32_t handle);
	/*
	 * Submits a command stream on ring 0.
	 * @param fence  out: a descriptor that becomes readable when it is done, or -1: it is done.
	 */
	int (*submit)(struct vkmt_transport *transport, const void *stream, size_t bytes,
		      int *fence);
	/* Makes a resource of a dma-buf. */
	int (*import)(struct vkmt_transport *transport, int fd, uint32_t *handle, uint32_t *res_id);
	/* @return a dma-buf of the resource, or -errno. */
	int (*export)(struct vkmt_transport *transport, uint32_t handle);
	/* Gives everything up. */
	void (*free)(struct vkmt_transport *transport);
};

/* Looks for a render node that speaks the protocol. @return 0, -ENODEV: there is none, -ENOMEM. */
int vkmt_virtgpu_open(struct vkmt_transport **out);
/* Connects to a host at a socket. */
int vkmt_loopback_open(const char *socket_path, struct vkmt_transport **out);

#endif
