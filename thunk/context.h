/* SPDX-License-Identifier: MIT */
/*
 * A context: one KFD descriptor and everything that depends on it (context.md). The primary one is
 * in static storage and serves all plain hsaKmt* calls; secondary ones come from
 * kmt_open_secondary_kfd().
 *
 * Lock order: kmt_global_lock(), then a module's own locks. Never hold the global lock during
 * WAIT_EVENTS.
 */
#ifndef KFDSCOPE_THUNK_CONTEXT_H
#define KFDSCOPE_THUNK_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hsakmt/hsakmttypes.h"
#include "device/device.h"

struct kmt_topology; /* topology/topology.c */
struct kmt_fmm;      /* memory/ */
struct kmt_queues;   /* queue/ */
struct kmt_events;   /* event/ */
struct kmt_debug;    /* debug/ */
struct kmt_perf;     /* perf/ */
struct kmt_renders;  /* render/ */

struct kmt_context {
	int fd;      /* the KFD; -1 when closed */
	uint32_t id; /* 0 for the primary context, then counted up; shown in traces */
	bool is_primary;
	bool svm_api_supported; /* HSA_USE_SVM and every GPU's capability (openclose.md 1) */
	bool svm_api_allowed;   /* HSA_USE_SVM alone */
	bool svm_api_asked;     /* HSA_USE_SVM is set, and not to 0 */
	struct device *device;  /* owned; NULL before the first open */

	/* The six parts, each owned, made and freed by its module (kmt_*_new / kmt_*_free). */
	struct kmt_fmm *fmm;
	struct kmt_topology *topology;
	struct kmt_queues *queues;
	struct kmt_events *events;
	struct kmt_debug *debug;
	struct kmt_perf *perf;

	struct kmt_renders *renders; /* owned; render nodes, kept until the process or fd ends */
	struct kmt_context *next;    /* list of the secondary contexts, under the list's lock */
};

/* Process-wide facts that are set by the first open and never change afterwards. */
struct kmt_process {
	size_t page_size_bytes;
	unsigned int page_shift;
	uint32_t kfd_major, kfd_minor; /* as GET_VERSION answered */
	bool zero_frame_buffer;        /* HSA_ZFB */
	int udmabuf_fd;                /* -1 when not opened */
	bool is_dgpu; /* any node without CPU cores and with SIMDs (topology.md 8) */
};

/* The primary context. Never NULL; usable only after kmt_open_kfd(). */
struct kmt_context *kmt_primary(void);

/* Process-wide facts; zero before the first open. */
const struct kmt_process *kmt_process(void);
/* Recomputed by each aperture initialisation; the caller holds the global lock. */
void kmt_process_set_dgpu(bool is_dgpu);

/*
 * True when calls may use the context: opened, and not inherited through a fork. Every API function
 * returns HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED when this is false.
 */
bool kmt_context_usable(const struct kmt_context *ctx);

/*
 * Notes that a program built for 5.2.3 is calling: one of the older structure layouts was asked for.
 * Such a program takes registered host memory to have a GPU address of its own and unknown pointers
 * to be refused (memory.md 21): HIP 5.2.3 aborts in hipHostUnregister otherwise. So its memory is
 * registered as that release did it, unless HSA_USE_SVM asks for the SVM interface by name.
 */
void kmt_note_client_523(void);

/* True when registrations and unknown pointers go through the SVM interface (memory.md 10). */
bool kmt_svm_registers(const struct kmt_context *ctx);

/* True when the kernel's interface is at least 1.minor. */
static inline bool kmt_kfd_at_least(uint32_t minor)
{
	return kmt_process()->kfd_minor >= minor;
}

/* The lock that serialises open, close, topology and event creation. Re-made in a forked child. */
void kmt_global_lock(void);
void kmt_global_unlock(void);

/*
 * Issues a KFD ioctl on the context's descriptor. Restarts while the call is interrupted (EINTR,
 * EAGAIN); on EBADF it checks whether the process is an undetected fork.
 *
 * @return 0 or -errno; DBG_TRAP may give a count above 0.
 */
int kmt_ioctl(struct kmt_context *ctx, unsigned long request, void *arg);

/*
 * The other system calls, through the context's device (device.h has the contracts).
 * kmt_mmap returns MAP_FAILED with errno set.
 */
void *kmt_mmap(struct kmt_context *ctx, void *addr, size_t size_bytes, int prot, int flags, int fd,
	       int64_t offset);
int kmt_munmap(struct kmt_context *ctx, void *addr, size_t size_bytes);
int kmt_madvise(struct kmt_context *ctx, void *addr, size_t size_bytes, int advice);
int kmt_drm(struct kmt_context *ctx, enum device_drm_cmd cmd, union device_drm_args *args);

/*
 * Opens (once per process and context) the render node of a DRM minor and initialises a libdrm
 * device on it where that works (openclose.md 5).
 *
 * @param minor  128..255.
 * @return the descriptor, owned by the context's device cache, or -errno (-EINVAL: out of range).
 */
int kmt_render_open(struct kmt_context *ctx, uint32_t minor);
/* The libdrm device of an opened render node; NULL when there is none. Borrowed. */
void *kmt_render_drm_device(struct kmt_context *ctx, uint32_t minor);

/* Messages for HSAKMT_DEBUG_LEVEL: 3 error, 4 warning, 6 info, 7 debug. Off by default. */
enum kmt_log_level { KMT_LOG_ERR = 3, KMT_LOG_WARNING = 4, KMT_LOG_INFO = 6, KMT_LOG_DEBUG = 7 };
void kmt_log(enum kmt_log_level level, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Reads an environment variable as the spec's "set and not 0" flag (openclose.md 6). */
bool kmt_env_flag(const char *name);

/* size rounded up to a multiple of align, a power of two. */
static inline uint64_t kmt_round_up(uint64_t size, uint64_t align)
{
	return (size + align - 1) & ~(align - 1);
}

#endif
