/* SPDX-License-Identifier: MIT */
/* Making and unmaking queues, with the driver's checks in the driver's order (kfd.md 5). */
#include "queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "debug.h"
#include "doorbell.h"
#include "engine04.h"
#include "queue-buffers.h"
#include "queue-internal.h"
#include "store.h"
#include "usercopy.h"

#define ENOTSUPP_KERNEL      524 /* not a POSIX errno; the driver returns it all the same */
#define USER_LIMIT           0x800000000000ull
#define QUEUES_PER_GPU       127
#define QUEUES_PER_GPU_MULTI 255 /* gfx9.4.3 and 9.4.4 */
#define CU_BITS_MAX          (KFD_MODEL_CU_MASK_WORDS * 32)

static bool is_user(uint64_t addr)
{
	return addr < USER_LIMIT;
}

bool kfd_model_queue_is_sdma(uint32_t type)
{
	return type == KFD_IOC_QUEUE_TYPE_SDMA || type == KFD_IOC_QUEUE_TYPE_SDMA_XGMI ||
	       type == KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID;
}

static int check_ring(uint32_t percentage, uint32_t priority, uint64_t ring, uint32_t size)
{
	if ((percentage & 0xff) > KFD_MAX_QUEUE_PERCENTAGE || priority > KFD_MAX_QUEUE_PRIORITY)
		return -EINVAL;
	if ((percentage & 0xff) && size && !is_user(ring))
		return -EFAULT;
	if (size & (size - 1))
		return -EINVAL;
	return 0;
}

static int check_create(const struct kfd_model_process *process,
			struct kfd_ioctl_create_queue_args *args)
{
	int rc = check_ring(args->queue_percentage, args->queue_priority, args->ring_base_address,
			    args->ring_size);

	if (rc)
		return rc;
	if (args->ring_size && args->ring_size < KFD_MIN_QUEUE_RING_SIZE &&
	    kfd_model_scenario_minor(process->model->scenario) >= 17)
		args->ring_size = KFD_MIN_QUEUE_RING_SIZE;
	if (!is_user(args->read_pointer_address) || !is_user(args->write_pointer_address) ||
	    !is_user(args->eop_buffer_address) || !is_user(args->ctx_save_restore_address))
		return -EFAULT;
	if (args->queue_type > KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID)
		return -ENOTSUPP_KERNEL;
	return 0;
}

static int check_gpu(const struct kfd_ioctl_create_queue_args *args, const struct kfd_model_vm *vm)
{
	if (!vm)
		return -EINVAL;
	if (args->queue_type == KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID &&
	    args->sdma_engine_id >= vm->node->num_sdma_engines + vm->node->num_sdma_xgmi_engines)
		return -EINVAL;
	return vm->acquired ? 0 : -ESRCH;
}

int kfd_model_queue_check(const struct kfd_model_process *process,
			  struct kfd_ioctl_create_queue_args *args, const struct kfd_model_vm *vm)
{
	int rc = check_create(process, args);

	return rc ? rc : check_gpu(args, vm);
}

bool kfd_model_queue_has_room(const struct kfd_model_vm *vm)
{
	uint32_t gfx = vm->node->gfx_version;

	return vm->queue_count <
	       (gfx == 90403 || gfx == 90404 ? QUEUES_PER_GPU_MULTI : QUEUES_PER_GPU);
}

static int free_id(const struct kfd_model_process *process)
{
	for (int id = 0; id < KFD_MODEL_QUEUES_MAX; id++)
		if (!process->queues[id])
			return id;
	return -ENOMEM;
}

/* Id, limit, SDMA slot and doorbell, in this order. */
static int take_slots(struct kfd_model_kfd_queue *queue, struct kfd_model_process *process)
{
	struct kfd_model_vm *vm = queue->vm;
	uint32_t engine = 0, hw_queue = 0;
	int id = free_id(process), slot;

	if (id < 0)
		return id;
	if (!kfd_model_queue_has_room(vm))
		return -ENOSPC;
	queue->id = (uint32_t)id;
	if (kfd_model_queue_is_sdma(queue->type)) {
		queue->sdma_slot = kfd_model_sdma_take(vm, queue->type, queue->args.sdma_engine_id,
						       &engine, &hw_queue);
		if (queue->sdma_slot < 0)
			return -ENOMEM;
		slot = kfd_model_doorbell_take_sdma(vm, queue->id, engine, hw_queue);
	} else {
		slot = kfd_model_doorbell_take(vm, queue->id);
	}
	if (slot < 0)
		return slot;
	queue->doorbell_slot = (uint32_t)slot;
	return 0;
}

static bool wants_to_run(const struct kfd_ioctl_create_queue_args *args)
{
	return args->ring_base_address && args->ring_size && (args->queue_percentage & 0xff);
}

static int start_engine(struct kfd_model_kfd_queue *queue,
			const struct kfd_model_queue_state *state)
{
	struct kfd_model_vm *vm = queue->vm;
	struct kfd_model_gpu *gpu;
	uint64_t span;
	struct kfd_model_queue_config config = {
		.type = (enum kfd_model_queue_type)queue->type,
		.queue_id = queue->id,
		.gfx_version = vm->node->gfx_version,
		.ring_va = wants_to_run(&queue->args) ? queue->args.ring_base_address : 0,
		.ring_size_bytes = queue->args.ring_size,
		.read_ptr_va = queue->args.read_pointer_address,
		.write_ptr_va = queue->args.write_pointer_address,
		.vm = vm,
		.state = state,
	};

	char *slice = kfd_model_store_host(vm->process->store, vm->doorbell_offset, &span);

	if (vm->outside) {
		queue->is_active = wants_to_run(&queue->args);
		return kfd_model_engine04_queue_new(vm->outside, &queue->args, &queue->outside);
	}
	gpu = kfd_model_vm_engines(vm);
	if (!gpu || !slice)
		return -ENOMEM;
	slice += (size_t)queue->doorbell_slot * kfd_model_doorbell_bytes(vm->node);
	/* no program writes all ones, so even a first doorbell of 0 is a change (gpu.h) */
	memset(slice, 0xff, kfd_model_doorbell_bytes(vm->node));
	config.doorbell = slice;
	if (state && !kfd_model_queue_may_load(&config))
		return -EINVAL;
	queue->engine = kfd_model_queue_new(gpu, &config);
	if (!queue->engine)
		return -ENOMEM;
	queue->is_active = wants_to_run(&queue->args);
	return 0;
}

/* Also the way a live queue ends. */
void kfd_model_queue_end(struct kfd_model_kfd_queue *queue, bool has_doorbell)
{
	kfd_model_queue_free(queue->engine);
	if (queue->vm->outside)
		kfd_model_engine04_queue_free(queue->vm->outside, queue->outside);
	if (has_doorbell)
		kfd_model_doorbell_release(queue->vm, queue->doorbell_slot);
	kfd_model_sdma_release(queue->vm, queue->sdma_slot);
	kfd_model_queue_buffers_put(queue);
	if (queue->has_gws)
		queue->vm->gws_used = false;
	free(queue);
}

static void publish(struct kfd_model_process *process, struct kfd_model_kfd_queue *queue)
{
	pthread_mutex_lock(&process->queues_lock);
	process->queues[queue->id] = queue;
	process->queue_count++;
	pthread_mutex_unlock(&process->queues_lock);
	queue->vm->queue_count++;
}

static void unpublish(struct kfd_model_process *process, struct kfd_model_kfd_queue *queue)
{
	pthread_mutex_lock(&process->queues_lock);
	process->queues[queue->id] = NULL;
	process->queue_count--;
	pthread_mutex_unlock(&process->queues_lock);
	queue->vm->queue_count--;
}

int kfd_model_queue_start(struct kfd_model_process *process, struct kfd_model_kfd_queue *queue,
			  const struct kfd_model_queue_state *state)
{
	int rc;

	queue->awaits_resume = state != NULL;
	publish(process, queue); /* first: its engine may report an error before it is back here */
	rc = start_engine(queue, state);
	if (rc)
		unpublish(process, queue);
	return rc;
}

static void tell_created(const struct kfd_model_kfd_queue *queue,
			 struct kfd_ioctl_create_queue_args *args)
{
	const struct kfd_model_vm *vm = queue->vm;

	args->queue_id = queue->id;
	args->doorbell_offset = kfd_model_mmap_encode(vm->process, KFD_MODEL_MMAP_DOORBELL, vm,
						      vm->doorbell_offset);
	/* older generations find their doorbell by the queue id (kfd.md 5.4) */
	if (vm->node->gfx_version >= 90000)
		args->doorbell_offset += queue->doorbell_slot * 8ull;
}

int kfd_model_queue_create(struct kfd_model_process *process,
			   struct kfd_ioctl_create_queue_args *args)
{
	struct kfd_model_vm *vm = kfd_model_process_vm(process, args->gpu_id);
	struct kfd_model_kfd_queue *queue;
	bool has_doorbell = false;
	int rc = kfd_model_queue_check(process, args, vm);

	if (!rc)
		rc = kfd_model_doorbell_slice(vm);
	if (rc)
		return rc;
	queue = calloc(1, sizeof(*queue));
	if (!queue)
		return -ENOMEM;
	queue->vm = vm;
	queue->type = args->queue_type;
	queue->sdma_slot = -1;
	queue->args = *args;
	queue->is_new = true;
	rc = kfd_model_queue_buffers_get(queue);
	if (rc)
		goto out;
	rc = take_slots(queue, process);
	if (rc)
		goto out;
	has_doorbell = true;
	rc = kfd_model_queue_start(process, queue, NULL);
	if (rc)
		goto out;
	tell_created(queue, args);
	kfd_model_debug_queue_new(process, queue);
	queue = NULL;
out:
	if (queue)
		kfd_model_queue_end(queue, has_doorbell);
	return rc;
}

struct kfd_model_kfd_queue *kfd_model_queue_find(struct kfd_model_process *process,
						 uint32_t queue_id)
{
	return queue_id < KFD_MODEL_QUEUES_MAX ? process->queues[queue_id] : NULL;
}

int kfd_model_queue_destroy(struct kfd_model_process *process, uint32_t queue_id)
{
	struct kfd_model_kfd_queue *queue = kfd_model_queue_find(process, queue_id);

	if (!queue)
		return -EINVAL;
	unpublish(process, queue);
	kfd_model_queue_end(queue, true);
	return 0;
}

int kfd_model_queue_change(struct kfd_model_process *process,
			   const struct kfd_ioctl_update_queue_args *args)
{
	struct kfd_model_kfd_queue *queue;
	struct kfd_ioctl_create_queue_args updated;
	int rc = check_ring(args->queue_percentage, args->queue_priority, args->ring_base_address,
			    args->ring_size);

	if (rc)
		return rc;
	queue = kfd_model_queue_find(process, args->queue_id);
	if (!queue)
		return -EFAULT;
	updated = queue->args;
	updated.ring_base_address = args->ring_base_address;
	updated.ring_size = args->ring_size;
	if (updated.ring_size && updated.ring_size < KFD_MIN_QUEUE_RING_SIZE &&
	    kfd_model_scenario_minor(process->model->scenario) >= 17)
		updated.ring_size = KFD_MIN_QUEUE_RING_SIZE;
	updated.queue_percentage = args->queue_percentage;
	updated.queue_priority = args->queue_priority;
	rc = kfd_model_queue_buffers_move_ring(queue, &updated);
	if (rc)
		return rc;
	queue->args = updated;
	queue->is_active = wants_to_run(&updated);
	if (queue->vm->outside) { /* which has no update */
		kfd_model_engine04_queue_free(queue->vm->outside, queue->outside);
		return kfd_model_engine04_queue_new(queue->vm->outside, &updated, &queue->outside);
	}
	kfd_model_queue_update(queue->engine, updated.ring_base_address, updated.ring_size,
			       updated.queue_percentage & 0xff);
	return 0;
}

/* From gfx10 on, compute units work in pairs and must be chosen so. */
static bool pairs_split(const uint32_t *mask, uint32_t words)
{
	for (uint32_t i = 0; i < words; i++)
		if ((mask[i] & 0x55555555u) != (mask[i] >> 1 & 0x55555555u))
			return true;
	return false;
}

int kfd_model_queue_set_cu_mask(struct kfd_model_process *process,
				const struct kfd_ioctl_set_cu_mask_args *args)
{
	uint32_t mask[KFD_MODEL_CU_MASK_WORDS] = { 0 };
	uint32_t bits = args->num_cu_mask > CU_BITS_MAX ? CU_BITS_MAX : args->num_cu_mask;
	struct kfd_model_kfd_queue *queue;

	if (!args->num_cu_mask || args->num_cu_mask % 32)
		return -EINVAL;
	if (kfd_model_copy_in(mask, args->cu_mask_ptr, bits / 8))
		return -EFAULT;
	queue = kfd_model_queue_find(process, args->queue_id);
	if (!queue)
		return -EFAULT;
	if (queue->vm->node->gfx_version >= 100000 && pairs_split(mask, bits / 32))
		return -EINVAL;
	memcpy(queue->cu_mask, mask, sizeof(mask));
	queue->cu_mask_bits = bits;
	return 0;
}

int kfd_model_queue_wave_state(struct kfd_model_process *process,
			       struct kfd_ioctl_get_queue_wave_state_args *args)
{
	struct kfd_model_kfd_queue *queue = kfd_model_queue_find(process, args->queue_id);
	struct kfd_context_save_area_header header = { 0 };

	if (!queue)
		return -EFAULT;
	if (kfd_model_queue_is_sdma(queue->type) || queue->is_active ||
	    !queue->args.ctx_save_restore_address)
		return -EINVAL;
	/* no wave ever runs here: the control stack is empty and starts at its end */
	header.wave_state.control_stack_offset = queue->args.ctl_stack_size;
	header.wave_state.wave_state_offset = queue->args.ctl_stack_size;
	if (kfd_model_copy_out(args->ctl_stack_address, &header.wave_state,
			       sizeof(header.wave_state)))
		return -EFAULT;
	args->ctl_stack_used_size = 0;
	args->save_area_used_size = 0;
	return 0;
}

int kfd_model_queue_gws(struct kfd_model_process *process,
			struct kfd_ioctl_alloc_queue_gws_args *args)
{
	struct kfd_model_kfd_queue *queue = kfd_model_queue_find(process, args->queue_id);

	if (!queue)
		return -EINVAL;
	if (!queue->vm->node->num_gws)
		return -ENODEV;
	if (kfd_model_debug_attached(process))
		return -EBUSY;
	if (!args->num_gws) {
		if (!queue->has_gws)
			return -EINVAL;
		queue->has_gws = queue->vm->gws_used = false;
		return 0;
	}
	if (queue->vm->gws_used && !queue->has_gws)
		return -EBUSY;
	queue->has_gws = queue->vm->gws_used = true;
	args->first_gws = 0;
	return 0;
}

void kfd_model_queues_destroy_all(struct kfd_model_process *process)
{
	for (uint32_t id = 0; id < KFD_MODEL_QUEUES_MAX; id++)
		if (process->queues[id])
			(void)kfd_model_queue_destroy(process, id); /* it exists */
}

void kfd_model_queue_pause(struct kfd_model_kfd_queue *queue, bool pause)
{
	if (queue->engine)
		kfd_model_queue_suspend(queue->engine, pause);
}

void kfd_model_queues_evict(struct kfd_model_process *process, struct kfd_model_vm *vm, bool evict)
{
	for (uint32_t id = 0; id < KFD_MODEL_QUEUES_MAX; id++) {
		struct kfd_model_kfd_queue *queue = process->queues[id];

		if (queue && (!vm || queue->vm == vm))
			kfd_model_queue_pause(queue, evict);
	}
}
