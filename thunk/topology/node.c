/* SPDX-License-Identifier: MIT */
/* One node's files: which nodes are usable, their properties, memory banks, caches. */
#include "topology/snapshot.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "topology/sysfs.h"

#define ROOT(ctx) ((ctx)->device->topology_root)

#define NODE(key, member) SYSFS_KEY(key, struct topology_node, member)
#define PROP(key, member) SYSFS_KEY(key, struct topology_node, properties.member)

/* clang-format off */
/* In the kernel's order (kfd.md 8), so that the next line is nearly always the next key. */
static const struct sysfs_key node_keys[] = {
	PROP("cpu_cores_count",           NumCPUCores),
	PROP("simd_count",                NumFComputeCores),
	PROP("mem_banks_count",           NumMemoryBanks),
	PROP("caches_count",              NumCaches),
	NODE("io_links_count",            io_link_count),
	NODE("p2p_links_count",           p2p_link_count),
	PROP("cpu_core_id_base",          CComputeIdLo),
	PROP("simd_id_base",              FComputeIdLo),
	PROP("max_waves_per_simd",        MaxWavesPerSIMD),
	PROP("lds_size_in_kb",            LDSSizeInKB),
	PROP("gds_size_in_kb",            GDSSizeInKB),
	PROP("num_gws",                   NumGws),
	PROP("wave_front_size",           WaveFrontSize),
	NODE("array_count",               array_count),
	NODE("simd_arrays_per_engine",    simd_arrays_per_engine),
	PROP("cu_per_simd_array",         NumCUPerArray),
	PROP("simd_per_cu",               NumSIMDPerCU),
	PROP("max_slots_scratch_cu",      MaxSlotsScratchCU),
	NODE("gfx_target_version",        gfx_target_version),
	PROP("vendor_id",                 VendorId),
	PROP("device_id",                 DeviceId),
	PROP("location_id",               LocationId),
	PROP("domain",                    Domain),
	PROP("drm_render_minor",          DrmRenderMinor),
	PROP("hive_id",                   HiveID),
	PROP("num_sdma_engines",          NumSdmaEngines),
	PROP("num_sdma_xgmi_engines",     NumSdmaXgmiEngines),
	PROP("num_sdma_queues_per_engine", NumSdmaQueuesPerEngine),
	PROP("num_cp_queues",             NumCpQueues),
	PROP("cwsr_size",                 CwsrSize),
	PROP("ctl_stack_size",            CtlStackSize),
	PROP("max_engine_clk_fcompute",   MaxEngineClockMhzFCompute),
	PROP("local_mem_size",            LocalMemSize),
	NODE("fw_version",                fw_version),
	PROP("capability",                Capability.Value),
	PROP("capability2",               Capability2.Value),
	PROP("debug_prop",                DebugProperties.Value),
	NODE("sdma_fw_version",           sdma_fw_version),
	PROP("unique_id",                 UniqueID),
	PROP("num_xcc",                   NumXcc),
	PROP("family_id",                 FamilyID),
	PROP("max_engine_clk_ccompute",   MaxEngineClockMhzCCompute),
};

static const struct sysfs_key bank_keys[] = {
	SYSFS_KEY("heap_type",     HsaMemoryProperties, HeapType),
	SYSFS_KEY("size_in_bytes", HsaMemoryProperties, SizeInBytes),
	SYSFS_KEY("flags",         HsaMemoryProperties, Flags.MemoryProperty),
	SYSFS_KEY("width",         HsaMemoryProperties, Width),
	SYSFS_KEY("mem_clk_max",   HsaMemoryProperties, MemoryClockMax),
};

static const struct sysfs_key cache_keys[] = {
	SYSFS_KEY("processor_id_low",    HsaCacheProperties, ProcessorIdLow),
	SYSFS_KEY("level",               HsaCacheProperties, CacheLevel),
	SYSFS_KEY("size",                HsaCacheProperties, CacheSize),
	SYSFS_KEY("cache_line_size",     HsaCacheProperties, CacheLineSize),
	SYSFS_KEY("cache_lines_per_tag", HsaCacheProperties, CacheLinesPerTag),
	SYSFS_KEY("association",         HsaCacheProperties, CacheAssociativity),
	SYSFS_KEY("latency",             HsaCacheProperties, CacheLatency),
	SYSFS_KEY("type",                HsaCacheProperties, CacheType.Value),
};
/* clang-format on */

#define COUNT(array)     (sizeof(array) / sizeof(*(array)))
#define SIBLING_MAP_SIZE 256

struct system_values {
	uint64_t oem, id, rev;
};
static const struct sysfs_key system_keys[] = {
	SYSFS_KEY("platform_oem", struct system_values, oem),
	SYSFS_KEY("platform_id", struct system_values, id),
	SYSFS_KEY("platform_rev", struct system_values, rev),
};

/* Tells an unreadable file apart from a hidden one, and says so. */
static HSAKMT_STATUS read_failed(const char *what, uint32_t sysfs_id, ssize_t rc)
{
	kmt_log(KMT_LOG_ERR, "sysfs node %u: cannot read its %s: errno %d", sysfs_id, what,
		(int)-rc);
	return HSAKMT_STATUS_ERROR;
}

static void hide(struct topology_snapshot *snapshot, const struct topology_node *node, int err)
{
	struct topology_hidden *hidden = &snapshot->hidden[snapshot->hidden_count++];

	hidden->sysfs_id = node->sysfs_id;
	hidden->gpu_id = node->properties.KFDGpuID;
	hidden->render_minor = (uint32_t)node->properties.DrmRenderMinor;
	hidden->location_id = node->properties.LocationId;
	hidden->domain = node->properties.Domain;
	hidden->err = err;
	kmt_log(KMT_LOG_INFO, "sysfs node %u is hidden: errno %d", node->sysfs_id, err);
}

static void parse_properties(const struct kmt_context *ctx, struct topology_node *node,
			     const char *text)
{
	struct sysfs_line line;
	size_t hint = 0;

	while (sysfs_next_line(&text, &line)) {
		node->has_p2p_key |= sysfs_line_is(&line, "p2p_links_count");
		sysfs_store(&line, node_keys, COUNT(node_keys), &hint, node);
	}
	if (!ctx->svm_api_supported)
		node->properties.Capability.ui32.SVMAPISupported = 0;
}

/*
 * Reads a node and decides whether it is usable (topology.md 3).
 * @param hidden_errno  not 0: hidden for this reason.
 */
static HSAKMT_STATUS read_node(struct kmt_context *ctx, struct topology_node *node,
			       int *hidden_errno)
{
	char buf[SYSFS_BUFFER_SIZE];
	uint64_t gpu_id = 0;
	ssize_t rc;

	*hidden_errno = 0;
	rc = sysfs_read_number(ctx, &gpu_id, "%s/nodes/%u/gpu_id", ROOT(ctx), node->sysfs_id);
	if (rc == -EPERM)
		goto hidden;
	if (rc < 0)
		return read_failed("gpu_id", node->sysfs_id, rc);
	node->properties.KFDGpuID = (uint32_t)gpu_id;
	rc = sysfs_read(ctx, buf, "%s/nodes/%u/properties", ROOT(ctx), node->sysfs_id);
	if (rc == -EPERM)
		goto hidden;
	if (rc < 0)
		return read_failed("properties", node->sysfs_id, rc);
	parse_properties(ctx, node, buf);
	if (!gpu_id)
		return HSAKMT_STATUS_SUCCESS;
	if (!node->properties.DrmRenderMinor)
		return read_failed("render minor", node->sysfs_id, -ENODATA);
	rc = kmt_render_open(ctx, (uint32_t)node->properties.DrmRenderMinor);
	if (rc == -ENOENT || rc == -EPERM)
		goto hidden;
	return rc < 0 ? HSAKMT_STATUS_ERROR : HSAKMT_STATUS_SUCCESS;
hidden:
	*hidden_errno = (int)-rc;
	return HSAKMT_STATUS_SUCCESS;
}

static HSAKMT_STATUS read_system(struct kmt_context *ctx, struct topology_snapshot *snapshot)
{
	struct system_values values = { 0 };
	char buf[SYSFS_BUFFER_SIZE];
	ssize_t rc = sysfs_read(ctx, buf, "%s/system_properties", ROOT(ctx));
	int count;

	if (rc < 0) {
		kmt_log(KMT_LOG_ERR, "cannot read '%s/system_properties': errno %d", ROOT(ctx),
			(int)-rc);
		return HSAKMT_STATUS_ERROR;
	}
	sysfs_parse(buf, system_keys, COUNT(system_keys), &values);
	snapshot->system.PlatformOem = (uint32_t)values.oem;
	snapshot->system.PlatformId = (uint32_t)values.id;
	snapshot->system.PlatformRev = (uint32_t)values.rev;
	snprintf(buf, sizeof(buf), "%s/nodes", ROOT(ctx));
	count = ctx->device->ops->count_dir(ctx->device, buf);
	if (count <= 0) {
		kmt_log(KMT_LOG_ERR, "no nodes in '%s': errno %d", buf, -count);
		return HSAKMT_STATUS_ERROR;
	}
	snapshot->raw_count = (uint32_t)count;
	return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS topology_nodes_read(struct kmt_context *ctx, struct topology_snapshot *snapshot)
{
	HSAKMT_STATUS status = read_system(ctx, snapshot);

	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	snapshot->nodes = calloc(snapshot->raw_count, sizeof(*snapshot->nodes));
	snapshot->hidden = calloc(snapshot->raw_count, sizeof(*snapshot->hidden));
	snapshot->user_of_sysfs = calloc(snapshot->raw_count, sizeof(*snapshot->user_of_sysfs));
	if (!snapshot->nodes || !snapshot->hidden || !snapshot->user_of_sysfs)
		return HSAKMT_STATUS_NO_MEMORY;
	for (uint32_t i = 0; i < snapshot->raw_count; i++) {
		struct topology_node *node = &snapshot->nodes[snapshot->node_count];
		int hidden_errno;

		node->sysfs_id = i;
		node->nearest_cpu = INVALID_NODEID;
		status = read_node(ctx, node, &hidden_errno);
		if (status != HSAKMT_STATUS_SUCCESS)
			return status;
		if (hidden_errno) {
			hide(snapshot, node, hidden_errno);
			snapshot->user_of_sysfs[i] = INVALID_NODEID;
			*node = (struct topology_node){ 0 };
		} else {
			snapshot->user_of_sysfs[i] = snapshot->node_count++;
		}
	}
	snapshot->system.NumNodes = snapshot->node_count;
	return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS topology_node_read_banks(struct kmt_context *ctx, struct topology_node *node)
{
	uint32_t count = node->properties.NumMemoryBanks;
	char buf[SYSFS_BUFFER_SIZE];

	if (!count)
		return HSAKMT_STATUS_SUCCESS;
	node->banks = calloc(count, sizeof(*node->banks));
	if (!node->banks)
		return HSAKMT_STATUS_NO_MEMORY;
	for (uint32_t i = 0; i < count; i++) {
		ssize_t rc = sysfs_read(ctx, buf, "%s/nodes/%u/mem_banks/%u/properties", ROOT(ctx),
					node->sysfs_id, i);

		if (rc < 0)
			return read_failed("memory bank", node->sysfs_id, rc);
		sysfs_parse(buf, bank_keys, COUNT(bank_keys), &node->banks[i]);
	}
	return HSAKMT_STATUS_SUCCESS;
}

static void parse_cache(const char *text, HsaCacheProperties *cache)
{
	struct sysfs_line line;
	size_t hint = 0;

	while (sysfs_next_line(&text, &line)) {
		const char *at = line.rest;

		if (!sysfs_line_is(&line, "sibling_map")) {
			sysfs_store(&line, cache_keys, COUNT(cache_keys), &hint, cache);
			continue;
		}
		for (size_t i = 0; i < SIBLING_MAP_SIZE && *at >= '0' && *at <= '9'; i++) {
			cache->SiblingMap[i] = (uint32_t)sysfs_parse_decimal(&at);
			at += *at == ',';
		}
	}
}

HSAKMT_STATUS topology_node_read_caches(struct kmt_context *ctx, struct topology_node *node)
{
	uint32_t count = node->properties.NumCaches;
	char buf[SYSFS_BUFFER_SIZE];

	if (!count)
		return HSAKMT_STATUS_SUCCESS;
	node->caches = calloc(count, sizeof(*node->caches));
	if (!node->caches)
		return HSAKMT_STATUS_NO_MEMORY;
	for (uint32_t i = 0; i < count; i++) {
		ssize_t rc = sysfs_read(ctx, buf, "%s/nodes/%u/caches/%u/properties", ROOT(ctx),
					node->sysfs_id, i);

		if (rc < 0)
			return read_failed("cache", node->sysfs_id, rc);
		parse_cache(buf, &node->caches[i]);
	}
	return HSAKMT_STATUS_SUCCESS;
}
