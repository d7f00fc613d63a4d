/* SPDX-License-Identifier: MIT */
/* Plays a scenario: decides about each call, and does timed things on a thread of its own. */
#include "scenario-internal.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "debug.h"
#include "event.h"
#include "process.h"
#include "smi.h"
#include "topology.h"

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ull + (uint64_t)ts.tv_nsec;
}

static bool is_ruled(const struct kfd_model_scenario *scenario, uint32_t nr)
{
	return nr < 256 && scenario->ruled[nr / 64] >> (nr % 64) & 1;
}

static void sleep_us(uint64_t us)
{
	struct timespec left = {
		.tv_sec = (time_t)(us / 1000000),
		.tv_nsec = (long)(us % 1000000 * 1000),
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR)
		;
}

static bool is_about(const struct scenario_rule *rule, const uint32_t *nodes, uint32_t count)
{
	if (rule->node_index == KFD_MODEL_ANY_NODE)
		return true;
	for (uint32_t i = 0; i < count; i++)
		if (nodes[i] == rule->node_index)
			return true;
	return false;
}

int kfd_model_scenario_before(struct kfd_model_scenario *scenario, uint32_t nr,
			      const uint32_t *nodes, uint32_t count)
{
	uint64_t delay_us = 0;
	int error = 0;

	if (!is_ruled(scenario, nr))
		return 0;
	pthread_mutex_lock(&scenario->lock);
	for (uint32_t i = 0; i < scenario->rule_count; i++) {
		struct scenario_rule *rule = &scenario->rules[i];

		if (rule->nr != nr || !is_about(rule, nodes, count))
			continue;
		if (rule->seen++ < rule->after || rule->seen > rule->after + rule->times)
			continue;
		delay_us += rule->delay_us;
		if (!error)
			error = rule->error;
	}
	pthread_mutex_unlock(&scenario->lock);
	if (delay_us)
		sleep_us(delay_us);
	return error;
}

/* The GPU of an action as the process knows it. */
static uint32_t gpu_id_of(const struct scenario_action *action, struct kfd_model *model,
			  struct kfd_model_process *process)
{
	uint32_t actual = model->topology.nodes[action->node_index].gpu_id;
	const struct kfd_model_vm *vm = kfd_model_process_vm_of_actual(process, actual);

	return vm ? vm->gpu_id : actual;
}

static void raise_memory_exception(const struct scenario_action *action, struct kfd_model *model,
				   struct kfd_model_process *process)
{
	struct kfd_hsa_memory_exception_data data = {
		.failure = { .NotPresent = action->not_present,
			     .ReadOnly = action->read_only,
			     .NoExecute = action->no_execute },
		.va = action->address,
		.gpu_id = gpu_id_of(action, model, process),
		.ErrorType = action->error_type,
	};

	kfd_model_debug_memory_violation(process, &data);
}

static void raise_hw_exception(const struct scenario_action *action, struct kfd_model *model,
			       struct kfd_model_process *process)
{
	struct kfd_hsa_hw_exception_data data = {
		.reset_type = action->reset_type,
		.reset_cause = action->cause,
		.memory_lost = action->memory_lost,
		.gpu_id = gpu_id_of(action, model, process),
	};

	kfd_model_events_hw_exception(process, &data);
}

static void perform(struct kfd_model_scenario *scenario, const struct scenario_action *action,
		    struct kfd_model *model)
{
	struct kfd_model_process *process;

	pthread_mutex_lock(&model->lock);
	process = model->primary;
	pthread_mutex_unlock(&model->lock);
	switch (action->deed) {
	case SCENARIO_MEMORY_EXCEPTION:
		if (process)
			raise_memory_exception(action, model, process);
		break;
	case SCENARIO_HW_EXCEPTION:
		if (process)
			raise_hw_exception(action, model, process);
		break;
	case SCENARIO_SMI:
		kfd_model_smi_text(model, model->topology.nodes[action->node_index].gpu_id,
				   action->text);
		break;
	case SCENARIO_OUTSIDE:
		atomic_store(&scenario->nodes[action->node_index].outside_bytes, action->bytes);
		break;
	case SCENARIO_BOOTTIME_JUMP:
		atomic_fetch_add(&scenario->boottime_shift_ns, (int64_t)action->ns);
		break;
	case SCENARIO_DEED_COUNT:
		break;
	}
}

void kfd_model_scenario_after(struct kfd_model_scenario *scenario, struct kfd_model *model,
			      uint32_t nr)
{
	if (!is_ruled(scenario, nr))
		return;
	for (uint32_t i = 0; i < scenario->action_count; i++) {
		struct scenario_action *action = &scenario->actions[i];
		bool due;

		if (action->is_timed || action->on_nr != nr)
			continue;
		pthread_mutex_lock(&scenario->lock);
		due = !action->done && ++action->seen >= action->calls;
		action->done |= due;
		pthread_mutex_unlock(&scenario->lock);
		if (due)
			perform(scenario, action, model);
	}
}

/* Earliest timed action that is still to come; NULL when none. */
static struct scenario_action *next_timed(struct kfd_model_scenario *scenario)
{
	struct scenario_action *next = NULL;

	for (uint32_t i = 0; i < scenario->action_count; i++) {
		struct scenario_action *action = &scenario->actions[i];

		if (action->is_timed && !action->done && (!next || action->at_ms < next->at_ms))
			next = action;
	}
	return next;
}

static void *play(void *data)
{
	struct kfd_model_scenario *scenario = data;
	struct scenario_action *action;

	pthread_mutex_lock(&scenario->lock);
	while (!scenario->stopping && (action = next_timed(scenario))) {
		uint64_t due_ns = scenario->start_ns + action->at_ms * 1000000;
		struct timespec due = {
			.tv_sec = (time_t)(due_ns / 1000000000),
			.tv_nsec = (long)(due_ns % 1000000000),
		};

		if (now_ns() < due_ns) {
			pthread_cond_timedwait(&scenario->stop, &scenario->lock, &due);
			continue;
		}
		action->done = true;
		pthread_mutex_unlock(&scenario->lock);
		perform(scenario, action, scenario->model);
		pthread_mutex_lock(&scenario->lock);
	}
	pthread_mutex_unlock(&scenario->lock);
	return NULL;
}

void kfd_model_scenario_start(struct kfd_model_scenario *scenario, struct kfd_model *model)
{
	sigset_t all, old;

	pthread_mutex_lock(&scenario->lock);
	if (!scenario->has_thread && next_timed(scenario)) {
		scenario->model = model;
		scenario->start_ns = now_ns();
		/* the program's signals are none of this thread's business */
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, &old);
		scenario->has_thread = pthread_create(&scenario->thread, NULL, play, scenario) == 0;
		pthread_sigmask(SIG_SETMASK, &old, NULL);
	}
	pthread_mutex_unlock(&scenario->lock);
}

void kfd_model_scenario_after_fork(struct kfd_model_scenario *scenario)
{
	pthread_mutex_init(&scenario->lock, NULL);
	scenario->has_thread = false;
}

void kfd_model_scenario_stop(struct kfd_model_scenario *scenario)
{
	if (!scenario || !scenario->has_thread)
		return;
	pthread_mutex_lock(&scenario->lock);
	scenario->stopping = true;
	pthread_cond_signal(&scenario->stop);
	pthread_mutex_unlock(&scenario->lock);
	pthread_join(scenario->thread, NULL);
	scenario->has_thread = false;
}

void kfd_model_scenario_free(struct kfd_model_scenario *scenario)
{
	if (!scenario)
		return;
	kfd_model_scenario_stop(scenario);
	for (uint32_t i = 0; i < scenario->action_count; i++)
		free(scenario->actions[i].text);
	for (uint32_t i = 0; i < scenario->open_count; i++)
		free(scenario->opens[i].path);
	free(scenario->nodes);
	free(scenario->rules);
	free(scenario->actions);
	free(scenario->opens);
	pthread_cond_destroy(&scenario->stop);
	pthread_mutex_destroy(&scenario->lock);
	free(scenario);
}

int kfd_model_scenario_open_errno(struct kfd_model_scenario *scenario, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *last = slash ? slash + 1 : path;

	for (uint32_t i = 0; i < scenario->open_count; i++) {
		struct scenario_open *open = &scenario->opens[i];
		bool hit;

		if (strcmp(open->path, path) != 0 && strcmp(open->path, last) != 0)
			continue;
		pthread_mutex_lock(&scenario->lock);
		hit = open->seen < open->times;
		open->seen += hit;
		pthread_mutex_unlock(&scenario->lock);
		if (hit && open->delay_us)
			sleep_us(open->delay_us);
		if (hit)
			return open->error;
	}
	return 0;
}

void kfd_model_scenario_count_dispatch(struct kfd_model_scenario *scenario)
{
	atomic_fetch_add(&scenario->dispatches, 1);
}

uint32_t kfd_model_scenario_minor(const struct kfd_model_scenario *scenario)
{
	return scenario->minor;
}

bool kfd_model_scenario_dkms(const struct kfd_model_scenario *scenario)
{
	return scenario->dkms;
}

bool kfd_model_scenario_reuse(const struct kfd_model_scenario *scenario)
{
	return scenario->reuse;
}

uint64_t kfd_model_scenario_system_total(const struct kfd_model_scenario *scenario)
{
	return scenario->system_bytes;
}

uint64_t kfd_model_scenario_vram_total(const struct kfd_model_scenario *scenario,
				       const struct kfd_model_node *node)
{
	return scenario->nodes[node->index].vram_bytes;
}

uint64_t kfd_model_scenario_vram_visible(const struct kfd_model_scenario *scenario,
					 const struct kfd_model_node *node)
{
	return scenario->nodes[node->index].visible_bytes;
}

uint64_t kfd_model_scenario_vram_outside(const struct kfd_model_scenario *scenario,
					 const struct kfd_model_node *node)
{
	return atomic_load(&scenario->nodes[node->index].outside_bytes);
}

uint64_t kfd_model_scenario_clock_hz(const struct kfd_model_scenario *scenario,
				     const struct kfd_model_node *node)
{
	return scenario->nodes[node->index].clock_hz;
}

int64_t kfd_model_scenario_clock_drift_ppb(const struct kfd_model_scenario *scenario,
					   const struct kfd_model_node *node)
{
	return scenario->nodes[node->index].clock_drift_ppb;
}

uint64_t kfd_model_scenario_boottime_shift_ns(const struct kfd_model_scenario *scenario)
{
	return (uint64_t)atomic_load(&scenario->boottime_shift_ns);
}
