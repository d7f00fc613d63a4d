/* SPDX-License-Identifier: MIT */
/*
 * The simulated GPUs in sysfs and /dev/dri: a PCI device each with its two DRM devices, and the links
 * by class, bus and device number that lead there.
 */
#ifndef KFDSCOPE_THUNK_MODEL_PRELOAD_GPUS_H
#define KFDSCOPE_THUNK_MODEL_PRELOAD_GPUS_H

#include "virtual.h"

struct kfd_model_node;

/* As their namesakes of virtual.h; the second tells whether the path is one of these. */
bool preload_gpus_find(struct kfd_model *model, const char *path, struct preload_entry *out);
bool preload_gpus_text(struct kfd_model *model, const char *path, char text[PRELOAD_TEXT_MAX],
		       size_t *length);
bool preload_gpus_child(struct kfd_model *model, const char *path, unsigned int n, char name[64],
			enum preload_entry_type *type);
/* Whether the path lies in the directory of a simulated GPU. */
bool preload_gpus_owns(struct kfd_model *model, const char *path);
/*
 * The GPU of a device node such as renderD128 or card0.
 * @param minor  out: its number as a DRM device.
 * @return NULL when no GPU has it.
 */
const struct kfd_model_node *preload_gpus_device(struct kfd_model *model, const char *name,
						 uint32_t *minor);

#endif
