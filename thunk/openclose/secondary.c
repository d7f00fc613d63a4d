/* SPDX-License-Identifier: MIT */
/* Secondary contexts: one more KFD process object each (context.md 4 to 6). */
#include "openclose/openclose.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "event/event.h"
#include "hsakmt/linux/kfd_ioctl.h"
#include "memory/fmm.h"
#include "openclose/parts.h"
#include "openclose/process.h"
#include "queue/queue.h"
#include "render/render.h"
#include "topology/acquire.h"
#include "topology/topology.h"

/* Frees a context that was never, or is no longer, in the list. Accepts NULL and half-made ones. */
static void secondary_free(struct kmt_context *ctx)
{
	if (!ctx)
		return;
	kmt_renders_close(ctx);
	kmt_parts_free(ctx);
	kmt_renders_free(ctx->renders);
	if (ctx->device && ctx->fd >= 0)
		ctx->device->ops->close(ctx->device, ctx->fd);
	device_free(ctx->device);
	free(ctx);
}

/*
 * The kernel's definition has no argument, an older header of the library eight bytes; the KFD looks
 * at the number only, so zeroed bytes suit both (context.md 4).
 */
static HSAKMT_STATUS create_process(struct kmt_context *ctx)
{
	uint64_t unused = 0;
	int rc = kmt_ioctl(ctx, AMDKFD_IOC_CREATE_PROCESS, &unused);

	if (rc == -EINVAL || rc == -ENOTTY)
		return HSAKMT_STATUS_NOT_SUPPORTED;
	return rc < 0 ? HSAKMT_STATUS_ERROR : HSAKMT_STATUS_SUCCESS;
}

/* Everything up to the snapshot. The caller holds the global lock and frees after a failure. */
static HSAKMT_STATUS secondary_init(struct kmt_context *ctx)
{
	static uint32_t last_id; /* under the global lock */
	HSAKMT_STATUS status;
	int rc;

	ctx->fd = -1;
	/*
	 * Interface 1.x hands ioctls over without a descriptor: a plug-in could not tell whose. Its
	 * table is not looked at again, since the primary context's threads are using it.
	 */
	if (kmt_primary()->device && kmt_primary()->device->is_model)
		return HSAKMT_STATUS_NOT_SUPPORTED;
	rc = device_new(&ctx->device);
	if (rc < 0)
		return rc == -ENOMEM ? HSAKMT_STATUS_NO_MEMORY
				     : HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (ctx->device->is_model) /* the environment has changed since */
		return HSAKMT_STATUS_NOT_SUPPORTED;
	rc = ctx->device->ops->open_kfd(ctx->device);
	if (rc < 0)
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	ctx->fd = rc;
	status = create_process(ctx);
	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	ctx->id = ++last_id;
	return kmt_parts_make(ctx);
}

/* Gives back the apertures and what hangs on them. The caller holds the global lock. */
static void secondary_fini(struct kmt_context *ctx)
{
	if (kmt_topology_held(ctx) && kmt_fmm_has_apertures(ctx)) {
		kmt_events_drop_unused_page(ctx);
		kmt_doorbells_fini(ctx);
		kmt_fmm_fini_apertures(ctx);
	}
	kmt_events_forget_page(ctx);
}

HSAKMT_STATUS kmt_open_secondary_kfd_ctx(struct kmt_context **out)
{
	HsaSystemProperties system;
	struct kmt_context *ctx;
	HSAKMT_STATUS status;

	if (!kmt_context_usable(kmt_primary()))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (!out)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	ctx = calloc(1, sizeof(*ctx));
	if (!ctx)
		return HSAKMT_STATUS_NO_MEMORY;
	kmt_global_lock();
	status = secondary_init(ctx);
	kmt_global_unlock();
	if (status != HSAKMT_STATUS_SUCCESS)
		goto out;
	kmt_secondary_add(ctx); /* Acquire works on live contexts only, and locks by itself */
	status = kmt_acquire_system_properties(ctx, &system);
	if (status != HSAKMT_STATUS_SUCCESS) {
		(void)kmt_secondary_remove(ctx); /* it was added just now */
		goto out;
	}
	kmt_parts_make_counted(ctx, system.NumNodes);
	*out = ctx;
	ctx = NULL;
out:
	secondary_free(ctx);
	return status;
}

HSAKMT_STATUS kmt_close_secondary_kfd_ctx(struct kmt_context *ctx)
{
	if (!kmt_context_usable(kmt_primary()))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (!ctx || ctx == kmt_primary() || !kmt_secondary_remove(ctx))
		return HSAKMT_STATUS_INVALID_PARAMETER;
	kmt_global_lock();
	secondary_fini(ctx);
	kmt_global_unlock();
	secondary_free(ctx);
	return HSAKMT_STATUS_SUCCESS;
}
