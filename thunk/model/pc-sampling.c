/* SPDX-License-Identifier: MIT */
/*
 * PC sampling (kfd.md 12): capabilities, configurations and their states. No wave ever runs, so a
 * started configuration delivers no sample.
 *
 * A GPU samples in one way at a time, for all who want it. Whoever samples has a name among the
 * machine's claims that tells how, so that what one process does is seen by the others.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "caller.h"
#include "claim.h"
#include "debug.h"
#include "hsakmt/linux/kfd_ioctl.h"
#include "ioctl.h"
#include "pc-sampling.h"
#include "usercopy.h"

#define TRACES_MAX 64

struct trace {
	bool used, started;
	uint32_t gpu_id;
	int claim; /* owned */
};

struct kfd_model_pcs {
	struct trace traces[TRACES_MAX]; /* by trace id - 1 */
};

/* clang-format off */
static const struct kfd_pc_sample_info host_trap = {
	.interval_min = 1, .interval_max = UINT64_MAX,
	.method = KFD_IOCTL_PCS_METHOD_HOSTTRAP, .type = KFD_IOCTL_PCS_TYPE_TIME_US,
};

static const struct kfd_pc_sample_info stochastic = {
	.interval_min = 256, .interval_max = 1ull << 31, .flags = KFD_IOCTL_PCS_FLAG_POWER_OF_2,
	.method = KFD_IOCTL_PCS_METHOD_STOCHASTIC, .type = KFD_IOCTL_PCS_TYPE_CLOCK_CYCLES,
};
/* clang-format on */

struct kfd_model_pcs *kfd_model_pcs_new(void)
{
	return calloc(1, sizeof(struct kfd_model_pcs));
}

void kfd_model_pcs_after_fork(struct kfd_model_pcs *pcs)
{
	for (uint32_t i = 0; i < TRACES_MAX; i++) {
		kfd_model_claim_drop(pcs->traces[i].claim);
		pcs->traces[i] = (struct trace){ 0 };
	}
}

void kfd_model_pcs_free(struct kfd_model_pcs *pcs)
{
	if (pcs)
		kfd_model_pcs_after_fork(pcs);
	free(pcs);
}

/* Host traps from gfx9.0.10 on, hardware sampling from gfx9.4 on. */
static uint32_t capabilities(const struct kfd_model_node *node, struct kfd_pc_sample_info *infos)
{
	uint32_t count = 0;

	if (node->gfx_version == 90010 ||
	    (node->gfx_version >= 90400 && node->gfx_version <= 90500))
		infos[count++] = host_trap;
	if (node->gfx_version >= 90400 && node->gfx_version <= 90500)
		infos[count++] = stochastic;
	return count;
}

/* How somebody samples the GPU. @return false when nobody does. */
static bool active_on(const struct kfd_model *model, const struct kfd_model_node *node,
		      const struct kfd_pc_sample_info *infos, uint32_t count,
		      struct kfd_pc_sample_info *active)
{
	char beginning[KFD_MODEL_CLAIM_NAME], name[KFD_MODEL_CLAIM_NAME];
	uint64_t interval;
	uint32_t method;

	snprintf(beginning, sizeof(beginning), "pcs/%x/", node->gpu_id);
	if (!kfd_model_claim_find(model, beginning, name) ||
	    sscanf(name, "%" SCNx64 ".%" SCNx32, &interval, &method) != 2)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		if (infos[i].method != method)
			continue;
		*active = infos[i];
		active->interval = interval;
		return true;
	}
	return false;
}

/* Says to all that the GPU is sampled so. @return the claim, or -errno. */
static int announce(const struct kfd_model *model, const struct kfd_model_node *node,
		    const struct kfd_pc_sample_info *info)
{
	static atomic_uint made; /* several in this process are several claims */
	char name[KFD_MODEL_CLAIM_NAME];

	snprintf(name, sizeof(name), "pcs/%x/%" PRIx64 ".%x/%d.%x", node->gpu_id,
		 (uint64_t)info->interval, info->method, (int)kfd_model_caller_pid(),
		 atomic_fetch_add(&made, 1));
	return kfd_model_claim_take(model, name);
}

static int query(struct kfd_model_call *call, const struct kfd_model_node *node,
		 const struct kfd_pc_sample_info *infos, uint32_t count)
{
	struct kfd_ioctl_pc_sample_args *args = call->args;
	struct kfd_pc_sample_info active;
	uint32_t room = args->num_sample_info;

	/* while somebody samples, only his way can be joined (ioctl.json, flags bit 0) */
	if (!(args->flags & KFD_IOCTL_PCS_QUERY_TYPE_FULL) &&
	    active_on(call->process->model, node, infos, count, &active)) {
		infos = &active;
		count = 1;
	}
	args->num_sample_info = count;
	if (!room || !args->sample_info_ptr)
		return 0;
	if (room < count)
		return -ENOSPC;
	return kfd_model_copy_out(args->sample_info_ptr, infos, count * sizeof(*infos));
}

static bool interval_ok(const struct kfd_pc_sample_info *wanted,
			const struct kfd_pc_sample_info *able)
{
	if (wanted->interval < able->interval_min || wanted->interval > able->interval_max)
		return false;
	return !(able->flags & KFD_IOCTL_PCS_FLAG_POWER_OF_2) ||
	       !(wanted->interval & (wanted->interval - 1));
}

/*
 * Joins those who sample, if they do it this way. Two that come at once must not both find that
 * nobody does. @return the claim, or -errno: -EEXIST tells the other way in *active.
 */
static int join(const struct kfd_model *model, const struct kfd_model_node *node,
		const struct kfd_pc_sample_info *infos, uint32_t count,
		const struct kfd_pc_sample_info *wanted, struct kfd_pc_sample_info *active)
{
	char name[KFD_MODEL_CLAIM_NAME];
	int turn, rc;

	snprintf(name, sizeof(name), "pcs-turn/%x", node->gpu_id);
	turn = kfd_model_claim_wait(model, name);
	if (turn < 0)
		return turn;
	if (active_on(model, node, infos, count, active) &&
	    (active->method != wanted->method || active->interval != wanted->interval))
		rc = -EEXIST;
	else
		rc = announce(model, node, wanted);
	kfd_model_claim_drop(turn);
	return rc;
}

static int create(struct kfd_model_call *call, const struct kfd_model_node *node,
		  const struct kfd_pc_sample_info *infos, uint32_t count)
{
	struct kfd_ioctl_pc_sample_args *args = call->args;
	struct trace *traces = call->process->pcs->traces;
	const struct kfd_pc_sample_info *able = NULL;
	struct kfd_pc_sample_info wanted, active;
	uint32_t id = 0;
	int claim;

	if (args->num_sample_info != 1)
		return -EINVAL;
	if (kfd_model_copy_in(&wanted, args->sample_info_ptr, sizeof(wanted)))
		return -EFAULT;
	for (uint32_t i = 0; i < count; i++)
		if (infos[i].method == wanted.method && infos[i].type == wanted.type)
			able = &infos[i];
	if (!able)
		return -EOPNOTSUPP;
	if (!interval_ok(&wanted, able))
		return -EINVAL;
	while (id < TRACES_MAX && traces[id].used)
		id++;
	if (id == TRACES_MAX)
		return -ENOMEM;
	claim = join(call->process->model, node, infos, count, &wanted, &active);
	if (claim == -EEXIST && kfd_model_copy_out(args->sample_info_ptr, &active, sizeof(active)))
		return -EFAULT;
	if (claim < 0)
		return claim;
	traces[id] = (struct trace){ .used = true, .gpu_id = args->gpu_id, .claim = claim };
	args->trace_id = id + 1;
	return 0;
}

static int control(struct kfd_model_pcs *pcs, const struct kfd_ioctl_pc_sample_args *args)
{
	struct trace *trace = args->trace_id && args->trace_id <= TRACES_MAX
				      ? &pcs->traces[args->trace_id - 1]
				      : NULL;

	if (!trace || !trace->used || trace->gpu_id != args->gpu_id)
		return -EINVAL;
	switch (args->op) {
	case KFD_IOCTL_PCS_OP_DESTROY:
		if (trace->started)
			return -EBUSY;
		kfd_model_claim_drop(trace->claim);
		*trace = (struct trace){ 0 };
		return 0;
	case KFD_IOCTL_PCS_OP_START:
	case KFD_IOCTL_PCS_OP_STOP:
		if (trace->started == (args->op == KFD_IOCTL_PCS_OP_START))
			return -EALREADY;
		trace->started = !trace->started;
		return 0;
	}
	return -EINVAL;
}

int kfd_model_call_pc_sample(struct kfd_model_call *call)
{
	struct kfd_ioctl_pc_sample_args *args = call->args;
	struct kfd_model_process *process = call->process;
	const struct kfd_model_node *node = kfd_model_process_node(process, args->gpu_id);
	struct kfd_pc_sample_info infos[2];
	uint32_t count;

	if (!node)
		return -EINVAL;
	count = capabilities(node, infos);
	if (!count)
		return -EOPNOTSUPP;
	switch (args->op) {
	case KFD_IOCTL_PCS_OP_QUERY_CAPABILITIES:
		if (kfd_model_debug_attached(process))
			return -EBUSY;
		return query(call, node, infos, count);
	case KFD_IOCTL_PCS_OP_CREATE:
		if (kfd_model_debug_attached(process))
			return -EBUSY;
		return create(call, node, infos, count);
	}
	return control(process->pcs, args);
}
