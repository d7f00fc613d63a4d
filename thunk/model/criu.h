/* SPDX-License-Identifier: MIT */
/* Checkpoint and restore (kfd.md 11). */
#ifndef KFDSCOPE_THUNK_MODEL_CRIU_H
#define KFDSCOPE_THUNK_MODEL_CRIU_H

#include "hsakmt/linux/kfd_ioctl.h"
#include "process.h"

/* An operation on this process that another one asks for. */
int kfd_model_criu_serve(struct kfd_model_process *process, struct kfd_ioctl_criu_args *args);

#endif
