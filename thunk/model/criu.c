/* SPDX-License-Identifier: MIT */
/*
 * The operations of checkpoint and restore (kfd.md 11), on the process itself or on another one. What
 * is written and read is in criu-checkpoint.c and criu-restore.c.
 */
#include "criu.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "control.h"
#include "criu-image.h"
#include "ioctl.h"
#include "queue.h"

#ifndef CAP_CHECKPOINT_RESTORE
#define CAP_CHECKPOINT_RESTORE 40
#endif

static bool may_checkpoint(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[2] = { 0 };

	if (syscall(SYS_capget, &head, caps))
		return false;
	return (caps[1].effective >> (CAP_CHECKPOINT_RESTORE - 32) & 1) ||
	       (caps[0].effective >> CAP_SYS_ADMIN & 1);
}

static int process_info(struct kfd_model_process *process, struct kfd_ioctl_criu_args *args)
{
	struct kfd_model_criu_counts counts;

	if (process->criu_paused)
		return -EBUSY;
	if (!process->vm_count)
		return -ENODEV;
	kfd_model_queues_evict(process, NULL, true);
	process->criu_paused = true;
	kfd_model_criu_count(process, &counts);
	args->pid = (uint32_t)process->pid;
	args->num_devices = counts.devices;
	args->num_bos = counts.bos;
	args->num_objects = counts.queues + counts.events + counts.ranges;
	args->priv_data_size = counts.private_bytes;
	return 0;
}

static int unpause(struct kfd_model_process *process)
{
	if (!process->criu_paused)
		return -EINVAL;
	process->criu_paused = false;
	kfd_model_queues_evict(process, NULL, false);
	return 0;
}

/* A process that was not restored has nothing that waits for this. */
static int resume(struct kfd_model_process *process)
{
	int rc = 0;

	if (process->criu_restored)
		rc = kfd_model_svm_resume(process);
	if (rc)
		return rc;
	process->criu_restored = false;
	kfd_model_queues_resume(process);
	return 0;
}

int kfd_model_criu_serve(struct kfd_model_process *process, struct kfd_ioctl_criu_args *args)
{
	int rc = -EINVAL;

	pthread_mutex_lock(&process->lock);
	switch (args->op) {
	case KFD_CRIU_OP_PROCESS_INFO:
		rc = process_info(process, args);
		break;
	case KFD_CRIU_OP_CHECKPOINT:
		rc = kfd_model_criu_checkpoint(process, args);
		break;
	case KFD_CRIU_OP_UNPAUSE:
		rc = unpause(process);
		break;
	case KFD_CRIU_OP_RESTORE:
		rc = kfd_model_criu_restore(process, args);
		break;
	case KFD_CRIU_OP_RESUME:
		rc = resume(process);
		break;
	}
	pthread_mutex_unlock(&process->lock);
	return rc;
}

/* What an operation needs whoever it is about. */
static int check(const struct kfd_ioctl_criu_args *args)
{
	bool has_arrays = args->devices && args->bos && args->priv_data;

	if (!may_checkpoint())
		return -EACCES;
	switch (args->op) {
	case KFD_CRIU_OP_CHECKPOINT:
		return has_arrays ? 0 : -EINVAL;
	case KFD_CRIU_OP_RESTORE:
		return has_arrays && args->priv_data_size && args->num_devices && args->num_bos
			       ? 0
			       : -EINVAL;
	case KFD_CRIU_OP_PROCESS_INFO:
	case KFD_CRIU_OP_UNPAUSE:
	case KFD_CRIU_OP_RESUME:
		return 0;
	}
	return -EINVAL;
}

static int ask(pid_t pid, struct kfd_ioctl_criu_args *args)
{
	int rc;

	if (pid <= 0)
		return -ESRCH;
	rc = kfd_model_control_call(pid, KFD_MODEL_CONTROL_CRIU, args, sizeof(*args));
	return rc == KFD_MODEL_NO_KFD ? -ESRCH : rc;
}

int kfd_model_call_criu_op(struct kfd_model_call *call)
{
	struct kfd_ioctl_criu_args *args = call->args;
	struct kfd_model_process *process = call->process;
	int rc = check(args);

	if (rc)
		return rc;
	/* only the process itself has the descriptors and the memory that are restored */
	if (!args->pid || args->pid == (uint32_t)process->pid || args->op == KFD_CRIU_OP_RESTORE)
		return kfd_model_criu_serve(process, args);
	return ask((pid_t)args->pid, args);
}

int kfd_model_criu_through(pid_t opener, struct kfd_ioctl_criu_args *args)
{
	int rc = check(args);

	if (rc)
		return rc;
	if (args->op == KFD_CRIU_OP_RESTORE)
		return -EINVAL;
	return ask(args->op == KFD_CRIU_OP_RESUME ? (pid_t)args->pid : opener, args);
}
