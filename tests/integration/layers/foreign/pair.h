/* SPDX-License-Identifier: MIT */
/* Calls as pairs of events; hipEventRecord has no exit. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER lttng_ust_hip

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "pair.h"

#if !defined(FOREIGN_PAIR_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define FOREIGN_PAIR_H

#include <lttng/tracepoint.h>
#include <stdint.h>

/* clang-format off */
LTTNG_UST_TRACEPOINT_EVENT(lttng_ust_hip, hipMalloc_entry,
	LTTNG_UST_TP_ARGS(uint64_t, size, const char *, note),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint64_t, sizeBytes, size)
		lttng_ust_field_string(unknown, note)
	)
)
LTTNG_UST_TRACEPOINT_EVENT(lttng_ust_hip, hipMalloc_exit,
	LTTNG_UST_TP_ARGS(int, result, void *, pointer),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int, hipResult, result)
		lttng_ust_field_integer_hex(uintptr_t, ptr_val, (uintptr_t)pointer)
	)
)
LTTNG_UST_TRACEPOINT_EVENT(lttng_ust_hip, hipEventRecord_entry,
	LTTNG_UST_TP_ARGS(int, event),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(int, event, event))
)

/* clang-format on */

#endif

#include <lttng/tracepoint-event.h>
