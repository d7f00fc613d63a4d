/* SPDX-License-Identifier: MIT */
/*
 * Exceptions of queues and the debugger interface (kfd.md 10). A process debugs itself, or another
 * one that it traces (debug-remote.h).
 */
#ifndef KFDSCOPE_THUNK_MODEL_DEBUG_H
#define KFDSCOPE_THUNK_MODEL_DEBUG_H

#include "hsakmt/linux/kfd_ioctl.h"
#include "process.h"
#include "queue.h"

struct kfd_model_debug *kfd_model_debug_new(void);
/* Nobody debugs any more; accepts NULL. */
void kfd_model_debug_free(struct kfd_model_debug *debug);

/* The ioctls; the caller holds the process's lock, but not for a trap. */
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
/*
 * The GPU accessed memory that it must not, or a scenario says so: the debugger hears of it if it
 * wants to, else the runtime's MEMORY events do.
 */
void kfd_model_debug_memory_violation(struct kfd_model_process *process,
				      const struct kfd_hsa_memory_exception_data *data);
/*
 * Waits until the debugger lets go of a queue that it has suspended. The caller holds the process's
 * lock, which is released meanwhile: the queue may be gone afterwards.
 * @return 0 or -EINTR.
 */
int kfd_model_debug_wait_resumed(struct kfd_model_process *process, uint32_t queue_id);
bool kfd_model_debug_attached(const struct kfd_model_process *process);

#endif
