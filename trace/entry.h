/* SPDX-License-Identifier: MIT */
/* What the generated entries are made with: the public headers and how values get into events. */
#ifndef KFDSCOPE_TRACE_ENTRY_H
#define KFDSCOPE_TRACE_ENTRY_H

#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "hsakmt/hsakmt.h"
#include "hsakmt/hsakmtctx.h"
#include "hsakmt/linux/kfd_ioctl.h"
#if KFDSCOPE_TRACING
#include "trace.h"
#include "values.h"
#endif

/* The library's own border: only the public functions are visible. */
#undef HSAKMTAPI
#define HSAKMTAPI __attribute__((visibility("default")))

#endif
