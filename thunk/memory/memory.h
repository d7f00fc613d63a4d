/* SPDX-License-Identifier: MIT */
/*
 * Allocation, mapping, registration and pointer information (memory.md): what stands behind the API
 * functions. All are thread-safe, and all return KERNEL_IO_CHANNEL_NOT_OPENED for a context that is
 * not usable, which is not repeated below.
 */
#ifndef KFDSCOPE_THUNK_MEMORY_MEMORY_H
#define KFDSCOPE_THUNK_MEMORY_MEMORY_H

#include "context.h"

/*
 * Allocates memory, address space, scratch addresses or a buffer without an address, by flags
 * (memory.md 2).
 *
 * @param node_id     preferred node.
 * @param size_bytes  a multiple of the flags' page size.
 * @param address     in: the wanted address when flags.FixedAddress; out: the address, NULL after
 *                    every failure.
 * @return SUCCESS; in this order: NOT_SUPPORTED (Contiguous before KFD 1.16), INVALID_NODE_UNIT,
 *         INVALID_PARAMETER (sizes, pointers, contradicting flags), ERROR (system memory) or
 *         NO_MEMORY (device memory, scratch).
 */
HSAKMT_STATUS kmt_alloc_memory(struct kmt_context *ctx, HSAuint32 node_id, HSAuint64 size_bytes,
			       HsaMemFlags flags, void **address);
/*
 * The same at an alignment.
 * @param align_bytes  0, or a power of two of at least the flags' page size.
 * @return as kmt_alloc_memory(); NOT_IMPLEMENTED for aligned scratch.
 */
HSAKMT_STATUS kmt_alloc_memory_align(struct kmt_context *ctx, HSAuint32 node_id,
				     HSAuint64 size_bytes, HSAuint64 align_bytes, HsaMemFlags flags,
				     void **address);
/*
 * System memory as a GTT buffer of a chosen GPU.
 * @param gtt_node_id  the GPU node.
 * @return as kmt_alloc_memory(); INVALID_NODE_UNIT when gtt_node_id is no GPU.
 */
HSAKMT_STATUS kmt_alloc_memory_host_gtt(struct kmt_context *ctx, HSAuint32 node_id,
					HSAuint32 gtt_node_id, HSAuint64 size_bytes,
					HsaMemFlags flags, void **address);
/*
 * Frees an allocation (memory.md 11); unmap it from the GPUs first.
 * @param size_bytes  not 0, otherwise ignored.
 * @return SUCCESS, for unknown memory too where SVM is in use; MEMORY_NOT_REGISTERED for it
 *         otherwise; ERROR for NULL, 0, and what the kernel refuses (nothing is lost then).
 */
HSAKMT_STATUS kmt_free_memory(struct kmt_context *ctx, void *address, HSAuint64 size_bytes);

/*
 * Makes memory accessible to its registered, or else to all suitable GPUs (memory.md 9.1).
 * @param size_bytes     matters for registered memory and unknown pointers only.
 * @param alternate_va   out, may be NULL: the GPU's address where it is another one, else 0.
 * @return SUCCESS; ERROR for NULL or a refusing kernel; INVALID_PARAMETER for what has no memory or
 *         no address; INVALID_HANDLE for scratch without memory.
 */
HSAKMT_STATUS kmt_map_memory_to_gpu(struct kmt_context *ctx, void *address, HSAuint64 size_bytes,
				    HSAuint64 *alternate_va);
/*
 * Makes memory accessible to exactly these nodes (memory.md 9.2).
 * @param flags  ignored.
 * @return as kmt_map_memory_to_gpu(), and the statuses of the node array; ERROR for a node that the
 *         memory is not registered for.
 */
HSAKMT_STATUS kmt_map_memory_to_gpu_nodes(struct kmt_context *ctx, void *address,
					  HSAuint64 size_bytes, HSAuint64 *alternate_va,
					  HsaMemFlags flags, HSAuint64 node_count,
					  HSAuint32 *node_ids);
/*
 * Takes the access away again; counted for registered memory (memory.md 9.4).
 * @return SUCCESS, for NULL too; ERROR for unknown memory without SVM, or a refusing kernel.
 */
HSAKMT_STATUS kmt_unmap_memory_to_gpu(struct kmt_context *ctx, void *address);

/*
 * Registers user memory, coarse-grained, for all GPUs (memory.md 10).
 * @return SUCCESS; INVALID_PARAMETER for an empty or wrapping range; INVALID_HANDLE for memory of
 *         kmt_alloc_memory(); MEMORY_ALREADY_REGISTERED when registered to nodes; NO_MEMORY; ERROR.
 */
HSAKMT_STATUS kmt_register_memory(struct kmt_context *ctx, void *address, HSAuint64 size_bytes);
/* The same for some nodes. @return also NOT_SUPPORTED without a discrete GPU, and array statuses. */
HSAKMT_STATUS kmt_register_memory_to_nodes(struct kmt_context *ctx, void *address,
					   HSAuint64 size_bytes, HSAuint64 node_count,
					   HSAuint32 *node_ids);
/*
 * The same with a grain.
 * @return also INVALID_PARAMETER for CoarseGrain with ExtendedCoherent; NOT_SUPPORTED for memory that
 *         is not pageable host memory, or without a discrete GPU.
 */
HSAKMT_STATUS kmt_register_memory_with_flags(struct kmt_context *ctx, void *address,
					     HSAuint64 size_bytes, HsaMemFlags flags);
/*
 * Undoes one registration of user, graphics or shared memory (memory.md 10.3).
 * @return SUCCESS; MEMORY_NOT_REGISTERED.
 */
HSAKMT_STATUS kmt_deregister_memory(struct kmt_context *ctx, void *address);

/*
 * What an address belongs to (memory.md 14). O(log n) in the number of live objects, no system call.
 * @param info  out; node arrays belong to the library and stay valid until the context closes.
 * @return SUCCESS; INVALID_PARAMETER for a NULL info; ERROR and Type UNKNOWN for unknown addresses.
 */
HSAKMT_STATUS kmt_query_pointer_info(struct kmt_context *ctx, const void *pointer,
				     HsaPointerInfo *info);
/* Attaches a pointer that kmt_query_pointer_info() reports. @return SUCCESS; ERROR when unknown. */
HSAKMT_STATUS kmt_set_memory_user_data(struct kmt_context *ctx, const void *pointer,
				       void *user_data);

/*
 * Bytes that can still be allocated on a GPU.
 * @return SUCCESS; NOT_SUPPORTED before KFD 1.9; INVALID_PARAMETER; INVALID_NODE_UNIT; ERROR.
 */
HSAKMT_STATUS kmt_available_memory(struct kmt_context *ctx, HSAuint32 node_id,
				   HSAuint64 *available_bytes);
/*
 * The GPU that system memory hangs on by default.
 * @param gpu_id, node_id  out; either may be NULL, not both.
 * @return SUCCESS; INVALID_PARAMETER; ERROR without a GPU.
 */
HSAKMT_STATUS kmt_get_default_host_gpu(struct kmt_context *ctx, HSAuint32 *node_id,
				       HSAuint32 *gpu_id);
/*
 * Cache policies of an APU of the Kaveri generation (memory.md 19).
 * @return SUCCESS; INVALID_NODE_UNIT; NOT_IMPLEMENTED for every other GPU; INVALID_PARAMETER; ERROR.
 */
HSAKMT_STATUS kmt_set_memory_policy(struct kmt_context *ctx, HSAuint32 node_id,
				    HSAuint32 default_policy, HSAuint32 alternate_policy,
				    void *alternate_address, HSAuint64 alternate_size_bytes);
/*
 * Tiling tables of a GPU.
 * @param config  in: two arrays and their lengths; out: their contents, lengths in use, and values.
 * @return SUCCESS; INVALID_PARAMETER for NULL; INVALID_NODE_UNIT; ERROR.
 */
HSAKMT_STATUS kmt_get_tile_config(struct kmt_context *ctx, HSAuint32 node_id,
				  HsaGpuTileConfig *config);

/* Gone from the interface. @return NOT_IMPLEMENTED, always, even before the KFD is open. */
HSAKMT_STATUS kmt_process_vm_read(struct kmt_context *ctx, HSAuint32 pid, HsaMemoryRange *local,
				  HSAuint64 local_count, HsaMemoryRange *remote,
				  HSAuint64 remote_count, HSAuint64 *copied_bytes);
/* As kmt_process_vm_read(). */
HSAKMT_STATUS kmt_process_vm_write(struct kmt_context *ctx, HSAuint32 pid, HsaMemoryRange *local,
				   HSAuint64 local_count, HsaMemoryRange *remote,
				   HSAuint64 remote_count, HSAuint64 *copied_bytes);

#endif
