/* SPDX-License-Identifier: MIT */
/* Checks the buffers of a queue and keeps them from being freed under it. */
#include "queue-buffers.h"

#include <errno.h>

#include "bo.h"
#include "svm.h"
#include "vm.h"

#define PAGE_BYTES  4096ull
#define CHECK_SINCE 17 /* interface minor of the first kernel that checks */

enum { BUFFER_RING, BUFFER_READ_PTR, BUFFER_WRITE_PTR, BUFFER_EOP, BUFFER_SAVE_AREA };

static uint64_t page_up(uint64_t bytes)
{
	return (bytes + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
}

/*
 * @param size_bytes  wanted size of the mapping, or 0 for any.
 * @param at_start    the mapping must start at va.
 */
static struct kfd_model_bo *find(struct kfd_model_vm *vm, uint64_t va, uint64_t size_bytes,
				 bool at_start)
{
	uint64_t start, size;
	struct kfd_model_bo *bo;

	pthread_rwlock_rdlock(&vm->process->vm_lock);
	bo = kfd_model_vm_find(vm, va, &start, &size);
	if (bo && ((at_start && start != va) || (size_bytes && size != size_bytes)))
		bo = NULL;
	pthread_rwlock_unlock(&vm->process->vm_lock);
	return bo;
}

static int use(struct kfd_model_kfd_queue *queue, unsigned int which, struct kfd_model_bo *bo)
{
	if (!bo)
		return -EINVAL;
	queue->buffers[which] = kfd_model_bo_get(bo);
	bo->queue_uses++;
	return 0;
}

static void unuse(struct kfd_model_kfd_queue *queue, unsigned int which)
{
	struct kfd_model_bo *bo = queue->buffers[which];

	if (!bo)
		return;
	bo->queue_uses--;
	queue->buffers[which] = NULL;
	kfd_model_bo_put(bo);
}

/* An APU that shares the CPU's page tables has no buffers behind its addresses. */
static bool checks_buffers(const struct kfd_model_vm *vm)
{
	return !vm->node->is_apu &&
	       kfd_model_scenario_minor(vm->process->model->scenario) >= CHECK_SINCE;
}

static struct kfd_model_bo *find_ring(struct kfd_model_kfd_queue *queue,
				      const struct kfd_ioctl_create_queue_args *args)
{
	uint64_t size = args->ring_size;

	/* the first half of a ring that is mapped twice */
	if (queue->type == KFD_IOC_QUEUE_TYPE_COMPUTE_AQL && queue->vm->node->gfx_version < 90000)
		size /= 2;
	return find(queue->vm, args->ring_base_address, page_up(size), true);
}

static int use_save_area(struct kfd_model_kfd_queue *queue)
{
	const struct kfd_model_node *node = queue->vm->node;
	const struct kfd_ioctl_create_queue_args *args = &queue->args;
	uint64_t total =
		page_up(((uint64_t)args->ctx_save_restore_size + kfd_model_debug_area_bytes(node)) *
			node->num_xcc);
	struct kfd_model_bo *bo;

	if (args->ctl_stack_size != node->ctl_stack_size ||
	    args->ctx_save_restore_size < node->cwsr_size)
		return -EINVAL;
	bo = find(queue->vm, args->ctx_save_restore_address, 0, true);
	if (bo && page_up(bo->backing->size_bytes) >= total)
		return use(queue, BUFFER_SAVE_AREA, bo);
	return kfd_model_svm_always_mapped(queue->vm, args->ctx_save_restore_address, total)
		       ? 0
		       : -EINVAL;
}

static int use_compute(struct kfd_model_kfd_queue *queue)
{
	const struct kfd_ioctl_create_queue_args *args = &queue->args;
	struct kfd_model_bo *eop;
	int rc = 0;

	if (args->eop_buffer_address) {
		eop = find(queue->vm, args->eop_buffer_address, 0, true);
		if (!eop || args->eop_buffer_size < PAGE_BYTES ||
		    eop->backing->size_bytes < args->eop_buffer_size)
			return -EINVAL;
		rc = use(queue, BUFFER_EOP, eop);
	}
	return rc ? rc : use_save_area(queue);
}

int kfd_model_queue_buffers_get(struct kfd_model_kfd_queue *queue)
{
	struct kfd_model_vm *vm = queue->vm;
	const struct kfd_ioctl_create_queue_args *args = &queue->args;
	int rc;

	if (!checks_buffers(vm))
		return 0;
	rc = use(queue, BUFFER_WRITE_PTR, find(vm, args->write_pointer_address, PAGE_BYTES, false));
	if (!rc)
		rc = use(queue, BUFFER_READ_PTR,
			 find(vm, args->read_pointer_address, PAGE_BYTES, false));
	if (!rc)
		rc = use(queue, BUFFER_RING, find_ring(queue, args));
	if (!rc && (queue->type == KFD_IOC_QUEUE_TYPE_COMPUTE ||
		    queue->type == KFD_IOC_QUEUE_TYPE_COMPUTE_AQL))
		rc = use_compute(queue);
	return rc;
}

void kfd_model_queue_buffers_put(struct kfd_model_kfd_queue *queue)
{
	for (unsigned int i = 0; i < KFD_MODEL_QUEUE_BUFFERS; i++)
		unuse(queue, i);
}

void kfd_model_queue_buffers_reuse(struct kfd_model_kfd_queue *queue)
{
	const struct kfd_ioctl_create_queue_args *args = &queue->args;
	const struct {
		unsigned int which;
		uint64_t va;
		bool at_start;
	} wanted[] = {
		{ BUFFER_RING, args->ring_base_address, true },
		{ BUFFER_READ_PTR, args->read_pointer_address, false },
		{ BUFFER_WRITE_PTR, args->write_pointer_address, false },
		{ BUFFER_EOP, args->eop_buffer_address, true },
		{ BUFFER_SAVE_AREA, args->ctx_save_restore_address, true },
	};

	if (!checks_buffers(queue->vm))
		return;
	for (unsigned int i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		struct kfd_model_bo *bo =
			wanted[i].va ? find(queue->vm, wanted[i].va, 0, wanted[i].at_start) : NULL;

		if (bo)
			(void)use(queue, wanted[i].which, bo); /* fails without one only */
	}
}

int kfd_model_queue_buffers_move_ring(struct kfd_model_kfd_queue *queue,
				      const struct kfd_ioctl_create_queue_args *updated)
{
	struct kfd_model_bo *ring;

	/* a disabled queue has no new ring to look at; it keeps the use of the old one */
	if (!checks_buffers(queue->vm) || !updated->ring_base_address || !updated->ring_size ||
	    updated->ring_base_address == queue->args.ring_base_address)
		return 0;
	ring = find_ring(queue, updated);
	if (!ring)
		return -EINVAL;
	unuse(queue, BUFFER_RING);
	return use(queue, BUFFER_RING, ring);
}
