/* SPDX-License-Identifier: MIT */
/*
 * What a person wants the simulated machine to do differently (docs/simulation.md): refuse or delay
 * calls, be smaller, lose memory, raise exceptions. Read from a JSON file; without one everything
 * has its default.
 */
#ifndef KFDSCOPE_THUNK_MODEL_SCENARIO_H
#define KFDSCOPE_THUNK_MODEL_SCENARIO_H

#include <stdbool.h>
#include <stdint.h>

struct kfd_model;
struct kfd_model_node;
struct kfd_model_process;
struct kfd_model_scenario;
struct kfd_model_topology;

#define KFD_MODEL_MINOR_DEFAULT 19
#define KFD_MODEL_ANY_NODE      UINT32_MAX

/*
 * Reads a scenario; path NULL gives the defaults.
 * @return 0, or -errno after one line about what is wrong was logged.
 */
int kfd_model_scenario_load(const char *path, const struct kfd_model_topology *topology,
			    struct kfd_model_scenario **out) __attribute__((warn_unused_result));
/* Ends its thread, which touches all the machine; accepts NULL. */
void kfd_model_scenario_stop(struct kfd_model_scenario *scenario);
/* Accepts NULL. */
void kfd_model_scenario_free(struct kfd_model_scenario *scenario);
/* In a forked child. */
void kfd_model_scenario_after_fork(struct kfd_model_scenario *scenario);
/* The first open: timed actions count from here. */
void kfd_model_scenario_start(struct kfd_model_scenario *scenario, struct kfd_model *model);

/*
 * Before a call is carried out: waits if it is to be delayed.
 * @param nr          ioctl number.
 * @param nodes       topology nodes that the call is about; KFD_MODEL_ANY_NODE: about none.
 * @param count       how many.
 * @return 0, or the errno value to answer with instead.
 */
int kfd_model_scenario_before(struct kfd_model_scenario *scenario, uint32_t nr,
			      const uint32_t *nodes, uint32_t count);
/* After a call: carries out the actions that it triggers. No lock may be held. */
void kfd_model_scenario_after(struct kfd_model_scenario *scenario, struct kfd_model *model,
			      uint32_t nr);
/* Errno value for opening a path, or 0. A path may be given by its last component. */
int kfd_model_scenario_open_errno(struct kfd_model_scenario *scenario, const char *path);
void kfd_model_scenario_count_dispatch(struct kfd_model_scenario *scenario);

/* Settings. */
uint32_t kfd_model_scenario_minor(const struct kfd_model_scenario *scenario);
/* The numbers of the DKMS driver answer; else they are ENOTTY as upstream. */
bool kfd_model_scenario_dkms(const struct kfd_model_scenario *scenario);
/* A freed handle or place is given out again at once. */
bool kfd_model_scenario_reuse(const struct kfd_model_scenario *scenario);
uint64_t kfd_model_scenario_system_total(const struct kfd_model_scenario *scenario);
uint64_t kfd_model_scenario_vram_total(const struct kfd_model_scenario *scenario,
				       const struct kfd_model_node *node);
uint64_t kfd_model_scenario_vram_visible(const struct kfd_model_scenario *scenario,
					 const struct kfd_model_node *node);
uint64_t kfd_model_scenario_vram_outside(const struct kfd_model_scenario *scenario,
					 const struct kfd_model_node *node);
uint64_t kfd_model_scenario_clock_hz(const struct kfd_model_scenario *scenario,
				     const struct kfd_model_node *node);
int64_t kfd_model_scenario_clock_drift_ppb(const struct kfd_model_scenario *scenario,
					   const struct kfd_model_node *node);
uint64_t kfd_model_scenario_boottime_shift_ns(const struct kfd_model_scenario *scenario);

#endif
