/* SPDX-License-Identifier: MIT */
/* The manager itself, and what other modules of the thunk ask of it. */
#include "memory/fmm_internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define CPUVM_LIMIT (((uint64_t)1 << 56) - 1)

static void init_empty(struct kmt_fmm *fmm)
{
	fmm_aperture_init(&fmm->svm);
	fmm_aperture_init(&fmm->svm_alt);
	fmm_aperture_init(&fmm->handles);
	fmm_aperture_init(&fmm->cpuvm);
	fmm->cpuvm.limit = CPUVM_LIMIT;
	fmm->cpuvm.wire_type = 4;
	fmm->cpuvm.cpu_accessible = true;
	gpu_sets_init(&fmm->sets);
	node_pool_init(&fmm->nodes);
	svm_records_init(&fmm->records);
	handle_table_init(&fmm->bos);
}

static void drop_all(struct kmt_fmm *fmm)
{
	struct fmm_view *view = atomic_load(&fmm->view);

	while (view) {
		struct fmm_view *next = view->next;

		fmm_view_free(view);
		view = next;
	}
	fmm_aperture_fini(&fmm->svm);
	fmm_aperture_fini(&fmm->svm_alt);
	fmm_aperture_fini(&fmm->handles);
	fmm_aperture_fini(&fmm->cpuvm);
	node_pool_fini(&fmm->nodes);
	svm_records_fini(&fmm->records);
	handle_table_fini(&fmm->bos);
	gpu_sets_fini(&fmm->sets);
}

struct kmt_fmm *kmt_fmm_new(void)
{
	struct kmt_fmm *fmm = calloc(1, sizeof(*fmm));

	if (fmm)
		init_empty(fmm);
	return fmm;
}

/*
 * Leaves every mapping alone: a program may still use memory that it allocated before the last
 * close. The reserved range that it lies in goes to the next manager (fmm_svm_range_fini() gave an
 * empty one back).
 */
void kmt_fmm_free(struct kmt_fmm *fmm)
{
	if (!fmm)
		return;
	fmm_svm_range_abandon(fmm);
	drop_all(fmm);
	free(fmm);
}

bool kmt_fmm_has_apertures(const struct kmt_context *ctx)
{
	return ctx->fmm && atomic_load(&ctx->fmm->up);
}

void kmt_fmm_after_fork(struct kmt_context *ctx)
{
	struct kmt_fmm *fmm = ctx->fmm;
	uint64_t reserved_size;
	void *reserved;

	if (!fmm)
		return;
	reserved = fmm->reserved;
	reserved_size = fmm->reserved_size_bytes;
	/*
	 * Locks may have been held by threads that do not exist here: all of them are made anew. This
	 * thread is the only one.
	 */
	node_pool_after_fork(&fmm->nodes);
	drop_all(fmm);
	memset(fmm, 0, sizeof(*fmm));
	init_empty(fmm);
	if (!reserved)
		return;
	if (kmt_mmap(ctx, reserved, reserved_size, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
		     0) == MAP_FAILED) {
		kmt_munmap(ctx, reserved, reserved_size);
		return;
	}
	fmm->reserved = reserved;
	fmm->reserved_size_bytes = reserved_size;
}

bool kmt_fmm_aperture(const struct kmt_context *ctx, uint32_t node_id, enum kmt_aperture_kind kind,
		      uint64_t *base, uint64_t *limit)
{
	const struct fmm_gpu *gpu = fmm_gpu_of_node(ctx, node_id);
	uintptr_t mmio;

	if (!gpu)
		return false;
	switch (kind) {
	case KMT_APERTURE_LDS:
		*base = gpu->lds_base;
		*limit = gpu->lds_limit;
		break;
	case KMT_APERTURE_SCRATCH:
		*base = gpu->flat_scratch_base;
		*limit = gpu->flat_scratch_limit;
		break;
	case KMT_APERTURE_GPUVM:
		*base = gpu->gpuvm.base;
		*limit = gpu->gpuvm.limit;
		break;
	case KMT_APERTURE_SVM:
		if (!gpu->svm_needed || !atomic_load(&ctx->fmm->has_svm))
			return false;
		*base = fmm_svm_alt(ctx->fmm)->base;
		*limit = ctx->fmm->svm.limit;
		break;
	case KMT_APERTURE_MMIO:
		mmio = (uintptr_t)atomic_load(&gpu->mmio);
		*base = mmio;
		*limit = mmio ? mmio + kmt_process()->page_size_bytes - 1 : 0;
		break;
	}
	return *base && *limit > *base;
}

bool kmt_fmm_handle(const struct kmt_context *ctx, const void *address, uint64_t *handle)
{
	/* Looking does not change the context; the locks in it are what is written. */
	struct fmm_object *object =
		fmm_find_locked((struct kmt_context *)ctx, address, 0, FMM_EXACT);
	bool found;

	if (!object)
		return false;
	found = object->handle_count != 0;
	if (found)
		*handle = object->handles[0];
	fmm_object_end_change(object);
	return found;
}

bool kmt_fmm_handle_of_range(const struct kmt_context *ctx, const void *address,
			     uint64_t size_bytes, uint64_t *handle, uint64_t *offset_bytes)
{
	struct fmm_object *object =
		fmm_find_locked((struct kmt_context *)ctx, address, 0, FMM_INSIDE);
	uint64_t start, size, offset;
	bool inside;

	if (!object)
		return false;
	start = object->user_ptr ? (uintptr_t)object->user_ptr : object->va.start;
	size = object->user_ptr ? object->user_size_bytes : object->va.size_bytes;
	offset = (uintptr_t)address - start;
	inside = object->handle_count == 1 && offset <= size && size_bytes <= size - offset;
	if (inside) {
		*handle = object->handles[0];
		*offset_bytes = offset;
	}
	fmm_object_end_change(object);
	return inside;
}

int kmt_fmm_render_fd(const struct kmt_context *ctx, uint32_t node_id)
{
	const struct fmm_gpu *gpu = fmm_gpu_of_node(ctx, node_id);

	return gpu ? gpu->render_fd : -1;
}

/* Where to tell about live objects. */
struct visitor {
	void (*visit)(const struct kmt_object_info *info, void *data);
	void *data;
};

static void visit_object(const struct fmm_object *object, const struct visitor *visitor)
{
	const struct kmt_object_info info = {
		.gpu_va = object->va.start,
		.size_bytes = object->va.size_bytes,
		.handles = object->handles,
		.handle_count = object->handle_count,
		.node_id = object->node_id,
		.gpu_id = object->gpu_id,
		.flags = object->flags,
		.ioctl_flags = object->ioctl_flags,
		.user_ptr = (uintptr_t)object->user_ptr,
		.user_size_bytes = object->user_size_bytes,
		.registrations = object->registrations,
		.mappings = object->mappings,
		.registered_gpus = object->registered ? object->registered->gpu_ids : NULL,
		.mapped_gpus = object->mapped ? object->mapped->gpu_ids : NULL,
		.registered_count = gpu_set_count(object->registered),
		.mapped_count = gpu_set_count(object->mapped),
		.is_import = object->imported || object->metadata,
		.is_internal = object->internal,
		.origin = object->origin,
	};

	visitor->visit(&info, visitor->data);
}

static void visit_aperture(struct fmm_aperture *aperture, const struct visitor *visitor)
{
	pthread_mutex_lock(&aperture->lock);
	for (struct range_node *node = range_tree_first(&aperture->objects); node;
	     node = range_tree_next(node))
		visit_object(node->owner, visitor);
	pthread_mutex_unlock(&aperture->lock);
}

void kmt_fmm_for_each(struct kmt_context *ctx,
		      void (*visit)(const struct kmt_object_info *info, void *data), void *data)
{
	const struct visitor visitor = { .visit = visit, .data = data };
	struct kmt_fmm *fmm = ctx->fmm;

	if (!fmm)
		return;
	visit_aperture(&fmm->svm, &visitor);
	visit_aperture(&fmm->svm_alt, &visitor);
	visit_aperture(&fmm->handles, &visitor);
	visit_aperture(&fmm->cpuvm, &visitor);
	for (struct fmm_view *view = fmm_view(ctx); view; view = view->next) {
		for (uint32_t i = 0; i < view->gpu_count; i++) {
			visit_aperture(&view->gpus[i].gpuvm, &visitor);
			visit_aperture(&view->gpus[i].scratch, &visitor);
		}
	}
}
