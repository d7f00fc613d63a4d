/* SPDX-License-Identifier: MIT */
/* Allocation at addresses of the guest's range (virtio.md 5, Memory). */
#include <errno.h>
#include <sys/mman.h>

#include "virtio/host/host-internal.h"

#define DEVICE_ALIGN  (2ull << 20)
#define SCRATCH_ALIGN 65536ull
#define PAGE          ((uint64_t)VIRTIO_PAGE_BYTES)

static uint64_t round_up(uint64_t size, uint64_t align)
{
	return (size + align - 1) & ~(align - 1);
}

static bool is_device(const struct memory_req_alloc_args *args)
{
	return args->MemFlags.ui32.NonPaged && !args->MemFlags.ui32.GTTAccess &&
	       !args->MemFlags.ui32.OnlyAddress && args->PreferredNode != 0;
}

/* On other nodes, and for memory of other kinds, the thunk knows no handles. */
static bool is_handle(const struct memory_req_alloc_args *args)
{
	return args->MemFlags.ui32.NoAddress && is_device(args);
}

/* Hands the addresses from the reservation to the thunk, which maps what it allocates there. */
static int32_t alloc_at(struct virtio_context *ctx, const struct memory_req_alloc_args *args,
			uint64_t address, uint64_t va_bytes)
{
	void *got = (void *)(uintptr_t)address;
	HsaMemFlags flags = args->MemFlags;
	int32_t ret;

	flags.ui32.FixedAddress = 1;
	munmap(got, va_bytes);
	ret = hsaKmtAllocMemoryCtx(ctx->kfd, args->PreferredNode, args->SizeInBytes, flags, &got);
	if (ret == HSAKMT_STATUS_SUCCESS && (uintptr_t)got == address)
		return ret;
	if (ret == HSAKMT_STATUS_SUCCESS) {
		(void)hsaKmtFreeMemoryCtx(ctx->kfd, got, args->SizeInBytes);
		ret = HSAKMT_STATUS_ERROR;
	}
	(void)host_reserve(address, va_bytes);
	return ret;
}

/* What has no address gets a handle of the thunk's choice. */
static int32_t alloc_handle(struct virtio_context *ctx, const struct memory_req_alloc_args *args,
			    struct object *object)
{
	void *got = NULL;
	int32_t ret = hsaKmtAllocMemoryCtx(ctx->kfd, args->PreferredNode, args->SizeInBytes,
					   args->MemFlags, &got);

	if (ret == HSAKMT_STATUS_SUCCESS)
		object_index(ctx, object, (uintptr_t)got, args->SizeInBytes);
	return ret;
}

static uint64_t take_addresses(struct virtio_context *ctx, const struct memory_req_alloc_args *args,
			       uint64_t va_bytes, uint64_t align)
{
	if (!args->MemFlags.ui32.FixedAddress)
		return virtio_va_alloc(&ctx->va, va_bytes, align);
	return args->MemoryAddress % PAGE == 0 &&
			       virtio_va_take(&ctx->va, args->MemoryAddress, va_bytes)
		       ? args->MemoryAddress
		       : 0;
}

static int32_t alloc_memory(struct virtio_context *ctx, const struct memory_req_alloc_args *args,
			    struct object *object)
{
	uint64_t align = is_device(args) ? DEVICE_ALIGN : PAGE, va_bytes, address;
	int32_t ret;

	if (args->MemFlags.ui32.FixedAddress)
		align = PAGE;
	va_bytes = round_up(args->SizeInBytes, align) << args->MemFlags.ui32.AQLQueueMemory;
	if (args->Alignment > align)
		align = args->Alignment;
	address = take_addresses(ctx, args, va_bytes, align);
	if (!address)
		return HSAKMT_STATUS_NO_MEMORY;
	ret = alloc_at(ctx, args, address, va_bytes);
	if (ret != HSAKMT_STATUS_SUCCESS) {
		virtio_va_free(&ctx->va, address, va_bytes);
		return ret;
	}
	object->va_bytes = va_bytes;
	object_index(ctx, object, address, args->SizeInBytes << args->MemFlags.ui32.AQLQueueMemory);
	return ret;
}

/* The node's scratch addresses are taken whole at the first use, and given out in pieces. */
static int32_t open_scratch(struct virtio_context *ctx, const struct memory_req_alloc_args *args)
{
	struct scratch *scratch = &ctx->scratch[args->PreferredNode];
	struct memory_req_alloc_args whole = *args;
	int32_t ret;

	if (scratch->va.size_bytes)
		return HSAKMT_STATUS_SUCCESS;
	if (!virtio_va_init(&scratch->va, scratch->base, scratch->size_bytes))
		return HSAKMT_STATUS_NO_MEMORY;
	whole.SizeInBytes = scratch->size_bytes;
	ret = alloc_at(ctx, &whole, scratch->base, scratch->size_bytes);
	if (ret != HSAKMT_STATUS_SUCCESS) {
		virtio_va_fini(&scratch->va);
		scratch->va = (struct virtio_va){ 0 };
	}
	return ret;
}

static int32_t alloc_scratch(struct virtio_context *ctx, const struct memory_req_alloc_args *args,
			     struct object *object)
{
	struct scratch *scratch = &ctx->scratch[args->PreferredNode];
	uint64_t size = round_up(args->SizeInBytes, SCRATCH_ALIGN), address;
	int32_t ret;

	if (!host_is_gpu(ctx->host, args->PreferredNode))
		return HSAKMT_STATUS_NO_MEMORY;
	ret = open_scratch(ctx, args);
	if (ret != HSAKMT_STATUS_SUCCESS)
		return ret;
	address = virtio_va_alloc(&scratch->va, size, SCRATCH_ALIGN);
	if (!address)
		return HSAKMT_STATUS_NO_MEMORY;
	object->va_bytes = size;
	object->kind = OBJECT_SCRATCH;
	object_index(ctx, object, address, size);
	return ret;
}

int32_t host_alloc(struct virtio_context *ctx, const struct memory_req_alloc_args *args,
		   uint64_t blob_id, uint64_t *address)
{
	struct object *object;
	int32_t ret;

	if (args->PreferredNode >= ctx->host->node_count)
		return HSAKMT_STATUS_INVALID_NODE_UNIT;
	if (args->SizeInBytes == 0 || args->SizeInBytes % PAGE ||
	    args->Alignment & (args->Alignment - 1) || (args->Alignment && args->Alignment < PAGE))
		return HSAKMT_STATUS_INVALID_PARAMETER;
	if (args->MemFlags.ui32.Scratch && args->Alignment)
		return HSAKMT_STATUS_NOT_IMPLEMENTED;
	if (args->SizeInBytes > ctx->kfd_bytes || args->Alignment > ctx->kfd_bytes)
		return HSAKMT_STATUS_NO_MEMORY;
	object = object_new(ctx, OBJECT_DOORBELL); /* of no kind that has to be undone, so far */
	if (!object)
		return HSAKMT_STATUS_NO_MEMORY;
	object->node_id = args->PreferredNode;
	object->flags = args->MemFlags;
	if (args->MemFlags.ui32.Scratch)
		ret = alloc_scratch(ctx, args, object);
	else if (is_handle(args))
		ret = alloc_handle(ctx, args, object);
	else
		ret = alloc_memory(ctx, args, object);
	if (ret == HSAKMT_STATUS_SUCCESS && object->kind == OBJECT_DOORBELL)
		object->kind = OBJECT_MEMORY;
	if (ret == HSAKMT_STATUS_SUCCESS && object_file(ctx, object, blob_id) != 0)
		ret = HSAKMT_STATUS_NO_MEMORY;
	if (ret == HSAKMT_STATUS_SUCCESS)
		*address = object->place.start;
	else
		object_drop(ctx, object);
	return ret;
}
