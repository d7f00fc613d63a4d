/* SPDX-License-Identifier: MIT */
/*
 * A simulated virtio-gpu: a render node whose requests go to a host in another process, as a guest's
 * kernel would hand them on (virtio/loopback.h). For programs that run as if in a virtual machine:
 * KFDSCOPE_PRELOAD_ONLY=virtio-gpu, with the host's socket in KFDSCOPE_VIRTIO_SOCKET.
 */
#ifndef KFDSCOPE_THUNK_MODEL_PRELOAD_VIRTGPU_H
#define KFDSCOPE_THUNK_MODEL_PRELOAD_VIRTGPU_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct vkmt_transport;

/* @return whether the path is the node's, and the environment asks for it. */
bool preload_virtgpu_is(const char *path);
/* Connects to the host. @return 0 or -errno: -ENODEV when there is none. */
int preload_virtgpu_open(struct vkmt_transport **out);
void preload_virtgpu_close(struct vkmt_transport *transport);
/* Answers a DRM request. @return its result or -errno. */
int preload_virtgpu_ioctl(struct vkmt_transport *transport, unsigned long request, void *arg);
/* Maps a blob at the offset that the MAP request gave. @return MAP_FAILED with errno set. */
void *preload_virtgpu_mmap(struct vkmt_transport *transport, void *addr, size_t size, int flags,
			   off_t offset);

#endif
