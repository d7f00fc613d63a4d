/* SPDX-License-Identifier: MIT */
/* The calls about memory: acquire, allocate, map, unmap, free (kfd.md 4, 6). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bo.h"
#include "engine04.h"
#include "hsakmt/linux/kfd_ioctl.h"
#include "ioctl.h"
#include "svm.h"
#include "usercopy.h"
#include "vm.h"

#define PAGE_BYTES   4096ull
#define VRAM_GRANULE (2ull << 20)
#define DEVICES_MAX  KFD_MODEL_MAX_GPUS

#define VRAM       KFD_IOC_ALLOC_MEM_FLAGS_VRAM
#define GTT        KFD_IOC_ALLOC_MEM_FLAGS_GTT
#define USERPTR    KFD_IOC_ALLOC_MEM_FLAGS_USERPTR
#define DOORBELL   KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL
#define MMIO_REMAP KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP

int kfd_model_call_acquire_vm(struct kfd_model_call *call)
{
	struct kfd_ioctl_acquire_vm_args *args = call->args;
	struct kfd_model_vm *vm = kfd_model_process_vm(call->process, args->gpu_id);
	const struct kfd_model_front *front = &call->process->model->front;
	uint64_t file_id = 0;
	uint32_t minor = 0;

	if (!vm)
		return -EINVAL;
	if (front->render_file(front->data, (int)args->drm_fd, &minor, &file_id) ||
	    (minor && minor != vm->node->render_minor))
		return -EINVAL;
	if (vm->acquired)
		return vm->file_id == file_id ? 0 : -EBUSY;
	if (kfd_model_engine04_start(vm))
		return -ENOMEM;
	vm->acquired = true;
	vm->file_id = file_id;
	return 0;
}

static int check_svm_overlap(struct kfd_model_process *process,
			     const struct kfd_ioctl_alloc_memory_of_gpu_args *args)
{
	bool is_vram_without_va = (args->flags & VRAM) && !args->va_addr;

	if (!is_vram_without_va && kfd_model_svm_overlaps(process, args->va_addr, args->size))
		return -EADDRINUSE;
	if ((args->flags & USERPTR) &&
	    kfd_model_svm_overlaps(process, args->mmap_offset, args->size))
		return -EADDRINUSE;
	return 0;
}

/* The checks in the driver's order (kfd.md 6.2). */
static int check_alloc(struct kfd_model_process *process,
		       const struct kfd_ioctl_alloc_memory_of_gpu_args *args,
		       struct kfd_model_vm **out)
{
	struct kfd_model_vm *vm;
	int rc;

	if (!args->size)
		return -EINVAL;
	if ((args->flags & USERPTR) && process->is_secondary)
		return -EOPNOTSUPP; /* the primary context's alone (context.md 6) */
	rc = check_svm_overlap(process, args);
	if (rc)
		return rc;
	vm = kfd_model_process_vm(process, args->gpu_id);
	if (!vm)
		return -EINVAL;
	if ((args->flags & VRAM) && (args->flags & KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC) &&
	    !kfd_model_scenario_vram_visible(process->model->scenario, vm->node))
		return -EINVAL;
	if (!vm->acquired)
		return -ENODEV;
	if ((args->flags & DOORBELL) && args->size != kfd_model_doorbell_slice_bytes(vm->node))
		return -EINVAL;
	if ((args->flags & MMIO_REMAP) && args->size != PAGE_BYTES)
		return -EINVAL;
	if (!kfd_model_memory_type(args->flags))
		return -EINVAL;
	if ((args->flags & USERPTR) && !args->mmap_offset)
		return -EINVAL;
	*out = vm;
	return 0;
}

/*
 * A user pointer's pages are taken at once, to be written to; whoever has none there gets nothing.
 * Whether they may be written is asked of the first and the last one: all would have to be made.
 */
static bool can_be_pinned(uint64_t addr, uint64_t size_bytes)
{
	return kfd_model_range_mapped(addr, size_bytes) &&
	       kfd_model_range_accessible(addr, 1, true) &&
	       kfd_model_range_accessible(addr + size_bytes - 1, 1, true);
}

int kfd_model_call_alloc_memory(struct kfd_model_call *call)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args *args = call->args;
	struct kfd_model_vm *vm = NULL;
	struct kfd_model_backing *backing;
	struct kfd_model_bo *bo;
	uint64_t size = args->size;
	int rc = check_alloc(call->process, args, &vm);

	if (rc)
		return rc;
	/* the size is that of the two maps in a row; memory is needed for one (kfd.md 6.1) */
	if (args->flags & KFD_IOC_ALLOC_MEM_FLAGS_AQL_QUEUE_MEM)
		size = (size + 1) / 2;
	rc = kfd_model_backing_new(vm, size, args->flags,
				   args->flags & USERPTR ? args->mmap_offset : 0, &backing);
	if (rc)
		return rc;
	if ((args->flags & USERPTR) && !can_be_pinned(args->mmap_offset, args->size)) {
		kfd_model_backing_put(backing);
		return -EFAULT;
	}
	bo = kfd_model_bo_new(vm, backing, args->va_addr, args->flags);
	if (!bo)
		return -ENOMEM;
	kfd_model_engine04_alloced(vm->outside, bo);
	args->handle = bo->handle;
	if (!(args->flags & USERPTR))
		args->mmap_offset = kfd_model_bo_mmap_offset(bo);
	return 0;
}

int kfd_model_call_free_memory(struct kfd_model_call *call)
{
	struct kfd_ioctl_free_memory_of_gpu_args *args = call->args;
	struct kfd_model_bo *bo = kfd_model_bo_find(call->process, args->handle, NULL);

	if (!bo)
		return -EINVAL;
	if (bo->is_event_page)
		return -EPERM;
	if (bo->mapped_gpus || bo->queue_uses)
		return -EBUSY;
	kfd_model_engine04_freed(bo->vm->outside, bo);
	kfd_model_bo_close(bo);
	return 0;
}

/* What map and unmap have in common: the argument, the array and the buffer. */
static int device_list(struct kfd_model_process *process,
		       const struct kfd_ioctl_map_memory_to_gpu_args *args, uint32_t *ids,
		       struct kfd_model_bo **bo)
{
	uint64_t handle = args->handle;
	int rc;

	if (!args->n_devices || args->n_success > args->n_devices)
		return -EINVAL;
	/* more than there are cannot all be known: the first unknown one is the error */
	if (args->n_devices > DEVICES_MAX)
		return -EINVAL;
	if (kfd_model_copy_in(ids, args->device_ids_array_ptr, args->n_devices * sizeof(*ids)))
		return -EFAULT;
	*bo = kfd_model_bo_find(process, handle, &rc);
	if (rc == -ENOENT)
		return -ENOMEM;
	return rc;
}

int kfd_model_call_map_memory(struct kfd_model_call *call)
{
	struct kfd_ioctl_map_memory_to_gpu_args *args = call->args;
	uint32_t ids[DEVICES_MAX];
	struct kfd_model_bo *bo;
	int rc = device_list(call->process, args, ids, &bo);

	while (!rc && args->n_success < args->n_devices) {
		struct kfd_model_vm *vm = kfd_model_process_vm(call->process, ids[args->n_success]);

		rc = !vm ? -EINVAL : !vm->acquired ? -ENODEV : kfd_model_bo_map(bo, vm);
		if (!rc)
			args->n_success++;
	}
	return rc;
}

int kfd_model_call_unmap_memory(struct kfd_model_call *call)
{
	/* the two arguments have the same layout, and both structs are the interface's own */
	struct kfd_ioctl_map_memory_to_gpu_args *args = call->args;
	uint32_t ids[DEVICES_MAX];
	struct kfd_model_bo *bo;
	int rc = device_list(call->process, args, ids, &bo);

	_Static_assert(sizeof(struct kfd_ioctl_unmap_memory_from_gpu_args) == sizeof(*args),
		       "map and unmap take the same argument");
	if (!rc && bo->queue_uses)
		return -EBUSY;
	while (!rc && args->n_success < args->n_devices) {
		struct kfd_model_vm *vm = kfd_model_process_vm(call->process, ids[args->n_success]);

		if (!vm)
			return -EINVAL;
		kfd_model_bo_unmap(bo, vm);
		args->n_success++;
	}
	return rc;
}

int kfd_model_call_available_memory(struct kfd_model_call *call)
{
	struct kfd_ioctl_get_available_memory_args *args = call->args;
	struct kfd_model *model = call->process->model;
	const struct kfd_model_node *node = kfd_model_process_node(call->process, args->gpu_id);
	uint64_t vram, system;

	if (!node)
		return -EINVAL;
	vram = kfd_model_vram_available(model, node);
	system = kfd_model_system_available(model);
	if (node->is_apu)
		args->available = (vram < system ? vram : system) & ~(PAGE_BYTES - 1);
	else
		args->available = vram & ~(VRAM_GRANULE - 1);
	return 0;
}

int kfd_model_call_svm(struct kfd_model_call *call)
{
	return kfd_model_svm_ioctl(call->process, call->args, call->user_bytes);
}

int kfd_model_call_set_xnack_mode(struct kfd_model_call *call)
{
	return kfd_model_xnack_ioctl(call->process, call->args);
}
