/* SPDX-License-Identifier: MIT */
/* What debug.c and debug-trap.c share. */
#ifndef KFDSCOPE_THUNK_MODEL_DEBUG_STATE_H
#define KFDSCOPE_THUNK_MODEL_DEBUG_STATE_H

#include "debug.h"

#define KFD_MODEL_WATCH_SLOTS 4

/* Protected by the process's queues_lock, but for what ioctls alone use under the process's lock. */
struct kfd_model_debug {
	bool attached;
	int fd;           /* owned copy of the debugger's descriptor; -1 when detached */
	uint64_t enabled; /* exceptions that the debugger wants */
	uint64_t process_exceptions;
	uint64_t device_exceptions[KFD_MODEL_MAX_GPUS];
	uint32_t flags, override_mask, launch_mode;
	uint8_t watch_used[KFD_MODEL_MAX_GPUS]; /* bit a slot */
	bool runtime_waits;        /* RUNTIME_ENABLE sleeps until the debugger lets it go */
	pthread_cond_t runtime_go; /* with the process's lock */
};

/*
 * Puts the exception of a queue where its save area says, and fires the event named there.
 * @return false when the runtime has named no place.
 */
bool kfd_model_debug_tell_runtime(struct kfd_model_process *process,
				  const struct kfd_model_kfd_queue *queue, uint64_t mask);
/* Wakes the debugger if it wants any of these. @return whether it does. */
bool kfd_model_debug_tell_debugger(struct kfd_model_debug *debug, uint64_t mask);

#endif
