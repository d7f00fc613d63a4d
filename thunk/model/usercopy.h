/* SPDX-License-Identifier: MIT */
/* Reading and writing the caller's memory as a kernel does: a bad address is EFAULT, no crash. */
#ifndef KFDSCOPE_THUNK_MODEL_USERCOPY_H
#define KFDSCOPE_THUNK_MODEL_USERCOPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copies from the caller's address. @return 0 or -EFAULT. */
int kfd_model_copy_in(void *to, uint64_t from_addr, size_t size_bytes)
	__attribute__((warn_unused_result));
/* Copies to the caller's address. @return 0 or -EFAULT. */
int kfd_model_copy_out(uint64_t to_addr, const void *from, size_t size_bytes)
	__attribute__((warn_unused_result));
/* Whether the whole range is mapped in this process, whatever its protection. */
bool kfd_model_range_mapped(uint64_t addr, uint64_t size_bytes);
/*
 * Number of bytes from addr that can be accessed now, at most size_bytes; pages are made present.
 * Looks at a few pages only, so that a look at a small object of a large buffer is cheap.
 */
uint64_t kfd_model_range_accessible(uint64_t addr, uint64_t size_bytes, bool write);

#endif
