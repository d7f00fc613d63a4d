/* SPDX-License-Identifier: MIT */
/* The directory proc/ of the KFD in sysfs: one directory a process that has the KFD open. */
#ifndef KFDSCOPE_THUNK_MODEL_PRELOAD_PROC_H
#define KFDSCOPE_THUNK_MODEL_PRELOAD_PROC_H

#include "virtual.h"

/* As their namesakes of virtual.h; the second tells whether the path is one of these. */
bool preload_proc_find(struct kfd_model *model, const char *path, struct preload_entry *out);
bool preload_proc_text(struct kfd_model *model, const char *path, char text[PRELOAD_TEXT_MAX]);
bool preload_proc_child(struct kfd_model *model, const char *path, unsigned int *n, char name[64],
			enum preload_entry_type *type);

#endif
