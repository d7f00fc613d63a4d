/* SPDX-License-Identifier: MIT */
/* Owners of the counters that one process at a time may use (kfd.md 12). */
#ifndef KFDSCOPE_THUNK_MODEL_SPM_H
#define KFDSCOPE_THUNK_MODEL_SPM_H

#include "process.h"

/* The process ends: what it held is free again. */
void kfd_model_spm_forget(struct kfd_model_process *process);
/* All processes end; also in a forked child, to which nothing of its parent's belongs. */
void kfd_model_spm_forget_all(struct kfd_model *model);

#endif
