/* SPDX-License-Identifier: MIT */
/* Importing dma-bufs of graphics APIs. */
#include "graphics/graphics.h"

#include <errno.h>
#include <stdlib.h>

#include "hsakmt/linux/kfd_ioctl.h"
#include "memory/fmm_internal.h"
#include "memory/memory.h"

#define FIRST_METADATA_BYTES 64
/* What the driver stores at most is far below; a larger answer is an error. */
#define METADATA_LIMIT_BYTES (1u << 20)
#define IMPORT_ALIGN_BYTES   (256ull << 10)

/* A dma-buf and what the kernel says of it. */
struct source {
	uint32_t fd, gpu_id, flags;
	uint64_t size_bytes;
	void *metadata; /* owned; never NULL after query() */
	uint32_t metadata_size_bytes;
};

static int query_once(struct kmt_context *ctx, struct source *source, uint32_t capacity,
		      uint32_t *wanted)
{
	struct kfd_ioctl_get_dmabuf_info_args args = { .metadata_size = capacity,
						       .dmabuf_fd = source->fd };
	int rc;

	free(source->metadata);
	source->metadata = calloc(1, capacity);
	if (!source->metadata)
		return -ENOMEM;
	args.metadata_ptr = (uintptr_t)source->metadata;
	rc = kmt_ioctl(ctx, AMDKFD_IOC_GET_DMABUF_INFO, &args);
	*wanted = args.metadata_size;
	source->size_bytes = args.size;
	source->gpu_id = args.gpu_id;
	source->flags = args.flags;
	source->metadata_size_bytes = args.metadata_size < capacity ? args.metadata_size : capacity;
	return rc;
}

/* Once more with enough room when the metadata did not fit. */
static HSAKMT_STATUS query(struct kmt_context *ctx, struct source *source)
{
	uint32_t wanted = 0;
	int rc = query_once(ctx, source, FIRST_METADATA_BYTES, &wanted);

	if (rc != 0 && rc != -ENOMEM && wanted > FIRST_METADATA_BYTES &&
	    wanted <= METADATA_LIMIT_BYTES)
		rc = query_once(ctx, source, wanted, &wanted);
	if (rc != 0)
		return source->metadata ? HSAKMT_STATUS_ERROR : HSAKMT_STATUS_NO_MEMORY;
	return HSAKMT_STATUS_SUCCESS;
}

static struct fmm_aperture *choose_aperture(struct kmt_context *ctx, struct fmm_gpu *gpu,
					    bool with_address)
{
	if (!with_address)
		return &ctx->fmm->handles;
	return gpu->svm_needed ? &ctx->fmm->svm : &gpu->gpuvm;
}

static int import(struct kmt_context *ctx, const struct source *source,
		  const struct fmm_aperture *aperture, void *address, struct fmm_object *object)
{
	struct kfd_ioctl_import_dmabuf_args args = {
		.va_addr = (uintptr_t)address,
		.gpu_id = source->gpu_id,
		.dmabuf_fd = source->fd,
	};
	int rc;

	if (aperture == &ctx->fmm->handles)
		args.va_addr = 0;
	else if (!aperture->cpu_accessible)
		args.va_addr -= aperture->base;
	rc = kmt_ioctl(ctx, AMDKFD_IOC_IMPORT_DMABUF, &args);
	if (rc == 0)
		object->handles[object->handle_count++] = args.handle;
	return rc;
}

/* The object of an import; takes the metadata over. NULL when there is none. */
static void *make_object(struct kmt_context *ctx, struct source *source, struct fmm_gpu *gpu,
			 bool with_address, const struct gpu_set *nodes)
{
	struct fmm_aperture *aperture = choose_aperture(ctx, gpu, with_address);
	struct fmm_object *object = fmm_object_new(ctx->fmm, false);
	void *address;

	if (!object)
		return NULL;
	address = fmm_va_alloc(ctx, aperture, NULL, source->size_bytes, IMPORT_ALIGN_BYTES);
	if (!address || import(ctx, source, aperture, address, object) != 0) {
		fmm_va_release(ctx, aperture, address, source->size_bytes);
		fmm_object_put(object);
		return NULL;
	}
	object->metadata = source->metadata;
	source->metadata = NULL; /* the object's now */
	object->metadata_size_bytes = source->metadata_size_bytes;
	object->gpu_id = gpu->gpu_id;
	object->node_id = gpu->node_id;
	object->ioctl_flags = source->flags;
	object->flags = fmm_flags_of_ioctl(source->flags);
	object->flags.ui32.CoarseGrain = 1;
	object->registered = nodes;
	fmm_object_insert(aperture, object, address, source->size_bytes);
	return address;
}

HSAKMT_STATUS kmt_register_graphics_handle_to_nodes(struct kmt_context *ctx, HSAuint64 resource,
						    HsaGraphicsResourceInfo *info,
						    HSAuint64 node_count, HSAuint32 *node_ids)
{
	const HSA_REGISTER_MEM_FLAGS none = { 0 };

	return kmt_register_graphics_handle_to_nodes_ext(ctx, resource, info, node_count, node_ids,
							 none);
}

HSAKMT_STATUS kmt_register_graphics_handle_to_nodes_ext(struct kmt_context *ctx, HSAuint64 resource,
							HsaGraphicsResourceInfo *info,
							HSAuint64 node_count, HSAuint32 *node_ids,
							HSA_REGISTER_MEM_FLAGS flags)
{
	struct source source = { .fd = (uint32_t)resource };
	HSAKMT_STATUS status = HSAKMT_STATUS_SUCCESS;
	const struct gpu_set *nodes = NULL;
	struct fmm_gpu *gpu;
	void *metadata, *address;

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (!info)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	if (node_ids || node_count)
		status = fmm_gpu_set_of_nodes(ctx, node_ids, node_count, &nodes);
	if (status == HSAKMT_STATUS_SUCCESS)
		status = query(ctx, &source);
	if (status != HSAKMT_STATUS_SUCCESS)
		goto out;
	status = HSAKMT_STATUS_ERROR;
	gpu = fmm_gpu_of_id(ctx, source.gpu_id);
	metadata = source.metadata;
	address = gpu ? make_object(ctx, &source, gpu, nodes || flags.ui32.requiresVAddr, nodes)
		      : NULL;
	if (!address)
		goto out;
	/* Member by member: older callers have a smaller structure (api.md 3.2). */
	info->MemoryAddress = address;
	info->SizeInBytes = source.size_bytes;
	info->Metadata = metadata;
	info->MetadataSizeInBytes = source.metadata_size_bytes;
	info->NodeId = gpu->node_id;
	status = HSAKMT_STATUS_SUCCESS;
out:
	free(source.metadata);
	return status;
}

HSAKMT_STATUS kmt_map_graphic_handle(struct kmt_context *ctx, HSAuint32 node_id, HSAuint64 device,
				     HSAuint64 resource, HSAuint64 offset_bytes,
				     HSAuint64 size_bytes, HSAuint64 *flat_address)
{
	(void)ctx, (void)node_id, (void)device, (void)resource;
	(void)offset_bytes, (void)size_bytes, (void)flat_address;
	return HSAKMT_STATUS_NOT_IMPLEMENTED;
}

HSAKMT_STATUS kmt_unmap_graphic_handle(struct kmt_context *ctx, HSAuint32 node_id,
				       HSAuint64 flat_address, HSAuint64 size_bytes)
{
	(void)node_id, (void)size_bytes;
	return kmt_unmap_memory_to_gpu(ctx, (void *)(uintptr_t)flat_address);
}
