/* SPDX-License-Identifier: MIT */
/* Process objects: made at the first open, torn down with the machine (kfd.md 1, 2). */
#include "process.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "bo.h"
#include "control.h"
#include "debug-state.h"
#include "drm.h"
#include "engine04.h"
#include "event.h"
#include "pc-sampling.h"
#include "queue.h"
#include "svm.h"
#include "vm.h"

#define PAGE_BYTES  4096ull
#define NO_CONTEXT  0xffff
#define SLICE_ALIGN 8192ull

static void vm_init(struct kfd_model_vm *vm, struct kfd_model_process *process,
		    const struct kfd_model_node *node)
{
	vm->process = process;
	vm->node = node;
	vm->gpu_id = node->gpu_id;
}

struct kfd_model_process *kfd_model_process_new(struct kfd_model *model, bool is_secondary)
{
	struct kfd_model_process *process = calloc(1, sizeof(*process));
	pthread_rwlockattr_t attr;

	if (!process)
		return NULL;
	process->model = model;
	process->pid = getpid();
	process->is_secondary = is_secondary;
	process->context_id = NO_CONTEXT;
	pthread_mutex_init(&process->lock, NULL);
	pthread_mutex_init(&process->queues_lock, NULL);
	pthread_rwlockattr_init(&attr);
	/* engines hold it for reading almost without a break, and must not starve a map */
	pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(&process->vm_lock, &attr);
	pthread_rwlockattr_destroy(&attr);
	/* the contexts of one address space share its file: a buffer's offset is good in any */
	process->store =
		is_secondary ? kfd_model_store_get(model->primary->store) : kfd_model_store_new();
	process->events = kfd_model_events_new();
	process->svm = kfd_model_svm_new();
	process->debug = kfd_model_debug_new();
	process->pcs = kfd_model_pcs_new();
	process->vms = calloc(model->topology.gpu_count + 1, sizeof(*process->vms));
	if (!process->store || !process->events || !process->svm || !process->debug ||
	    !process->pcs || !process->vms) {
		kfd_model_process_free(process);
		return NULL;
	}
	for (; process->vm_count < model->topology.gpu_count; process->vm_count++)
		vm_init(&process->vms[process->vm_count], process, model->gpus[process->vm_count]);
	return process;
}

static void vm_fini(struct kfd_model_vm *vm)
{
	kfd_model_vm_unmap_all(vm);
	for (uint32_t i = 0; i < vm->bo_capacity; i++)
		kfd_model_bo_put(vm->bos[i]);
	free(vm->bos);
	kfd_model_engine04_free(vm->outside);
	kfd_model_gpu_free(vm->gpu);
}

void kfd_model_process_free(struct kfd_model_process *process)
{
	if (!process)
		return;
	kfd_model_control_free(process->control);
	if (process->debug && process->debug->attached)
		kfd_model_debug_detach(process);
	kfd_model_queues_destroy_all(process);
	if (!process->is_secondary)
		kfd_model_drm_free(process->model);
	for (uint32_t i = 0; i < process->vm_count; i++)
		vm_fini(&process->vms[i]);
	kfd_model_svm_free(process->svm);
	kfd_model_events_free(process->events);
	kfd_model_debug_free(process->debug);
	kfd_model_pcs_free(process->pcs);
	kfd_model_store_put(process->store);
	pthread_rwlock_destroy(&process->vm_lock);
	pthread_mutex_destroy(&process->queues_lock);
	pthread_mutex_destroy(&process->lock);
	free(process->vms);
	free(process);
}

void kfd_model_process_after_fork(struct kfd_model_process *process)
{
	/*
	 * Any lock may be held by a thread that does not exist here, and the memory file is still the
	 * parent's. The engines free what they can; the rest is left as the copy that it is.
	 */
	for (uint32_t i = 0; i < process->vm_count; i++)
		if (process->vms[i].gpu)
			kfd_model_gpu_after_fork(process->vms[i].gpu);
	kfd_model_control_after_fork(process->control);
	process->control = NULL;
	kfd_model_pcs_after_fork(process->pcs);
	close(kfd_model_store_fd(process->store));
}

struct kfd_model_vm *kfd_model_process_vm(struct kfd_model_process *process, uint32_t gpu_id)
{
	if (!gpu_id)
		return NULL;
	for (uint32_t i = 0; i < process->vm_count; i++)
		if (process->vms[i].gpu_id == gpu_id)
			return &process->vms[i];
	return NULL;
}

const struct kfd_model_node *kfd_model_process_node(struct kfd_model_process *process,
						    uint32_t gpu_id)
{
	const struct kfd_model_vm *vm = kfd_model_process_vm(process, gpu_id);

	return vm ? vm->node : NULL;
}

struct kfd_model_vm *kfd_model_process_vm_of_actual(struct kfd_model_process *process,
						    uint32_t actual_gpu_id)
{
	for (uint32_t i = 0; i < process->vm_count; i++)
		if (process->vms[i].node->gpu_id == actual_gpu_id)
			return &process->vms[i];
	return NULL;
}

struct kfd_model_gpu *kfd_model_vm_engines(struct kfd_model_vm *vm)
{
	if (!vm->gpu)
		vm->gpu = kfd_model_gpu_new(&kfd_model_vm_host);
	return vm->gpu;
}

uint64_t kfd_model_mmap_encode(const struct kfd_model_process *process,
			       enum kfd_model_mmap_type type, const struct kfd_model_vm *vm,
			       uint64_t store_offset)
{
	if (process->model->front.plain_offsets)
		return store_offset;
	return (uint64_t)type << 62 | (uint64_t)(vm ? vm->gpu_id & 0xffff : 0) << 46;
}

int kfd_model_doorbell_slice(struct kfd_model_vm *vm)
{
	uint64_t offset;

	if (vm->doorbell_offset)
		return 0;
	/* user space finds the slice by masking with its size, so it must be aligned to that */
	if (kfd_model_store_alloc(vm->process->store, 2 * SLICE_ALIGN, &offset))
		return -ENOMEM;
	vm->doorbell_offset = (offset + SLICE_ALIGN - 1) & ~(SLICE_ALIGN - 1);
	return 0;
}

int kfd_model_mmio_page(struct kfd_model_vm *vm)
{
	if (vm->mmio_offset)
		return 0;
	return kfd_model_store_alloc(vm->process->store, PAGE_BYTES, &vm->mmio_offset) ? -ENOMEM
										       : 0;
}
