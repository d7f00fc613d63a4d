/* SPDX-License-Identifier: MIT */
/* The life of the snapshot that callers see (topology.md 1). */
#include "topology/acquire.h"

#include <stdlib.h>

#include "event/event.h"
#include "memory/fmm.h"
#include "openclose/process.h"
#include "queue/queue.h"
#include "topology/snapshot.h"

HSAKMT_STATUS kmt_topology_probe(struct kmt_context *ctx, uint32_t *node_count)
{
	struct topology_snapshot *snapshot = calloc(1, sizeof(*snapshot));
	HSAKMT_STATUS status;

	if (!snapshot)
		return HSAKMT_STATUS_NO_MEMORY;
	status = topology_nodes_read(ctx, snapshot);
	if (status == HSAKMT_STATUS_SUCCESS)
		*node_count = snapshot->node_count;
	topology_snapshot_free(snapshot);
	return status;
}

/* What stands on a snapshot. Missing, too, where a child of fork inherited the snapshot alone. */
static HSAKMT_STATUS init_dependants(struct kmt_context *ctx)
{
	HSAKMT_STATUS status = kmt_fmm_init_apertures(ctx);

	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	status = kmt_doorbells_init(ctx);
	if (status != HSAKMT_STATUS_SUCCESS)
		kmt_fmm_fini_apertures(ctx);
	return status;
}

HSAKMT_STATUS kmt_acquire_system_properties(struct kmt_context *ctx, HsaSystemProperties *out)
{
	struct topology_snapshot *snapshot = NULL;
	HSAKMT_STATUS status = HSAKMT_STATUS_SUCCESS;

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (!out)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	kmt_global_lock();
	if (!topology_current(ctx)) {
		status = topology_snapshot_take(ctx, &snapshot);
		if (status != HSAKMT_STATUS_SUCCESS)
			goto out;
		topology_publish(ctx, snapshot);
	}
	if (!kmt_fmm_has_apertures(ctx)) {
		status = init_dependants(ctx);
		if (status != HSAKMT_STATUS_SUCCESS) {
			topology_publish(ctx, NULL);
			goto out;
		}
	}
	*out = topology_current(ctx)->system;
out:
	kmt_global_unlock();
	return status;
}

HSAKMT_STATUS kmt_release_system_properties(struct kmt_context *ctx)
{
	if (!ctx || (ctx != kmt_primary() && !kmt_secondary_is_live(ctx)))
		return HSAKMT_STATUS_INVALID_PARAMETER;
	kmt_global_lock();
	if (topology_current(ctx)) {
		if (!kmt_process_check_fork() && ctx->fmm && kmt_fmm_has_apertures(ctx)) {
			kmt_events_drop_unused_page(ctx);
			kmt_doorbells_fini(ctx);
			kmt_fmm_fini_apertures(ctx);
		}
		topology_publish(ctx, NULL);
	}
	kmt_global_unlock();
	return HSAKMT_STATUS_SUCCESS;
}
