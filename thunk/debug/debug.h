/* SPDX-License-Identifier: MIT */
/*
 * Debugger support (debug.md): runtime enable, the process's self-debug through DBG_TRAP, what core
 * dump writers read, and the per-node entries of the first debugger that kernels refuse by now.
 */
#ifndef KFDSCOPE_THUNK_DEBUG_DEBUG_H
#define KFDSCOPE_THUNK_DEBUG_DEBUG_H

#include "context.h"
#include "hsakmt/linux/kfd_ioctl.h"

/*
 * The debug part of a context: the debugged-node flags, the runtime capabilities and the core
 * runtime record.
 *
 * @param node_count  nodes that get a flag; may be 0.
 * @return NULL without memory; then the legacy entries answer NO_MEMORY.
 */
struct kmt_debug *kmt_debug_new(uint32_t node_count);
/* Accepts NULL. */
void kmt_debug_free(struct kmt_debug *debug);
/* True when a debugger registered for the node; false for unknown nodes and without the part. */
bool kmt_debug_is_debugged(const struct kmt_context *ctx, uint32_t node_id);

/*
 * Whether the runtime may be enabled for debugging (debug.md 3). Takes a topology snapshot.
 *
 * @return SUCCESS; NOT_SUPPORTED for a secondary context, a GPU without debug firmware or a KFD
 *         before 1.13; ERROR when the topology cannot be read; KERNEL_IO_CHANNEL_NOT_OPENED.
 */
HSAKMT_STATUS kmt_check_runtime_debug_support(struct kmt_context *ctx);
/*
 * Announces the process to debuggers; blocks while an attached debugger handles it (debug.md 3).
 *
 * @param r_debug     the runtime's rendezvous structure, may be NULL.
 * @param setup_ttmp  keep trap temporaries.
 * @return as the support check; UNAVAILABLE when an enable is pending; ERROR.
 */
HSAKMT_STATUS kmt_runtime_enable(struct kmt_context *ctx, void *r_debug, bool setup_ttmp);
/* Takes the announcement back. @return as the support check; ERROR when the kernel refuses. */
HSAKMT_STATUS kmt_runtime_disable(struct kmt_context *ctx);
/*
 * The capabilities of the last successful enable, 0 before one; disable does not clear them.
 * @return SUCCESS; INVALID_PARAMETER for NULL.
 */
HSAKMT_STATUS kmt_get_runtime_capabilities(struct kmt_context *ctx, HSAuint32 *caps_mask);
/* The core runtime record, for core dump writers. @return SUCCESS; ERROR for NULL. */
HSAKMT_STATUS kmt_get_core_runtime_info(struct kmt_context *ctx, struct kfd_runtime_info *info);
/*
 * A device entry as the debugger interface reports it, made of topology, apertures and PCI data.
 * @return SUCCESS; ERROR for NULL; INVALID_NODE_UNIT for an unknown gpu id.
 */
HSAKMT_STATUS kmt_get_core_device_info(struct kmt_context *ctx, HSAuint32 gpu_id,
				       struct kfd_dbg_device_info_entry *info);

/*
 * Self-debug (debug.md 4). All need an open KFD of at least 1.13, else NOT_SUPPORTED. Arrays are
 * the caller's to free(); they are NULL and the counts 0 after a failure.
 */
/* @param info  a new struct kfd_runtime_info. @param size_bytes  its size, 16. */
HSAKMT_STATUS kmt_dbg_enable(struct kmt_context *ctx, void **info, HSAuint32 *size_bytes);
/* Ends self-debug. @return SUCCESS, NOT_SUPPORTED or ERROR. */
HSAKMT_STATUS kmt_dbg_disable(struct kmt_context *ctx);
/* @param data  a new array of struct kfd_dbg_device_info_entry; NULL for 0 entries. */
HSAKMT_STATUS kmt_dbg_get_device_data(struct kmt_context *ctx, void **data, HSAuint32 *n_entries,
				      HSAuint32 *entry_size);
/*
 * The process's queues; with suspend_queues they are suspended, and the data is taken afterwards.
 * @param data  a new array of struct kfd_queue_snapshot_entry; NULL for 0 entries.
 */
HSAKMT_STATUS kmt_dbg_get_queue_data(struct kmt_context *ctx, void **data, HSAuint32 *n_entries,
				     HSAuint32 *entry_size, bool suspend_queues);

/*
 * Passes a DBG_TRAP through. Queue handles are translated into the array that the arguments of
 * suspend (op 6), or for all other operations those of resume, point to (debug.md 5).
 *
 * @param queues        may be NULL.
 * @param debug_return  the ioctl's result, -1 on failure; may be NULL. errno is left for the
 *         caller.
 * @return SUCCESS; INVALID_PARAMETER for NULL args; NO_MEMORY for handles that cannot be
 *         translated; ERROR.
 */
HSAKMT_STATUS kmt_debug_trap_ioctl(struct kmt_context *ctx, struct kfd_ioctl_dbg_trap_args *args,
				   HSA_QUEUEID *queues, HSAuint64 *debug_return);

/*
 * The first debugger's entries (debug.md 2); kernels since about 5.14 refuse them with EPERM, which
 * is ERROR here.
 */
/* @return SUCCESS, NO_MEMORY without the debug part, INVALID_NODE_UNIT or ERROR. */
HSAKMT_STATUS kmt_dbg_register(struct kmt_context *ctx, HSAuint32 node_id);
/* @return as kmt_dbg_register(). */
HSAKMT_STATUS kmt_dbg_unregister(struct kmt_context *ctx, HSAuint32 node_id);
/* @return SUCCESS, INVALID_PARAMETER for a NULL message, INVALID_NODE_UNIT or ERROR. */
HSAKMT_STATUS kmt_dbg_wavefront_control(struct kmt_context *ctx, HSAuint32 node_id,
					HSA_DBG_WAVEOP operand, HSA_DBG_WAVEMODE mode,
					HSAuint32 trap_id, HsaDbgWaveMessage *message);
/*
 * @param event  may be NULL.
 * @return SUCCESS; INVALID_NODE_UNIT; INVALID_PARAMETER for more than 100 points or a NULL array;
 *         ERROR.
 */
HSAKMT_STATUS kmt_dbg_address_watch(struct kmt_context *ctx, HSAuint32 node_id, HSAuint32 count,
				    HSA_DBG_WATCH_MODE *mode, void **address, HSAuint64 *mask,
				    HsaEvent **event);
/*
 * Version of the private debug interface that 5.2.3 knew (ioctl 0x82, operation 7).
 * @return SUCCESS where a kernel still answers it; ERROR else: NULL and a closed KFD too.
 */
HSAKMT_STATUS kmt_get_kernel_debug_trap_version_info(struct kmt_context *ctx, HSAuint32 *major,
						     HSAuint32 *minor);

#endif
