/* SPDX-License-Identifier: MIT */
/*
 * What the generated entries are made with: the public headers, the thunk's modules (whose
 * prototypes must agree with the list's), and how values get into events.
 */
#ifndef KFDSCOPE_TRACE_ENTRY_H
#define KFDSCOPE_TRACE_ENTRY_H

#include <stdlib.h>
#include <string.h>

#include "ais/ais.h"
#include "asan/asan.h"
#include "clock/clock.h"
#include "context.h"
#include "debug/debug.h"
#include "event/event.h"
#include "extsem/extsem.h"
#include "graphics/graphics.h"
#include "handle/handle.h"
#include "hsakmt/hsakmt.h"
#include "hsakmt/hsakmtctx.h"
#include "hsakmt/linux/kfd_ioctl.h"
#include "ipc/ipc.h"
#include "memory/memory.h"
#include "model_query/model_query.h"
#include "openclose/openclose.h"
#include "perf/perf.h"
#include "queue/queue.h"
#include "render/render.h"
#include "smi/smi.h"
#include "svm/svm.h"
#include "topology/acquire.h"
#include "topology/getters.h"
#include "version/version.h"
#if KFDSCOPE_TRACING
#include "trace.h"
#include "values.h"

/* A time-out and "it is open already" are answers. */
static inline bool trace_is_failure(HSAKMT_STATUS status)
{
	return status != HSAKMT_STATUS_SUCCESS && status != HSAKMT_STATUS_WAIT_TIMEOUT &&
	       status != HSAKMT_STATUS_KERNEL_ALREADY_OPENED;
}
#endif

/* The library's own border: only the public functions are visible. */
#undef HSAKMTAPI
#define HSAKMTAPI __attribute__((visibility("default")))

#endif
