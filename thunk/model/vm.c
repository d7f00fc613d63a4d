/* SPDX-License-Identifier: MIT */
/*
 * The page tables of the simulation: per GPU a balanced tree of disjoint mappings. Buffers of the
 * memory file are reached through the simulation's own mapping of it, so that nothing the program
 * does to its pages can stop the GPU; the program's own memory (user pointers, shared virtual
 * memory) is looked at before each access.
 */
#include "vm.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>

#include "bo.h"
#include "clock.h"
#include "debug.h"
#include "engine04.h"
#include "event.h"
#include "hsakmt/linux/kfd_ioctl.h"
#include "scenario.h"
#include "smi.h"
#include "svm.h"
#include "usercopy.h"

#define SPAN_SHARED (2ull << 20)

struct vm_mapping {
	uint64_t start, size_bytes;
	struct kfd_model_bo *bo; /* counted */
	uint64_t bo_offset;
	bool writable;
};

/* Depth of enter() in this thread: a callback inside the bracket must not lock again. */
static _Thread_local unsigned int entered;

/* Disjoint ranges are ordered; overlapping ones count as equal, which makes tfind() a range query. */
static int compare(const void *a, const void *b)
{
	const struct vm_mapping *x = a, *y = b;

	if (x->start + (x->size_bytes - 1) < y->start)
		return -1;
	return y->start + (y->size_bytes - 1) < x->start;
}

static struct vm_mapping *find(struct kfd_model_vm *vm, uint64_t va, uint64_t size_bytes)
{
	struct vm_mapping key = { .start = va, .size_bytes = size_bytes };
	struct vm_mapping **found = tfind(&key, &vm->mappings, compare);

	return found ? *found : NULL;
}

static void drop(struct kfd_model_vm *vm, struct vm_mapping *mapping)
{
	if (vm->outside)
		kfd_model_engine04_unmap(vm->outside, mapping->start, mapping->size_bytes);
	tdelete(mapping, &vm->mappings, compare);
	kfd_model_bo_put(mapping->bo);
	free(mapping);
}

int kfd_model_vm_map(struct kfd_model_vm *vm, struct kfd_model_bo *bo, uint64_t va,
		     uint64_t bo_offset, uint64_t size_bytes, uint32_t flags)
{
	struct vm_mapping *mapping;

	if (!size_bytes || va + (size_bytes - 1) < va || find(vm, va, size_bytes))
		return -EINVAL;
	mapping = malloc(sizeof(*mapping));
	if (!mapping)
		return -ENOMEM;
	mapping->start = va;
	mapping->size_bytes = size_bytes;
	mapping->bo_offset = bo_offset;
	mapping->writable = flags & KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE;
	if (!tsearch(mapping, &vm->mappings, compare)) {
		free(mapping);
		return -ENOMEM;
	}
	mapping->bo = kfd_model_bo_get(bo);
	if (vm->outside) {
		int rc = kfd_model_engine04_map(vm->outside, bo, va, bo_offset, size_bytes,
						mapping->writable);

		if (rc)
			drop(vm, mapping);
		return rc;
	}
	return 0;
}

int kfd_model_vm_unmap(struct kfd_model_vm *vm, const struct kfd_model_bo *bo, uint64_t va)
{
	struct vm_mapping *mapping = find(vm, va, 1);

	/* what the KFD has mapped is not for others to unmap, though it be the same memory */
	if (!mapping || mapping->start != va || mapping->bo->handle ||
	    !kfd_model_backing_is(mapping->bo->backing, bo->backing))
		return -ENOENT;
	drop(vm, mapping);
	return 0;
}

void kfd_model_vm_unmap_bo(struct kfd_model_vm *vm, const struct kfd_model_bo *bo)
{
	struct vm_mapping *mapping;

	/* The KFD maps a buffer at its own address only, one or two mappings in a row. */
	while ((mapping = find(vm, bo->va, bo->va_size_bytes)) && mapping->bo == bo)
		drop(vm, mapping);
}

void kfd_model_vm_unmap_all(struct kfd_model_vm *vm)
{
	while (vm->mappings)
		drop(vm, *(struct vm_mapping **)vm->mappings);
}

struct kfd_model_bo *kfd_model_vm_find(struct kfd_model_vm *vm, uint64_t va, uint64_t *start,
				       uint64_t *size_bytes)
{
	struct vm_mapping *mapping = find(vm, va, 1);

	if (!mapping)
		return NULL;
	*start = mapping->start;
	*size_bytes = mapping->size_bytes;
	return mapping->bo;
}

bool kfd_model_vm_overlaps(struct kfd_model_vm *vm, uint64_t va, uint64_t size_bytes)
{
	return find(vm, va, size_bytes);
}

static void host_enter(void *data)
{
	struct kfd_model_vm *vm = data;

	if (entered++ == 0)
		pthread_rwlock_rdlock(&vm->process->vm_lock);
}

static void host_leave(void *data)
{
	struct kfd_model_vm *vm = data;

	if (--entered == 0)
		pthread_rwlock_unlock(&vm->process->vm_lock);
}

/* Memory that is no buffer: the GPU sees the program's own pages there if SVM lets it. */
static void *translate_svm(struct kfd_model_vm *vm, uint64_t va, bool write, uint64_t *span_bytes)
{
	uint64_t span;
	void *page = kfd_model_events_page_host(vm->process, va, span_bytes);

	if (page)
		return page;
	/* an APU of the kind that has CPU cores on its node walks the CPU's page tables */
	if (vm->node->is_apu)
		span = SPAN_SHARED;
	else if (!kfd_model_svm_gpu_may(vm, va, write, &span))
		return NULL;
	*span_bytes = kfd_model_range_accessible(va, span, write);
	return *span_bytes ? (void *)(uintptr_t)va : NULL;
}

static void *host_translate(void *data, uint64_t va, bool write, uint64_t *span_bytes)
{
	struct kfd_model_vm *vm = data;
	struct vm_mapping *mapping = find(vm, va, 1);
	uint64_t left, span;
	void *host;

	if (!mapping)
		return translate_svm(vm, va, write, span_bytes);
	if (write && !mapping->writable)
		return NULL;
	left = mapping->size_bytes - (va - mapping->start);
	host = kfd_model_bo_host(mapping->bo, mapping->bo_offset + (va - mapping->start), write,
				 &span);
	if (host)
		*span_bytes = span < left ? span : left;
	return host;
}

static void host_fault(void *data, uint64_t va, bool write)
{
	struct kfd_model_vm *vm = data;
	struct kfd_hsa_memory_exception_data fault = {
		.va = va & ~4095ull,
		.gpu_id = vm->gpu_id,
	};
	struct vm_mapping *mapping;

	host_enter(vm);
	mapping = find(vm, va, 1);
	if (mapping && write && !mapping->writable)
		fault.failure.ReadOnly = 1;
	else
		fault.failure.NotPresent = 1;
	host_leave(vm);
	kfd_model_smi_vm_fault(vm->process, vm->node->gpu_id);
	kfd_model_debug_memory_violation(vm->process, &fault);
}

static void host_interrupt(void *data, uint32_t context_id)
{
	struct kfd_model_vm *vm = data;

	kfd_model_events_interrupt(vm->process, context_id);
}

static uint64_t host_clock(void *data)
{
	struct kfd_model_vm *vm = data;

	return kfd_model_clock_gpu(vm->process->model, vm->node);
}

static void host_queue_exception(void *data, uint32_t queue_id, uint32_t code)
{
	struct kfd_model_vm *vm = data;

	host_enter(vm);
	kfd_model_debug_queue_exception(vm->process, queue_id, code);
	host_leave(vm);
}

static void host_simulated_dispatch(void *data, uint32_t queue_id, uint64_t kernel_object)
{
	struct kfd_model_vm *vm = data;

	(void)queue_id;
	(void)kernel_object;
	kfd_model_scenario_count_dispatch(vm->process->model->scenario);
}

const struct kfd_model_gpu_host kfd_model_vm_host = {
	.enter = host_enter,
	.leave = host_leave,
	.translate = host_translate,
	.fault = host_fault,
	.interrupt = host_interrupt,
	.clock = host_clock,
	.queue_exception = host_queue_exception,
	.simulated_dispatch = host_simulated_dispatch,
};
