/* SPDX-License-Identifier: MIT */
/* Queues in a checkpoint (kfd.md 11): the same id, doorbell, slot and place in the ring afterwards. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "criu-image.h"
#include "doorbell.h"
#include "queue-internal.h"

static uint64_t *doorbell_of(const struct kfd_model_kfd_queue *queue)
{
	const struct kfd_model_vm *vm = queue->vm;
	uint64_t span;
	char *slice = kfd_model_store_host(vm->process->store, vm->doorbell_offset, &span);

	if (!slice)
		return NULL;
	return (void *)(slice + (size_t)queue->doorbell_slot * kfd_model_doorbell_bytes(vm->node));
}

static void save(const struct kfd_model_kfd_queue *queue, struct kfd_model_image_queue *image)
{
	const uint64_t *doorbell = doorbell_of(queue);

	image->args = queue->args;
	image->id = queue->id;
	image->doorbell_slot = queue->doorbell_slot;
	image->sdma_slot = queue->sdma_slot;
	image->has_gws = queue->has_gws;
	image->cu_mask_bits = queue->cu_mask_bits;
	memcpy(image->cu_mask, queue->cu_mask, sizeof(image->cu_mask));
	image->exceptions = queue->exceptions;
	if (doorbell)
		memcpy(&image->doorbell, doorbell, kfd_model_doorbell_bytes(queue->vm->node));
	kfd_model_queue_save(queue->engine, &image->engine);
}

uint32_t kfd_model_queues_save(struct kfd_model_process *process,
			       struct kfd_model_image_queue *images, uint32_t max)
{
	uint32_t count = 0;

	pthread_mutex_lock(&process->queues_lock); /* of the exceptions, which engines report */
	for (uint32_t id = 0; id < KFD_MODEL_QUEUES_MAX; id++) {
		const struct kfd_model_kfd_queue *queue = process->queues[id];

		if (queue && count++ < max)
			save(queue, &images[count - 1]);
	}
	pthread_mutex_unlock(&process->queues_lock);
	return count;
}

/* The slots that the queue had. They are free in a process that has nothing yet. */
static int take_slots(struct kfd_model_kfd_queue *queue, const struct kfd_model_image_queue *image)
{
	struct kfd_model_vm *vm = queue->vm;
	uint32_t engine, hw_queue;
	int slot;

	if (kfd_model_queue_is_sdma(queue->type)) {
		if (kfd_model_sdma_take_at(vm, queue->type, queue->args.sdma_engine_id,
					   image->sdma_slot, &engine, &hw_queue))
			return -EINVAL;
		queue->sdma_slot = image->sdma_slot;
		slot = kfd_model_doorbell_take_sdma(vm, queue->id, engine, hw_queue);
	} else {
		slot = kfd_model_doorbell_take_at(vm, queue->id, image->doorbell_slot);
	}
	if (slot < 0)
		return -EINVAL;
	queue->doorbell_slot = (uint32_t)slot;
	if (queue->doorbell_slot == image->doorbell_slot)
		return 0;
	kfd_model_doorbell_release(vm, queue->doorbell_slot);
	return -EINVAL;
}

static int check(struct kfd_model_process *process, const struct kfd_model_image_queue *image,
		 struct kfd_ioctl_create_queue_args *args, struct kfd_model_vm **out)
{
	struct kfd_model_vm *vm = kfd_model_process_vm(process, image->args.gpu_id);

	*args = image->args;
	/* whatever is wrong with them, it is the checkpoint that is */
	if (kfd_model_queue_check(process, args, vm))
		return -EINVAL;
	if (image->id >= KFD_MODEL_QUEUES_MAX || process->queues[image->id] ||
	    image->cu_mask_bits > KFD_MODEL_CU_MASK_WORDS * 32 || image->cu_mask_bits % 32 ||
	    (image->has_gws && (vm->gws_used || !vm->node->num_gws)))
		return -EINVAL;
	*out = vm;
	return kfd_model_queue_has_room(vm) ? kfd_model_doorbell_slice(vm) : -ENOSPC;
}

int kfd_model_queue_load(struct kfd_model_process *process,
			 const struct kfd_model_image_queue *image)
{
	struct kfd_ioctl_create_queue_args args;
	struct kfd_model_kfd_queue *queue;
	struct kfd_model_vm *vm = NULL;
	uint64_t *doorbell;
	int rc = check(process, image, &args, &vm);

	if (rc)
		return rc;
	queue = calloc(1, sizeof(*queue));
	if (!queue)
		return -ENOMEM;
	queue->vm = vm;
	queue->id = image->id;
	queue->type = args.queue_type;
	queue->sdma_slot = -1;
	queue->args = args;
	if (image->has_gws)
		queue->has_gws = vm->gws_used = true;
	queue->cu_mask_bits = image->cu_mask_bits;
	memcpy(queue->cu_mask, image->cu_mask, sizeof(queue->cu_mask));
	queue->exceptions = image->exceptions;
	rc = take_slots(queue, image);
	if (rc) {
		kfd_model_queue_end(queue, false);
		return rc;
	}
	kfd_model_queue_buffers_reuse(queue);
	rc = kfd_model_queue_start(process, queue, &image->engine);
	if (rc) {
		kfd_model_queue_end(queue, true);
		return rc;
	}
	/* rung and not yet served, maybe; the engine has seen none of it */
	doorbell = doorbell_of(queue);
	if (doorbell)
		memcpy(doorbell, &image->doorbell, kfd_model_doorbell_bytes(vm->node));
	return 0;
}

void kfd_model_queues_resume(struct kfd_model_process *process)
{
	for (uint32_t id = 0; id < KFD_MODEL_QUEUES_MAX; id++) {
		struct kfd_model_kfd_queue *queue = process->queues[id];

		if (!queue || !queue->awaits_resume)
			continue;
		queue->awaits_resume = false;
		kfd_model_queue_pause(queue, false);
	}
}
