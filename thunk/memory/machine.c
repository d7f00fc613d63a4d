/* SPDX-License-Identifier: MIT */
/*
 * Finding out what the process works with: environment, GPUs, their render nodes and the kernel's
 * apertures (memory.md 5.1, steps 1 to 5).
 */
#include "memory/fmm_internal.h"

#include <stdlib.h>
#include <string.h>

#include "env.h"
#include "hsakmt/linux/kfd_ioctl.h"
#include "topology/topology.h"

#define CANONICAL_LIMIT ((1ull << 56) - 1)
/* VI chips whose VM works in larger pages (memory.md 5.1). */
#define VI_ALIGN_BYTES (32ull << 10)
/* Bound on HSA_MAX_VA_ALIGN, so that page size << order stays far from overflowing. */
#define MAX_VA_ORDER_LIMIT 32

struct apertures {
	struct kfd_process_device_apertures *entry; /* owned */
	uint32_t count;
};

static uint32_t env_number(const char *name, uint32_t otherwise)
{
	const char *text = getenv(name);
	char *end = NULL;
	unsigned long value = text ? strtoul(text, &end, 0) : 0;

	return text && end != text && value <= UINT32_MAX ? (uint32_t)value : otherwise;
}

static bool all_nodes_are_gfx950(const struct kmt_context *ctx)
{
	uint32_t count = kmt_topology_node_count(ctx);

	for (uint32_t i = 0; i < count; i++)
		if (kmt_topology_gfx(ctx, i) != KMT_GFX(9, 5, 0))
			return false;
	return count != 0;
}

static void read_settings(const struct kmt_context *ctx, struct fmm_settings *settings)
{
	uint32_t order = all_nodes_are_gfx950(ctx) ? 18 : 9;

	settings->disable_cache = kmt_env_flag("HSA_DISABLE_CACHE");
	/* The kernel takes user pointers of the primary process only, and a model has none. */
	settings->userptr_for_paged = !kmt_env_is_zero("HSA_USERPTR_FOR_PAGED_MEM") &&
				      ctx->is_primary && !ctx->device->is_model;
	settings->check_userptr = kmt_env_flag("HSA_CHECK_USERPTR");
	settings->reserve_svm = kmt_env_flag("HSA_RESERVE_SVM");
	settings->high_precision = kmt_env_flag("HSA_HIGH_PRECISION_MODE");
	settings->guard_pages = env_number("HSA_SVM_GUARD_PAGES", 1);
	settings->max_va_order = env_number("HSA_MAX_VA_ALIGN", order);
	if (settings->max_va_order > MAX_VA_ORDER_LIMIT)
		settings->max_va_order = MAX_VA_ORDER_LIMIT;
}

static HSAKMT_STATUS add_gpu(struct kmt_context *ctx, struct fmm_view *view,
			     const HsaNodeProperties *node, uint32_t node_id, uint32_t gpu_id)
{
	struct fmm_gpu *gpu = &view->gpus[view->gpu_count];
	int fd = kmt_render_open(ctx, node->DrmRenderMinor);

	if (fd < 0)
		return HSAKMT_STATUS_ERROR;
	gpu->gpu_id = gpu_id;
	gpu->node_id = node_id;
	gpu->device_id = node->DeviceId;
	gpu->gfx = kmt_topology_gfx(ctx, node_id);
	gpu->render_minor = node->DrmRenderMinor;
	gpu->render_fd = fd;
	gpu->svm_needed = view->is_dgpu || gpu->gfx >= KMT_GFX(9, 0, 0);
	gpu->integrated = node->Integrated;
	fmm_aperture_init(&gpu->gpuvm);
	fmm_aperture_init(&gpu->scratch);
	pthread_mutex_init(&gpu->scratch_lock, NULL);
	pthread_mutex_init(&gpu->timeline_lock, NULL);
	view->gpu_count++;
	return HSAKMT_STATUS_SUCCESS;
}

/* Step 2: the nodes. */
static HSAKMT_STATUS add_nodes(struct kmt_context *ctx, struct fmm_view *view)
{
	uint32_t count = kmt_topology_node_count(ctx), gpu_id;
	HSAKMT_STATUS status = HSAKMT_STATUS_SUCCESS;
	bool svm = ctx->svm_api_allowed;

	for (uint32_t i = 0; i < count; i++) {
		const HsaNodeProperties *node = kmt_topology_properties(ctx, i);

		if (node && node->NumCPUCores == 0 && node->NumFComputeCores > 0)
			view->is_dgpu = true;
	}
	kmt_process_set_dgpu(view->is_dgpu);
	for (uint32_t i = 0; i < count && status == HSAKMT_STATUS_SUCCESS; i++) {
		const HsaNodeProperties *node = kmt_topology_properties(ctx, i);

		if (!node || kmt_topology_gpu_id(ctx, i, &gpu_id) != HSAKMT_STATUS_SUCCESS ||
		    gpu_id == 0)
			continue;
		status = add_gpu(ctx, view, node, i, gpu_id);
		svm = svm && node->Capability.ui32.SVMAPISupported;
	}
	if (status == HSAKMT_STATUS_SUCCESS)
		ctx->svm_api_supported = svm;
	return status;
}

/* Step 4, first way. */
static int get_apertures_new(struct kmt_context *ctx, uint32_t room, struct apertures *out)
{
	struct kfd_ioctl_get_process_apertures_new_args args = {
		.kfd_process_device_apertures_ptr = (uintptr_t)out->entry,
		.num_of_nodes = room,
	};
	int rc = kmt_ioctl(ctx, AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, &args);

	if (rc == 0)
		out->count = args.num_of_nodes < room ? args.num_of_nodes : room;
	return rc;
}

/* Step 4, for kernels that do not know the first way. */
static int get_apertures_legacy(struct kmt_context *ctx, uint32_t room, struct apertures *out)
{
	struct kfd_ioctl_get_process_apertures_args args = { 0 };
	int rc = kmt_ioctl(ctx, AMDKFD_IOC_GET_PROCESS_APERTURES, &args);

	if (rc != 0)
		return rc;
	out->count = args.num_of_nodes;
	if (out->count > NUM_OF_SUPPORTED_GPUS)
		out->count = NUM_OF_SUPPORTED_GPUS;
	if (out->count > room)
		out->count = room;
	memcpy(out->entry, args.process_apertures, out->count * sizeof(*out->entry));
	return 0;
}

static struct fmm_gpu *view_gpu(struct fmm_view *view, uint32_t gpu_id)
{
	for (uint32_t i = 0; i < view->gpu_count; i++)
		if (view->gpus[i].gpu_id == gpu_id)
			return &view->gpus[i];
	return NULL;
}

static uint64_t vm_align(const struct fmm_gpu *gpu)
{
	bool large = (gpu->device_id >= 0x6920 && gpu->device_id <= 0x6939) ||
		     (gpu->device_id >= 0x9870 && gpu->device_id <= 0x9877);

	return large ? VI_ALIGN_BYTES : kmt_process()->page_size_bytes;
}

/* The GPUVM aperture of an old APU; its first page is never handed out, so that 0 is no offset. */
static bool set_gpuvm(struct fmm_view *view, struct fmm_gpu *gpu,
		      const struct kfd_process_device_apertures *entry)
{
	struct fmm_aperture *aperture = &gpu->gpuvm;

	aperture->base = entry->gpuvm_base;
	aperture->limit = entry->gpuvm_limit;
	aperture->align_bytes = vm_align(gpu);
	aperture->guard_pages = view->settings.guard_pages;
	aperture->max_va_order = view->settings.max_va_order;
	aperture->va = &fmm_va_reserved;
	aperture->wire_type = 3;
	view->any_gpuvm = true;
	return fmm_va_reserved_burn(aperture, aperture->align_bytes);
}

/* Step 5 for one GPU. */
static HSAKMT_STATUS take_entry(struct kmt_context *ctx, struct fmm_view *view, struct fmm_gpu *gpu,
				const struct kfd_process_device_apertures *entry)
{
	struct kfd_ioctl_acquire_vm_args args = { .drm_fd = (uint32_t)gpu->render_fd,
						  .gpu_id = gpu->gpu_id };

	gpu->listed = true;
	gpu->lds_base = entry->lds_base;
	gpu->lds_limit = entry->lds_limit;
	gpu->flat_scratch_base = entry->scratch_base;
	gpu->flat_scratch_limit = entry->scratch_limit;
	gpu->canonical = entry->gpuvm_limit <= CANONICAL_LIMIT;
	if (gpu->canonical) {
		if (entry->gpuvm_base > view->svm_base)
			view->svm_base = entry->gpuvm_base;
		if (entry->gpuvm_limit < view->svm_limit)
			view->svm_limit = entry->gpuvm_limit;
		if (vm_align(gpu) > view->svm_align_bytes)
			view->svm_align_bytes = vm_align(gpu);
	} else if (!set_gpuvm(view, gpu, entry)) {
		return HSAKMT_STATUS_NO_MEMORY;
	}
	return kmt_ioctl(ctx, AMDKFD_IOC_ACQUIRE_VM, &args) == 0 ? HSAKMT_STATUS_SUCCESS
								 : HSAKMT_STATUS_ERROR;
}

static HSAKMT_STATUS take_apertures(struct kmt_context *ctx, struct fmm_view *view,
				    const struct apertures *apertures, uint32_t *order)
{
	HSAKMT_STATUS status = HSAKMT_STATUS_SUCCESS;
	uint32_t count = 0;

	for (uint32_t i = 0; i < apertures->count && status == HSAKMT_STATUS_SUCCESS; i++) {
		struct fmm_gpu *gpu = view_gpu(view, apertures->entry[i].gpu_id);

		if (!gpu || gpu->listed)
			continue; /* hidden from this process, or said twice */
		order[count++] = gpu->gpu_id;
		status = take_entry(ctx, view, gpu, &apertures->entry[i]);
	}
	if (status != HSAKMT_STATUS_SUCCESS || count == 0)
		return status;
	view->all = fmm_gpu_set(ctx, order, count);
	return view->all ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_NO_MEMORY;
}

static bool links_to(const struct kmt_context *ctx, const struct fmm_gpu *from,
		     const struct fmm_gpu *to)
{
	uint32_t count = 0;
	const HsaIoLinkProperties *links = kmt_topology_links(ctx, from->node_id, &count);

	for (uint32_t i = 0; links && i < count; i++)
		if (links[i].NodeTo == to->node_id)
			return true;
	return false;
}

/* Peer tables (topology.md 7.4): the GPU itself, then those that have a link to it. */
static HSAKMT_STATUS add_peers(struct kmt_context *ctx, struct fmm_view *view, uint32_t *ids)
{
	for (uint32_t i = 0; i < view->gpu_count; i++) {
		struct fmm_gpu *gpu = &view->gpus[i];
		uint32_t n = 0;

		ids[n++] = gpu->gpu_id;
		gpu->self = fmm_gpu_set(ctx, ids, 1);
		for (uint32_t k = 0; k < gpu_set_count(view->all); k++) {
			struct fmm_gpu *other = view_gpu(view, view->all->gpu_ids[k]);

			if (other != gpu && links_to(ctx, other, gpu))
				ids[n++] = other->gpu_id;
		}
		gpu->peers = fmm_gpu_set(ctx, ids, n);
		if (!gpu->self || !gpu->peers)
			return HSAKMT_STATUS_NO_MEMORY;
	}
	return HSAKMT_STATUS_SUCCESS;
}

static HSAKMT_STATUS add_apertures(struct kmt_context *ctx, struct fmm_view *view)
{
	uint32_t room =
		view->raw_node_count > view->gpu_count ? view->raw_node_count : view->gpu_count;
	struct apertures apertures = { .entry = calloc(room + 1u, sizeof(*apertures.entry)) };
	uint32_t *ids = calloc(room + 1u, sizeof(*ids));
	HSAKMT_STATUS status = HSAKMT_STATUS_NO_MEMORY;

	if (!apertures.entry || !ids)
		goto out;
	status = HSAKMT_STATUS_ERROR;
	if (get_apertures_new(ctx, room, &apertures) != 0 &&
	    get_apertures_legacy(ctx, room, &apertures) != 0)
		goto out;
	status = take_apertures(ctx, view, &apertures, ids);
	if (status == HSAKMT_STATUS_SUCCESS)
		status = add_peers(ctx, view, ids);
out:
	free(apertures.entry);
	free(ids);
	return status;
}

HSAKMT_STATUS fmm_view_make(struct kmt_context *ctx, struct fmm_view **out)
{
	uint32_t nodes = kmt_topology_node_count(ctx);
	HSAKMT_STATUS status = HSAKMT_STATUS_NO_MEMORY;
	struct fmm_view *view = calloc(1, sizeof(*view) + nodes * sizeof(view->gpus[0]));

	if (!view)
		return status;
	view->svm_limit = UINT64_MAX;
	view->raw_node_count = kmt_topology_raw_node_count(ctx);
	read_settings(ctx, &view->settings);
	status = add_nodes(ctx, view);
	if (status != HSAKMT_STATUS_SUCCESS)
		goto out;
	status = HSAKMT_STATUS_ERROR;
	if (view->raw_node_count < view->gpu_count)
		goto out;
	status = HSAKMT_STATUS_SUCCESS;
	if (view->gpu_count)
		status = add_apertures(ctx, view);
	if (status != HSAKMT_STATUS_SUCCESS)
		goto out;
	*out = view;
	view = NULL;
out:
	fmm_view_free(view);
	return status;
}

void fmm_view_free(struct fmm_view *view)
{
	for (uint32_t i = 0; view && i < view->gpu_count; i++) {
		struct fmm_gpu *gpu = &view->gpus[i];

		fmm_aperture_fini(&gpu->gpuvm);
		fmm_aperture_fini(&gpu->scratch);
		pthread_mutex_destroy(&gpu->scratch_lock);
		pthread_mutex_destroy(&gpu->timeline_lock);
	}
	free(view);
}

static bool gpu_equal(const struct fmm_gpu *a, const struct fmm_gpu *b)
{
	return a->gpu_id == b->gpu_id && a->node_id == b->node_id && a->device_id == b->device_id &&
	       a->gfx == b->gfx && a->render_minor == b->render_minor &&
	       a->render_fd == b->render_fd && a->integrated == b->integrated &&
	       a->listed == b->listed && a->canonical == b->canonical &&
	       a->lds_base == b->lds_base && a->lds_limit == b->lds_limit &&
	       a->flat_scratch_base == b->flat_scratch_base &&
	       a->flat_scratch_limit == b->flat_scratch_limit && a->peers == b->peers &&
	       a->gpuvm.base == b->gpuvm.base && a->gpuvm.limit == b->gpuvm.limit;
}

static bool settings_equal(const struct fmm_settings *a, const struct fmm_settings *b)
{
	return a->disable_cache == b->disable_cache &&
	       a->userptr_for_paged == b->userptr_for_paged &&
	       a->check_userptr == b->check_userptr && a->reserve_svm == b->reserve_svm &&
	       a->high_precision == b->high_precision && a->guard_pages == b->guard_pages &&
	       a->max_va_order == b->max_va_order;
}

bool fmm_view_equal(const struct fmm_view *a, const struct fmm_view *b)
{
	if (!settings_equal(&a->settings, &b->settings) || a->is_dgpu != b->is_dgpu ||
	    a->all != b->all || a->gpu_count != b->gpu_count ||
	    a->raw_node_count != b->raw_node_count)
		return false;
	for (uint32_t i = 0; i < a->gpu_count; i++)
		if (!gpu_equal(&a->gpus[i], &b->gpus[i]))
			return false;
	return true;
}
