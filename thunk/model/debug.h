/* SPDX-License-Identifier: MIT */
/*
 * Exceptions of queues and the debugger interface (kfd.md 10). Only what a process can do to itself
 * exists here: the simulation lives in one process, so another one has no KFD process to attach to.
 */
#ifndef KFDSCOPE_THUNK_MODEL_DEBUG_H
#define KFDSCOPE_THUNK_MODEL_DEBUG_H

#include "hsakmt/linux/kfd_ioctl.h"
#include "process.h"
#include "queue.h"

struct kfd_model_debug *kfd_model_debug_new(void);
void kfd_model_debug_free(struct kfd_model_debug *debug);

/* The ioctls; the caller holds the process's lock. */
int kfd_model_debug_runtime_enable(struct kfd_model_process *process,
				   struct kfd_ioctl_runtime_enable_args *args);
int kfd_model_debug_trap(struct kfd_model_process *process, struct kfd_ioctl_dbg_trap_args *args);
int kfd_model_debug_trap_legacy(struct kfd_model_process *process,
				struct kfd_ioctl_dbg_trap_legacy_args *args);

/*
 * A queue raised an exception: the runtime hears of it through its save area, the debugger through
 * its descriptor (kfd.md 10). The caller holds vm_lock for reading.
 */
void kfd_model_debug_queue_exception(struct kfd_model_process *process, uint32_t queue_id,
				     uint32_t code);
void kfd_model_debug_queue_new(struct kfd_model_process *process,
			       struct kfd_model_kfd_queue *queue);
bool kfd_model_debug_attached(const struct kfd_model_process *process);

#endif
