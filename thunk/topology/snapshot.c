/* SPDX-License-Identifier: MIT */
/*
 * Taking a snapshot: read everything, and start over when the kernel's generation number moved
 * meanwhile. The number of tries is bounded, where the original went on for ever.
 */
#include "topology/snapshot.h"

#include <stdlib.h>
#include <unistd.h>

#include "topology/cpuinfo.h"
#include "topology/sysfs.h"

#define MAX_TRIES      20
#define RETRY_PAUSE_US 5000

void topology_snapshot_free(struct topology_snapshot *snapshot)
{
	if (!snapshot)
		return;
	for (uint32_t i = 0; snapshot->nodes && i < snapshot->node_count; i++) {
		free(snapshot->nodes[i].banks);
		free(snapshot->nodes[i].caches);
		free(snapshot->nodes[i].links);
	}
	free(snapshot->nodes);
	free(snapshot->hidden);
	free(snapshot->user_of_sysfs);
	free(snapshot);
}

static bool read_generation(struct kmt_context *ctx, uint64_t *generation)
{
	int rc = sysfs_read_number(ctx, generation, "%s/generation_id", ctx->device->topology_root);

	if (rc < 0)
		kmt_log(KMT_LOG_ERR, "cannot read '%s/generation_id': errno %d",
			ctx->device->topology_root, -rc);
	return rc == 0;
}

static HSAKMT_STATUS read_node(struct kmt_context *ctx, const struct cpuinfo *cpuinfo,
			       struct topology_node *node, uint32_t node_id)
{
	HSAKMT_STATUS status = topology_node_read_banks(ctx, node);

	if (status == HSAKMT_STATUS_SUCCESS)
		status = topology_node_read_caches(ctx, node);
	if (status == HSAKMT_STATUS_SUCCESS && node->properties.NumCPUCores)
		topology_cpu_name(cpuinfo, node);
	if (status == HSAKMT_STATUS_SUCCESS && !node->properties.NumCaches &&
	    !topology_is_gpu(node))
		status = topology_cpu_caches(ctx, cpuinfo, node, node_id);
	if (status == HSAKMT_STATUS_SUCCESS && node->properties.NumFComputeCores)
		status = topology_engine_derive(ctx, node, node_id);
	return status;
}

/* One line for all nodes: small machines and virtual ones lack the directory altogether. */
static void warn_of_missing_caches(const struct topology_snapshot *snapshot)
{
	uint32_t count = 0, first = 0;

	for (uint32_t i = snapshot->node_count; i-- > 0;) {
		if (!snapshot->nodes[i].lacks_numa_caches)
			continue;
		first = i;
		count++;
	}
	if (count)
		kmt_log(KMT_LOG_WARNING,
			"no processor caches in '" TOPOLOGY_NUMA_ROOT
			"/node%u' (so for %u CPU nodes)",
			first, count);
}

static HSAKMT_STATUS read_all(struct kmt_context *ctx, const struct cpuinfo *cpuinfo,
			      struct topology_snapshot *snapshot)
{
	HSAKMT_STATUS status = topology_nodes_read(ctx, snapshot);

	for (uint32_t i = 0; status == HSAKMT_STATUS_SUCCESS && i < snapshot->node_count; i++)
		status = read_node(ctx, cpuinfo, &snapshot->nodes[i], i);
	warn_of_missing_caches(snapshot);
	if (status == HSAKMT_STATUS_SUCCESS)
		status = topology_links_read(ctx, snapshot);
	return status;
}

/*
 * One try. A failure counts only when the generation stayed: files of a node that was just removed
 * are missing, and that is no error.
 */
static HSAKMT_STATUS try_read(struct kmt_context *ctx, const struct cpuinfo *cpuinfo,
			      struct topology_snapshot *snapshot, bool *changed)
{
	uint64_t before, after;
	HSAKMT_STATUS status;

	*changed = false;
	if (!read_generation(ctx, &before))
		return HSAKMT_STATUS_ERROR;
	status = read_all(ctx, cpuinfo, snapshot);
	if (status == HSAKMT_STATUS_NO_MEMORY)
		return status;
	if (!read_generation(ctx, &after))
		return HSAKMT_STATUS_ERROR;
	snapshot->generation = (uint32_t)after;
	*changed = before != after;
	return status;
}

HSAKMT_STATUS topology_snapshot_take(struct kmt_context *ctx, struct topology_snapshot **out)
{
	struct topology_snapshot *snapshot = NULL;
	struct cpuinfo cpuinfo;
	HSAKMT_STATUS status = HSAKMT_STATUS_NO_MEMORY;
	bool changed = true;
	uint32_t tries = 0;

	if (cpuinfo_init(ctx, &cpuinfo) < 0)
		return HSAKMT_STATUS_NO_MEMORY;
	while (changed && tries < MAX_TRIES) {
		if (tries++)
			usleep(RETRY_PAUSE_US);
		topology_snapshot_free(snapshot);
		snapshot = calloc(1, sizeof(*snapshot));
		if (!snapshot)
			goto out;
		status = try_read(ctx, &cpuinfo, snapshot, &changed);
	}
	snapshot->retry_count = tries - 1;
	if (tries > 1)
		kmt_log(KMT_LOG_WARNING, "the topology changed while it was read: %u retries%s",
			tries - 1, changed ? ", given up" : "");
	if (changed)
		status = HSAKMT_STATUS_ERROR;
	if (status == HSAKMT_STATUS_SUCCESS) {
		*out = snapshot;
		snapshot = NULL;
	}
out:
	topology_snapshot_free(snapshot);
	cpuinfo_fini(&cpuinfo);
	return status;
}
