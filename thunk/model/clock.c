/* SPDX-License-Identifier: MIT */
/*
 * The GPU counter is derived from the raw monotonic clock, so that it agrees in every process and
 * thread without any state.
 */
#include "clock.h"

#include <time.h>

#include "process.h"

static uint64_t read_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ull + (uint64_t)ts.tv_nsec;
}

uint64_t kfd_model_clock_cpu_ns(void)
{
	return read_ns(CLOCK_MONOTONIC_RAW);
}

uint64_t kfd_model_clock_boottime_ns(struct kfd_model *model)
{
	return read_ns(CLOCK_BOOTTIME) + kfd_model_scenario_boottime_shift_ns(model->scenario);
}

uint64_t kfd_model_clock_gpu_at(struct kfd_model *model, const struct kfd_model_node *node,
				uint64_t cpu_ns)
{
	uint64_t hz = kfd_model_scenario_clock_hz(model->scenario, node);
	int64_t drift_ppb = kfd_model_scenario_clock_drift_ppb(model->scenario, node);
	unsigned __int128 ns = cpu_ns;

	ns = ns * (uint64_t)(1000000000ll + drift_ppb) / 1000000000ull;
	return (uint64_t)(ns * hz / 1000000000ull);
}

uint64_t kfd_model_clock_gpu(struct kfd_model *model, const struct kfd_model_node *node)
{
	return kfd_model_clock_gpu_at(model, node, kfd_model_clock_cpu_ns());
}
