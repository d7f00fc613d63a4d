/* SPDX-License-Identifier: MIT */
/*
 * Checkpoint and restore (kfd.md 11): objects are counted and the process is paused and goes on, at its
 * own wish or another's. Contents are not saved: no version of the private data is known.
 */
#include "criu.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "control.h"
#include "event.h"
#include "ioctl.h"
#include "queue.h"
#include "svm.h"

#ifndef CAP_CHECKPOINT_RESTORE
#define CAP_CHECKPOINT_RESTORE 40
#endif
#define PRIVATE_BYTES_PER_OBJECT 256 /* size of the driver's record; opaque to user space */

static bool may_checkpoint(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[2] = { 0 };

	if (syscall(SYS_capget, &head, caps))
		return false;
	return (caps[1].effective >> (CAP_CHECKPOINT_RESTORE - 32) & 1) ||
	       (caps[0].effective >> CAP_SYS_ADMIN & 1);
}

static uint32_t count_bos(const struct kfd_model_process *process)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < process->vm_count; i++)
		for (uint32_t n = 0; n < process->vms[i].bo_capacity; n++)
			count += process->vms[i].bos[n] != NULL;
	return count;
}

static uint32_t count_events(struct kfd_model_events *events)
{
	uint32_t count;

	pthread_mutex_lock(&events->lock);
	count = events->signal_count;
	for (uint32_t i = 0; i < events->other_capacity; i++)
		count += events->others[i] != NULL;
	pthread_mutex_unlock(&events->lock);
	return count;
}

static int process_info(struct kfd_model_process *process, struct kfd_ioctl_criu_args *args)
{
	if (process->criu_paused)
		return -EBUSY;
	if (!process->vm_count)
		return -ENODEV;
	kfd_model_queues_evict(process, NULL, true);
	process->criu_paused = true;
	args->pid = (uint32_t)process->pid;
	args->num_devices = process->vm_count;
	args->num_bos = count_bos(process);
	args->num_objects =
		process->queue_count + count_events(process->events) + kfd_model_svm_count(process);
	args->priv_data_size = (uint64_t)PRIVATE_BYTES_PER_OBJECT *
			       (1 + args->num_devices + args->num_bos + args->num_objects);
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

int kfd_model_criu_serve(struct kfd_model_process *process, struct kfd_ioctl_criu_args *args)
{
	int rc = -EINVAL;

	pthread_mutex_lock(&process->lock);
	switch (args->op) {
	case KFD_CRIU_OP_PROCESS_INFO:
		rc = process_info(process, args);
		break;
	case KFD_CRIU_OP_UNPAUSE:
		rc = unpause(process);
		break;
	case KFD_CRIU_OP_RESUME:
		rc = -ESRCH; /* nothing is ever restored, so no such process */
		break;
	case KFD_CRIU_OP_CHECKPOINT:
	case KFD_CRIU_OP_RESTORE:
		break; /* as a version mismatch */
	}
	pthread_mutex_unlock(&process->lock);
	return rc;
}

/* Whether an operation looks at the number of the process before anything else. */
static bool is_by_pid(uint32_t op)
{
	return op == KFD_CRIU_OP_PROCESS_INFO || op == KFD_CRIU_OP_UNPAUSE ||
	       op == KFD_CRIU_OP_RESUME;
}

int kfd_model_call_criu_op(struct kfd_model_call *call)
{
	struct kfd_ioctl_criu_args *args = call->args;
	struct kfd_model_process *process = call->process;
	int rc;

	if (!may_checkpoint())
		return -EACCES;
	if (!args->pid || args->pid == (uint32_t)process->pid || !is_by_pid(args->op))
		return kfd_model_criu_serve(process, args);
	if ((int32_t)args->pid < 0)
		return -ESRCH;
	rc = kfd_model_control_call((pid_t)args->pid, KFD_MODEL_CONTROL_CRIU, args, sizeof(*args));
	return rc == KFD_MODEL_NO_KFD ? -ESRCH : rc;
}
