/* SPDX-License-Identifier: MIT */
/*
 * Whether the caller runs in another process's memory, as a child of vfork() does until its exec. The
 * driver refuses to open for one (kfd.md 1), and whatever is kept here is its parent's.
 */
#ifndef KFDSCOPE_THUNK_MODEL_BORROWED_H
#define KFDSCOPE_THUNK_MODEL_BORROWED_H

#include <stdbool.h>

bool kfd_model_memory_is_borrowed(void);
/* In a forked child: this memory is its own. */
void kfd_model_memory_after_fork(void);

#endif
