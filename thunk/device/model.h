/* SPDX-License-Identifier: MIT */
/* The loaded model plug-in, shared by the two halves of its door. */
#ifndef KFDSCOPE_THUNK_DEVICE_MODEL_H
#define KFDSCOPE_THUNK_DEVICE_MODEL_H

#include "device/device.h"
#include "hsakmt/hsakmtmodeliface.h"

/*
 * Our own plug-in's extra entry: mmap offsets of /dev/kfd have type bits that are negative as file
 * offsets (kfd.md 3), which a memory file refuses. Plug-ins without it give plain file offsets.
 */
typedef void *(*device_model_mmap_fn)(int fd, void *addr, size_t size_bytes, int prot, int flags,
				      off_t offset);
#define DEVICE_MODEL_MMAP_SYMBOL "kfdscope_model_mmap"

struct device_model {
	const struct hsakmt_model_functions_v1 *functions; /* borrowed from the plug-in */
	device_model_mmap_fn mmap;                         /* NULL: none */
	int kfd_fd; /* borrowed; the backing file, that 1.0 uses as render node too */
};

/*
 * Makes a KFD for a plug-in of interface 0.4.
 *
 * @param path     of the plug-in, for messages.
 * @param engines  its table, borrowed.
 * @param library  out: a plug-in of interface 1.x that speaks for it.
 * @return 0; -EPROTO for a version before 0.4, -ELIBBAD for an incomplete table or a KFD that takes no
 *         engines, -ENOENT without one, -EBUSY when it has others; logged.
 */
int device_model_load_v04(const char *path, const struct hsakmt_model_functions *engines,
			  void **library);

/* The lock around every call into the plug-in but WAIT_EVENTS (model.md 3). */
void device_model_lock(void);
void device_model_unlock(void);

/* The DRM half: interface 1.1's handler, or what stands for it with 1.0. */
int device_model_drm(struct device *dev, enum device_drm_cmd cmd, union device_drm_args *args);

#endif
