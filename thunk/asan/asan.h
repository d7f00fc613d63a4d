/* SPDX-License-Identifier: MIT */
/*
 * Header pages for the address sanitizer (memory.md 15): its allocator wants to keep a header in the
 * first page of device memory, and the host must be able to read it.
 */
#ifndef KFDSCOPE_THUNK_ASAN_ASAN_H
#define KFDSCOPE_THUNK_ASAN_ASAN_H

#include "context.h"

/*
 * Puts host memory over the page at an address of a GPU allocation.
 * @return NOT_SUPPORTED in builds without clang's address sanitizer; KERNEL_IO_CHANNEL_NOT_OPENED;
 *         SUCCESS, also for memory without a device mapping; ERROR for unknown memory.
 */
HSAKMT_STATUS kmt_replace_asan_header_page(struct kmt_context *ctx, void *address);
/* Puts the device's page back. @return as kmt_replace_asan_header_page(). */
HSAKMT_STATUS kmt_return_asan_header_page(struct kmt_context *ctx, void *address);

/* What the two do where they are supported, whatever the build is. */
HSAKMT_STATUS asan_replace_page(struct kmt_context *ctx, void *address);
HSAKMT_STATUS asan_return_page(struct kmt_context *ctx, void *address);

#endif
