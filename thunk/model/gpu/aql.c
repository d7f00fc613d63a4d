/* SPDX-License-Identifier: MIT */
/*
 * AQL queues: takes packets in ring order and finishes each before the next is begun, which every
 * barrier bit permits (gpu_packets.md 2). Kernels are not executed: those that copy and fill for the
 * runtimes are carried out by kernel.c, all others only complete.
 */
#include <string.h>

#include "model/gpu/kernel.h"
#include "model/gpu/queue.h"
#include "model/gpu/signal.h"

#define SLOT_BYTES          64u
#define TYPE_MASK           0xffu
#define DEP_COUNT           5u
#define MAX_WORK_GROUP      1024u
#define KERNEL_OBJECT_BYTES 64u

enum aql_type {
	AQL_VENDOR = 0,
	AQL_INVALID = 1,
	AQL_DISPATCH = 2,
	AQL_BARRIER_AND = 3,
	AQL_AGENT_DISPATCH = 4,
	AQL_BARRIER_OR = 5,
};

enum aql_vendor_format {
	AQL_VENDOR_PM4_IB = 1,
	AQL_VENDOR_BARRIER_VALUE = 2,
};

struct barrier {
	uint16_t header, reserved0;
	uint32_t reserved1;
	uint64_t dep[DEP_COUNT];
	uint64_t reserved2, completion;
};

struct pm4_ib {
	uint16_t header;
	uint8_t format, reserved0;
	uint32_t ib[4]; /* an INDIRECT_BUFFER packet */
	uint32_t remaining_dwords;
	uint32_t reserved1[8];
	uint64_t completion;
};

struct barrier_value {
	uint16_t header;
	uint8_t format, reserved0;
	uint32_t reserved1;
	uint64_t signal;
	int64_t value, mask;
	uint32_t condition, reserved2;
	uint64_t reserved3, reserved4, completion;
};

union packet {
	uint16_t header;
	struct gpu_dispatch dispatch;
	struct barrier barrier;
	struct pm4_ib pm4_ib;
	struct barrier_value barrier_value;
	uint64_t qword[SLOT_BYTES / sizeof(uint64_t)];
};
_Static_assert(sizeof(union packet) == SLOT_BYTES, "a packet fills its slot");

/* The most a work group may have of the local data share; by generation. */
static uint32_t group_segment_limit_bytes(uint32_t gfx_version)
{
	if (gfx_version >= GPU_GFX1250)
		return 320 * 1024;
	if (gfx_version >= 90500 && gfx_version < GPU_GFX10)
		return 160 * 1024;
	return 64 * 1024;
}

static uint32_t dispatch_exception(struct gpu_work *work, const struct gpu_dispatch *dispatch)
{
	uint32_t dims = dispatch->setup & 3, group_items = 1;
	uint64_t valid_bytes = 0;

	if (!dims)
		return GPU_EXCEPTION_DISPATCH_DIM_INVALID;
	for (uint32_t i = 0; i < dims; i++) {
		if (!dispatch->grid[i])
			return GPU_EXCEPTION_DISPATCH_DIM_INVALID;
		if (!dispatch->workgroup[i] || dispatch->workgroup[i] > MAX_WORK_GROUP)
			return GPU_EXCEPTION_WORK_GROUP_SIZE_INVALID;
		group_items *= dispatch->workgroup[i];
	}
	if (group_items > MAX_WORK_GROUP)
		return GPU_EXCEPTION_WORK_GROUP_SIZE_INVALID;
	if (dispatch->group_segment_bytes > group_segment_limit_bytes(work->gfx_version))
		return GPU_EXCEPTION_GROUP_SEGMENT_SIZE_INVALID;
	if (!dispatch->kernel_object || dispatch->kernel_object % KERNEL_OBJECT_BYTES ||
	    !work->host->translate(work->vm, dispatch->kernel_object, false, &valid_bytes) ||
	    valid_bytes < KERNEL_OBJECT_BYTES)
		return GPU_EXCEPTION_CODE_INVALID;
	return 0;
}

static enum gpu_step step_dispatch(struct gpu_work *work, const struct gpu_dispatch *dispatch)
{
	uint32_t exception = dispatch_exception(work, dispatch);

	if (exception)
		return gpu_except(work, exception);
	switch (gpu_kernel_run(work, dispatch)) {
	case GPU_KERNEL_DONE:
		return GPU_STEP_DONE;
	case GPU_KERNEL_WAIT:
		return GPU_STEP_WAIT;
	case GPU_KERNEL_FAULT:
		return GPU_STEP_DEAD;
	case GPU_KERNEL_UNKNOWN:
		break;
	}
	work->dispatched = true;
	work->kernel_object = dispatch->kernel_object;
	return GPU_STEP_DONE;
}

/* A dependency that was met once stays met: its signal may be in use again already. */
static enum gpu_step step_barrier_and(struct kfd_model_queue *queue, struct gpu_work *work,
				      const struct barrier *barrier)
{
	for (; queue->aql.deps_met < DEP_COUNT; queue->aql.deps_met++) {
		uint64_t handle = barrier->dep[queue->aql.deps_met];
		int64_t value = 0;

		if (handle && !gpu_signal_value(work, handle, &value))
			return GPU_STEP_DEAD;
		if (value)
			return GPU_STEP_WAIT;
	}
	return GPU_STEP_DONE;
}

static enum gpu_step step_barrier_or(struct gpu_work *work, const struct barrier *barrier)
{
	bool any_signal = false;

	for (uint32_t i = 0; i < DEP_COUNT; i++) {
		int64_t value = 0;

		if (!barrier->dep[i])
			continue;
		any_signal = true;
		if (!gpu_signal_value(work, barrier->dep[i], &value))
			return GPU_STEP_DEAD;
		if (!value)
			return GPU_STEP_DONE;
	}
	return any_signal ? GPU_STEP_WAIT : GPU_STEP_DONE;
}

static enum gpu_step step_barrier_value(struct gpu_work *work, const struct barrier_value *barrier)
{
	int64_t value = 0;
	bool met;

	if (barrier->signal) {
		if (!gpu_signal_value(work, barrier->signal, &value))
			return GPU_STEP_DEAD;
		value &= barrier->mask;
		switch (barrier->condition) {
		case 0:
			met = value == barrier->value;
			break;
		case 1:
			met = value != barrier->value;
			break;
		case 2:
			met = value < barrier->value;
			break;
		case 3:
			met = value >= barrier->value;
			break;
		default:
			return gpu_except(work, GPU_EXCEPTION_PACKET_RESERVED);
		}
		if (!met)
			return GPU_STEP_WAIT;
	}
	return GPU_STEP_DONE;
}

/*
 * Runs commands that were put on the queue's own stream, a packet a call, until none is left.
 *
 * @param va, size_dwords  where they are, looked at on the first call.
 */
static enum gpu_step step_commands(struct kfd_model_queue *queue, struct gpu_work *work,
				   uint64_t va, uint64_t size_dwords, bool *finished)
{
	enum gpu_step step;

	if (!queue->stream.depth)
		gpu_stream_push(&queue->stream, va, size_dwords);
	step = gpu_pm4_step(queue, work);
	*finished = step == GPU_STEP_EMPTY;
	if (!*finished)
		return step;
	queue->stream.depth = 0;
	return GPU_STEP_DONE;
}

static enum gpu_step step_vendor(struct kfd_model_queue *queue, struct gpu_work *work,
				 uint64_t slot_va, const union packet *packet, bool *finished)
{
	const uint32_t *ib = packet->pm4_ib.ib;

	if (work->gfx_version < GPU_GFX9) /* the slot itself is PM4: filler, buffer, release */
		return step_commands(queue, work, slot_va, SLOT_BYTES / sizeof(uint32_t), finished);
	switch (packet->pm4_ib.format) {
	case AQL_VENDOR_PM4_IB:
		return step_commands(queue, work,
				     ((uint64_t)(ib[2] & 0xffff) << 32) | (ib[1] & ~3u),
				     ib[3] & 0xfffff, finished);
	case AQL_VENDOR_BARRIER_VALUE:
		return step_barrier_value(work, &packet->barrier_value);
	default:
		return gpu_except(work, GPU_EXCEPTION_VENDOR_UNSUPPORTED);
	}
}

static enum gpu_step step_packet(struct kfd_model_queue *queue, struct gpu_work *work,
				 uint64_t slot_va, const union packet *packet, bool *finished)
{
	*finished = true;
	switch (packet->header & TYPE_MASK) {
	case AQL_VENDOR:
		return step_vendor(queue, work, slot_va, packet, finished);
	case AQL_DISPATCH:
		return step_dispatch(work, &packet->dispatch);
	case AQL_BARRIER_AND:
		return step_barrier_and(queue, work, &packet->barrier);
	case AQL_BARRIER_OR:
		return step_barrier_or(work, &packet->barrier);
	default: /* host-function dispatch too: only the CPU serves it */
		return gpu_except(work, GPU_EXCEPTION_PACKET_UNSUPPORTED);
	}
}

/* Leaves the slot free, then tells. @return false on a fault. */
static bool retire(struct kfd_model_queue *queue, struct gpu_work *work, uint16_t *header,
		   const union packet *packet)
{
	bool native_pm4 =
		work->gfx_version < GPU_GFX9 && (packet->header & TYPE_MASK) == AQL_VENDOR;
	uint16_t freed = (uint16_t)((packet->header & ~TYPE_MASK) | AQL_INVALID);

	queue->aql.read++;
	queue->aql.started = false;
	queue->aql.deps_met = 0;
	__atomic_store_n(header, freed, __ATOMIC_RELEASE);
	if (!gpu_store64(work, queue->config.read_ptr_va, queue->aql.read))
		return false;
	if (native_pm4) /* its RELEASE_MEM has told already */
		return true;
	/* All packet types have the completion signal in the last eight bytes. */
	return gpu_signal_complete(work, packet->qword[SLOT_BYTES / sizeof(uint64_t) - 1],
				   queue->aql.start_ticks, work->host->clock(work->vm));
}

static enum gpu_step aql_step(struct kfd_model_queue *queue, struct gpu_work *work)
{
	uint64_t packets = queue->config.ring_size_bytes / SLOT_BYTES;
	uint64_t slot_va, write_index = 0;
	bool finished = true;
	union packet packet;
	enum gpu_step step;
	uint16_t *header;

	if (!packets || !gpu_load64(work, queue->config.write_ptr_va, &write_index))
		return packets ? GPU_STEP_DEAD : GPU_STEP_EMPTY;
	/* Slots that were never written need not be INVALID: the write index guards them. */
	if (queue->aql.read >= write_index)
		return GPU_STEP_EMPTY;
	slot_va = queue->config.ring_va + queue->aql.read % packets * SLOT_BYTES;
	header = gpu_pointer(work, slot_va, SLOT_BYTES, true);
	if (!header)
		return GPU_STEP_DEAD;
	if ((__atomic_load_n(header, __ATOMIC_ACQUIRE) & TYPE_MASK) == AQL_INVALID)
		return GPU_STEP_EMPTY;
	memcpy(&packet, header, sizeof(packet));
	if (!queue->aql.started) {
		queue->aql.started = true;
		queue->aql.start_ticks = work->host->clock(work->vm);
	}
	step = step_packet(queue, work, slot_va, &packet, &finished);
	if (step == GPU_STEP_DONE && finished && !retire(queue, work, header, &packet))
		step = GPU_STEP_DEAD;
	return step;
}

const struct gpu_processor gpu_processor_aql = { .step = aql_step };
