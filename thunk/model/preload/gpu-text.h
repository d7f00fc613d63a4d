/* SPDX-License-Identifier: MIT */
/* The texts of a GPU's files in sysfs, and the targets of its links. */
#ifndef KFDSCOPE_THUNK_MODEL_PRELOAD_GPU_TEXT_H
#define KFDSCOPE_THUNK_MODEL_PRELOAD_GPU_TEXT_H

#include "process.h"
#include "virtual.h"

#define PRELOAD_SLOT_BYTES 64

/* Writes a text into PRELOAD_TEXT_MAX bytes. */
typedef void (*preload_gpu_text_fn)(struct kfd_model *model, const struct kfd_model_node *node,
				    char *text);

/* Name of the GPU as a PCI device; no two have the same, whatever the topology says. */
void preload_gpu_slot(const struct kfd_model *model, const struct kfd_model_node *node,
		      char slot[PRELOAD_SLOT_BYTES]);

/* The PCI configuration space, which is no text. @return its length. */
size_t preload_gpu_config(const struct kfd_model_node *node, char text[PRELOAD_TEXT_MAX]);

#define PRELOAD_GPU_TEXT(name)                                                                     \
	void preload_gpu_text_##name(struct kfd_model *model, const struct kfd_model_node *node,   \
				     char *text);

PRELOAD_GPU_TEXT(class)
PRELOAD_GPU_TEXT(device)
PRELOAD_GPU_TEXT(driver)
PRELOAD_GPU_TEXT(card_dev)
PRELOAD_GPU_TEXT(card_uevent)
PRELOAD_GPU_TEXT(render_dev)
PRELOAD_GPU_TEXT(render_uevent)
PRELOAD_GPU_TEXT(parent)
PRELOAD_GPU_TEXT(drm_class)
PRELOAD_GPU_TEXT(zero)
PRELOAD_GPU_TEXT(one)
PRELOAD_GPU_TEXT(modalias)
PRELOAD_GPU_TEXT(resource)
PRELOAD_GPU_TEXT(gtt_total)
PRELOAD_GPU_TEXT(gtt_used)
PRELOAD_GPU_TEXT(visible_total)
PRELOAD_GPU_TEXT(visible_used)
PRELOAD_GPU_TEXT(vram_total)
PRELOAD_GPU_TEXT(vram_used)
PRELOAD_GPU_TEXT(numa)
PRELOAD_GPU_TEXT(revision)
PRELOAD_GPU_TEXT(bus)
PRELOAD_GPU_TEXT(uevent)
PRELOAD_GPU_TEXT(unique_id)
PRELOAD_GPU_TEXT(vendor)

#endif
