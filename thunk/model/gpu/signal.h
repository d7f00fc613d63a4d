/* SPDX-License-Identifier: MIT */
/* The runtime's signals (amd_signal_t, gpu_packets.md 3) as the queue processors use them. */
#ifndef KFDSCOPE_THUNK_MODEL_GPU_SIGNAL_H
#define KFDSCOPE_THUNK_MODEL_GPU_SIGNAL_H

#include "model/gpu/access.h"

/* The signal's present value. @return false on a fault. */
bool gpu_signal_value(struct gpu_work *work, uint64_t handle, int64_t *value);
/*
 * Completes: time stamps, then the value less one, then the mailbox and the interrupt. A handle of
 * 0 is no signal. @return false on a fault.
 */
bool gpu_signal_complete(struct gpu_work *work, uint64_t handle, uint64_t start_ticks,
			 uint64_t end_ticks);

#endif
