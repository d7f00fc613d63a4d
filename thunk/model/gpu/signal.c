/* SPDX-License-Identifier: MIT */
/* Completion of signals in the order that waiters rely on (gpu_packets.md 3). */
#include "model/gpu/signal.h"

enum {
	SIGNAL_VALUE = 8,
	SIGNAL_MAILBOX = 16,
	SIGNAL_EVENT_ID = 24,
	SIGNAL_START_TS = 32,
	SIGNAL_END_TS = 40,
};

bool gpu_signal_value(struct gpu_work *work, uint64_t handle, int64_t *value)
{
	uint64_t raw = 0;

	if (!gpu_load64(work, handle + SIGNAL_VALUE, &raw))
		return false;
	*value = (int64_t)raw;
	return true;
}

bool gpu_signal_complete(struct gpu_work *work, uint64_t handle, uint64_t start_ticks,
			 uint64_t end_ticks)
{
	uint64_t mailbox = 0, old = 0;
	uint32_t event_id = 0;

	if (!handle)
		return true;
	/* Read before the value changes: from then on the owner may reuse the signal. */
	if (!gpu_load64(work, handle + SIGNAL_MAILBOX, &mailbox) ||
	    !gpu_load32(work, handle + SIGNAL_EVENT_ID, &event_id) ||
	    !gpu_store64(work, handle + SIGNAL_START_TS, start_ticks) ||
	    !gpu_store64(work, handle + SIGNAL_END_TS, end_ticks) ||
	    !gpu_atomic(work, GPU_ATOMIC_ADD_64, handle + SIGNAL_VALUE, UINT64_MAX, 0, &old))
		return false;
	if (!mailbox)
		return true;
	if (!gpu_store64(work, mailbox, event_id))
		return false;
	work->has_interrupt = true;
	work->interrupt_id = event_id;
	return true;
}
