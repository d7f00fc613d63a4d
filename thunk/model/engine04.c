/* SPDX-License-Identifier: MIT */
/* The window, and what the plug-in is told. */
#include "engine04.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "bo.h"
#include "event.h"
#include "store.h"

struct kfd_model_engine04 {
	const struct hsakmt_model_functions *functions; /* borrowed, the plug-in's */
	hsakmt_model_t *gpu;                            /* owned */
	char *window;                                   /* owned */
};

static void set_event(void *data, unsigned int event_id)
{
	struct kfd_model_process *process = data;

	/* id 0 means none, and an unknown one has nobody to be told of it */
	if (event_id)
		(void)kfd_model_event_set(process, event_id);
}

int kfd_model_engine04_start(struct kfd_model_vm *vm)
{
	const struct hsakmt_model_functions *functions = vm->process->model->engines;
	struct kfd_model_engine04 *engine;
	void *window;

	if (!functions || vm->outside)
		return 0;
	engine = calloc(1, sizeof(*engine));
	if (!engine)
		return -ENOMEM;
	engine->functions = functions;
	window = mmap(NULL, KFD_MODEL_ENGINE04_WINDOW, PROT_NONE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (window != MAP_FAILED)
		engine->window = window;
	if (engine->window)
		engine->gpu = functions->create();
	if (!engine->gpu) {
		kfd_model_engine04_free(engine);
		return -ENOMEM;
	}
	functions->set_global_aperture(engine->gpu, engine->window, KFD_MODEL_ENGINE04_WINDOW);
	functions->set_set_event(engine->gpu, set_event, vm->process);
	vm->outside = engine;
	return 0;
}

void kfd_model_engine04_free(struct kfd_model_engine04 *engine)
{
	if (!engine)
		return;
	if (engine->gpu && engine->functions->destroy)
		engine->functions->destroy(engine->gpu);
	if (engine->window)
		munmap(engine->window, KFD_MODEL_ENGINE04_WINDOW);
	free(engine);
}

int kfd_model_engine04_map(struct kfd_model_engine04 *engine, const struct kfd_model_bo *bo,
			   uint64_t va, uint64_t bo_offset, uint64_t size_bytes, bool writable)
{
	const struct kfd_model_backing *backing = bo->backing;
	int prot = writable ? PROT_READ | PROT_WRITE : PROT_READ;

	if (!backing->store || va > KFD_MODEL_ENGINE04_WINDOW ||
	    size_bytes > KFD_MODEL_ENGINE04_WINDOW - va)
		return -EINVAL;
	if (mmap(engine->window + va, size_bytes, prot, MAP_SHARED | MAP_FIXED,
		 kfd_model_store_fd(backing->store),
		 (off_t)(backing->offset + bo_offset)) == MAP_FAILED)
		return -ENOMEM;
	return 0;
}

void kfd_model_engine04_unmap(struct kfd_model_engine04 *engine, uint64_t va, uint64_t size_bytes)
{
	/* when this fails the old pages stay in sight, which no queue may look at any more */
	(void)mmap(engine->window + va, size_bytes, PROT_NONE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

void kfd_model_engine04_alloced(struct kfd_model_engine04 *engine, const struct kfd_model_bo *bo)
{
	if (engine && bo->va && engine->functions->alloced_memory)
		engine->functions->alloced_memory(engine->gpu, (void *)(uintptr_t)bo->va,
						  bo->backing->size_bytes, bo->flags);
}

void kfd_model_engine04_freed(struct kfd_model_engine04 *engine, const struct kfd_model_bo *bo)
{
	if (engine && bo->va && engine->functions->freed_memory)
		engine->functions->freed_memory(engine->gpu, (void *)(uintptr_t)bo->va,
						bo->backing->size_bytes);
}

int kfd_model_engine04_queue_new(struct kfd_model_engine04 *engine,
				 const struct kfd_ioctl_create_queue_args *args,
				 hsakmt_model_queue_t **out)
{
	/* the doorbell is found through the allocations (model.md 2) */
	struct hsakmt_model_queue_info info = {
		.ring_base_address = args->ring_base_address,
		.write_pointer_address = args->write_pointer_address,
		.read_pointer_address = args->read_pointer_address,
		.ring_size = args->ring_size,
		.queue_type = args->queue_type,
	};

	*out = NULL;
	if (args->queue_type != KFD_IOC_QUEUE_TYPE_SDMA &&
	    args->queue_type != KFD_IOC_QUEUE_TYPE_COMPUTE_AQL)
		return -EINVAL;
	if (!args->ring_base_address || !args->ring_size || !(args->queue_percentage & 0xff))
		return 0;
	*out = engine->functions->register_queue(engine->gpu, &info);
	return *out ? 0 : -ENOMEM;
}

void kfd_model_engine04_queue_free(struct kfd_model_engine04 *engine, hsakmt_model_queue_t *queue)
{
	if (queue && engine->functions->destroy_queue)
		engine->functions->destroy_queue(engine->gpu, queue);
}
