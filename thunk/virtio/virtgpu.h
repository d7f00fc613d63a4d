/* SPDX-License-Identifier: MIT */
/*
 * The requests of the virtio-gpu driver that the protocol needs, as the kernel has them; older user
 * headers lack the newer ones. Requests go by their number, so that sizes may grow.
 */
#ifndef KFDSCOPE_THUNK_VIRTIO_VIRTGPU_H
#define KFDSCOPE_THUNK_VIRTIO_VIRTGPU_H

#include <stdint.h>
#include <sys/ioctl.h>

#define VIRTGPU_NR(offset)               (0x40 + (offset))
#define VIRTGPU_IOCTL(offset, structure) _IOWR('d', VIRTGPU_NR(offset), structure)

enum {
	VIRTGPU_MAP = 0x01,
	VIRTGPU_EXECBUFFER = 0x02,
	VIRTGPU_RESOURCE_INFO = 0x05,
	VIRTGPU_GET_CAPS = 0x09,
	VIRTGPU_RESOURCE_CREATE_BLOB = 0x0a,
	VIRTGPU_CONTEXT_INIT = 0x0b,
};
enum { VIRTGPU_FENCE_FD_OUT = 2, VIRTGPU_RING_IDX = 4 };
enum { VIRTGPU_PARAM_CAPSET_ID = 1, VIRTGPU_PARAM_NUM_RINGS = 2 };

/* Of the DRM core, for all drivers. */
enum { DRM_GEM_CLOSE_NR = 0x09, DRM_PRIME_TO_FD_NR = 0x2d, DRM_PRIME_TO_HANDLE_NR = 0x2e };
#define DRM_GEM_CLOSE       _IOW('d', DRM_GEM_CLOSE_NR, struct virtgpu_gem_close)
#define DRM_PRIME_TO_FD     _IOWR('d', DRM_PRIME_TO_FD_NR, struct virtgpu_prime)
#define DRM_PRIME_TO_HANDLE _IOWR('d', DRM_PRIME_TO_HANDLE_NR, struct virtgpu_prime)

struct virtgpu_gem_close {
	uint32_t handle;
	uint32_t pad;
};

struct virtgpu_prime {
	uint32_t handle;
	uint32_t flags;
	int32_t fd;
};

struct virtgpu_map {
	uint64_t offset; /* out: for mmap */
	uint32_t handle;
	uint32_t pad;
};

struct virtgpu_execbuffer {
	uint32_t flags;
	uint32_t size;
	uint64_t command;
	uint64_t bo_handles;
	uint32_t num_bo_handles;
	int32_t fence_fd; /* out */
	uint32_t ring_idx;
	uint32_t syncobj_stride;
	uint32_t num_in_syncobjs;
	uint32_t num_out_syncobjs;
	uint64_t in_syncobjs;
	uint64_t out_syncobjs;
};

struct virtgpu_execbuffer_syncobj {
	uint32_t handle;
	uint32_t flags;
	uint64_t point;
};

struct virtgpu_resource_info {
	uint32_t bo_handle;
	uint32_t res_handle; /* out */
	uint32_t size;
	uint32_t blob_mem;
};

struct virtgpu_get_caps {
	uint32_t cap_set_id;
	uint32_t cap_set_ver;
	uint64_t addr;
	uint32_t size;
	uint32_t pad;
};

/* With the two members behind blob_id that a kernel for this protocol has. */
struct virtgpu_resource_create_blob {
	uint32_t blob_mem;
	uint32_t blob_flags;
	uint32_t bo_handle;  /* out */
	uint32_t res_handle; /* out */
	uint64_t size;
	uint32_t pad;
	uint32_t cmd_size;
	uint64_t cmd;
	uint64_t blob_id;
	uint64_t userptr;
	int64_t offset; /* out: of the range in a blob that was there already */
};

struct virtgpu_context_param {
	uint64_t param;
	uint64_t value;
};

struct virtgpu_context_init {
	uint32_t num_params;
	uint32_t pad;
	uint64_t params;
};

#endif
