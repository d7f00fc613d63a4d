/* SPDX-License-Identifier: MIT */
/*
 * Files that exist nowhere: the KFD and the simulated GPUs in sysfs, their device nodes, and what shows
 * that the amdgpu module is loaded. Paths here are canonical: absolute, without dots, and no part but
 * the last is a link.
 */
#ifndef KFDSCOPE_THUNK_MODEL_PRELOAD_VIRTUAL_H
#define KFDSCOPE_THUNK_MODEL_PRELOAD_VIRTUAL_H

#include <stdbool.h>
#include <stddef.h>

#include "model.h"

enum preload_entry_type {
	ENTRY_FILE,
	ENTRY_DIRECTORY,
	ENTRY_LINK,
	ENTRY_DEVICE,
};

#define PRELOAD_TEXT_MAX  16384
#define PRELOAD_ENTRY_MAX 256

struct preload_entry {
	enum preload_entry_type type;
	char path[PRELOAD_ENTRY_MAX];
};

/* @return whether the path is one of ours; model may be NULL (module files only). */
bool preload_virtual_find(struct kfd_model *model, const char *path, struct preload_entry *out);
/* Whether the real machine's directory has entries beside ours, and stands for ours where it exists. */
bool preload_virtual_is_shared(const char *path);
/* Whether all below the path's directory is ours, so that what is not found does not exist. */
bool preload_virtual_owns(struct kfd_model *model, const char *path);
/* Text of a file, or target of a link. @return its length. */
size_t preload_virtual_text(struct kfd_model *model, const struct preload_entry *entry,
			    char text[PRELOAD_TEXT_MAX]);
/*
 * Name of an entry of a directory.
 * @param position  0 for the first; moved to the next.
 * @return false behind the end.
 */
bool preload_virtual_child(struct kfd_model *model, const struct preload_entry *directory,
			   unsigned int *position, char name[64], enum preload_entry_type *type);

#endif
