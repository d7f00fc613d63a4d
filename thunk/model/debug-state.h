/* SPDX-License-Identifier: MIT */
/* What debug.c and debug-trap.c share. */
#ifndef KFDSCOPE_THUNK_MODEL_DEBUG_STATE_H
#define KFDSCOPE_THUNK_MODEL_DEBUG_STATE_H

#include "debug.h"

#define KFD_MODEL_WATCH_SLOTS 4

/* Protected by the process's queues_lock, but for what ioctls alone use under the process's lock. */
struct kfd_model_debug {
	bool attached;
	pid_t debugger;   /* another process; 0 when it is this one, or nobody */
	int fd;           /* owned copy of the debugger's descriptor; -1 when detached */
	uint64_t enabled; /* exceptions that the debugger wants */
	uint64_t process_exceptions;
	uint64_t device_exceptions[KFD_MODEL_MAX_GPUS];
	struct kfd_hsa_memory_exception_data violations[KFD_MODEL_MAX_GPUS]; /* last of each GPU */
	uint32_t flags, override_mask, launch_mode;
	uint8_t watch_used[KFD_MODEL_MAX_GPUS]; /* bit a slot */
	bool runtime_waits;       /* RUNTIME_ENABLE sleeps until the debugger lets it go */
	_Atomic uint32_t lets_go; /* counted up, under the process's lock, when the debugger does */

	/*
	 * Another process's descriptor is good in the table of the control thread only (control.h),
	 * and so is written to by a thread that shares it.
	 */
	bool has_bell, bell_stop;
	uint32_t rings; /* bytes to write */
	pthread_t bell;
	pthread_cond_t ring; /* with the queues_lock */
};

/*
 * Puts the exception of a queue where its save area says, and fires the event named there.
 * @return false when the runtime has named no place.
 */
bool kfd_model_debug_tell_runtime(struct kfd_model_process *process,
				  const struct kfd_model_kfd_queue *queue, uint64_t mask);
/* Wakes the debugger if it wants any of these; under queues_lock. @return whether it does. */
bool kfd_model_debug_tell_debugger(struct kfd_model_process *process, uint64_t mask);

/*
 * Begins to be debugged. Takes the descriptor on success.
 * @param debugger  the process that debugs; may be this one.
 * @return 0 or -ENOMEM.
 */
int kfd_model_debug_attach(struct kfd_model_process *process, int fd, pid_t debugger,
			   uint64_t enabled);
/* Ends it; queues that are suspended stay so. */
void kfd_model_debug_detach(struct kfd_model_process *process);
/* The same with all that DISABLE does. The caller holds the process's lock. */
int kfd_model_debug_disable(struct kfd_model_process *process);

/* An operation on this process; the caller holds its lock and has checked who asks. */
int kfd_model_debug_operate(struct kfd_model_process *process,
			    struct kfd_ioctl_dbg_trap_args *args);
int kfd_model_debug_queue_snapshot(struct kfd_model_process *process,
				   struct kfd_ioctl_dbg_trap_queue_snapshot_args *args);
int kfd_model_debug_device_snapshot(struct kfd_model_process *process,
				    struct kfd_ioctl_dbg_trap_device_snapshot_args *args);

#endif
