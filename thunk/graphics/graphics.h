/* SPDX-License-Identifier: MIT */
/*
 * Buffers of graphics APIs, imported as dma-bufs (memory.md 13). All but kmt_map_graphic_handle()
 * return KERNEL_IO_CHANNEL_NOT_OPENED for a context that is not usable.
 */
#ifndef KFDSCOPE_THUNK_GRAPHICS_GRAPHICS_H
#define KFDSCOPE_THUNK_GRAPHICS_GRAPHICS_H

#include "context.h"

/*
 * Imports a dma-buf, which is neither mapped nor seen by the CPU then; kmt_deregister_memory() frees
 * it. Without nodes it gets no address, only a pointer that stands for it.
 *
 * @param resource  the descriptor, which stays the caller's.
 * @param info      out, written on success; the metadata belongs to the library and lasts as long as
 *                  the import. SizeHintInBytes is not read.
 * @return SUCCESS; INVALID_PARAMETER for NULL and the node array's statuses; ERROR for foreign
 *         buffers, without addresses, and when the kernel refuses; NO_MEMORY.
 */
HSAKMT_STATUS kmt_register_graphics_handle_to_nodes(struct kmt_context *ctx, HSAuint64 resource,
						    HsaGraphicsResourceInfo *info,
						    HSAuint64 node_count, HSAuint32 *node_ids);
/* The same, optionally with an address though there are no nodes (flags.requiresVAddr). */
HSAKMT_STATUS kmt_register_graphics_handle_to_nodes_ext(struct kmt_context *ctx, HSAuint64 resource,
							HsaGraphicsResourceInfo *info,
							HSAuint64 node_count, HSAuint32 *node_ids,
							HSA_REGISTER_MEM_FLAGS flags);
/* Gone from the interface. @return NOT_IMPLEMENTED, always. */
HSAKMT_STATUS kmt_map_graphic_handle(struct kmt_context *ctx, HSAuint32 node_id, HSAuint64 device,
				     HSAuint64 resource, HSAuint64 offset_bytes,
				     HSAuint64 size_bytes, HSAuint64 *flat_address);
/* kmt_unmap_memory_to_gpu() under another name; node and size are ignored. @return as that. */
HSAKMT_STATUS kmt_unmap_graphic_handle(struct kmt_context *ctx, HSAuint32 node_id,
				       HSAuint64 flat_address, HSAuint64 size_bytes);

#endif
