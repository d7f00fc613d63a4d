/* SPDX-License-Identifier: MIT */
/* How single values get into events. */
#include "values.h"

#include <string.h>
#include <sys/ioctl.h>

#include "event/event-internal.h"
#include "topology/topology.h"

uint32_t trace_ctx_id(const struct kmt_context *ctx)
{
	/* A closed secondary context's memory is gone; the list of live ones knows. */
	return kmt_context_usable(ctx) ? ctx->id : 0;
}

uint32_t trace_gpu_of_node(const struct kmt_context *ctx, uint32_t node_id)
{
	uint32_t gpu_id = 0;

	if (!kmt_context_usable(ctx) || !kmt_topology_held(ctx))
		return 0;
	if (kmt_topology_gpu_id(ctx, node_id, &gpu_id) != HSAKMT_STATUS_SUCCESS)
		return 0;
	return gpu_id;
}

uint32_t trace_event_id(struct kmt_context *ctx, const HsaEvent *event)
{
	const struct event *record;

	/* The caller's pointer may be stale: only the registry says whether it can be followed. */
	if (!event || !kmt_context_usable(ctx))
		return 0;
	record = event_find(ctx, event);
	return record ? record->id : 0;
}

static bool fault_of(struct trace_fault *fault, const HsaEvent *event)
{
	const HsaEventData *data = &event->EventData;

	switch ((int)data->EventType) {
	case HSA_EVENTTYPE_MEMORY:
		fault->node_id = data->EventData.MemoryAccessFault.NodeId;
		fault->address = data->EventData.MemoryAccessFault.VirtualAddress;
		fault->failure = data->EventData.MemoryAccessFault.Failure;
		fault->memory_flags = data->EventData.MemoryAccessFault.Flags;
		return fault->address != 0;
	case HSA_EVENTTYPE_HW_EXCEPTION:
		fault->node_id = data->EventData.HwException.NodeId;
		fault->reset_type = data->EventData.HwException.ResetType;
		fault->memory_lost = data->EventData.HwException.MemoryLost;
		fault->reset_cause = data->EventData.HwException.ResetCause;
		return fault->memory_lost || fault->reset_type || fault->node_id;
	}
	return false;
}

void trace_find_fault(struct trace_fault *fault, HsaEvent *const *events, uint32_t count,
		      bool is_done)
{
	memset(fault, 0, sizeof(*fault));
	if (!is_done || !events)
		return;
	for (uint32_t i = 0; i < count; i++) {
		if (!events[i] || !fault_of(fault, events[i]))
			continue;
		fault->valid = 1;
		fault->event_id = events[i]->EventId;
		fault->type = events[i]->EventData.EventType;
		return;
	}
	memset(fault, 0, sizeof(*fault));
}

void trace_text(char *to, size_t size, const void *from, size_t length)
{
	size_t used = from ? strnlen(from, length < size - 1 ? length : size - 1) : 0;

	if (used)
		memcpy(to, from, used);
	to[used] = '\0';
}

void trace_text16(char *to, size_t size, const HSAuint16 *from, size_t length)
{
	size_t used = 0;

	for (size_t i = 0; i < length && from[i]; i++) {
		const unsigned int c = from[i];
		const size_t need = c < 0x80 ? 1 : c < 0x800 ? 2 : 3;

		if (used + need >= size)
			break;
		if (need == 1) {
			to[used++] = (char)c;
			continue;
		}
		if (need == 2) {
			to[used++] = (char)(0xC0 | c >> 6);
		} else {
			to[used++] = (char)(0xE0 | c >> 12);
			to[used++] = (char)(0x80 | (c >> 6 & 0x3F));
		}
		to[used++] = (char)(0x80 | (c & 0x3F));
	}
	to[used] = '\0';
}

uint32_t trace_bits(const HSAuint32 *words, size_t count)
{
	uint32_t bits = 0;

	for (size_t i = 0; i < count; i++)
		bits += (uint32_t)__builtin_popcount(words[i]);
	return bits;
}

void trace_copy_argument(void *to, size_t size, unsigned long request, const void *arg)
{
	const size_t there = _IOC_SIZE(request);
	const size_t copied = there < size ? there : size;

	memset(to, 0, size);
	if (arg && copied)
		memcpy(to, arg, copied);
}

void trace_rest(void *to, size_t size, unsigned long request, const void *arg, size_t whole)
{
	const size_t there = _IOC_SIZE(request);
	const size_t begin = whole - size;
	size_t copied = 0;

	if (there > begin)
		copied = there - begin < size ? there - begin : size;
	memset(to, 0, size);
	if (arg && copied)
		memcpy(to, (const char *)arg + begin, copied);
}
