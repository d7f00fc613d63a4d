/* SPDX-License-Identifier: MIT */
/*
 * PC sampling (kfd.md 12): capabilities, configurations and their states. No wave ever runs, so a
 * started configuration delivers no sample.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "debug.h"
#include "hsakmt/linux/kfd_ioctl.h"
#include "ioctl.h"
#include "pc-sampling.h"
#include "usercopy.h"

#define TRACES_MAX 64

struct trace {
	bool used, started;
	uint32_t gpu_id;
	struct kfd_pc_sample_info info;
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

void kfd_model_pcs_free(struct kfd_model_pcs *pcs)
{
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

static struct trace *active_on(struct kfd_model_pcs *pcs, uint32_t gpu_id)
{
	for (uint32_t i = 0; i < TRACES_MAX; i++)
		if (pcs->traces[i].used && pcs->traces[i].gpu_id == gpu_id)
			return &pcs->traces[i];
	return NULL;
}

static int query(struct kfd_model_pcs *pcs, struct kfd_ioctl_pc_sample_args *args,
		 const struct kfd_pc_sample_info *infos, uint32_t count)
{
	const struct trace *active = active_on(pcs, args->gpu_id);
	uint32_t room = args->num_sample_info;

	/* while somebody samples, only his way can be joined (ioctl.json, flags bit 0) */
	if (active && !(args->flags & KFD_IOCTL_PCS_QUERY_TYPE_FULL)) {
		infos = &active->info;
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

static int create(struct kfd_model_pcs *pcs, struct kfd_ioctl_pc_sample_args *args,
		  const struct kfd_pc_sample_info *infos, uint32_t count)
{
	const struct kfd_pc_sample_info *able = NULL;
	struct kfd_pc_sample_info wanted;
	const struct trace *active = active_on(pcs, args->gpu_id);
	uint32_t id = 0;

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
	if (active && (active->info.method != wanted.method || active->info.type != wanted.type ||
		       active->info.interval != wanted.interval))
		return kfd_model_copy_out(args->sample_info_ptr, &active->info,
					  sizeof(active->info))
			       ? -EFAULT
			       : -EEXIST;
	while (id < TRACES_MAX && pcs->traces[id].used)
		id++;
	if (id == TRACES_MAX)
		return -ENOMEM;
	pcs->traces[id] = (struct trace){ .used = true, .gpu_id = args->gpu_id, .info = *able };
	pcs->traces[id].info.interval = wanted.interval;
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
		trace->used = false;
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
		return query(process->pcs, args, infos, count);
	case KFD_IOCTL_PCS_OP_CREATE:
		return create(process->pcs, args, infos, count);
	}
	return control(process->pcs, args);
}
