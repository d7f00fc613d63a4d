/* SPDX-License-Identifier: MIT */
/* Swapping the first page of device memory for one of the host, and back. */
#include "asan/asan.h"

#include <sys/mman.h>

#include "memory/fmm_internal.h"

#ifdef __has_feature
#define ASAN_BUILD __has_feature(address_sanitizer)
#else
#define ASAN_BUILD 0
#endif

/* @param device  map the device's page; else one of the host. */
static HSAKMT_STATUS put_page(struct kmt_context *ctx, void *address, bool device)
{
	size_t page = kmt_process()->page_size_bytes;
	void *start = (void *)(uintptr_t)fmm_page_floor(address), *mapped = start;
	struct fmm_object *object;

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	object = fmm_find(ctx, address, 0, FMM_INSIDE);
	if (!object)
		return HSAKMT_STATUS_ERROR;
	if (object->map_fd >= 0 && device)
		mapped = kmt_mmap(ctx, start, page, object->map_prot, MAP_SHARED | MAP_FIXED,
				  object->map_fd,
				  (int64_t)(object->map_offset_bytes +
					    ((uintptr_t)start - object->va.start)));
	else if (object->map_fd >= 0)
		mapped = kmt_mmap(ctx, start, page, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	fmm_unlock(object);
	return mapped == MAP_FAILED ? HSAKMT_STATUS_ERROR : HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS asan_replace_page(struct kmt_context *ctx, void *address)
{
	return put_page(ctx, address, false);
}

HSAKMT_STATUS asan_return_page(struct kmt_context *ctx, void *address)
{
	return put_page(ctx, address, true);
}

HSAKMT_STATUS kmt_replace_asan_header_page(struct kmt_context *ctx, void *address)
{
	return ASAN_BUILD ? asan_replace_page(ctx, address) : HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS kmt_return_asan_header_page(struct kmt_context *ctx, void *address)
{
	return ASAN_BUILD ? asan_return_page(ctx, address) : HSAKMT_STATUS_NOT_SUPPORTED;
}
