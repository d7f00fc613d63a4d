/* SPDX-License-Identifier: MIT */
/*
 * The one door to the outside: every system call that the thunk makes for the KFD goes through a
 * table of operations. The kernel device, a model plug-in and a guest transport are three tables;
 * trace/device.c decorates whichever is in use, and tests put a fake one in its place.
 */
#ifndef KFDSCOPE_THUNK_DEVICE_DEVICE_H
#define KFDSCOPE_THUNK_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct device;

/*
 * DRM calls in the numbering of the model interface 1.x (model.md 3), so that a plug-in gets them
 * unchanged.
 */
enum device_drm_cmd {
	DEVICE_DRM_BO_VA_OP = 0,
	DEVICE_DRM_BO_FREE = 1,
	DEVICE_DRM_BO_IMPORT = 2,
	DEVICE_DRM_BO_EXPORT = 3,
	DEVICE_DRM_BO_CPU_MAP = 4,
	DEVICE_DRM_BO_QUERY_INFO = 5,
	DEVICE_DRM_BO_SET_METADATA = 6,
	DEVICE_DRM_COMMAND_WRITE_READ = 7,
	DEVICE_DRM_OPEN_RENDER = 8,
	DEVICE_DRM_CLOSE = 9,
	DEVICE_DRM_DEVICE_INITIALIZE = 10,
	DEVICE_DRM_DEVICE_DEINITIALIZE = 11,
	DEVICE_DRM_DEVICE_GET_FD = 12,
	DEVICE_DRM_GET_MARKETING_NAME = 13,
	DEVICE_DRM_QUERY_GPU_INFO = 14,
};

/* Arguments of the DRM calls, one member a command. Pointers are borrowed for the call. */
union device_drm_args {
	struct {
		void *bo;
		uint64_t offset_bytes, size_bytes, addr, flags;
		uint32_t ops; /* AMDGPU_VA_OP_MAP or AMDGPU_VA_OP_UNMAP */
	} bo_va_op;
	struct {
		void *bo;
	} bo_free;
	struct {
		void *dev;
		uint32_t type; /* enum amdgpu_bo_handle_type */
		uint32_t shared_handle;
		void *result; /* struct amdgpu_bo_import_result, out */
	} bo_import;
	struct {
		void *bo;
		uint32_t type;
		uint32_t *handle; /* out */
	} bo_export;
	struct {
		void *bo;
		void **cpu; /* out */
	} bo_cpu_map;
	struct {
		void *bo;
		void *info; /* struct amdgpu_bo_info, out */
	} bo_query_info;
	struct {
		void *bo;
		void *metadata; /* struct amdgpu_bo_metadata */
	} bo_set_metadata;
	struct {
		int fd;
		unsigned long command;
		void *data; /* in/out */
		size_t size_bytes;
	} command_write_read;
	struct {
		int minor;
		int fd; /* out */
	} open_render;
	struct {
		int fd;
	} close;
	struct {
		int fd;
		bool no_dedup;         /* a device of its own: secondary contexts (context.md 6) */
		uint32_t major, minor; /* out */
		void *dev;             /* out */
	} device_initialize;
	struct {
		void *dev;
	} device_deinitialize;
	struct {
		void *dev;
		int fd; /* out */
	} device_get_fd;
	struct {
		void *dev;
		const char *name; /* out, may be NULL */
	} get_marketing_name;
	struct {
		void *dev;
		void *info; /* struct amdgpu_gpu_info, out */
	} query_gpu_info;
};

/*
 * All integer results are 0 (or a descriptor, or a byte count) on success and -errno on failure;
 * the caller's errno is not meant to be read. mmap returns MAP_FAILED with errno set.
 */
struct device_ops {
	const char *name; /* "kernel", "model", … */

	/* Opens the KFD itself. Returns the descriptor. */
	int (*open_kfd)(struct device *dev);
	/* Any other file made for the device: udmabuf, sysfs directories. */
	int (*open)(struct device *dev, const char *path, int flags);
	int (*close)(struct device *dev, int fd);
	/* Reads at most size-1 bytes of a (sysfs, proc) file and ends them with a NUL. */
	ssize_t (*read_file)(struct device *dev, const char *path, char *buf, size_t size);
	/* Number of entries of a directory, without . and .. */
	int (*count_dir)(struct device *dev, const char *path);
	/* One attempt, no restart: kmt_ioctl() in context.h restarts. */
	int (*ioctl)(struct device *dev, int fd, unsigned long request, void *arg);

	void *(*mmap)(struct device *dev, void *addr, size_t size_bytes, int prot, int flags,
		      int fd, off_t offset);
	int (*munmap)(struct device *dev, void *addr, size_t size_bytes);
	int (*madvise)(struct device *dev, void *addr, size_t size_bytes, int advice);
	int (*mbind)(struct device *dev, void *addr, size_t size_bytes, int mode,
		     const unsigned long *mask, unsigned long max_node, unsigned int flags);

	int (*drm)(struct device *dev, enum device_drm_cmd cmd, union device_drm_args *args);
};

/*
 * An opened KFD. One for the primary context and one for each secondary context; both kinds share
 * the render-node descriptors rule: they live as long as the process (openclose.md 1).
 */
struct device {
	const struct device_ops *ops;      /* what to call; may be a decorator */
	const struct device_ops *base_ops; /* what the decorator calls in turn */
	const char *topology_root;         /* owned; directory that holds nodes/, generation_id */
	bool is_model;                     /* a model plug-in answers instead of the kernel */
	void *priv;                        /* owned by the base operations */
};

/* Called by device_open() on each new device; it may replace dev->ops and must keep base_ops. */
typedef void (*device_decorator)(struct device *dev);

/*
 * Sets the function that decorates every device opened from now on; NULL for none. Called by
 * trace/entry.c before the first open. Not thread-safe by itself: the caller holds the global lock.
 */
void device_set_decorator(device_decorator decorator);

/*
 * Makes the device that the environment asks for: a model plug-in when HSA_MODEL_TOPOLOGY is set,
 * else the kernel. Does not open /dev/kfd yet.
 *
 * @param out  the device, the caller's to device_free().
 * @return 0 or -errno: -ENOMEM; -ENOENT, -ELIBBAD or -EPROTO when the model plug-in is missing, is
 *         no plug-in, or speaks another interface version (the reason is logged).
 */
int device_new(struct device **out) __attribute__((warn_unused_result));

/* Frees the device; accepts NULL. Does not close descriptors. */
void device_free(struct device *dev);

#endif
