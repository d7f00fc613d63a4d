/* SPDX-License-Identifier: MIT */
/* Clock counters (openclose.md 5). */
#include "clock/clock.h"

#include <time.h>

#include "hsakmt/linux/kfd_ioctl.h"
#include "topology/topology.h"

#define GPU_SAMPLES 4

static uint64_t raw_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

HSAKMT_STATUS kmt_get_clock_counters(struct kmt_context *ctx, HSAuint32 node_id,
				     HsaClockCounters *out)
{
	struct kfd_ioctl_get_clock_counters_args best = { 0 };
	uint64_t best_ns = UINT64_MAX;
	HSAKMT_STATUS status;
	uint32_t gpu_id;
	int samples;

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (!out)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	status = kmt_topology_gpu_id(ctx, node_id, &gpu_id);
	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	samples = gpu_id ? GPU_SAMPLES : 1;
	for (int i = 0; i < samples; i++) {
		struct kfd_ioctl_get_clock_counters_args args = { .gpu_id = gpu_id };
		uint64_t begin_ns = raw_ns(), took_ns;

		if (kmt_ioctl(ctx, AMDKFD_IOC_GET_CLOCK_COUNTERS, &args) < 0)
			return HSAKMT_STATUS_ERROR;
		took_ns = raw_ns() - begin_ns;
		if (took_ns >= best_ns)
			continue;
		best_ns = took_ns;
		best = args;
	}
	out->GPUClockCounter = best.gpu_clock_counter;
	out->CPUClockCounter = best.cpu_clock_counter;
	out->SystemClockCounter = best.system_clock_counter;
	out->SystemClockFrequencyHz = best.system_clock_freq;
	return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS kmt_get_clock_counters_precise(struct kmt_context *ctx, HSAuint32 node_id,
					     HsaClockCounters *out)
{
	return kmt_get_clock_counters(ctx, node_id, out);
}
