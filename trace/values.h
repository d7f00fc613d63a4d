/* SPDX-License-Identifier: MIT */
/* How single values get into events, for the generated captures. All read only, none blocks. */
#ifndef KFDSCOPE_TRACE_VALUES_H
#define KFDSCOPE_TRACE_VALUES_H

#include <stddef.h>
#include <stdint.h>

#include "trace.h"

/* What a wait found in the first of its events that reports a fault or a reset. */
struct trace_fault {
	uint8_t valid;
	uint32_t event_id, node_id;
	HSA_EVENTTYPE type; /* MEMORY or HW_EXCEPTION */
	uint64_t address;
	HsaAccessAttributeFailure failure;
	HSA_EVENTID_MEMORYFLAGS memory_flags;
	uint32_t reset_type, memory_lost;
	HSA_EVENTID_HW_EXCEPTION_CAUSE reset_cause;
};

/* The context's number; 0 for the primary one and for NULL. */
uint32_t trace_ctx_id(const struct kmt_context *ctx);
/* The gpu id of a node; 0 for CPU nodes, unknown ones and without a topology. */
uint32_t trace_gpu_of_node(const struct kmt_context *ctx, uint32_t node_id);
/* The KFD's number of a live event; 0 for NULL and for anything else. */
uint32_t trace_event_id(struct kmt_context *ctx, const HsaEvent *event);
/*
 * Looks through the events of a wait.
 * @param is_done  the wait succeeded, so that the objects are known to be live.
 */
void trace_find_fault(struct trace_fault *fault, HsaEvent *const *events, uint32_t count,
		      bool is_done);

/*
 * What the last query of a counter trace stored.
 * @return how many of at most max; 0 for anything that is no live trace.
 */
uint32_t trace_counter_values(HSATraceId id, uint64_t *values, uint32_t max);

/* Copies at most length characters and ends them with a NUL; size is at least 1. */
void trace_text(char *to, size_t size, const void *from, size_t length);
/* The same from 16-bit characters, as UTF-8. */
void trace_text16(char *to, size_t size, const HSAuint16 *from, size_t length);
/* Number of bits set in an array of words. */
uint32_t trace_bits(const HSAuint32 *words, size_t count);

/* Copies an ioctl's argument; what the request's size does not cover becomes 0. */
void trace_copy_argument(void *to, size_t size, unsigned long request, const void *arg);
/* The same for the last size bytes of an argument of the given whole size. */
void trace_rest(void *to, size_t size, unsigned long request, const void *arg, size_t whole);

#endif
