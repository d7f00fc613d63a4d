/* SPDX-License-Identifier: MIT */
/* Allocation: checks, and the choice of the kind of memory (memory.md 2). */
#include "memory/memory.h"

#include "memory/fmm_internal.h"
#include "topology/topology.h"

static uint64_t flag_page_bytes(HsaMemFlags flags)
{
	static const uint64_t bytes[] = { 4ull << 10, 64ull << 10, 2ull << 20, 1ull << 30 };

	return bytes[flags.ui32.PageSize];
}

/* Rows 4 to 8 of the table. */
static HSAKMT_STATUS check(const struct fmm_request *request, void *const *address)
{
	const HsaMemFlags flags = request->flags;
	uint64_t page = flag_page_bytes(flags), align = request->align_bytes;

	if (align && (align < page || (align & (align - 1))))
		return HSAKMT_STATUS_INVALID_PARAMETER;
	if (!address || request->size_bytes == 0 || (request->size_bytes & (page - 1)))
		return HSAKMT_STATUS_INVALID_PARAMETER;
	if (flags.ui32.FixedAddress && !*address)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	if (flags.ui32.ExtendedCoherent && (flags.ui32.CoarseGrain || flags.ui32.Uncached))
		return HSAKMT_STATUS_INVALID_PARAMETER;
	if (flags.ui32.Scratch && align)
		return HSAKMT_STATUS_NOT_IMPLEMENTED;
	return HSAKMT_STATUS_SUCCESS;
}

/* The decision table: the first match wins. */
static HSAKMT_STATUS allocate(struct kmt_context *ctx, struct fmm_request *request, void **address)
{
	HsaMemFlags *flags = &request->flags;
	bool zfb = kmt_process()->zero_frame_buffer;

	if (flags->ui32.Scratch) {
		*address = fmm_scratch_alloc(ctx, request);
		return *address ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_NO_MEMORY;
	}
	if (request->gpu_id == 0 || !flags->ui32.NonPaged || zfb || flags->ui32.GTTAccess ||
	    flags->ui32.OnlyAddress || request->owner_gpu_id) {
		if (zfb && request->gpu_id && flags->ui32.NonPaged)
			flags->ui32.CoarseGrain = 1;
		*address = fmm_alloc_host(ctx, request);
		return *address ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_ERROR;
	}
	*address = fmm_alloc_device(ctx, request);
	return *address ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_NO_MEMORY;
}

/* Rows 2 to 8 and the work; ctx is usable. */
static HSAKMT_STATUS check_and_allocate(struct kmt_context *ctx, struct fmm_request *request,
					void **address)
{
	HSAKMT_STATUS status;

	if (request->flags.ui32.Contiguous && !kmt_kfd_at_least(16))
		return HSAKMT_STATUS_NOT_SUPPORTED;
	status = kmt_topology_gpu_id(ctx, request->node_id, &request->gpu_id);
	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	status = check(request, address);
	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	if (request->flags.ui32.FixedAddress)
		request->fixed = *address;
	return allocate(ctx, request, address);
}

static HSAKMT_STATUS run(struct kmt_context *ctx, struct fmm_request *request, void **address)
{
	HSAKMT_STATUS status = check_and_allocate(ctx, request, address);

	if (status != HSAKMT_STATUS_SUCCESS && address)
		*address = NULL;
	return status;
}

HSAKMT_STATUS kmt_alloc_memory(struct kmt_context *ctx, HSAuint32 node_id, HSAuint64 size_bytes,
			       HsaMemFlags flags, void **address)
{
	return kmt_alloc_memory_align(ctx, node_id, size_bytes, 0, flags, address);
}

HSAKMT_STATUS kmt_alloc_memory_align(struct kmt_context *ctx, HSAuint32 node_id,
				     HSAuint64 size_bytes, HSAuint64 align_bytes, HsaMemFlags flags,
				     void **address)
{
	struct fmm_request request = { .node_id = node_id,
				       .size_bytes = size_bytes,
				       .align_bytes = align_bytes,
				       .flags = flags };

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	return run(ctx, &request, address);
}

HSAKMT_STATUS kmt_alloc_memory_host_gtt(struct kmt_context *ctx, HSAuint32 node_id,
					HSAuint32 gtt_node_id, HSAuint64 size_bytes,
					HsaMemFlags flags, void **address)
{
	struct fmm_request request = { .node_id = node_id,
				       .size_bytes = size_bytes,
				       .flags = flags };
	HSAKMT_STATUS status;

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	status = kmt_topology_gpu_id(ctx, gtt_node_id, &request.owner_gpu_id);
	if (status == HSAKMT_STATUS_SUCCESS && request.owner_gpu_id == 0)
		status = HSAKMT_STATUS_INVALID_NODE_UNIT;
	if (status == HSAKMT_STATUS_SUCCESS)
		return run(ctx, &request, address);
	if (address)
		*address = NULL;
	return status;
}
