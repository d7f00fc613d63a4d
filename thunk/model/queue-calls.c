/* SPDX-License-Identifier: MIT */
/* The calls about queues, events and debugging: from the argument to the module that does it. */
#include "debug.h"
#include "event.h"
#include "ioctl.h"
#include "queue.h"

int kfd_model_call_create_queue(struct kfd_model_call *call)
{
	return kfd_model_queue_create(call->process, call->args);
}

int kfd_model_call_destroy_queue(struct kfd_model_call *call)
{
	const struct kfd_ioctl_destroy_queue_args *args = call->args;

	int rc = kfd_model_debug_wait_resumed(call->process, args->queue_id);

	return rc ? rc : kfd_model_queue_destroy(call->process, args->queue_id);
}

int kfd_model_call_update_queue(struct kfd_model_call *call)
{
	return kfd_model_queue_change(call->process, call->args);
}

int kfd_model_call_set_cu_mask(struct kfd_model_call *call)
{
	return kfd_model_queue_set_cu_mask(call->process, call->args);
}

int kfd_model_call_get_queue_wave_state(struct kfd_model_call *call)
{
	return kfd_model_queue_wave_state(call->process, call->args);
}

int kfd_model_call_alloc_queue_gws(struct kfd_model_call *call)
{
	return kfd_model_queue_gws(call->process, call->args);
}

int kfd_model_call_create_event(struct kfd_model_call *call)
{
	return kfd_model_event_create(call->process, call->args);
}

int kfd_model_call_destroy_event(struct kfd_model_call *call)
{
	const struct kfd_ioctl_destroy_event_args *args = call->args;

	return kfd_model_event_destroy(call->process, args->event_id);
}

int kfd_model_call_set_event(struct kfd_model_call *call)
{
	const struct kfd_ioctl_set_event_args *args = call->args;

	return kfd_model_event_set(call->process, args->event_id);
}

int kfd_model_call_reset_event(struct kfd_model_call *call)
{
	const struct kfd_ioctl_reset_event_args *args = call->args;

	return kfd_model_event_reset(call->process, args->event_id);
}

int kfd_model_call_wait_events(struct kfd_model_call *call)
{
	return kfd_model_events_wait(call->process, call->args);
}

int kfd_model_call_runtime_enable(struct kfd_model_call *call)
{
	return kfd_model_debug_runtime_enable(call->process, call->args);
}

int kfd_model_call_dbg_trap(struct kfd_model_call *call)
{
	return kfd_model_debug_trap(call->process, call->args);
}

int kfd_model_call_dbg_trap_legacy(struct kfd_model_call *call)
{
	return kfd_model_debug_trap_legacy(call->process, call->args);
}
