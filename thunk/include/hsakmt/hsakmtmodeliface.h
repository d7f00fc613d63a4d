/* SPDX-License-Identifier: MIT */
/*
 * The plug-in interface of a software model: a shared object that answers instead of the kernel
 * (environment variables HSA_MODEL_LIB and HSA_MODEL_TOPOLOGY). It exports one function,
 * get_hsakmt_model_functions(), which returns a static table that starts with two version words.
 *
 * Two generations exist, and they have nothing in common behind the version words:
 *   0.4  the library emulates the KFD itself; the plug-in is a set of GPUs that run queues
 *   1.x  the plug-in is the KFD (and, since 1.1, the DRM driver): ioctls are handed to it verbatim
 * A plug-in looks at no environment but its own, and never calls the library.
 */
#ifndef KFDSCOPE_HSAKMT_HSAKMTMODELIFACE_H
#define KFDSCOPE_HSAKMT_HSAKMTMODELIFACE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Name of the function to look up in the plug-in. */
#define HSAKMT_MODEL_ENTRY_POINT "get_hsakmt_model_functions"

/* --- Interface 0.4 --- */

#define HSAKMT_MODEL_INTERFACE_VERSION_MAJOR 0
#define HSAKMT_MODEL_INTERFACE_VERSION_MINOR 4

typedef struct hsakmt_model hsakmt_model_t;             /* one GPU; the plug-in's */
typedef struct hsakmt_model_queue hsakmt_model_queue_t; /* one queue; the plug-in's */

/* Signals an event; may be called from any thread. */
typedef void (*hsakmt_model_set_event_fn)(void *data, unsigned int event_id);

/* A new queue. Addresses are GPU addresses, that is: relative to the global aperture. */
struct hsakmt_model_queue_info {
	uint64_t ring_base_address;
	uint64_t write_pointer_address;
	uint64_t read_pointer_address;
	uint64_t *doorbell;  /* NULL: find it through the allocations */
	uint32_t ring_size;  /* bytes */
	uint32_t queue_type; /* KFD_IOC_QUEUE_TYPE_* */
};

struct hsakmt_model_functions {
	uint32_t version_major; /* 0 */
	uint32_t version_minor; /* at least 4 */

	/* Makes one GPU. */
	hsakmt_model_t *(*create)(void);
	void (*destroy)(hsakmt_model_t *model);
	/* Says which host address GPU address 0 is at, and how many bytes the window has. */
	void (*set_global_aperture)(hsakmt_model_t *model, void *base, uint64_t size);
	/* Says after each allocation and free what happened; base is a GPU address. */
	void (*alloced_memory)(hsakmt_model_t *model, void *base, uint64_t size, uint32_t flags);
	void (*freed_memory)(hsakmt_model_t *model, void *base, uint64_t size);
	/* Deprecated, never called. */
	void (*set_notify_event)(hsakmt_model_t *model, void (*callback)(void *data), void *data);
	/* Never called. */
	void (*set_wait_event)(hsakmt_model_t *model,
			       void (*callback)(void *data, uint64_t address, uint64_t age),
			       void *data);
	/* Starts to serve a queue, in threads of the plug-in's own. */
	hsakmt_model_queue_t *(*register_queue)(hsakmt_model_t *model,
						struct hsakmt_model_queue_info *info);
	/* Gives the function with which the GPU signals events. */
	void (*set_set_event)(hsakmt_model_t *model, hsakmt_model_set_event_fn fn, void *data);
	/* Stops and removes a queue; since 0.3. */
	void (*destroy_queue)(hsakmt_model_t *model, hsakmt_model_queue_t *queue);
};

/* The plug-in's entry point; a 1.x plug-in returns its other table through the same pointer. */
typedef const struct hsakmt_model_functions *(*get_hsakmt_model_functions_t)(void);

/* --- Interface 1.x --- */

#define HSAKMT_MODEL_V1_VERSION_MAJOR 1
#define HSAKMT_MODEL_V1_VERSION_MINOR 1

/* What cmd of handle_drm_call() says, and the type that arg then has. */
enum hsakmt_model_drm_cmd {
	HSAKMT_MODEL_DRM_BO_VA_OP = 0,             /* struct hsakmt_model_drm_bo_va_op */
	HSAKMT_MODEL_DRM_BO_FREE = 1,              /* struct hsakmt_model_drm_bo_free */
	HSAKMT_MODEL_DRM_BO_IMPORT = 2,            /* struct hsakmt_model_drm_bo_import */
	HSAKMT_MODEL_DRM_BO_EXPORT = 3,            /* struct hsakmt_model_drm_bo_export */
	HSAKMT_MODEL_DRM_BO_CPU_MAP = 4,           /* struct hsakmt_model_drm_bo_cpu_map */
	HSAKMT_MODEL_DRM_BO_QUERY_INFO = 5,        /* struct hsakmt_model_drm_bo_query_info */
	HSAKMT_MODEL_DRM_BO_SET_METADATA = 6,      /* struct hsakmt_model_drm_bo_set_metadata */
	HSAKMT_MODEL_DRM_COMMAND_WRITE_READ = 7,   /* struct hsakmt_model_drm_command */
	HSAKMT_MODEL_DRM_OPEN_RENDER = 8,          /* struct hsakmt_model_drm_open_render */
	HSAKMT_MODEL_DRM_CLOSE = 9,                /* struct hsakmt_model_drm_close */
	HSAKMT_MODEL_DRM_DEVICE_INITIALIZE = 10,   /* struct hsakmt_model_drm_device_init */
	HSAKMT_MODEL_DRM_DEVICE_DEINITIALIZE = 11, /* struct hsakmt_model_drm_device_fini */
	HSAKMT_MODEL_DRM_DEVICE_GET_FD = 12,       /* struct hsakmt_model_drm_device_get_fd */
	HSAKMT_MODEL_DRM_GET_MARKETING_NAME = 13,  /* struct hsakmt_model_drm_marketing_name */
	HSAKMT_MODEL_DRM_QUERY_GPU_INFO = 14,      /* struct hsakmt_model_drm_query_gpu_info */
	HSAKMT_MODEL_DRM_COUNT = 15,
};

/*
 * The arguments. Objects of libdrm are plain pointers, since the plug-in makes its own: a bo or dev
 * that it gave out comes back to it and is never handed to libdrm. The structures behind result,
 * info and metadata are libdrm's.
 */
struct hsakmt_model_drm_bo_va_op {
	void *bo;
	uint64_t offset, size, addr, flags;
	uint32_t ops; /* AMDGPU_VA_OP_* */
};

struct hsakmt_model_drm_bo_free {
	void *bo;
};

struct hsakmt_model_drm_bo_import {
	int fd;
	uint32_t type; /* enum amdgpu_bo_handle_type */
	void *result;  /* out: struct amdgpu_bo_import_result */
};

struct hsakmt_model_drm_bo_export {
	void *bo;
	uint32_t type;
	uint32_t *handle; /* out */
};

struct hsakmt_model_drm_bo_cpu_map {
	void *bo;
	void **cpu; /* out */
};

struct hsakmt_model_drm_bo_query_info {
	void *bo;
	void *info; /* out: struct amdgpu_bo_info */
};

struct hsakmt_model_drm_bo_set_metadata {
	void *bo;
	void *metadata; /* struct amdgpu_bo_metadata */
};

struct hsakmt_model_drm_command {
	int fd;
	unsigned long cmd;
	void *data; /* in/out */
	unsigned int size;
};

struct hsakmt_model_drm_open_render {
	int minor;
	int *fd; /* out; the caller's to close by HSAKMT_MODEL_DRM_CLOSE */
};

struct hsakmt_model_drm_close {
	int fd;
};

struct hsakmt_model_drm_device_init {
	int fd;
	uint32_t *major, *minor; /* out */
	void **dev;              /* out */
};

struct hsakmt_model_drm_device_fini {
	void *dev;
};

struct hsakmt_model_drm_device_get_fd {
	void *dev;
	int *fd; /* out; stays the device's */
};

struct hsakmt_model_drm_marketing_name {
	void *dev;
	const char **name; /* out, may be set to NULL; stays the plug-in's */
};

struct hsakmt_model_drm_query_gpu_info {
	void *dev;
	void *info; /* out: struct amdgpu_gpu_info */
};

/* Each function returns 0 or a descriptor, or -1 with errno set. */
struct hsakmt_model_functions_v1 {
	uint32_t version_major; /* 1 */
	uint32_t version_minor;

	/*
	 * Makes the file that backs all memory: what the library takes for the KFD's descriptor.
	 * The first call initialises the plug-in.
	 */
	int (*create_memfd)(void);
	/*
	 * Answers one KFD ioctl. Calls are serialised by the library except for WAIT_EVENTS, which
	 * may sleep while other calls go on.
	 */
	int (*handle_ioctl)(unsigned long request, void *arg);
	/* Answers one DRM call; since 1.1, may be NULL (then every call is a success). */
	int (*handle_drm_call)(unsigned int cmd, void *arg);
};

#ifdef __cplusplus
}
#endif

#endif
