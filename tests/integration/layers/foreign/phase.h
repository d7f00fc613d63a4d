/* SPDX-License-Identifier: MIT */
/* Calls as one event fired twice; the phase has names. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER other_hsa

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "phase.h"

#if !defined(FOREIGN_PHASE_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define FOREIGN_PHASE_H

#include <lttng/tracepoint.h>
#include <stdint.h>

/* clang-format off */
LTTNG_UST_TRACEPOINT_ENUM(other_hsa, phases,
	LTTNG_UST_TP_ENUM_VALUES(
		lttng_ust_field_enum_value("API_PHASE_ENTER", 10)
		lttng_ust_field_enum_value("API_PHASE_EXIT", 20)
	)
)
LTTNG_UST_TRACEPOINT_EVENT(other_hsa, hsa_amd_memory_pool_allocate,
	LTTNG_UST_TP_ARGS(int, phase, uint64_t, size, int, status),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_enum(other_hsa, phases, int, phase, phase)
		lttng_ust_field_integer(uint64_t, size, size)
		lttng_ust_field_integer(int, retval, status)
	)
)

/* clang-format on */

#endif

#include <lttng/tracepoint-event.h>
