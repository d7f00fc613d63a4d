/* SPDX-License-Identifier: MIT */
/*
 * Buffer objects of libdrm and their GPU addresses (memory.md 18), for the virtual memory management
 * of newer runtimes. No KFD ioctl is involved. All return KERNEL_IO_CHANNEL_NOT_OPENED for a context
 * that is not usable.
 *
 * Handles are checked against those that kmt_handle_import() gave and that are not freed, so a stale
 * one is refused.
 */
#ifndef KFDSCOPE_THUNK_HANDLE_HANDLE_H
#define KFDSCOPE_THUNK_HANDLE_HANDLE_H

#include "context.h"

/*
 * Imports a dma-buf as a buffer object.
 *
 * @param desc    what to import into which device of the library.
 * @param result  out: handle, size, the descriptor again, and for IPC handles the metadata word;
 *                after a metadata mismatch the word alone.
 * @param flags   IPCHandle: the buffer's metadata word must be desc->metadata; with UpdateMetadata it
 *                is set when there is none yet (unless SysMem). May be NULL: none of these.
 * @return SUCCESS; INVALID_HANDLE for NULL, an unknown device and a buffer that cannot be asked;
 *         NOT_SUPPORTED for other types: fabric handles too, whose kernel interface is not public;
 *         INVALID_PARAMETER for a metadata mismatch; ERROR when the import fails.
 */
HSAKMT_STATUS kmt_handle_import(struct kmt_context *ctx, const HsaHandleImportDesc *desc,
				HsaHandleImportResult *result, HsaHandleImportFlags *flags);
/*
 * Exports a buffer object as a dma-buf.
 *
 * @param flags  ignored, may be NULL.
 * @return SUCCESS; INVALID_HANDLE for NULL, unknown handles and what cannot be exported;
 *         NOT_SUPPORTED for other types.
 */
HSAKMT_STATUS kmt_handle_export(struct kmt_context *ctx, const HsaHandleExportDesc *desc,
				HsaMemoryExportResult *result, HsaHandleExportFlags *flags);

/*
 * Maps a part of a buffer object at a GPU address and waits for the page tables.
 *
 * @param flags  access; none is a mapping without any.
 * @return SUCCESS; INVALID_PARAMETER for a node that is no GPU; ERROR for unknown handles, a buffer
 *         of another GPU's device, and a refusing kernel.
 */
HSAKMT_STATUS kmt_memory_va_map(struct kmt_context *ctx, HsaMemoryObjectHandle handle,
				HSAuint64 offset_bytes, HSAuint64 size_bytes, HSAuint64 address,
				HsaMemoryMapFlags flags, HSAuint32 node_id);
/* The opposite. @return as kmt_memory_va_map(). */
HSAKMT_STATUS kmt_memory_va_unmap(struct kmt_context *ctx, HsaMemoryObjectHandle handle,
				  HSAuint64 offset_bytes, HSAuint64 size_bytes, HSAuint64 address,
				  HSAuint32 node_id);

/* Maps a buffer object for the CPU. @return SUCCESS; ERROR for NULL, unknown handles, failure. */
HSAKMT_STATUS kmt_memory_cpu_map(struct kmt_context *ctx, HsaMemoryObjectHandle handle,
				 void **address);
/*
 * The mmap offset of a buffer object on its device's descriptor.
 * @return SUCCESS; ERROR for NULL, unknown handles and devices, and a refusing kernel.
 */
HSAKMT_STATUS kmt_memory_get_cpu_addr(struct kmt_context *ctx, HsaAMDGPUDeviceHandle device,
				      HsaMemoryObjectHandle handle, HSAuint64 *offset);
/*
 * Clears the metadata of a buffer object and gives up the handle.
 * @return SUCCESS; ERROR for unknown handles, and when the metadata cannot be cleared: the handle
 *         is valid then as before.
 */
HSAKMT_STATUS kmt_mem_handle_free(struct kmt_context *ctx, HsaMemoryObjectHandle handle);
/* Gives up the handle alone. @return SUCCESS; ERROR for unknown handles. */
HSAKMT_STATUS kmt_mem_handle_free_preserve_metadata(struct kmt_context *ctx,
						    HsaMemoryObjectHandle handle);

#endif
