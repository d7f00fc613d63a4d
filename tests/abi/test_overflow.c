/* SPDX-License-Identifier: MIT */
/*
 * Calls the six functions whose structures grew, with each structure between guard bytes and beside
 * inaccessible pages, and compares what they report with the topology files. The same source is
 * built against the distribution's 5.2.3 headers (STOCK_HEADERS; linked with its library, run with
 * ours) and against ours, where the members that only the newest layout has are compared too.
 *
 * Needs the software model: HSA_MODEL_LIB and HSA_MODEL_TOPOLOGY.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef STOCK_HEADERS
#include <hsakmt.h>
#else
#include "hsakmt/hsakmt.h"
#endif

#include "guarded_area.h"

#define SKIP 77

static int failures;

#define CHECK(condition, ...)                                                                      \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			failures++;                                                                \
			fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition);            \
			fprintf(stderr, __VA_ARGS__);                                              \
			fputc('\n', stderr);                                                       \
		}                                                                                  \
	} while (0)

/* Value of a key in a file of the topology; false when either is missing. */
static bool fixture_value(const char *relative, const char *key, uint64_t *value)
{
	char path[512], name[128];
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "%s/nodes/%s", getenv("HSA_MODEL_TOPOLOGY"), relative);
	file = fopen(path, "r");
	if (!file)
		return false;
	while (!found && fscanf(file, "%127s %" SCNu64, name, value) == 2)
		found = !strcmp(name, key);
	fclose(file);
	return found;
}

/* Compares one member with the fixture, where the fixture has it. */
static void compare(const char *relative, const char *key, uint64_t got)
{
	uint64_t want;

	if (fixture_value(relative, key, &want))
		CHECK(got == want, "%s %s: %" PRIu64 " instead of %" PRIu64, relative, key, got,
		      want);
}

static void compare_node(HSAuint32 node, const HsaNodeProperties *properties)
{
	char file[64];

	snprintf(file, sizeof(file), "%u/properties", node);
	compare(file, "cpu_cores_count", properties->NumCPUCores);
	compare(file, "simd_count", properties->NumFComputeCores);
	compare(file, "max_waves_per_simd", properties->MaxWavesPerSIMD);
	compare(file, "lds_size_in_kb", properties->LDSSizeInKB);
	compare(file, "wave_front_size", properties->WaveFrontSize);
	compare(file, "simd_per_cu", properties->NumSIMDPerCU);
	compare(file, "vendor_id", properties->VendorId);
	compare(file, "device_id", properties->DeviceId);
	compare(file, "location_id", properties->LocationId);
	compare(file, "drm_render_minor", (uint64_t)properties->DrmRenderMinor);
	compare(file, "hive_id", properties->HiveID);
	compare(file, "num_sdma_engines", properties->NumSdmaEngines);
	compare(file, "num_cp_queues", properties->NumCpQueues);
	compare(file, "num_gws", properties->NumGws);
	compare(file, "domain", properties->Domain);
	compare(file, "unique_id", properties->UniqueID);
	if (properties->NumFComputeCores)
		CHECK(properties->SGPRSizePerCU == 0x4000, "node %u: %#x", node,
		      properties->SGPRSizePerCU);
#ifndef STOCK_HEADERS
	compare(file, "num_xcc", properties->NumXcc);
	CHECK(properties->NumFComputeCores == 0 || properties->KFDGpuID != 0,
	      "node %u has no gpu id", node);
#endif
}

static void compare_cache(HSAuint32 node, HSAuint32 index, const HsaCacheProperties *cache)
{
	char file[64];

	snprintf(file, sizeof(file), "%u/caches/%u/properties", node, index);
	compare(file, "processor_id_low", cache->ProcessorIdLow);
	compare(file, "level", cache->CacheLevel);
	compare(file, "size", cache->CacheSize);
	compare(file, "cache_line_size", cache->CacheLineSize);
	compare(file, "latency", cache->CacheLatency);
	compare(file, "type", cache->CacheType.Value);
}

static void compare_link(HSAuint32 node, HSAuint32 index, const HsaIoLinkProperties *link)
{
	char file[64];

	CHECK(link->NodeFrom == node, "link %u of node %u", index, node);
	snprintf(file, sizeof(file), "%u/io_links/%u/properties", node, index);
	compare(file, "type", link->IoLinkType);
	compare(file, "node_to", link->NodeTo);
	compare(file, "weight", link->Weight);
	compare(file, "max_bandwidth", link->MaximumBandwidth);
	compare(file, "recommended_transfer_size", link->RecTransferSize);
	compare(file, "flags", link->Flags.LinkProperty);
#ifndef STOCK_HEADERS
	compare(file, "recommended_sdma_engine_id_mask", link->RecSdmaEngIdMask);
#endif
}

static HsaNodeProperties check_node(HSAuint32 node, enum placement placement)
{
	struct guarded_area area;
	HsaNodeProperties properties;

	guarded_area_init(&area, sizeof(HsaNodeProperties), placement);
	CHECK(hsaKmtGetNodeProperties(node, (void *)area.object) == HSAKMT_STATUS_SUCCESS,
	      "node %u", node);
	CHECK(guarded_area_intact(&area), "properties of node %u overflow", node);
	memcpy(&properties, area.object, sizeof(properties));
	compare_node(node, &properties);
	guarded_area_fini(&area);
	return properties;
}

static void check_caches(HSAuint32 node, HSAuint32 count, enum placement placement)
{
	struct guarded_area area;

	guarded_area_init(&area, count * sizeof(HsaCacheProperties), placement);
	CHECK(hsaKmtGetNodeCacheProperties(node, 0, count, (void *)area.object) ==
		      HSAKMT_STATUS_SUCCESS,
	      "node %u, %u caches", node, count);
	CHECK(guarded_area_intact(&area), "%u caches of node %u overflow", count, node);
	for (HSAuint32 i = 0; i < count; i++)
		compare_cache(node, i, (HsaCacheProperties *)(void *)area.object + i);
	guarded_area_fini(&area);
}

static void check_links(HSAuint32 node, HSAuint32 count, enum placement placement)
{
	struct guarded_area area;

	guarded_area_init(&area, count * sizeof(HsaIoLinkProperties), placement);
	CHECK(hsaKmtGetNodeIoLinkProperties(node, count, (void *)area.object) ==
		      HSAKMT_STATUS_SUCCESS,
	      "node %u, %u links", node, count);
	CHECK(guarded_area_intact(&area), "%u links of node %u overflow", count, node);
	for (HSAuint32 i = 0; i < count; i++)
		compare_link(node, i, (HsaIoLinkProperties *)(void *)area.object + i);
	guarded_area_fini(&area);
}

/* An array that is longer than the node's must be refused before anything is written. */
static void check_too_many(HSAuint32 node, const HsaNodeProperties *properties)
{
	struct guarded_area area;

	guarded_area_init(&area, 1, PLACED_AT_THE_END);
	CHECK(hsaKmtGetNodeCacheProperties(node, 0, properties->NumCaches + 1,
					   (void *)area.object) == HSAKMT_STATUS_INVALID_PARAMETER,
	      "node %u", node);
	CHECK(hsaKmtGetNodeCacheProperties(node, 0, UINT32_MAX, (void *)area.object) ==
		      HSAKMT_STATUS_INVALID_PARAMETER,
	      "node %u", node);
	CHECK(hsaKmtGetNodeIoLinkProperties(node, properties->NumIOLinks + 1,
					    (void *)area.object) == HSAKMT_STATUS_INVALID_PARAMETER,
	      "node %u", node);
	CHECK(guarded_area_intact(&area) && guarded_area_object_untouched(&area), "node %u", node);
	guarded_area_fini(&area);
}

/* Memory that host and GPU see. */
/* For rings before gfx9 an AQL ring: those are seen twice, back to back (queues.md, kfd.md 6.1). */
static void *shared_memory(HSAuint64 size, bool old_aql_ring)
{
	HsaMemFlags flags = { 0 };
	HSAuint64 gpu_address = 0;
	void *address = NULL;

	flags.ui32.NonPaged = 1;
	flags.ui32.HostAccess = 1;
	flags.ui32.AQLQueueMemory = old_aql_ring;
	flags.ui32.PageSize = HSA_PAGE_SIZE_4KB;
	if (hsaKmtAllocMemory(0, size, flags, &address) != HSAKMT_STATUS_SUCCESS)
		return NULL;
	if (hsaKmtMapMemoryToGPU(address, size, &gpu_address) != HSAKMT_STATUS_SUCCESS)
		return NULL;
	return address;
}

static void check_queue_info(HSA_QUEUEID queue, enum placement placement)
{
	struct guarded_area area;
	HSAKMT_STATUS status;

	guarded_area_init(&area, sizeof(HsaQueueInfo), placement);
	status = hsaKmtGetQueueInfo(queue, (void *)area.object);
	CHECK(guarded_area_intact(&area), "queue info overflows");
	if (status == HSAKMT_STATUS_SUCCESS) {
		HsaQueueInfo info;

		memcpy(&info, area.object, sizeof(info));
		CHECK(info.SaveAreaHeader != NULL, "no save area");
#ifndef STOCK_HEADERS
		CHECK(info.SaveAreaAllocSize >= info.SaveAreaSizeInBytes,
		      "%" PRIu64 " bytes allocated", info.SaveAreaAllocSize);
#endif
	} else {
		CHECK(guarded_area_object_untouched(&area), "a failure wrote the object");
	}
	guarded_area_fini(&area);
}

static bool is_before_gfx9(HSAuint32 node)
{
	HsaNodeProperties properties;

	return hsaKmtGetNodeProperties(node, &properties) == HSAKMT_STATUS_SUCCESS &&
	       properties.EngineId.ui32.Major < 9;
}

static void check_queue(HSAuint32 node, enum placement placement)
{
	const HSAuint64 ring_size = 64 * 1024;
	const bool twice = is_before_gfx9(node); /* then the size counts both views */
	unsigned char *ring = shared_memory(ring_size, twice);
	unsigned char *pointers = shared_memory(4096, false);
	struct guarded_area area;
	HsaQueueResource resource;

	CHECK(ring && pointers, "no memory for a queue");
	if (!ring || !pointers)
		return;
	guarded_area_init(&area, sizeof(HsaQueueResource), placement);
	memcpy(&resource, area.object, sizeof(resource));
	resource.Queue_write_ptr_aql = (HSAuint64 *)(void *)pointers;
	resource.Queue_read_ptr_aql = (HSAuint64 *)(void *)(pointers + 256);
	resource.ErrorReason = NULL;
	memcpy(area.object, &resource, sizeof(resource));
	CHECK(hsaKmtCreateQueue(node, HSA_QUEUE_COMPUTE_AQL, 100, HSA_QUEUE_PRIORITY_NORMAL, ring,
				ring_size << twice, NULL,
				(void *)area.object) == HSAKMT_STATUS_SUCCESS,
	      "node %u", node);
	CHECK(guarded_area_intact(&area), "queue resource overflows");
	memcpy(&resource, area.object, sizeof(resource));
	CHECK(resource.Queue_DoorBell_aql != NULL, "no doorbell");
	CHECK(resource.Queue_read_ptr_aql == (HSAuint64 *)(void *)(pointers + 256),
	      "the read pointer changed");
	check_queue_info(resource.QueueId, placement);
	CHECK(hsaKmtDestroyQueue(resource.QueueId) == HSAKMT_STATUS_SUCCESS, "node %u", node);
	guarded_area_fini(&area);
	hsaKmtUnmapMemoryToGPU(pointers);
	hsaKmtUnmapMemoryToGPU(ring);
	hsaKmtFreeMemory(pointers, 4096);
	hsaKmtFreeMemory(ring, ring_size);
}

typedef HSAKMT_STATUS (*export_fn)(void *, HSAuint64, int *, HSAuint64 *);

static void check_graphics(HSAuint32 node, enum placement placement)
{
	/* 5.2.3 has no way to export, but our library has; a plain look-up finds it. */
	export_fn export_dmabuf = (export_fn)dlsym(RTLD_DEFAULT, "hsaKmtExportDMABufHandle");
	void *address = shared_memory(65536, false);
	HsaGraphicsResourceInfo info;
	struct guarded_area area;
	HSAuint64 offset = 0;
	int fd = -1;

	guarded_area_init(&area, sizeof(HsaGraphicsResourceInfo), placement);
#ifndef STOCK_HEADERS
	((HsaGraphicsResourceInfo *)(void *)area.object)->SizeHintInBytes = 0;
#endif
	CHECK(hsaKmtRegisterGraphicsHandleToNodes(UINT32_MAX, (void *)area.object, 1, &node) !=
		      HSAKMT_STATUS_SUCCESS,
	      "a wrong descriptor was accepted");
	CHECK(guarded_area_intact(&area), "graphics info overflows on failure");
	CHECK(export_dmabuf && address, "nothing to export");
	if (export_dmabuf && address &&
	    export_dmabuf(address, 65536, &fd, &offset) == HSAKMT_STATUS_SUCCESS) {
		CHECK(hsaKmtRegisterGraphicsHandleToNodes((HSAuint64)fd, (void *)area.object, 1,
							  &node) == HSAKMT_STATUS_SUCCESS,
		      "node %u", node);
		CHECK(guarded_area_intact(&area), "graphics info overflows");
		memcpy(&info, area.object, sizeof(info));
		CHECK(info.MemoryAddress && info.SizeInBytes == 65536, "%" PRIu64 " bytes",
		      info.SizeInBytes);
		CHECK(hsaKmtDeregisterMemory(info.MemoryAddress) == HSAKMT_STATUS_SUCCESS,
		      "node %u", node);
		close(fd);
	} else {
		printf("import not checked: the exporter refuses\n");
	}
	guarded_area_fini(&area);
	hsaKmtUnmapMemoryToGPU(address);
	hsaKmtFreeMemory(address, 65536);
}

static void check_all(HSAuint32 node, enum placement placement)
{
	HsaNodeProperties properties = check_node(node, placement);
	const HSAuint32 cache_counts[] = { 1, 2, properties.NumCaches };
	const HSAuint32 link_counts[] = { 1, 2, properties.NumIOLinks };

	for (size_t i = 0; i < 3; i++) {
		if (cache_counts[i] && cache_counts[i] <= properties.NumCaches)
			check_caches(node, cache_counts[i], placement);
		if (link_counts[i] && link_counts[i] <= properties.NumIOLinks)
			check_links(node, link_counts[i], placement);
	}
	check_too_many(node, &properties);
	if (properties.NumFComputeCores) {
		check_queue(node, placement);
		check_graphics(node, placement);
	}
}

/* The program must be bound to the version that its headers belong to. */
static void check_binding(void)
{
	void *old = dlvsym(RTLD_DEFAULT, "hsaKmtGetNodeProperties", "HSAKMT_1");
	void *new = dlvsym(RTLD_DEFAULT, "hsaKmtGetNodeProperties", "KFDSCOPE_1");
	void *mine = (void *)hsaKmtGetNodeProperties;

	CHECK(old && new, "the library has not both versions");
#ifdef STOCK_HEADERS
	CHECK(mine == old, "not bound to HSAKMT_1");
#else
	CHECK(mine == new, "not bound to KFDSCOPE_1");
#endif
}

int main(void)
{
	HsaSystemProperties system;

	if (!getenv("HSA_MODEL_TOPOLOGY")) {
		printf("skipped: no model\n");
		return SKIP;
	}
	check_binding();
	CHECK(hsaKmtOpenKFD() == HSAKMT_STATUS_SUCCESS, "cannot open");
	if (failures)
		return EXIT_FAILURE;
	CHECK(hsaKmtAcquireSystemProperties(&system) == HSAKMT_STATUS_SUCCESS, "no topology");
	if (!failures)
		for (HSAuint32 node = 0; node < system.NumNodes; node++)
			for (int placement = 0; placement < PLACEMENT_COUNT; placement++)
				check_all(node, (enum placement)placement);
	hsaKmtReleaseSystemProperties();
	hsaKmtCloseKFD();
	printf("%d failures\n", failures);
	return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
