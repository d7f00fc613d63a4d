/* SPDX-License-Identifier: MIT */
/* Calls as one event fired twice; the phase is a number. hipProgress is no call. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER other_hip

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "number.h"

#if !defined(FOREIGN_NUMBER_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define FOREIGN_NUMBER_H

#include <lttng/tracepoint.h>
#include <stdint.h>

/* clang-format off */
LTTNG_UST_TRACEPOINT_EVENT(other_hip, hipFree,
	LTTNG_UST_TP_ARGS(uint8_t, phase, int, status),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint8_t, phase, phase)
		lttng_ust_field_integer(int, status, status)
	)
)
LTTNG_UST_TRACEPOINT_EVENT(other_hip, hipProgress,
	LTTNG_UST_TP_ARGS(int, percent),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(int, percent, percent))
)

/* clang-format on */

#endif

#include <lttng/tracepoint-event.h>
