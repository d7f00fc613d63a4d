/* SPDX-License-Identifier: MIT */
/* Records the commands between guest and host, on either side (virtio/observer.h). */
#include "virtio/observer.h"

#include <time.h>

#include "trace.h"
#include "values.h"
#include "virtio/names.h"

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void guest_begin(const struct virtio_observed *command)
{
	struct vkmt_command_entry event;

	if (!trace_point_begin(TRACE_vkmt_command_entry))
		return;
	event = (struct vkmt_command_entry){ .call = command->seqno,
					     .api_call = trace_thread.api_call,
					     .guest = command->guest,
					     .command = command->command,
					     .type = command->type,
					     .monotonic_ns = now_ns() };
	trace_text(event.name, sizeof(event.name),
		   virtio_command_name(command->command, command->type), sizeof(event.name));
	trace_call_fire(TRACE_vkmt_command_entry, &event);
}

static void guest_end(const struct virtio_observed *command)
{
	struct vkmt_command_exit event;

	if (!trace_point_begin(TRACE_vkmt_command_exit))
		return;
	event = (struct vkmt_command_exit){ .call = command->seqno,
					    .api_call = trace_thread.api_call,
					    .guest = command->guest,
					    .ret = command->ret,
					    .monotonic_ns = now_ns() };
	trace_call_fire(TRACE_vkmt_command_exit, &event);
}

static void host_begin(const struct virtio_observed *command)
{
	struct vkmt_host_command_entry event;

	if (!trace_point_begin(TRACE_vkmt_host_command_entry))
		return;
	event = (struct vkmt_host_command_entry){ .call = command->seqno,
						  .guest = command->guest,
						  .command = command->command,
						  .type = command->type,
						  .monotonic_ns = now_ns() };
	trace_text(event.name, sizeof(event.name),
		   virtio_command_name(command->command, command->type), sizeof(event.name));
	trace_call_fire(TRACE_vkmt_host_command_entry, &event);
}

static void host_end(const struct virtio_observed *command)
{
	struct vkmt_host_command_exit event;

	if (!trace_point_begin(TRACE_vkmt_host_command_exit))
		return;
	event = (struct vkmt_host_command_exit){ .call = command->seqno,
						 .guest = command->guest,
						 .ret = command->ret,
						 .monotonic_ns = now_ns() };
	trace_call_fire(TRACE_vkmt_host_command_exit, &event);
}

static void clock_pair(uint64_t guest, uint64_t before_ns, uint64_t host_ns, uint64_t after_ns)
{
	struct vkmt_clock_pair event = {
		.guest = guest, .before_ns = before_ns, .host_ns = host_ns, .after_ns = after_ns
	};

	if (trace_point_begin(TRACE_vkmt_clock_pair))
		trace_call_fire(TRACE_vkmt_clock_pair, &event);
}

static void guest_gone_begin(uint64_t guest, uint32_t ctx)
{
	struct vkmt_guest_gone_entry event = { .call = ctx, .guest = guest };

	if (trace_point_begin(TRACE_vkmt_guest_gone_entry))
		trace_call_fire(TRACE_vkmt_guest_gone_entry, &event);
}

static void guest_gone_end(uint64_t guest, uint32_t ctx)
{
	struct vkmt_guest_gone_exit event = { .call = ctx, .guest = guest };

	if (trace_point_begin(TRACE_vkmt_guest_gone_exit))
		trace_call_fire(TRACE_vkmt_guest_gone_exit, &event);
}

static void __attribute__((constructor)) watch(void)
{
	static const struct virtio_observer observer = {
		.guest_begin = guest_begin,
		.guest_end = guest_end,
		.host_begin = host_begin,
		.host_end = host_end,
		.clock_pair = clock_pair,
		.guest_gone_begin = guest_gone_begin,
		.guest_gone_end = guest_gone_end,
	};

	virtio_observer = &observer;
}
