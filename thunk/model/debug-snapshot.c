/* SPDX-License-Identifier: MIT */
/* Lists of queues and of GPUs for the debugger (kfd.md 10). */
#include <errno.h>
#include <string.h>

#include "caller.h"
#include "debug-state.h"

static void snapshot_queue(struct kfd_model_kfd_queue *queue, struct kfd_queue_snapshot_entry *out)
{
	memset(out, 0, sizeof(*out));
	out->exception_status = queue->exceptions;
	out->ring_base_address = queue->args.ring_base_address;
	out->write_pointer_address = queue->args.write_pointer_address;
	out->read_pointer_address = queue->args.read_pointer_address;
	out->ctx_save_restore_address = queue->args.ctx_save_restore_address;
	out->queue_id = queue->id;
	out->gpu_id = queue->vm->gpu_id;
	out->ring_size = queue->args.ring_size;
	out->queue_type = queue->type;
	out->ctx_save_restore_area_size = queue->args.ctx_save_restore_size;
}

int kfd_model_debug_queue_snapshot(struct kfd_model_process *process,
				   struct kfd_ioctl_dbg_trap_queue_snapshot_args *args)
{
	uint32_t room = args->num_queues, stride = args->entry_size, filled = 0;
	uint32_t size = stride < sizeof(struct kfd_queue_snapshot_entry)
				? stride
				: sizeof(struct kfd_queue_snapshot_entry);
	struct kfd_queue_snapshot_entry entry;
	int rc = 0;

	for (uint32_t id = 0; id < KFD_MODEL_QUEUES_MAX && !rc; id++) {
		struct kfd_model_kfd_queue *queue = process->queues[id];

		if (!queue)
			continue;
		if (filled < room) {
			snapshot_queue(queue, &entry);
			queue->exceptions &= ~args->exception_mask;
			rc = kfd_model_caller_copy_out(
				args->snapshot_buf_ptr + (uint64_t)filled * stride, &entry, size);
			filled++;
		}
	}
	args->num_queues = process->queue_count;
	args->entry_size = size;
	return rc;
}

static void snapshot_device(const struct kfd_model_vm *vm, uint64_t exceptions,
			    struct kfd_dbg_device_info_entry *out)
{
	const struct kfd_model_node *node = vm->node;

	memset(out, 0, sizeof(*out));
	out->exception_status = exceptions;
	kfd_model_apertures(vm, &out->lds_base, &out->scratch_base, &out->gpuvm_base);
	out->lds_limit = out->lds_base | 0xffffffffull;
	out->scratch_limit = out->scratch_base | 0xffffffffull;
	out->gpuvm_limit = node->gpuvm_limit;
	out->gpu_id = vm->gpu_id;
	out->location_id = node->location_id;
	out->vendor_id = node->vendor_id;
	out->device_id = node->device_id;
	out->fw_version = node->fw_version;
	out->gfx_target_version = node->gfx_version;
	out->simd_count = node->simd_count;
	out->max_waves_per_simd = node->max_waves_per_simd;
	out->array_count = node->array_count;
	out->simd_arrays_per_engine = node->simd_arrays_per_engine;
	out->num_xcc = node->num_xcc;
	out->capability = node->capability;
	out->debug_prop = (uint32_t)node->debug_prop;
}

int kfd_model_debug_device_snapshot(struct kfd_model_process *process,
				    struct kfd_ioctl_dbg_trap_device_snapshot_args *args)
{
	uint64_t *exceptions = process->debug->device_exceptions;
	uint32_t room = args->num_devices, stride = args->entry_size;
	uint32_t size = stride < sizeof(struct kfd_dbg_device_info_entry)
				? stride
				: sizeof(struct kfd_dbg_device_info_entry);
	struct kfd_dbg_device_info_entry entry;

	if (!stride)
		return -EINVAL;
	for (uint32_t i = 0; i < process->vm_count && i < room; i++) {
		snapshot_device(&process->vms[i], exceptions[i], &entry);
		exceptions[i] &= ~args->exception_mask;
		if (kfd_model_caller_copy_out(args->snapshot_buf_ptr + (uint64_t)i * stride, &entry,
					      size))
			return -EFAULT;
	}
	args->num_devices = process->vm_count;
	args->entry_size = size;
	return 0;
}
