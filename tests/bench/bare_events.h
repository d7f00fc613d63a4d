/* SPDX-License-Identifier: MIT */
/* The events of a hsaKmtGetVersion as one would write them by hand: what recording costs at least. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER bare

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "bare_events.h"

#if !defined(KFDSCOPE_BENCH_BARE_EVENTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define KFDSCOPE_BENCH_BARE_EVENTS_H

#include <lttng/tracepoint.h>

#include <stdint.h>

LTTNG_UST_TRACEPOINT_EVENT(
	bare, call_entry,
	LTTNG_UST_TP_ARGS(uint32_t, ctx, uint64_t, call, const uint64_t *, frames, uint16_t, count,
			  uint8_t, truncated, uint32_t, id),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint32_t, ctx, ctx)
			lttng_ust_field_integer(uint64_t, call, call)
				lttng_ust_field_sequence_hex(uint64_t, bt, frames, uint16_t, count)
					lttng_ust_field_integer(uint8_t, bt_truncated, truncated)
						lttng_ust_field_integer(uint32_t, bt_id, id)))

LTTNG_UST_TRACEPOINT_EVENT(
	bare, call_exit,
	LTTNG_UST_TP_ARGS(uint32_t, ctx, uint64_t, call, int32_t, status, int32_t, os_errno),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint32_t, ctx, ctx) lttng_ust_field_integer(uint64_t, call,
										    call)
			lttng_ust_field_integer(int32_t, status, status) lttng_ust_field_integer(
				int32_t, os_errno,
				os_errno) lttng_ust_field_integer(uint8_t, VersionInfo_valid, 0)
				lttng_ust_field_integer(uint32_t,
							VersionInfo_KernelInterfaceMajorVersion, 0)
					lttng_ust_field_integer(
						uint32_t, VersionInfo_KernelInterfaceMinorVersion,
						0)))

#endif

#include <lttng/tracepoint-event.h>
