/* SPDX-License-Identifier: MIT */
/*
 * Debugging across processes. A target that has not opened the KFD yet is kept by its debugger as a
 * stand-in, which it takes over when it opens: as the driver, which makes the target's process object
 * for the debugger when it has none.
 */
#ifndef KFDSCOPE_THUNK_MODEL_DEBUG_REMOTE_H
#define KFDSCOPE_THUNK_MODEL_DEBUG_REMOTE_H

#include "hsakmt/linux/kfd_ioctl.h"
#include "process.h"

/* What a target takes over. */
struct kfd_model_debug_start {
	uint64_t enabled;
	uint32_t flags;
	int32_t fd; /* number in the target's table */
};

/* In the target: an operation that another process asks for. */
int kfd_model_debug_serve(struct kfd_model_process *process, struct kfd_ioctl_dbg_trap_args *args);
/* In the debugger: takes the stand-in of a process away. @return 0, or -ESRCH without one. */
int kfd_model_debug_start_of(struct kfd_model *model, pid_t target,
			     struct kfd_model_debug_start *start);
/* In a target that opens the KFD: asks whoever traces it whether it is debugged already. */
void kfd_model_debug_greet(struct kfd_model_process *process);

/* Process that debugs this one, another one; 0 when there is none. */
pid_t kfd_model_debug_debugger(struct kfd_model_process *process);
/* It is gone: nobody holds anything of this process any more. */
void kfd_model_debug_debugger_died(struct kfd_model_process *process);

/* Drops all stand-ins; in a forked child without freeing them. */
void kfd_model_debug_targets_free(struct kfd_model *model);
void kfd_model_debug_targets_after_fork(struct kfd_model *model);

#endif
