/* SPDX-License-Identifier: MIT */
/*
 * The tracer at the libc boundary: it follows the descriptors of /dev/kfd and the render nodes, and
 * hands their calls through the same decorated operations as libhsakmt does (trace/device.c), so that
 * the events are the same. Everything else of the program goes straight on to the next definition.
 *
 * Not seen are system calls that do not go through libc's functions, and descriptors that come from
 * another process or over a socket.
 */
#ifndef KFDSCOPE_TRACE_PRELOAD_PRELOAD_H
#define KFDSCOPE_TRACE_PRELOAD_PRELOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "device/device.h"
#include "layer.h"

/* --- Which descriptors are devices (fds.c); lock-free --- */

enum preload_kind {
	PRELOAD_OTHER, /* none of our business */
	PRELOAD_KFD,
	PRELOAD_RENDER,
};

/* Numbers above are not followed. */
enum { PRELOAD_FDS_MAX = 65536 };

extern uint8_t preload_kinds[PRELOAD_FDS_MAX] __attribute__((visibility("hidden")));

static inline enum preload_kind preload_kind(int fd)
{
	if (fd < 0 || fd >= PRELOAD_FDS_MAX)
		return PRELOAD_OTHER;
	return (enum preload_kind)__atomic_load_n(&preload_kinds[fd], __ATOMIC_RELAXED);
}

/* What a path names, by its text alone. */
enum preload_kind preload_kind_of_path(const char *path);
/* fd has become a descriptor of that kind. Between vfork() and exec() the parent's table stays. */
void preload_fd_set(int fd, enum preload_kind kind);
/* In a forked child: the table is the child's own. */
void preload_fds_forked(void);

/* --- Mappings of devices (ranges.c); lock-free --- */

/* A device was mapped there. */
void preload_range_add(uint64_t address);
/* @return true when a device's mapping begins there; it no longer does then. */
bool preload_range_take(uint64_t address);
bool preload_range_known(uint64_t address);

/* --- The device operations behind the events (device.c) --- */

/* One device serves all descriptors. */
struct device *preload_device(void);
/* A call on a render node: what the decorated operation is given, and what it does. */
struct preload_drm_call {
	union device_drm_args args; /* first: the operation is given its address */
	unsigned long request;
};
/*
 * True when calls of this thread are to be recorded now; false as long as another of our objects, such
 * as libhsakmt above us, records the call that this one is part of.
 */
static inline bool preload_records(void)
{
	const struct trace_provider *provider = trace_provider_get();

	return __builtin_expect(provider != NULL, 0) && *provider->device_depth() == 0;
}

/* --- What is alive (live.c), learned from ioctls that succeeded --- */

struct preload_bo {
	uint64_t handle, address, size_bytes;
	uint32_t gpu_id, flags;
	bool is_import;
	uint64_t maker; /* maker.h */
	uint64_t order; /* in which objects were noted; so in the next two */
};

struct preload_queue {
	uint32_t id, gpu_id, type, percentage, priority;
	uint64_t ring, ring_size_bytes, read_pointer, write_pointer;
	uint64_t eop, eop_size_bytes, save_area, save_area_size_bytes;
	uint64_t maker, order;
};

struct preload_event {
	uint32_t id, type, node_id;
	bool auto_reset;
	uint64_t maker, order;
};

struct preload_visitor {
	void (*bo)(const struct preload_bo *bo, void *data);
	void (*queue)(const struct preload_queue *queue, void *data);
	void (*event)(const struct preload_event *event, void *data);
};

/* True for ioctls that make an object. */
bool preload_live_makes(unsigned long request);
/* To be asked before an ioctl is made. @return the place of the last object that was noted. */
uint64_t preload_live_order(void);
/*
 * An ioctl of the KFD has succeeded. Once it has ended an object, other threads may be given the same number
 * and be here first: theirs stays. @param order  preload_live_order() before it. @param maker  of what it made
 * (maker.h)
 */
void preload_live_note(unsigned long request, const void *arg, uint64_t order, uint64_t maker);
/* The driver's version, once the program has asked for it; 0.0 before. */
void preload_live_version(uint32_t *major, uint32_t *minor);
/* Visits everything, under a lock: the visitor must not make calls of the device. */
void preload_live_visit(const struct preload_visitor *visitor, void *data);
/* In a forked child: nothing is alive. */
void preload_live_forked(void);

/* --- State dumps (state.c) --- */

/* The KFD was opened: tells who records and, the first time, of the nodes. */
void preload_opened(void);

#endif
