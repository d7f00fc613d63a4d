/* SPDX-License-Identifier: MIT */
/*
 * Performance counters, streaming counters and PC sampling (perf.md). A context's part holds the
 * counter tables, one a node, made on demand and kept until the last close.
 */
#ifndef KFDSCOPE_THUNK_PERF_PERF_H
#define KFDSCOPE_THUNK_PERF_PERF_H

#include "context.h"

/*
 * The counter part of a context.
 *
 * @param node_count  nodes known so far; a hint, the table grows.
 * @return NULL without memory; then the counter entries answer NO_MEMORY.
 */
struct kmt_perf *kmt_perf_new(uint32_t node_count);
/* Frees the tables and every trace of the context, with its claims. Accepts NULL. */
void kmt_perf_free(struct kmt_perf *perf);

/*
 * The counters of a node, in blocks of variable length (perf.md 1).
 *
 * @param properties  the library's, until the last close; the same pointer for each call.
 * @return SUCCESS; NO_MEMORY; INVALID_PARAMETER for NULL and for nodes without a known counter
 *         family; INVALID_NODE_UNIT.
 */
HSAKMT_STATUS kmt_pmc_get_counter_properties(struct kmt_context *ctx, HSAuint32 node_id,
					     HsaCounterProperties **properties);

/*
 * Makes a trace of the privileged ones among the counters (perf.md 2).
 *
 * @param root  out: buffer size, passes, trace id.
 * @return SUCCESS; NO_MEMORY (also: more than 512 counters); INVALID_NODE_UNIT; INVALID_PARAMETER
 *         for NULL, no privileged counter, an unknown block or counter, or more than a block's
 * slots.
 */
HSAKMT_STATUS kmt_pmc_register_trace(struct kmt_context *ctx, HSAuint32 node_id, HSAuint32 count,
				     HsaCounter *counters, HsaPmcTraceRoot *root);
/*
 * Stops a running trace, gives its claims back and frees it.
 * @return SUCCESS; INVALID_PARAMETER for id 0; INVALID_HANDLE; INVALID_NODE_UNIT for a wrong node;
 *         what stopping returned.
 */
HSAKMT_STATUS kmt_pmc_unregister_trace(struct kmt_context *ctx, HSAuint32 node_id,
				       HSATraceId trace_id);
/*
 * Claims the slots of the trace's blocks among all processes and opens the counters (perf.md 3).
 * Nothing stays claimed after a failure.
 *
 * @return SUCCESS; INVALID_PARAMETER for id 0; INVALID_HANDLE; INVALID_NODE_UNIT; UNAVAILABLE when
 *         others hold the slots, or for blocks that no kernel interface reads; ERROR when the
 *         counters cannot be opened.
 */
HSAKMT_STATUS kmt_pmc_acquire_trace_access(struct kmt_context *ctx, HSAuint32 node_id,
					   HSATraceId trace_id);
/*
 * Closes the counters and gives the claim back; harmless without one. The node is ignored.
 * @return SUCCESS; INVALID_PARAMETER for id 0; INVALID_HANDLE.
 */
HSAKMT_STATUS kmt_pmc_release_trace_access(struct kmt_context *ctx, HSAuint32 node_id,
					   HSATraceId trace_id);
/*
 * Starts every counter of the trace, or none.
 * @return SUCCESS; INVALID_PARAMETER for id, buffer or size 0; INVALID_HANDLE; UNAVAILABLE for
 *         counters that are not open; ERROR.
 */
HSAKMT_STATUS kmt_pmc_start_trace(struct kmt_context *ctx, HSATraceId trace_id, void *buffer,
				  HSAuint64 size_bytes);
/*
 * Stores each counter's value, a u64, in the buffer given at the start.
 * @return SUCCESS; INVALID_PARAMETER for id 0; INVALID_HANDLE; NO_MEMORY when the buffer is too
 *         small (what fits is written); ERROR.
 */
HSAKMT_STATUS kmt_pmc_query_trace(struct kmt_context *ctx, HSATraceId trace_id);
/* Stops every counter. @return SUCCESS; INVALID_PARAMETER; INVALID_HANDLE; UNAVAILABLE; ERROR. */
HSAKMT_STATUS kmt_pmc_stop_trace(struct kmt_context *ctx, HSATraceId trace_id);
/*
 * Reads what the last query of a started trace stored in its buffer; for the tracing of that call.
 * @param values  out, by counter in the order of the buffer.
 * @return how many of at most max were read; 0 when the trace does not live or has no buffer.
 */
HSAuint32 kmt_pmc_trace_values(HSATraceId trace_id, HSAuint64 *values, HSAuint32 max);

/* Exclusive ownership of a GPU's streaming counters (perf.md 4). INVALID_NODE_UNIT or ERROR. */
HSAKMT_STATUS kmt_spm_acquire(struct kmt_context *ctx, HSAuint32 node_id);
/* Stops and gives the ownership up. @return SUCCESS, INVALID_NODE_UNIT or ERROR. */
HSAKMT_STATUS kmt_spm_release(struct kmt_context *ctx, HSAuint32 node_id);
/*
 * Hands the next buffer to the driver and tells how much of the previous one was filled. The
 * outputs are written on failure too; each may be NULL.
 *
 * @param timeout_ms  in: how long to wait for the previous buffer; out: what is left.
 * @param dest        NULL with size 0 stops.
 * @return SUCCESS, INVALID_NODE_UNIT or ERROR.
 */
HSAKMT_STATUS kmt_spm_set_dest_buffer(struct kmt_context *ctx, HSAuint32 node_id,
				      HSAuint32 size_bytes, HSAuint32 *timeout_ms,
				      HSAuint32 *size_copied, void *dest, bool *is_data_loss);

/* PC sampling (perf.md 5); the statuses of each errno are listed there. */
/* @return SUCCESS; KERNEL_IO_CHANNEL_NOT_OPENED; NOT_SUPPORTED before KFD 1.16. */
HSAKMT_STATUS kmt_pc_sampling_support(struct kmt_context *ctx);
/*
 * @param sample_info  array of count HsaPcSamplingInfo; NULL with 0 asks for the count.
 * @param size_needed  out, also on failure: the number of entries there are.
 * @return SUCCESS; BUFFER_TOO_SMALL; INVALID_PARAMETER; NOT_SUPPORTED; UNAVAILABLE;
 *         INVALID_NODE_UNIT; ERROR.
 */
HSAKMT_STATUS kmt_pc_sampling_query_capabilities(struct kmt_context *ctx, HSAuint32 node_id,
						 void *sample_info, HSAuint32 count,
						 HSAuint32 *size_needed);
/*
 * @param sample_info  in/out: the interval may be adjusted.
 * @param trace_id     out: 0 on failure.
 * @return SUCCESS; INVALID_PARAMETER; NO_MEMORY; UNAVAILABLE; INVALID_NODE_UNIT; ERROR.
 */
HSAKMT_STATUS kmt_pc_sampling_create(struct kmt_context *ctx, HSAuint32 node_id,
				     HsaPcSamplingInfo *sample_info,
				     HsaPcSamplingTraceId *trace_id);
/* Stops (ignoring the result) and destroys. @return SUCCESS; INVALID_HANDLE for id 0; … */
HSAKMT_STATUS kmt_pc_sampling_destroy(struct kmt_context *ctx, HSAuint32 node_id,
				      HsaPcSamplingTraceId trace_id);
/* @return SUCCESS; INVALID_HANDLE for id 0; KERNEL_ALREADY_OPENED when it runs already; … */
HSAKMT_STATUS kmt_pc_sampling_start(struct kmt_context *ctx, HSAuint32 node_id,
				    HsaPcSamplingTraceId trace_id);
/* @return SUCCESS; INVALID_HANDLE for id 0; KERNEL_ALREADY_OPENED when it is stopped already; … */
HSAKMT_STATUS kmt_pc_sampling_stop(struct kmt_context *ctx, HSAuint32 node_id,
				   HsaPcSamplingTraceId trace_id);

#endif
