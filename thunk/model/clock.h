/* SPDX-License-Identifier: MIT */
/* The clocks of the simulated machine (kfd.md 4, GET_CLOCK_COUNTERS). */
#ifndef KFDSCOPE_THUNK_MODEL_CLOCK_H
#define KFDSCOPE_THUNK_MODEL_CLOCK_H

#include <stdint.h>

struct kfd_model;
struct kfd_model_node;

/* Ticks of a GPU's reference clock, with the scenario's frequency and drift; now, and at a time of the CPU's clock. */
uint64_t kfd_model_clock_gpu(struct kfd_model *model, const struct kfd_model_node *node);
uint64_t kfd_model_clock_gpu_at(struct kfd_model *model, const struct kfd_model_node *node,
				uint64_t cpu_ns);
/* CLOCK_MONOTONIC_RAW and CLOCK_BOOTTIME in ns; the second with the scenario's jumps. */
uint64_t kfd_model_clock_cpu_ns(void);
uint64_t kfd_model_clock_boottime_ns(struct kfd_model *model);

#endif
