/* SPDX-License-Identifier: MIT */
/*
 * Streaming counters and the counter lock (kfd.md 12). One process a GPU; no counter ever counts
 * anything here, so a destination buffer comes back with the header of an empty stream.
 */
#include "spm.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "claim.h"
#include "hsakmt/linux/kfd_ioctl.h"
#include "ioctl.h"
#include "sleep.h"
#include "usercopy.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif
#define NS_A_MS          1000000ull
#define PROFILER_VERSION 1

/* Nobody in this process has them. @return 0, -EEXIST: another process has, or -ENOMEM. */
static int take(struct kfd_model_owner *owner, struct kfd_model_process *process, const char *what,
		const struct kfd_model_node *node)
{
	char name[KFD_MODEL_CLAIM_NAME];
	int claim;

	snprintf(name, sizeof(name), "%s/%x", what, node->gpu_id);
	claim = kfd_model_claim_take(process->model, name);
	if (claim < 0)
		return claim;
	*owner = (struct kfd_model_owner){ .process = process, .claim = claim };
	return 0;
}

static void give(struct kfd_model_owner *owner)
{
	kfd_model_claim_drop(owner->claim);
	*owner = (struct kfd_model_owner){ 0 };
}

static int acquire(struct kfd_model_owner *owner, struct kfd_model_process *process,
		   const struct kfd_model_node *node)
{
	int rc = owner->process ? -EEXIST : take(owner, process, "spm", node);

	return rc == -EEXIST ? -EINVAL : rc;
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 * NS_A_MS + (uint64_t)ts.tv_nsec;
}

/*
 * Waits the whole time: a buffer that nothing fills is never full. @return 0 or -EINTR, with the
 * time that is left.
 */
static int wait_until_full(uint32_t *timeout_ms)
{
	const uint64_t end = now_ns() + *timeout_ms * NS_A_MS;
	_Atomic uint32_t nobody = 0;
	uint64_t now;
	int rc = 0;

	while (*timeout_ms && !rc)
		rc = kfd_model_sleep(&nobody, 0, end);
	now = now_ns();
	*timeout_ms = now < end ? (uint32_t)((end - now) / NS_A_MS) : 0;
	return rc == -EINTR ? rc : 0;
}

static int set_buffer(struct kfd_ioctl_spm_args *args)
{
	const struct kfd_ioctl_spm_buffer_header header = { .version = 1 << 24 };
	int rc = wait_until_full(&args->timeout);

	if (rc)
		return rc;
	args->bytes_copied = 0;
	args->has_data_loss = 0;
	if (!args->dest_buf || args->buf_size < sizeof(header))
		return 0;
	return kfd_model_copy_out(args->dest_buf, &header, sizeof(header));
}

int kfd_model_call_rlc_spm(struct kfd_model_call *call)
{
	struct kfd_ioctl_spm_args *args = call->args;
	struct kfd_model *model = call->process->model;
	const struct kfd_model_node *node = kfd_model_process_node(call->process, args->gpu_id);
	struct kfd_model_owner *owner;
	int rc;

	if (!node)
		return -EINVAL;
	owner = &model->spm[node->gpu_index];
	pthread_mutex_lock(&model->lock);
	if (args->op == KFD_IOCTL_SPM_OP_ACQUIRE)
		rc = acquire(owner, call->process, node);
	else if (args->op > KFD_IOCTL_SPM_OP_SET_DEST_BUF || owner->process != call->process)
		rc = -EINVAL;
	else
		rc = 0;
	if (!rc && args->op == KFD_IOCTL_SPM_OP_RELEASE)
		give(owner);
	pthread_mutex_unlock(&model->lock);
	if (!rc && args->op == KFD_IOCTL_SPM_OP_SET_DEST_BUF)
		rc = set_buffer(args);
	return rc;
}

void kfd_model_spm_forget(struct kfd_model_process *process)
{
	struct kfd_model *model = process->model;

	pthread_mutex_lock(&model->lock);
	for (uint32_t i = 0; i < KFD_MODEL_MAX_GPUS; i++) {
		if (model->spm[i].process == process)
			give(&model->spm[i]);
		if (model->pmc[i].process == process)
			give(&model->pmc[i]);
	}
	pthread_mutex_unlock(&model->lock);
}

void kfd_model_spm_forget_all(struct kfd_model *model)
{
	for (uint32_t i = 0; i < KFD_MODEL_MAX_GPUS; i++) {
		give(&model->spm[i]);
		give(&model->pmc[i]);
	}
}

static bool has_perfmon(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[2] = { 0 };

	if (syscall(SYS_capget, &head, caps))
		return false;
	return (caps[1].effective >> (CAP_PERFMON - 32) & 1) ||
	       (caps[0].effective >> CAP_SYS_ADMIN & 1);
}

static int lock_counters(struct kfd_model_process *process,
			 const struct kfd_ioctl_pmc_settings *pmc)
{
	struct kfd_model *model = process->model;
	const struct kfd_model_node *node = kfd_model_process_node(process, pmc->gpu_id);
	struct kfd_model_owner *owner;
	int rc = 0;

	if (!has_perfmon())
		return -EPERM;
	if (!node)
		return -EINVAL;
	owner = &model->pmc[node->gpu_index];
	pthread_mutex_lock(&model->lock);
	if (owner->process && owner->process != process)
		rc = -EBUSY;
	else if (pmc->lock && owner->process)
		rc = -EALREADY;
	else if (!owner->process) /* to unlock what nobody has locked is no error */
		rc = take(owner, process, "pmc", node);
	if (!rc && !pmc->lock)
		give(owner);
	pthread_mutex_unlock(&model->lock);
	return rc == -EEXIST ? -EBUSY : rc;
}

/* No simulated GPU has the peak-throughput limiter. */
static int limit_throughput(struct kfd_model_process *process,
			    const struct kfd_ioctl_ptl_control *ptl)
{
	return kfd_model_process_node(process, ptl->gpu_id) ? -EOPNOTSUPP : -EINVAL;
}

int kfd_model_call_profiler(struct kfd_model_call *call)
{
	struct kfd_ioctl_profiler_args_upstream *args = call->args;

	switch (args->op) {
	case KFD_IOC_PROFILER_PMC:
		return lock_counters(call->process, &args->pmc);
	case KFD_IOC_PROFILER_VERSION:
		args->version = PROFILER_VERSION;
		return 0;
	case KFD_IOC_PROFILER_PTL_CONTROL:
		return limit_throughput(call->process, &args->ptl);
	}
	return -EINVAL;
}

int kfd_model_call_profiler_dkms(struct kfd_model_call *call)
{
	struct kfd_ioctl_profiler_args *args = call->args;
	struct kfd_model_call sampling = *call;

	switch (args->op) {
	case KFD_IOC_PROFILER_PMC:
		return lock_counters(call->process, &args->pmc);
	case KFD_IOC_PROFILER_PC_SAMPLE:
		sampling.args = &args->pc_sample;
		return kfd_model_call_pc_sample(&sampling);
	case KFD_IOC_PROFILER_VERSION:
		args->version = PROFILER_VERSION;
		return 0;
	}
	return -EINVAL;
}
