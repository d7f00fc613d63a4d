/* SPDX-License-Identifier: MIT */
/*
 * The old way to report a queue error: a signal in the runtime's queue structure, which the KFD
 * knows only by the read pointer that lies in the same structure.
 */
#include "queue-error.h"

#include "event.h"
#include "queue.h"
#include "usercopy.h"

enum {
	READ_POINTER = 128, /* in the runtime's queue structure */
	INACTIVE_SIGNAL = 192,
	SIGNAL_VALUE = 8, /* in a signal */
	SIGNAL_MAILBOX = 16,
	SIGNAL_EVENT_ID = 24,
};

/* The firmware's code; 0 for what it does not report. */
static uint64_t inactive_value(uint32_t code)
{
	switch (code) {
	case EC_QUEUE_PACKET_DISPATCH_DIM_INVALID:
		return 0x2;
	case EC_QUEUE_PACKET_DISPATCH_GROUP_SEGMENT_SIZE_INVALID:
		return 0x4;
	case EC_QUEUE_PACKET_DISPATCH_CODE_INVALID:
		return 0x8;
	case EC_QUEUE_PACKET_RESERVED:
	case EC_QUEUE_PACKET_UNSUPPORTED:
		return 0x20;
	case EC_QUEUE_PACKET_DISPATCH_WORK_GROUP_SIZE_INVALID:
		return 0x40;
	case EC_QUEUE_PACKET_DISPATCH_REGISTER_INVALID:
		return 0x80;
	case EC_QUEUE_PACKET_VENDOR_UNSUPPORTED:
		return 0x100;
	case EC_QUEUE_WAVE_APERTURE_VIOLATION:
		return 0x20000000;
	case EC_QUEUE_WAVE_ILLEGAL_INSTRUCTION:
		return 0x40000000;
	case EC_QUEUE_WAVE_TRAP:
		return 0x80000000;
	default:
		return 0;
	}
}

static bool store64(uint64_t addr, uint64_t value)
{
	if (addr % sizeof(value) ||
	    kfd_model_range_accessible(addr, sizeof(value), true) < sizeof(value))
		return false;
	__atomic_store_n((uint64_t *)(uintptr_t)addr, value, __ATOMIC_SEQ_CST);
	return true;
}

void kfd_model_queue_error_signal(struct kfd_model_process *process,
				  const struct kfd_model_kfd_queue *queue, uint32_t code)
{
	uint64_t structure = queue->args.read_pointer_address - READ_POINTER;
	uint64_t value = inactive_value(code), signal = 0, mailbox = 0;
	uint32_t event_id = 0;

	if (queue->type != KFD_IOC_QUEUE_TYPE_COMPUTE_AQL || !value)
		return;
	if (kfd_model_copy_in(&signal, structure + INACTIVE_SIGNAL, sizeof(signal)) || !signal ||
	    kfd_model_copy_in(&mailbox, signal + SIGNAL_MAILBOX, sizeof(mailbox)) ||
	    kfd_model_copy_in(&event_id, signal + SIGNAL_EVENT_ID, sizeof(event_id)) ||
	    !store64(signal + SIGNAL_VALUE, value))
		return;
	if (mailbox && store64(mailbox, event_id))
		kfd_model_events_interrupt(process, event_id);
}
