/* SPDX-License-Identifier: MIT */
/* What an address belongs to, and user data (memory.md 14). */
#include "memory/memory.h"

#include <string.h>

#include "memory/fmm_internal.h"

static HSA_POINTER_TYPE pointer_type(const struct fmm_object *object)
{
	if (object->imported)
		return HSA_POINTER_REGISTERED_SHARED;
	if (object->metadata)
		return HSA_POINTER_REGISTERED_GRAPHICS;
	if (object->user_ptr)
		return HSA_POINTER_REGISTERED_USER;
	/* System memory of a machine without dGPU has no handle either, but is no bare range. */
	return object->handle_count || !object->flags.ui32.OnlyAddress ? HSA_POINTER_ALLOCATED
								       : HSA_POINTER_RESERVED_ADDR;
}

static void fill(HsaPointerInfo *info, const struct fmm_object *object)
{
	info->Type = pointer_type(object);
	info->Node = object->node_id;
	info->MemFlags = object->flags;
	info->GPUAddress = object->va.start;
	info->SizeInBytes = object->va.size_bytes;
	info->UserData = object->user_data;
	info->NRegisteredNodes = gpu_set_count(object->registered);
	info->RegisteredNodes =
		object->registered ? atomic_load(&object->registered->node_ids) : NULL;
	info->NMappedNodes = gpu_set_count(object->mapped);
	info->MappedNodes = object->mapped ? atomic_load(&object->mapped->node_ids) : NULL;
	if (info->Type == HSA_POINTER_REGISTERED_USER) {
		info->CPUAddress = object->user_ptr;
		info->SizeInBytes = object->user_size_bytes;
		info->GPUAddress +=
			(uintptr_t)object->user_ptr & (kmt_process()->page_size_bytes - 1);
	} else if (info->Type == HSA_POINTER_ALLOCATED) {
		info->CPUAddress = (void *)(uintptr_t)object->va.start;
	}
}

HSAKMT_STATUS kmt_query_pointer_info(struct kmt_context *ctx, const void *pointer,
				     HsaPointerInfo *info)
{
	struct fmm_object *object;

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (!info)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	memset(info, 0, sizeof(*info));
	object = fmm_find_locked(ctx, pointer, 0, FMM_INSIDE);
	if (!object)
		return HSAKMT_STATUS_ERROR;
	fill(info, object);
	fmm_object_end_change(object);
	return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS kmt_set_memory_user_data(struct kmt_context *ctx, const void *pointer,
				       void *user_data)
{
	struct fmm_object *object;

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	object = fmm_find(ctx, pointer, 0, FMM_EXACT);
	if (!object)
		return HSAKMT_STATUS_ERROR;
	fmm_object_begin_change(object);
	object->user_data = user_data;
	fmm_object_end_change(object);
	fmm_unlock(object);
	return HSAKMT_STATUS_SUCCESS;
}
