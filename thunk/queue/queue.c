/* SPDX-License-Identifier: MIT */
/* The queues of a context: the set of live ones and what other modules ask of it. */
#include "queue/queue-internal.h"

#include <stdlib.h>

#include "memory/fmm.h"

struct kmt_queues *kmt_queues_new(void)
{
	struct kmt_queues *queues = calloc(1, sizeof(*queues));

	if (queues)
		kmt_handle_set_init(&queues->live);
	return queues;
}

static void free_record(void *record, void *data)
{
	(void)data;
	free(record);
}

/* The GPU-visible parts belong to the memory manager, which frees what is left with the context. */
void kmt_queues_free(struct kmt_queues *queues)
{
	if (!queues)
		return;
	kmt_handle_set_for_each_unlocked(&queues->live, free_record, NULL);
	kmt_handle_set_fini(&queues->live);
	free(queues->doorbells);
	free(queues);
}

void queue_free(struct kmt_context *ctx, struct queue *queue)
{
	if (!queue)
		return;
	save_area_fini(ctx, &queue->save_area);
	kmt_fmm_internal_free(ctx, queue->eop);
	kmt_fmm_internal_free(ctx, queue->page);
	free(queue);
}

struct queue *queue_get(struct kmt_context *ctx, HSA_QUEUEID handle)
{
	struct queue *queue;

	if (!ctx->queues)
		return NULL;
	kmt_handle_set_read_lock(&ctx->queues->live);
	queue = kmt_handle_set_find_locked(&ctx->queues->live, handle);
	if (queue)
		atomic_fetch_add_explicit(&queue->refs, 1, memory_order_relaxed);
	kmt_handle_set_unlock(&ctx->queues->live);
	return queue;
}

void queue_put(struct kmt_context *ctx, struct queue *queue)
{
	if (queue && atomic_fetch_sub_explicit(&queue->refs, 1, memory_order_acq_rel) == 1)
		queue_free(ctx, queue);
}

int queue_destroy_id(struct kmt_context *ctx, uint32_t kernel_id)
{
	struct kfd_ioctl_destroy_queue_args args = { .queue_id = kernel_id };

	return kmt_ioctl(ctx, AMDKFD_IOC_DESTROY_QUEUE, &args);
}

bool queue_priority_to_kfd(HSA_QUEUE_PRIORITY priority, uint32_t *kfd_priority)
{
	static const uint32_t by_priority[] = { 0, 3, 5, 7, 9, 11, 15 };

	/* The enumeration has 64 bits: it holds both -3 and 0xFFFFFFFF. */
	if ((int64_t)priority < HSA_QUEUE_PRIORITY_MINIMUM ||
	    (int64_t)priority > HSA_QUEUE_PRIORITY_MAXIMUM)
		return false;
	*kfd_priority = by_priority[(int64_t)priority - HSA_QUEUE_PRIORITY_MINIMUM];
	return true;
}

uint32_t *kmt_queue_kernel_ids_of(struct kmt_context *ctx, const HSA_QUEUEID *queues,
				  uint32_t count)
{
	uint32_t *ids;

	if (!queues || !count)
		return NULL;
	ids = malloc(count * sizeof(*ids));
	for (uint32_t i = 0; ids && i < count; i++) {
		struct queue *queue = queue_get(ctx, queues[i]);

		if (queue) {
			ids[i] = queue->kernel_id;
			queue_put(ctx, queue);
		} else {
			free(ids);
			ids = NULL;
		}
	}
	return ids;
}

uint32_t *kmt_queue_kernel_ids(const HSA_QUEUEID *queues, uint32_t count)
{
	return kmt_queue_kernel_ids_of(kmt_primary(), queues, count);
}

struct visit {
	void (*visit)(const struct kmt_queue_info *info, void *data);
	void *data;
};

static void visit_record(void *record, void *data)
{
	const struct queue *queue = record;
	const struct visit *visit = data;
	const struct kmt_queue_info info = {
		.handle = (uintptr_t)queue->page,
		.kernel_id = queue->kernel_id,
		.node_id = queue->node_id,
		.gpu_id = queue->gpu_id,
		.type = queue->type,
		.priority = (int32_t)queue->priority,
		.percentage = queue->percentage,
		.ring_va = queue->ring_va,
		.ring_size_bytes = queue->ring_size_bytes,
		.read_ptr_va = queue->read_ptr_va,
		.write_ptr_va = queue->write_ptr_va,
		.doorbell_va = queue->doorbell_va,
		.eop_va = (uintptr_t)queue->eop,
		.eop_size_bytes = queue->eop_size_bytes,
		.cwsr_va = (uintptr_t)queue->save_area.base,
		.cwsr_size_bytes = queue->save_area.sizes.total_bytes,
		.origin = queue->origin,
	};

	visit->visit(&info, visit->data);
}

void kmt_queue_for_each(struct kmt_context *ctx,
			void (*visit)(const struct kmt_queue_info *info, void *data), void *data)
{
	struct visit pass = { visit, data };

	if (ctx->queues)
		kmt_handle_set_for_each(&ctx->queues->live, visit_record, &pass);
}
