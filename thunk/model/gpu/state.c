/* SPDX-License-Identifier: MIT */
/* How far an engine is with a queue, out of it and into it: for checkpoints. */
#include "model/gpu/state.h"

#include "model/gpu/worker.h"

#define BUFFER_DWORDS_MAX 0xfffffu /* of an indirect buffer: what its packet can say */

_Static_assert(KFD_MODEL_QUEUE_LEVELS == GPU_STREAM_LEVELS, "a state has all levels of a stream");

static bool has_ring(enum kfd_model_queue_type type)
{
	return type != KFD_MODEL_QUEUE_COMPUTE_AQL; /* whose stream is that of one packet */
}

bool kfd_model_queue_may_load(const struct kfd_model_queue_config *config)
{
	const struct kfd_model_queue_state *state = config->state;

	if (state->depth > GPU_STREAM_LEVELS || (has_ring(config->type) && !state->depth))
		return false;
	for (uint32_t i = 0; i < state->depth; i++) {
		if (has_ring(config->type) && i == 0)
			continue; /* its end is read anew */
		if (state->levels[i].end < state->levels[i].pos ||
		    state->levels[i].end > BUFFER_DWORDS_MAX)
			return false;
	}
	return true;
}

void gpu_state_load(struct kfd_model_queue *queue, const struct kfd_model_queue_state *state)
{
	queue->dead = state->dead;
	queue->suspended = 1;
	queue->stream.depth = state->depth;
	for (uint32_t i = 0; i < state->depth; i++) {
		struct gpu_level *level = &queue->stream.level[i];

		level->pos = level->end = state->levels[i].pos;
		if (i == 0 && has_ring(queue->config.type))
			continue; /* which is where the configuration says */
		level->end = state->levels[i].end;
		level->va = state->levels[i].va;
		level->size_dwords = 0;
	}
	queue->pm4 = (struct gpu_pm4_state){ .atomic_return = state->atomic_return,
					     .program_low = state->program_low,
					     .program_high = state->program_high };
	queue->aql.read = state->read;
	queue->aql.started = state->started;
	queue->aql.start_ticks = state->start_ticks;
	queue->aql.deps_met = state->deps_met;
}

void kfd_model_queue_save(struct kfd_model_queue *queue, struct kfd_model_queue_state *state)
{
	struct kfd_model_gpu *gpu = queue->gpu;

	pthread_mutex_lock(&gpu->lock);
	*state = (struct kfd_model_queue_state){
		.dead = queue->dead,
		.depth = queue->stream.depth,
		.atomic_return = queue->pm4.atomic_return,
		.program_low = queue->pm4.program_low,
		.program_high = queue->pm4.program_high,
		.read = queue->aql.read,
		.start_ticks = queue->aql.start_ticks,
		.started = queue->aql.started,
		.deps_met = queue->aql.deps_met,
	};
	for (uint32_t i = 0; i < state->depth; i++) {
		state->levels[i].va = queue->stream.level[i].va;
		state->levels[i].pos = queue->stream.level[i].pos;
		state->levels[i].end = queue->stream.level[i].end;
	}
	pthread_mutex_unlock(&gpu->lock);
}
