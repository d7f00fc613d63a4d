/* SPDX-License-Identifier: MIT */
/*
 * After-fork cleanup. The kernel refuses the inherited descriptor in the child (kfd.md 2), so nothing
 * here may rely on an ioctl; the objects belong to the parent and are only forgotten.
 */
#include "openclose/fork.h"

#include "event/event.h"
#include "memory/fmm.h"
#include "openclose/parts.h"
#include "openclose/process.h"
#include "queue/queue.h"
#include "render/render.h"

void kmt_fork_cleanup(struct kmt_context *ctx)
{
	struct kmt_process *process = kmt_process_edit();
	struct device *dev = ctx->device;

	if (ctx->queues)
		kmt_doorbells_after_fork(ctx);
	if (ctx->events)
		kmt_events_forget_page(ctx);
	kmt_renders_close(ctx);
	if (ctx->fmm)
		kmt_fmm_after_fork(ctx);
	kmt_counted_parts_free(kmt_parts_take_counted(ctx));
	if (dev && ctx->fd >= 0)
		dev->ops->close(dev, ctx->fd);
	ctx->fd = -1;
	if (dev && process->udmabuf_fd >= 0)
		dev->ops->close(dev, process->udmabuf_fd);
	process->udmabuf_fd = -1;
	/* The environment is asked again, as at any first open. */
	device_free(dev);
	ctx->device = NULL;
	kmt_secondary_forget();
	kmt_open_count_set(0);
	kmt_process_fork_done();
}
