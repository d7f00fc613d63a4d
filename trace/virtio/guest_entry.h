/* SPDX-License-Identifier: MIT */
/* What the generated entries of the guest's library are made with. */
#ifndef KFDSCOPE_TRACE_VIRTIO_GUEST_ENTRY_H
#define KFDSCOPE_TRACE_VIRTIO_GUEST_ENTRY_H

/* Only the public functions are visible; their attribute comes from their own declarations. */
#define HSAKMTAPI __attribute__((visibility("default")))

#include <string.h>

#include "hsakmt/hsakmt_virtio.h"
#include "virtio/guest/calls.h"
#include "virtio/guest/guest.h"
#if KFDSCOPE_TRACING
#include "trace.h"
#include "values.h"
#endif

#endif
