/* SPDX-License-Identifier: MIT */
/*
 * Sharing memory with other processes: handles of the out-of-tree driver and dma-bufs (memory.md 12,
 * 13). All return KERNEL_IO_CHANNEL_NOT_OPENED for a context that is not usable.
 */
#ifndef KFDSCOPE_THUNK_IPC_IPC_H
#define KFDSCOPE_THUNK_IPC_IPC_H

#include "context.h"

/*
 * Exports an allocation as a handle for another process.
 *
 * @param address     its start.
 * @param size_bytes  what the other process is told.
 * @return SUCCESS; INVALID_PARAMETER for NULL, a size beyond 2^32 pages, and what is not the start of
 *         an allocation; ERROR, on mainline kernels always: they do not know the call.
 */
HSAKMT_STATUS kmt_share_memory(struct kmt_context *ctx, void *address, HSAuint64 size_bytes,
			       HsaSharedMemoryHandle *handle);
/*
 * Imports such a handle; kmt_deregister_memory() undoes it.
 *
 * @param address, size_bytes  out, on success only.
 * @return SUCCESS; INVALID_PARAMETER for NULL and handles that are none; NO_MEMORY without addresses;
 *         ERROR when the kernel refuses.
 */
HSAKMT_STATUS kmt_register_shared_handle(struct kmt_context *ctx,
					 const HsaSharedMemoryHandle *handle, void **address,
					 HSAuint64 *size_bytes);
/* The same for some nodes only. @return also the statuses of the node array. */
HSAKMT_STATUS kmt_register_shared_handle_to_nodes(struct kmt_context *ctx,
						  const HsaSharedMemoryHandle *handle,
						  void **address, HSAuint64 *size_bytes,
						  HSAuint64 node_count, HSAuint32 *node_ids);
/*
 * Exports the buffer that holds a range.
 *
 * @param fd            out: a new descriptor, the caller's.
 * @param offset_bytes  out: of the range in the buffer.
 * @return SUCCESS; NOT_SUPPORTED before KFD 1.12; INVALID_PARAMETER for NULL and ranges that are not
 *         inside one allocation; ERROR when the kernel refuses.
 */
HSAKMT_STATUS kmt_export_dma_buf_handle(struct kmt_context *ctx, void *address,
					HSAuint64 size_bytes, int *fd, HSAuint64 *offset_bytes);
/*
 * What a dma-buf holds. The layout of HsaDmaBufInfo is not published; written are its three known
 * members in their known order (api.md 5).
 *
 * @return SUCCESS; INVALID_PARAMETER for no descriptor or NULL; NOT_SUPPORTED for everything that is
 *         no dma-buf of this driver.
 */
HSAKMT_STATUS kmt_query_dma_buf_info(struct kmt_context *ctx, int fd, HsaDmaBufInfo *info);

#endif
