/* SPDX-License-Identifier: MIT */
/* The snapshot that is in force, and what other modules look up in it. */
#include "topology/topology.h"

#include <stdlib.h>

#include "topology/snapshot.h"

/* Longest node array that is translated; nodes may be named more than once. */
#define MAX_NODE_ARRAY (1u << 20)

struct kmt_topology {
	struct topology_snapshot *snapshot; /* owned; NULL: none; changed under the global lock */
};

struct kmt_topology *kmt_topology_new(void)
{
	return calloc(1, sizeof(struct kmt_topology));
}

void kmt_topology_free(struct kmt_topology *topology)
{
	if (!topology)
		return;
	topology_snapshot_free(topology->snapshot);
	free(topology);
}

const struct topology_snapshot *topology_current(const struct kmt_context *ctx)
{
	return ctx && ctx->topology ? ctx->topology->snapshot : NULL;
}

void topology_publish(struct kmt_context *ctx, struct topology_snapshot *snapshot)
{
	topology_snapshot_free(ctx->topology->snapshot);
	ctx->topology->snapshot = snapshot;
}

static const struct topology_node *find_node(const struct kmt_context *ctx, uint32_t node_id)
{
	const struct topology_snapshot *snapshot = topology_current(ctx);

	return snapshot && node_id < snapshot->node_count ? &snapshot->nodes[node_id] : NULL;
}

bool kmt_topology_held(const struct kmt_context *ctx)
{
	return topology_current(ctx);
}

uint32_t kmt_topology_node_count(const struct kmt_context *ctx)
{
	const struct topology_snapshot *snapshot = topology_current(ctx);

	return snapshot ? snapshot->node_count : 0;
}

uint32_t kmt_topology_raw_node_count(const struct kmt_context *ctx)
{
	const struct topology_snapshot *snapshot = topology_current(ctx);

	return snapshot ? snapshot->raw_count : 0;
}

HSAKMT_STATUS kmt_topology_gpu_id(const struct kmt_context *ctx, uint32_t node_id, uint32_t *gpu_id)
{
	const struct topology_node *node = find_node(ctx, node_id);

	if (!node)
		return HSAKMT_STATUS_INVALID_NODE_UNIT;
	*gpu_id = node->properties.KFDGpuID;
	return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS kmt_topology_node_of_gpu(const struct kmt_context *ctx, uint32_t gpu_id,
				       uint32_t *node_id)
{
	const struct topology_snapshot *snapshot = topology_current(ctx);

	for (uint32_t i = 0; snapshot && i < snapshot->node_count; i++) {
		if (snapshot->nodes[i].properties.KFDGpuID != gpu_id)
			continue;
		*node_id = i;
		return HSAKMT_STATUS_SUCCESS;
	}
	return HSAKMT_STATUS_INVALID_NODE_UNIT;
}

HSAKMT_STATUS kmt_topology_gpu_ids(const struct kmt_context *ctx, const uint32_t *node_ids,
				   uint64_t count, uint32_t **out)
{
	HSAKMT_STATUS status = HSAKMT_STATUS_SUCCESS;
	uint32_t *gpu_ids;

	if (!count || !node_ids)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	gpu_ids = count <= MAX_NODE_ARRAY ? calloc(count, sizeof(*gpu_ids)) : NULL;
	if (!gpu_ids)
		return HSAKMT_STATUS_NO_MEMORY;
	for (uint64_t i = 0; i < count && status == HSAKMT_STATUS_SUCCESS; i++)
		status = kmt_topology_gpu_id(ctx, node_ids[i], &gpu_ids[i]);
	if (status == HSAKMT_STATUS_SUCCESS) {
		*out = gpu_ids;
		gpu_ids = NULL;
	}
	free(gpu_ids);
	return status;
}

const HsaNodeProperties *kmt_topology_properties(const struct kmt_context *ctx, uint32_t node_id)
{
	const struct topology_node *node = find_node(ctx, node_id);

	return node ? &node->properties : NULL;
}

static uint32_t gfx_of(const HSA_ENGINE_ID *id)
{
	return KMT_GFX(id->ui32.Major, id->ui32.Minor, id->ui32.Stepping);
}

uint32_t kmt_topology_gfx(const struct kmt_context *ctx, uint32_t node_id)
{
	const struct topology_node *node = find_node(ctx, node_id);

	return node ? gfx_of(&node->properties.EngineId) : 0;
}

uint32_t kmt_topology_sysfs_id(const struct kmt_context *ctx, uint32_t node_id)
{
	const struct topology_node *node = find_node(ctx, node_id);

	return node ? node->sysfs_id : node_id;
}

uint32_t kmt_topology_nearest_cpu(const struct kmt_context *ctx, uint32_t node_id)
{
	const struct topology_node *node = find_node(ctx, node_id);

	return node ? node->nearest_cpu : INVALID_NODEID;
}

const HsaIoLinkProperties *kmt_topology_links(const struct kmt_context *ctx, uint32_t node_id,
					      uint32_t *count)
{
	const struct topology_node *node = find_node(ctx, node_id);

	*count = node ? node->properties.NumIOLinks : 0;
	return node ? node->links : NULL;
}

bool kmt_topology_info(struct kmt_context *ctx, struct kmt_topology_info *info)
{
	const struct topology_snapshot *snapshot;

	kmt_global_lock();
	snapshot = topology_current(ctx);
	if (snapshot)
		*info = (struct kmt_topology_info){
			.node_count = snapshot->node_count,
			.raw_node_count = snapshot->raw_count,
			.hidden_count = snapshot->hidden_count,
			.generation = snapshot->generation,
			.retry_count = snapshot->retry_count,
		};
	kmt_global_unlock();
	return snapshot;
}

static void describe_node(const struct topology_node *node, uint32_t node_id,
			  struct kmt_node_info *info)
{
	const HsaNodeProperties *properties = &node->properties;

	*info = (struct kmt_node_info){
		.node_id = node_id,
		.sysfs_id = node->sysfs_id,
		.gpu_id = properties->KFDGpuID,
		.domain = properties->Domain,
		.location_id = properties->LocationId,
		.render_minor = (uint32_t)properties->DrmRenderMinor,
		.properties = properties,
		.gfx = gfx_of(&properties->EngineId),
		.override_gfx = gfx_of(&properties->OverrideEngineId),
		.override_variable = node->override_variable,
	};
}

static void describe_hidden(const struct topology_hidden *hidden, struct kmt_node_info *info)
{
	*info = (struct kmt_node_info){
		.node_id = INVALID_NODEID,
		.sysfs_id = hidden->sysfs_id,
		.gpu_id = hidden->gpu_id,
		.domain = hidden->domain,
		.location_id = hidden->location_id,
		.render_minor = hidden->render_minor,
		.hidden_errno = hidden->err,
	};
}

void kmt_topology_for_each_node(const struct kmt_context *ctx,
				void (*visit)(const struct kmt_node_info *info, void *data),
				void *data)
{
	const struct topology_snapshot *snapshot = topology_current(ctx);
	struct kmt_node_info info;

	for (uint32_t i = 0; snapshot && i < snapshot->node_count; i++) {
		describe_node(&snapshot->nodes[i], i, &info);
		visit(&info, data);
	}
	for (uint32_t i = 0; snapshot && i < snapshot->hidden_count; i++) {
		describe_hidden(&snapshot->hidden[i], &info);
		visit(&info, data);
	}
}
