/* SPDX-License-Identifier: MIT */
/* What a guest's events can tell of nodes and events: the host knows gpu ids and the KFD's numbers. */
#include "values.h"
#include "virtio/guest/guest.h"

/* Unknown to a guest; the node id stands beside it. */
uint32_t trace_gpu_of_node(const struct kmt_context *ctx, uint32_t node_id)
{
	(void)ctx;
	(void)node_id;
	return 0;
}

/* As the host numbers it. The pointer may be stale: only the list of live ones says. */
uint32_t trace_event_id(struct kmt_context *ctx, const HsaEvent *event)
{
	struct vkmt_device *device = vkmt_device();

	(void)ctx;
	return device && event && vkmt_event_handle(device, event) ? event->EventId : 0;
}
