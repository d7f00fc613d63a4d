/* SPDX-License-Identifier: MIT */
/* Making and unmaking the apertures: AcquireSystemProperties and its opposite (memory.md 5). */
#include "memory/fmm_internal.h"

#include <sys/mman.h>

#include "handle/timeline.h"
#include "hsakmt/linux/kfd_ioctl.h"
#include "topology/topology.h"

/* Handle aperture: one stretch of addresses that no real aperture uses (memory.md 3). */
#define HANDLE_BASE         ((uint64_t)1 << 56)
#define HANDLE_FIRST_LENGTH ((uint64_t)1 << 47)
#define HANDLE_STEP         ((uint64_t)1 << 56)

static bool touches(uint64_t base, uint64_t limit, uint64_t other_base, uint64_t other_limit)
{
	return other_limit && base <= other_limit && other_base <= limit;
}

static bool touches_gpu(const struct fmm_view *view, uint64_t base, uint64_t limit)
{
	for (uint32_t i = 0; i < view->gpu_count; i++) {
		const struct fmm_gpu *gpu = &view->gpus[i];

		if (touches(base, limit, gpu->lds_base, gpu->lds_limit) ||
		    touches(base, limit, gpu->flat_scratch_base, gpu->flat_scratch_limit) ||
		    touches(base, limit, gpu->gpuvm.base, gpu->gpuvm.limit))
			return true;
	}
	return false;
}

static void place_handles(struct kmt_fmm *fmm, const struct fmm_view *view)
{
	uint64_t base = HANDLE_BASE, limit = base + HANDLE_FIRST_LENGTH - 1;
	struct fmm_aperture *handles = &fmm->handles;

	if (handles->va)
		return; /* of an earlier cycle, objects and all */
	while (touches_gpu(view, base, limit)) {
		if (base >= UINT64_MAX - HANDLE_STEP - 1) {
			kmt_log(KMT_LOG_WARNING, "no addresses for memory without an address");
			return;
		}
		base += HANDLE_STEP;
		limit = base + HANDLE_STEP - 1;
	}
	handles->base = base;
	handles->limit = limit;
	handles->align_bytes = kmt_process()->page_size_bytes;
	handles->guard_pages = view->settings.guard_pages;
	handles->max_va_order = view->settings.max_va_order;
	handles->wire_type = 5;
	handles->va = &fmm_va_reserved;
}

/* Step 6: the caching of the coherent aperture, for each GPU that shares the SVM range. */
static int set_policies(struct kmt_context *ctx, const struct fmm_view *view)
{
	const struct fmm_aperture *alt = fmm_svm_alt(ctx->fmm);
	int rc = 0;

	for (uint32_t i = 0; i < view->gpu_count && rc == 0; i++) {
		const struct fmm_gpu *gpu = &view->gpus[i];
		struct kfd_ioctl_set_memory_policy_args args = {
			.alternate_aperture_base = alt->base,
			.alternate_aperture_size = alt->limit - alt->base + 1,
			.gpu_id = gpu->gpu_id,
			.default_policy = view->settings.disable_cache
						  ? KFD_IOC_CACHE_POLICY_COHERENT
						  : KFD_IOC_CACHE_POLICY_NONCOHERENT,
			.alternate_policy = KFD_IOC_CACHE_POLICY_COHERENT,
		};

		if (view->settings.high_precision && gpu->gfx == KMT_GFX(9, 5, 0))
			args.misc_process_flag = ENABLE_MFMA_HIGH_PRECISION;
		if (gpu->listed && gpu->canonical)
			rc = kmt_ioctl(ctx, AMDKFD_IOC_SET_MEMORY_POLICY, &args);
	}
	return rc;
}

/* Step 8: the HDP flush registers. Without them the bank is not reported, that is all. */
static void map_mmio(struct kmt_context *ctx, struct fmm_view *view)
{
	const struct fmm_kfd_page page = {
		.type = KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP,
		.size_bytes = kmt_process()->page_size_bytes,
		.no_maps = ctx->device->is_model,
	};

	for (uint32_t i = 0; i < view->gpu_count; i++) {
		struct fmm_gpu *gpu = &view->gpus[i];
		void *mmio;

		if (!gpu->svm_needed || !gpu->listed)
			continue;
		mmio = fmm_kfd_page_map(ctx, gpu, &page);
		if (!mmio)
			kmt_log(KMT_LOG_WARNING, "node %u: no MMIO page", gpu->node_id);
		atomic_store(&gpu->mmio, mmio);
	}
}

static uint32_t node_in_view(uint32_t gpu_id, const void *data)
{
	const struct fmm_view *view = data;

	for (uint32_t i = 0; i < view->gpu_count; i++)
		if (view->gpus[i].gpu_id == gpu_id)
			return view->gpus[i].node_id;
	return gpu_id ? INVALID_NODEID : 0;
}

/* Makes a view the current one; the one of an earlier cycle when nothing is different. */
static struct fmm_view *publish(struct kmt_fmm *fmm, struct fmm_view *view)
{
	struct fmm_view *old = atomic_load(&fmm->view);

	if (old && fmm_view_equal(old, view)) {
		fmm_view_free(view);
		return old;
	}
	if (old && !gpu_sets_translate_again(&fmm->sets, node_in_view, view))
		kmt_log(KMT_LOG_WARNING, "some pointer infos keep their old node numbers");
	view->next = old;
	atomic_store_explicit(&fmm->view, view, memory_order_release);
	return view;
}

HSAKMT_STATUS kmt_fmm_init_apertures(struct kmt_context *ctx)
{
	struct kmt_fmm *fmm = ctx->fmm;
	struct fmm_view *view = NULL;
	HSAKMT_STATUS status;
	int rc = 0;

	if (!fmm || !ctx->device)
		return HSAKMT_STATUS_ERROR;
	if (atomic_load(&fmm->up))
		return HSAKMT_STATUS_SUCCESS;
	status = fmm_view_make(ctx, &view);
	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	if (view->svm_align_bytes)
		rc = fmm_svm_range_init(ctx, &view->settings, view->svm_base, view->svm_limit,
					view->svm_align_bytes);
	if (rc == 0 && view->svm_align_bytes)
		rc = set_policies(ctx, view);
	if (rc != 0) {
		fmm_view_free(view);
		fmm_svm_range_fini(ctx);
		return HSAKMT_STATUS_ERROR;
	}
	place_handles(fmm, view);
	view = publish(fmm, view);
	atomic_store(&fmm->up, true);
	if (atomic_load(&fmm->has_svm))
		map_mmio(ctx, view);
	return HSAKMT_STATUS_SUCCESS;
}

void kmt_fmm_fini_apertures(struct kmt_context *ctx)
{
	struct kmt_fmm *fmm = ctx->fmm;
	struct fmm_view *view = fmm_view(ctx);

	if (!fmm || !view || !atomic_load(&fmm->up))
		return;
	for (uint32_t i = 0; i < view->gpu_count; i++) {
		struct fmm_gpu *gpu = &view->gpus[i];

		fmm_kfd_page_unmap(ctx, atomic_exchange(&gpu->mmio, NULL));
		kmt_timeline_fini(ctx, gpu);
	}
	atomic_store(&fmm->up, false);
	svm_records_forget(&fmm->records);
	fmm_svm_range_fini(ctx);
}
