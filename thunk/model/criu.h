/* SPDX-License-Identifier: MIT */
/* Checkpoint and restore (kfd.md 11). */
#ifndef KFDSCOPE_THUNK_MODEL_CRIU_H
#define KFDSCOPE_THUNK_MODEL_CRIU_H

#include "hsakmt/linux/kfd_ioctl.h"
#include "process.h"

/*
 * An operation on this process, for itself or for another one (caller.h). Who may has been checked.
 * @return 0 or -errno.
 */
int kfd_model_criu_serve(struct kfd_model_process *process, struct kfd_ioctl_criu_args *args);
/* The same through a descriptor that its tracer has been handed: on the process that opened it. */
int kfd_model_criu_through(pid_t opener, struct kfd_ioctl_criu_args *args);

/* How much there is of a process, as PROCESS_INFO tells and CHECKPOINT is told. */
struct kfd_model_criu_counts {
	uint32_t devices, bos, queues, events, ranges;
	uint64_t private_bytes;
};
/* Size of the private data of so many. */
uint64_t kfd_model_criu_private_bytes(const struct kfd_model_criu_counts *counts);
/* The caller holds the process's lock for these. */
void kfd_model_criu_count(struct kfd_model_process *process, struct kfd_model_criu_counts *counts);
int kfd_model_criu_checkpoint(struct kfd_model_process *process,
			      const struct kfd_ioctl_criu_args *args);
/* For the process itself only: its descriptors and its memory. All or nothing. */
int kfd_model_criu_restore(struct kfd_model_process *process,
			   const struct kfd_ioctl_criu_args *args);

#endif
