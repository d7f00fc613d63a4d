/* SPDX-License-Identifier: MIT */
/* One function an event: which members of a line go into it (state.def). */
#include "smi/tell.h"

#include <string.h>
#include <time.h>

#include "hsakmt/linux/kfd_ioctl.h"
#include "smi/lines.h"
#include "trace.h"
#include "values.h"

static uint64_t boottime_ns(void)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* What all of them begin with. */
#define BEGIN(kind)                                                                                \
	struct kmt_smi_##kind event = { .gpu_id = gpu_id,                                          \
					.number = line->event,                                     \
					.now_boottime_ns = boottime_ns() };                        \
                                                                                                   \
	if (!trace_point_begin(TRACE_kmt_smi_##kind))                                              \
	return
#define END(kind) trace_call_fire(TRACE_kmt_smi_##kind, &event)

static void tell_vm_fault(uint32_t gpu_id, const struct smi_line *line)
{
	BEGIN(vm_fault);
	event.pid = line->pid;
	trace_text(event.task, sizeof(event.task), line->text, sizeof(line->text));
	END(vm_fault);
}

static void tell_thermal_throttle(uint32_t gpu_id, const struct smi_line *line)
{
	BEGIN(thermal_throttle);
	event.bitmask = line->bitmask;
	event.counter = line->counter;
	END(thermal_throttle);
}

static void tell_gpu_pre_reset(uint32_t gpu_id, const struct smi_line *line)
{
	BEGIN(gpu_pre_reset);
	event.sequence = line->sequence;
	trace_text(event.cause, sizeof(event.cause), line->text, sizeof(line->text));
	END(gpu_pre_reset);
}

static void tell_gpu_post_reset(uint32_t gpu_id, const struct smi_line *line)
{
	BEGIN(gpu_post_reset);
	event.sequence = line->sequence;
	trace_text(event.cause, sizeof(event.cause), line->text, sizeof(line->text));
	END(gpu_post_reset);
}

static void tell_migrate_start(uint32_t gpu_id, const struct smi_line *line)
{
	BEGIN(migrate_start);
	event.boottime_ns = line->boottime_ns;
	event.pid = line->pid;
	event.address = line->address;
	event.size_bytes = line->size_bytes;
	event.from = line->from;
	event.to = line->to;
	event.prefetch = line->prefetch;
	event.preferred = line->preferred;
	event.trigger = (int32_t)line->trigger;
	END(migrate_start);
}

static void tell_migrate_end(uint32_t gpu_id, const struct smi_line *line)
{
	BEGIN(migrate_end);
	event.boottime_ns = line->boottime_ns;
	event.pid = line->pid;
	event.address = line->address;
	event.size_bytes = line->size_bytes;
	event.from = line->from;
	event.to = line->to;
	event.trigger = (int32_t)line->trigger;
	event.error = line->error;
	event.error_valid = line->has_error;
	END(migrate_end);
}

static void tell_page_fault_start(uint32_t gpu_id, const struct smi_line *line)
{
	BEGIN(page_fault_start);
	event.boottime_ns = line->boottime_ns;
	event.pid = line->pid;
	event.address = line->address;
	event.node = line->node;
	event.is_write = line->is_write;
	END(page_fault_start);
}

static void tell_page_fault_end(uint32_t gpu_id, const struct smi_line *line)
{
	BEGIN(page_fault_end);
	event.boottime_ns = line->boottime_ns;
	event.pid = line->pid;
	event.address = line->address;
	event.node = line->node;
	event.is_migrated = line->is_migrated;
	END(page_fault_end);
}

static void tell_queue_eviction(uint32_t gpu_id, const struct smi_line *line)
{
	BEGIN(queue_eviction);
	event.boottime_ns = line->boottime_ns;
	event.pid = line->pid;
	event.node = line->node;
	event.trigger = (int32_t)line->trigger;
	END(queue_eviction);
}

static void tell_queue_restore(uint32_t gpu_id, const struct smi_line *line)
{
	BEGIN(queue_restore);
	event.boottime_ns = line->boottime_ns;
	event.pid = line->pid;
	event.node = line->node;
	event.is_rescheduled = line->is_rescheduled;
	END(queue_restore);
}

static void tell_unmap_from_gpu(uint32_t gpu_id, const struct smi_line *line)
{
	BEGIN(unmap_from_gpu);
	event.boottime_ns = line->boottime_ns;
	event.pid = line->pid;
	event.address = line->address;
	event.size_bytes = line->size_bytes;
	event.node = line->node;
	event.trigger = (int32_t)line->trigger;
	END(unmap_from_gpu);
}

static void tell_process_start(uint32_t gpu_id, const struct smi_line *line)
{
	BEGIN(process_start);
	event.pid = line->pid;
	trace_text(event.task, sizeof(event.task), line->text, sizeof(line->text));
	END(process_start);
}

static void tell_process_end(uint32_t gpu_id, const struct smi_line *line)
{
	BEGIN(process_end);
	event.pid = line->pid;
	trace_text(event.task, sizeof(event.task), line->text, sizeof(line->text));
	END(process_end);
}

static void tell_raw(uint32_t gpu_id, const struct smi_line *line, const char *text, size_t length)
{
	BEGIN(raw);
	trace_text(event.text, sizeof(event.text), text, length);
	END(raw);
}

void smi_tell(uint32_t gpu_id, const char *text, size_t length)
{
	static void (*const tell[])(uint32_t, const struct smi_line *) = {
		[KFD_SMI_EVENT_VMFAULT] = tell_vm_fault,
		[KFD_SMI_EVENT_THERMAL_THROTTLE] = tell_thermal_throttle,
		[KFD_SMI_EVENT_GPU_PRE_RESET] = tell_gpu_pre_reset,
		[KFD_SMI_EVENT_GPU_POST_RESET] = tell_gpu_post_reset,
		[KFD_SMI_EVENT_MIGRATE_START] = tell_migrate_start,
		[KFD_SMI_EVENT_MIGRATE_END] = tell_migrate_end,
		[KFD_SMI_EVENT_PAGE_FAULT_START] = tell_page_fault_start,
		[KFD_SMI_EVENT_PAGE_FAULT_END] = tell_page_fault_end,
		[KFD_SMI_EVENT_QUEUE_EVICTION] = tell_queue_eviction,
		[KFD_SMI_EVENT_QUEUE_RESTORE] = tell_queue_restore,
		[KFD_SMI_EVENT_UNMAP_FROM_GPU] = tell_unmap_from_gpu,
		[KFD_SMI_EVENT_PROCESS_START] = tell_process_start,
		[KFD_SMI_EVENT_PROCESS_END] = tell_process_end,
	};
	struct smi_line line;

	if (smi_line_parse(text, length, &line))
		tell[line.event](gpu_id, &line);
	else
		tell_raw(gpu_id, &line, text, length);
}
