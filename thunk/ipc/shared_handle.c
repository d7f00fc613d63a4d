/* SPDX-License-Identifier: MIT */
/*
 * Handles of the out-of-tree driver for sharing memory between processes (memory.md 12). Exporter and
 * importer may run different builds of this library, so the layout of the handle is fixed here.
 */
#include <string.h>
#include <sys/mman.h>

#include "hsakmt/linux/kfd_ioctl.h"
#include "ipc/ipc.h"
#include "memory/fmm_internal.h"

/* The 32 bytes of HsaSharedMemoryHandle. */
struct wire_handle {
	uint32_t share[4];      /* the kernel's */
	uint32_t aperture_type; /* fmm_aperture.wire_type; 0 is none */
	uint32_t aperture_slot; /* which GPU's, for GPUVM */
	uint32_t size_pages;
	uint32_t gpu_id; /* exporter */
};
_Static_assert(sizeof(struct wire_handle) == sizeof(HsaSharedMemoryHandle), "the ABI's size");

/* A GPU for the export: the owner, or any for system memory. */
static uint32_t exporting_gpu(const struct kmt_context *ctx, const struct fmm_object *object)
{
	const struct fmm_gpu *gpu = fmm_gpu_of_node(ctx, object->node_id);

	if (!gpu && fmm_is_dgpu(ctx))
		gpu = fmm_first_gpu(ctx);
	return gpu ? gpu->gpu_id : 0;
}

HSAKMT_STATUS kmt_share_memory(struct kmt_context *ctx, void *address, HSAuint64 size_bytes,
			       HsaSharedMemoryHandle *handle)
{
	unsigned int shift = kmt_process()->page_shift;
	struct kfd_ioctl_ipc_export_handle_args args = { 0 };
	struct wire_handle wire = { 0 };
	struct fmm_aperture *aperture;
	struct fmm_object *object;
	int rc;

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (!handle || size_bytes >= 1ull << (32 + shift))
		return HSAKMT_STATUS_INVALID_PARAMETER;
	aperture = fmm_aperture_of(ctx, address, &wire.aperture_slot);
	object = fmm_find_start(aperture, (uintptr_t)address);
	if (!object)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	if (!object->handle_count) {
		fmm_unlock(object);
		return HSAKMT_STATUS_INVALID_PARAMETER;
	}
	args.handle = object->handles[0];
	args.gpu_id = exporting_gpu(ctx, object);
	args.flags = object->flags.Value;
	rc = kmt_ioctl(ctx, AMDKFD_IOC_IPC_EXPORT_HANDLE, &args);
	fmm_unlock(object);
	if (rc != 0)
		return HSAKMT_STATUS_ERROR;
	memcpy(wire.share, args.share_handle, sizeof(wire.share));
	wire.aperture_type = aperture->wire_type;
	wire.size_pages = (uint32_t)(size_bytes >> shift);
	wire.gpu_id = args.gpu_id;
	memcpy(handle, &wire, sizeof(wire));
	return HSAKMT_STATUS_SUCCESS;
}

static struct fmm_aperture *wire_aperture(struct kmt_context *ctx, const struct wire_handle *wire)
{
	struct fmm_view *view = fmm_view(ctx);
	struct kmt_fmm *fmm = ctx->fmm;

	switch (wire->aperture_type) {
	case 1:
		return &fmm->svm;
	case 2:
		return fmm_svm_alt(fmm);
	case 3:
		return view && wire->aperture_slot < view->gpu_count
			       ? &view->gpus[wire->aperture_slot].gpuvm
			       : NULL;
	case 4:
		return &fmm->cpuvm;
	case 5:
		return &fmm->handles;
	default:
		return NULL; /* from a stranger: any number can stand there */
	}
}

/* The import at its address, and the CPU's view of it. The address stays the caller's. */
static int import(struct kmt_context *ctx, const struct wire_handle *wire,
		  struct fmm_aperture *aperture, void *address, struct fmm_object *object)
{
	struct kfd_ioctl_ipc_import_handle_args args = { .gpu_id = wire->gpu_id };
	struct fmm_gpu *gpu = fmm_gpu_of_id(ctx, wire->gpu_id);
	uint64_t size = (uint64_t)wire->size_pages << kmt_process()->page_shift;
	int rc;

	args.va_addr = (uintptr_t)address - (aperture->wire_type == 3 ? aperture->base : 0);
	memcpy(args.share_handle, wire->share, sizeof(wire->share));
	rc = kmt_ioctl(ctx, AMDKFD_IOC_IPC_IMPORT_HANDLE, &args);
	if (rc != 0)
		return rc;
	object->handles[object->handle_count++] = args.handle;
	object->gpu_id = wire->gpu_id;
	object->flags.Value = args.flags;
	if (!args.mmap_offset || !aperture->cpu_accessible)
		return 0;
	if (gpu) {
		object->node_id = gpu->node_id;
		rc = fmm_bo_cpu_map(ctx, object, gpu->render_fd, address, size,
				    PROT_READ | PROT_WRITE, args.mmap_offset);
	}
	if (!gpu || rc != 0) {
		(void)fmm_bo_free(ctx, object); /* fresh and unmapped: nothing can hold it */
		return -1;
	}
	return 0;
}

static HSAKMT_STATUS register_handle(struct kmt_context *ctx, const struct wire_handle *wire,
				     const struct gpu_set *nodes, void **out)
{
	uint64_t size = (uint64_t)wire->size_pages << kmt_process()->page_shift;
	struct fmm_aperture *aperture = wire_aperture(ctx, wire);
	HSAKMT_STATUS status = HSAKMT_STATUS_NO_MEMORY;
	struct fmm_object *object;
	void *address;

	if (!aperture)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	object = fmm_object_new(ctx->fmm, false);
	if (!object)
		return status;
	address = fmm_va_alloc(ctx, aperture, NULL, size, 0);
	if (!address)
		goto out;
	status = HSAKMT_STATUS_ERROR;
	if (import(ctx, wire, aperture, address, object) != 0)
		goto out;
	object->imported = true;
	object->registered = nodes;
	fmm_object_insert(aperture, object, address, size);
	object = NULL;
	*out = address;
	status = HSAKMT_STATUS_SUCCESS;
out:
	if (object)
		fmm_va_release(ctx, aperture, address, size);
	fmm_object_put(object);
	return status;
}

HSAKMT_STATUS kmt_register_shared_handle(struct kmt_context *ctx,
					 const HsaSharedMemoryHandle *handle, void **address,
					 HSAuint64 *size_bytes)
{
	return kmt_register_shared_handle_to_nodes(ctx, handle, address, size_bytes, 0, NULL);
}

HSAKMT_STATUS kmt_register_shared_handle_to_nodes(struct kmt_context *ctx,
						  const HsaSharedMemoryHandle *handle,
						  void **address, HSAuint64 *size_bytes,
						  HSAuint64 node_count, HSAuint32 *node_ids)
{
	HSAKMT_STATUS status = HSAKMT_STATUS_SUCCESS;
	const struct gpu_set *nodes = NULL;
	struct wire_handle wire;

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (!handle || !address || !size_bytes)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	if (node_ids)
		status = fmm_gpu_set_of_nodes(ctx, node_ids, node_count, &nodes);
	else if (node_count)
		status = HSAKMT_STATUS_INVALID_PARAMETER;
	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	memcpy(&wire, handle, sizeof(wire));
	status = register_handle(ctx, &wire, nodes, address);
	if (status == HSAKMT_STATUS_SUCCESS)
		*size_bytes = (uint64_t)wire.size_pages << kmt_process()->page_shift;
	return status;
}
