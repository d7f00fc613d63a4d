/* SPDX-License-Identifier: MIT */
/* Waiting for events and decoding what happened (events.md 4 and 5). */
#include "event/event-internal.h"

#include <stdlib.h>
#include <string.h>

#include "topology/topology.h"

/* Waits up to this many events need no allocation; the runtime waits for a handful at a time. */
#define STACK_RECORDS 64

static HSAKMT_STATUS decode_memory(struct kmt_context *ctx, struct event *event,
				   const struct kfd_hsa_memory_exception_data *data)
{
	HsaMemoryAccessFault *fault = &event->object.EventData.EventData.MemoryAccessFault;
	uint32_t node_id;
	HSAKMT_STATUS status;

	if (!data->gpu_id) /* not signalled */
		return HSAKMT_STATUS_SUCCESS;
	status = kmt_topology_node_of_gpu(ctx, data->gpu_id, &node_id);
	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	fault->VirtualAddress = data->va;
	fault->NodeId = node_id;
	fault->Failure.NotPresent = data->failure.NotPresent & 1;
	fault->Failure.ReadOnly = data->failure.ReadOnly & 1;
	fault->Failure.NoExecute = data->failure.NoExecute & 1;
	fault->Failure.Imprecise = data->failure.imprecise & 1;
	fault->Failure.ErrorType = data->ErrorType & 7;
	fault->Failure.ECC = data->ErrorType == KFD_MEM_ERR_SRAM_ECC ||
			     data->ErrorType == KFD_MEM_ERR_POISON_CONSUMED;
	fault->Flags = HSA_EVENTID_MEMORY_FATAL_PROCESS;
	event_report_fault(ctx, node_id, data);
	return HSAKMT_STATUS_SUCCESS;
}

static HSAKMT_STATUS decode_hw(struct kmt_context *ctx, struct event *event,
			       const struct kfd_hsa_hw_exception_data *data)
{
	HsaHwException *exception = &event->object.EventData.EventData.HwException;
	uint32_t node_id;
	HSAKMT_STATUS status;

	if (!data->gpu_id)
		return HSAKMT_STATUS_SUCCESS;
	status = kmt_topology_node_of_gpu(ctx, data->gpu_id, &node_id);
	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	exception->NodeId = node_id;
	exception->ResetType = data->reset_type;
	exception->ResetCause = data->reset_cause == KFD_HW_EXCEPTION_ECC
					? HSA_EVENTID_HW_EXCEPTION_ECC
					: HSA_EVENTID_HW_EXCEPTION_GPU_HANG;
	exception->MemoryLost = data->memory_lost;
	return HSAKMT_STATUS_SUCCESS;
}

/*
 * Decodes every record. The objects are looked up again: another thread may have destroyed one
 * while this one slept.
 */
static HSAKMT_STATUS decode(struct kmt_context *ctx, HsaEvent *objects[],
			    const struct kfd_event_data *records, uint32_t count)
{
	HSAKMT_STATUS status = HSAKMT_STATUS_SUCCESS;

	for (uint32_t i = 0; i < count && status == HSAKMT_STATUS_SUCCESS; i++) {
		struct event *event = event_get(ctx, objects[i]);

		if (event && event->type == HSA_EVENTTYPE_MEMORY)
			status = decode_memory(ctx, event, &records[i].memory_exception_data);
		else if (event && event->type == HSA_EVENTTYPE_HW_EXCEPTION)
			status = decode_hw(ctx, event, &records[i].hw_exception_data);
		event_put(event);
	}
	return status;
}

/*
 * Fills the records under one lock.
 *
 * @param needs_decoding  out: an event is among them that can bring details.
 * @return false when an element is no live event.
 */
static bool fill_records(struct kmt_context *ctx, HsaEvent *objects[], uint32_t count,
			 const uint64_t *age, struct kfd_event_data *records, bool *needs_decoding)
{
	bool all_live = true;

	*needs_decoding = false;
	kmt_handle_set_read_lock(&ctx->events->live);
	for (uint32_t i = 0; i < count && all_live; i++) {
		const struct event *event =
			kmt_handle_set_find_locked(&ctx->events->live, (uintptr_t)objects[i]);

		all_live = event != NULL;
		if (!event)
			break;
		records[i].event_id = event->id;
		if (age && event->type == HSA_EVENTTYPE_SIGNAL)
			records[i].signal_event_data.last_event_age = age[i];
		*needs_decoding |= event->type == HSA_EVENTTYPE_MEMORY ||
				   event->type == HSA_EVENTTYPE_HW_EXCEPTION;
	}
	kmt_handle_set_unlock(&ctx->events->live);
	return all_live;
}

/* Only signal events have an age; what the others have in its place is left alone. */
static void copy_ages_back(struct kmt_context *ctx, HsaEvent *objects[], uint32_t count,
			   const struct kfd_event_data *records, uint64_t *age)
{
	kmt_handle_set_read_lock(&ctx->events->live);
	for (uint32_t i = 0; i < count; i++) {
		const struct event *event =
			kmt_handle_set_find_locked(&ctx->events->live, (uintptr_t)objects[i]);

		if (event && event->type == HSA_EVENTTYPE_SIGNAL)
			age[i] = records[i].signal_event_data.last_event_age;
	}
	kmt_handle_set_unlock(&ctx->events->live);
}

/* The ioctl alone. A wait_result of 2 ("fail") comes with an error of the call (kfd.md 7.3). */
static HSAKMT_STATUS wait_records(struct kmt_context *ctx, struct kfd_event_data *records,
				  uint32_t count, bool all, uint32_t milliseconds)
{
	struct kfd_ioctl_wait_events_args args = {
		.events_ptr = (uintptr_t)records,
		.num_events = count,
		.wait_for_all = all,
		.timeout = milliseconds,
	};

	if (kmt_ioctl(ctx, AMDKFD_IOC_WAIT_EVENTS, &args))
		return HSAKMT_STATUS_ERROR;
	if (args.wait_result == KFD_IOC_WAIT_RESULT_TIMEOUT)
		return HSAKMT_STATUS_WAIT_TIMEOUT;
	return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS kmt_wait_on_multiple_events_ext(struct kmt_context *ctx, HsaEvent *objects[],
					      HSAuint32 count, bool wait_on_all,
					      HSAuint32 milliseconds, uint64_t *event_age)
{
	struct kfd_event_data on_stack[STACK_RECORDS];
	struct kfd_event_data *records = on_stack;
	HSAKMT_STATUS status = HSAKMT_STATUS_INVALID_HANDLE;
	bool needs_decoding;

	if (!kmt_context_usable(ctx) || !ctx->events)
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (!objects)
		return HSAKMT_STATUS_INVALID_HANDLE;
	if (count > STACK_RECORDS)
		records = calloc(count, sizeof(*records));
	else
		memset(records, 0, count * sizeof(*records));
	if (!records)
		return HSAKMT_STATUS_NO_MEMORY;
	if (!fill_records(ctx, objects, count, event_age, records, &needs_decoding))
		goto out;
	status = wait_records(ctx, records, count, wait_on_all, milliseconds);
	if (status == HSAKMT_STATUS_SUCCESS && needs_decoding)
		status = decode(ctx, objects, records, count);
	if (event_age)
		copy_ages_back(ctx, objects, count, records, event_age);
out:
	if (records != on_stack)
		free(records);
	return status;
}

HSAKMT_STATUS kmt_wait_on_multiple_events(struct kmt_context *ctx, HsaEvent *objects[],
					  HSAuint32 count, bool wait_on_all, HSAuint32 milliseconds)
{
	return kmt_wait_on_multiple_events_ext(ctx, objects, count, wait_on_all, milliseconds,
					       NULL);
}

HSAKMT_STATUS kmt_wait_on_event_ext(struct kmt_context *ctx, HsaEvent *object,
				    HSAuint32 milliseconds, uint64_t *event_age)
{
	if (!object)
		return HSAKMT_STATUS_INVALID_HANDLE;
	return kmt_wait_on_multiple_events_ext(ctx, &object, 1, true, milliseconds, event_age);
}

HSAKMT_STATUS kmt_wait_on_event(struct kmt_context *ctx, HsaEvent *object, HSAuint32 milliseconds)
{
	return kmt_wait_on_event_ext(ctx, object, milliseconds, NULL);
}
