/* SPDX-License-Identifier: MIT */
/* The debug part of a context, and the runtime's announcement to debuggers (debug.md 1 and 3). */
#include "debug/debug-internal.h"

#include <errno.h>
#include <stdlib.h>

#include "topology/acquire.h"
#include "topology/topology.h"

#define MINOR_WITH_DEBUGGER 13

struct kmt_debug *kmt_debug_new(uint32_t node_count)
{
	struct kmt_debug *debug = calloc(1, sizeof(*debug));

	if (!debug)
		return NULL;
	pthread_mutex_init(&debug->lock, NULL);
	debug->node_count = node_count;
	debug->debugged = calloc(node_count ? node_count : 1, sizeof(*debug->debugged));
	if (!debug->debugged) {
		kmt_debug_free(debug);
		return NULL;
	}
	return debug;
}

void kmt_debug_free(struct kmt_debug *debug)
{
	if (!debug)
		return;
	free(debug->debugged);
	free(debug);
}

bool kmt_debug_is_debugged(const struct kmt_context *ctx, uint32_t node_id)
{
	return ctx->debug && node_id < ctx->debug->node_count && ctx->debug->debugged[node_id];
}

HSAKMT_STATUS kmt_check_runtime_debug_support(struct kmt_context *ctx)
{
	HsaSystemProperties system;

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (!ctx->is_primary)
		return HSAKMT_STATUS_NOT_SUPPORTED;
	/* Kept afterwards: this is a way to take a snapshot that callers rely on (debug.md 3). */
	if (kmt_acquire_system_properties(ctx, &system) != HSAKMT_STATUS_SUCCESS)
		return HSAKMT_STATUS_ERROR;
	for (uint32_t i = 0; i < system.NumNodes; i++) {
		const HsaNodeProperties *properties = kmt_topology_properties(ctx, i);

		if (!properties)
			return HSAKMT_STATUS_ERROR;
		if (properties->NumCPUCores && !properties->NumFComputeCores)
			continue;
		if (!properties->Capability.ui32.DebugSupportedFirmware)
			return HSAKMT_STATUS_NOT_SUPPORTED;
	}
	return kmt_kfd_at_least(MINOR_WITH_DEBUGGER) ? HSAKMT_STATUS_SUCCESS
						     : HSAKMT_STATUS_NOT_SUPPORTED;
}

/* The record for core dumps is written in every outcome; a failure leaves its state as it was. */
static void record_enable(struct kmt_debug *debug, const struct kfd_ioctl_runtime_enable_args *args,
			  bool setup_ttmp, int rc)
{
	if (!debug)
		return;
	pthread_mutex_lock(&debug->lock);
	debug->core_info.r_debug = args->r_debug;
	debug->core_info.ttmp_setup = setup_ttmp;
	if (!rc) {
		debug->core_info.runtime_state = DEBUG_RUNTIME_STATE_ENABLED;
		debug->caps_mask = args->capabilities_mask;
	} else if (rc == -EBUSY) {
		debug->core_info.runtime_state = DEBUG_RUNTIME_STATE_ENABLED_BUSY;
	}
	pthread_mutex_unlock(&debug->lock);
}

HSAKMT_STATUS kmt_runtime_enable(struct kmt_context *ctx, void *r_debug, bool setup_ttmp)
{
	struct kfd_ioctl_runtime_enable_args args = {
		.r_debug = (uintptr_t)r_debug,
		.mode_mask = KFD_RUNTIME_ENABLE_MODE_ENABLE_MASK |
			     (setup_ttmp ? KFD_RUNTIME_ENABLE_MODE_TTMP_SAVE_MASK : 0),
	};
	HSAKMT_STATUS status = kmt_check_runtime_debug_support(ctx);
	int rc;

	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	rc = kmt_ioctl(ctx, AMDKFD_IOC_RUNTIME_ENABLE, &args);
	record_enable(ctx->debug, &args, setup_ttmp, rc);
	if (rc == -EBUSY)
		return HSAKMT_STATUS_UNAVAILABLE;
	return rc ? HSAKMT_STATUS_ERROR : HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS kmt_runtime_disable(struct kmt_context *ctx)
{
	struct kfd_ioctl_runtime_enable_args args = { 0 };
	HSAKMT_STATUS status = kmt_check_runtime_debug_support(ctx);

	if (status == HSAKMT_STATUS_SUCCESS && kmt_ioctl(ctx, AMDKFD_IOC_RUNTIME_ENABLE, &args))
		status = HSAKMT_STATUS_ERROR;
	return status;
}

HSAKMT_STATUS kmt_get_runtime_capabilities(struct kmt_context *ctx, HSAuint32 *caps_mask)
{
	if (!caps_mask)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	*caps_mask = 0;
	if (!ctx->debug)
		return HSAKMT_STATUS_SUCCESS;
	pthread_mutex_lock(&ctx->debug->lock);
	*caps_mask = ctx->debug->caps_mask;
	pthread_mutex_unlock(&ctx->debug->lock);
	return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS kmt_get_core_runtime_info(struct kmt_context *ctx, struct kfd_runtime_info *info)
{
	if (!info)
		return HSAKMT_STATUS_ERROR;
	*info = (struct kfd_runtime_info){ 0 };
	if (!ctx->debug)
		return HSAKMT_STATUS_SUCCESS;
	pthread_mutex_lock(&ctx->debug->lock);
	*info = ctx->debug->core_info;
	pthread_mutex_unlock(&ctx->debug->lock);
	return HSAKMT_STATUS_SUCCESS;
}
