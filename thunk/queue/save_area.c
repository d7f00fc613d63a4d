/* SPDX-License-Identifier: MIT */
/*
 * The memory that a queue's waves are saved to when it is preempted (queues.md 5.1): preferably
 * ordinary memory that the GPU reaches through SVM, which the kernel may then migrate; else an
 * allocation of the memory manager.
 */
#include "queue/queue-internal.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "memory/fmm.h"
#include "topology/topology.h"

#define SVM_ALIGN       (UINT64_C(2) << 20) /* one fragment of the GPU's page tables */
#define SVM_GRANULARITY 0xFF                /* migrate the whole area at once */
#define SVM_FLAGS                                                                                  \
	(KFD_IOCTL_SVM_FLAG_HOST_ACCESS | KFD_IOCTL_SVM_FLAG_GPU_EXEC |                            \
	 KFD_IOCTL_SVM_FLAG_GPU_ALWAYS_MAPPED)

static uint64_t mapped_bytes(const struct save_area *area)
{
	return kmt_round_up(area->sizes.total_bytes, kmt_process()->page_size_bytes);
}

/* One header for each XCC; the first four words of each are the kernel's. */
static void write_headers(const struct save_area *area, uint32_t error_event_id,
			  volatile HSAint64 *error_reason)
{
	const struct kmt_save_area_sizes *sizes = &area->sizes;

	for (uint32_t i = 0; i < sizes->xcc_count; i++) {
		struct kfd_context_save_area_header *header =
			(void *)((char *)area->base + (uint64_t)i * sizes->ctx_bytes);

		header->debug_offset = (sizes->xcc_count - i) * sizes->ctx_bytes;
		header->debug_size = sizes->debug_bytes * sizes->xcc_count;
		header->err_payload_addr = (uintptr_t)error_reason;
		header->err_event_id = error_event_id;
	}
}

/* Maps anonymous memory at a multiple of SVM_ALIGN; NULL when there is none. */
static void *map_aligned(struct kmt_context *ctx, uint64_t size_bytes)
{
	char *raw = kmt_mmap(ctx, NULL, size_bytes + SVM_ALIGN, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t lead, tail;

	if (raw == MAP_FAILED)
		return NULL;
	lead = kmt_round_up((uintptr_t)raw, SVM_ALIGN) - (uintptr_t)raw;
	tail = SVM_ALIGN - lead;
	if (lead)
		(void)kmt_munmap(ctx, raw, lead); /* a rest that stays costs address space only */
	if (tail)
		(void)kmt_munmap(ctx, raw + lead + size_bytes, tail);
	return raw + lead;
}

/* Six attributes in this order (queues.md 5.1, step 4). */
static int register_svm(struct kmt_context *ctx, const struct save_area *area, uint32_t gpu_id)
{
	/* clang-format off */
	const struct kfd_ioctl_svm_attribute attributes[] = {
		{ KFD_IOCTL_SVM_ATTR_PREFETCH_LOC,  gpu_id },
		{ KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, KFD_IOCTL_SVM_LOCATION_SYSMEM },
		{ KFD_IOCTL_SVM_ATTR_CLR_FLAGS,     ~(uint32_t) SVM_FLAGS },
		{ KFD_IOCTL_SVM_ATTR_SET_FLAGS,     SVM_FLAGS },
		{ KFD_IOCTL_SVM_ATTR_ACCESS,        gpu_id },
		{ KFD_IOCTL_SVM_ATTR_GRANULARITY,   SVM_GRANULARITY },
	};
	/* clang-format on */
	struct kfd_ioctl_svm_args *args = calloc(1, sizeof(*args) + sizeof(attributes));
	int rc;

	if (!args)
		return -1;
	args->start_addr = (uintptr_t)area->base;
	args->size = mapped_bytes(area);
	args->op = KFD_IOCTL_SVM_OP_SET_ATTR;
	args->nattr = sizeof(attributes) / sizeof(attributes[0]);
	for (uint32_t i = 0; i < args->nattr; i++)
		args->attrs[i] = attributes[i];
	rc = kmt_ioctl(ctx, AMDKFD_IOC_SVM + (sizeof(attributes) << _IOC_SIZESHIFT), args);
	free(args);
	return rc;
}

/*
 * A model plug-in does not see the munmap that ends the area, and would keep the range for taken
 * (the kernel is told by its own memory management).
 */
static bool may_use_svm(const struct kmt_context *ctx, const HsaNodeProperties *properties)
{
	return ctx->svm_api_supported && !(ctx->device && ctx->device->is_model) &&
	       kmt_kfd_at_least(11) && !properties->Capability2.ui32.StallOnRetryFault;
}

static bool init_svm(struct kmt_context *ctx, uint32_t gpu_id, struct save_area *area,
		     uint32_t error_event_id, volatile HSAint64 *error_reason)
{
	area->base = map_aligned(ctx, mapped_bytes(area));
	if (!area->base) {
		kmt_log(KMT_LOG_WARNING, "no memory for a save area in SVM");
		return false;
	}
	/* Without it the copy-on-write of a fork evicts the queues of the parent. */
	if (kmt_madvise(ctx, area->base, mapped_bytes(area), MADV_DONTFORK))
		kmt_log(KMT_LOG_WARNING, "a save area will be copied in forked children");
	/* Before the registration, which may move the pages to the GPU. */
	write_headers(area, error_event_id, error_reason);
	if (register_svm(ctx, area, gpu_id)) {
		(void)kmt_munmap(ctx, area->base, mapped_bytes(area)); /* nothing else to do */
		area->base = NULL;
		return false;
	}
	area->is_svm = true;
	return true;
}

HSAKMT_STATUS save_area_init(struct kmt_context *ctx, uint32_t node_id, uint32_t gfx,
			     struct save_area *area, uint32_t error_event_id,
			     volatile HSAint64 *error_reason)
{
	const HsaNodeProperties *properties = kmt_topology_properties(ctx, node_id);
	struct kmt_internal_alloc request = {
		.align_bytes = kmt_process()->page_size_bytes,
		.node_id = node_id,
		.non_paged = true,
	};

	*area = (struct save_area){ 0 };
	if (!properties || !kmt_queue_save_area_sizes(gfx, properties,
						      kmt_process()->page_size_bytes, &area->sizes))
		return HSAKMT_STATUS_SUCCESS;
	if (kmt_topology_gpu_id(ctx, node_id, &request.gpu_id) != HSAKMT_STATUS_SUCCESS)
		return HSAKMT_STATUS_ERROR;
	if (may_use_svm(ctx, properties) &&
	    init_svm(ctx, request.gpu_id, area, error_event_id, error_reason))
		return HSAKMT_STATUS_SUCCESS;
	request.size_bytes = area->sizes.total_bytes;
	area->base = kmt_fmm_internal_alloc(ctx, &request);
	if (!area->base)
		return HSAKMT_STATUS_NO_MEMORY;
	write_headers(area, error_event_id, error_reason);
	return HSAKMT_STATUS_SUCCESS;
}

void save_area_fini(struct kmt_context *ctx, struct save_area *area)
{
	if (area->base && area->is_svm)
		(void)kmt_munmap(ctx, area->base, mapped_bytes(area)); /* nothing else to do */
	else
		kmt_fmm_internal_free(ctx, area->base);
	area->base = NULL;
}
