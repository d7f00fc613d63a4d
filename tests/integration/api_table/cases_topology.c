/* SPDX-License-Identifier: MIT */
/* The snapshot and what is in it, and the clocks. */
#include <stdlib.h>
#include <string.h>

#include "walk.h"

static void snapshot_is_taken_and_dropped(struct walk *w)
{
	HsaSystemProperties system = { 0 };
	HsaNodeProperties node;

	memset(&node, 0, sizeof(node));
	API(INVALID_PARAMETER, hsaKmtAcquireSystemProperties, NULL);
	if (API(SUCCESS, hsaKmtAcquireSystemProperties, &system)) {
		walk_number(w, "nodes", system.NumNodes);
		walk_number(w, "oem", system.PlatformOem);
		walk_number(w, "id", system.PlatformId);
		walk_number(w, "revision", system.PlatformRev);
	}
	API(SUCCESS, hsaKmtReleaseSystemProperties);
	API(INVALID_NODE_UNIT, hsaKmtGetNodeProperties, 0, &node);
	API(SUCCESS, hsaKmtReleaseSystemProperties);
	API(SUCCESS, hsaKmtAcquireSystemProperties, &system);
}

#define NUMBER(record, field) walk_number(w, #field, (record).field)

static void print_node(struct walk *w, const HsaNodeProperties *node)
{
	NUMBER(*node, NumCPUCores);
	NUMBER(*node, NumFComputeCores);
	NUMBER(*node, NumMemoryBanks);
	NUMBER(*node, NumCaches);
	NUMBER(*node, NumIOLinks);
	NUMBER(*node, CComputeIdLo);
	NUMBER(*node, FComputeIdLo);
	NUMBER(*node, Capability.Value);
	NUMBER(*node, MaxWavesPerSIMD);
	NUMBER(*node, LDSSizeInKB);
	NUMBER(*node, GDSSizeInKB);
	NUMBER(*node, WaveFrontSize);
	NUMBER(*node, NumShaderBanks);
	NUMBER(*node, NumArrays);
	NUMBER(*node, NumCUPerArray);
	NUMBER(*node, NumSIMDPerCU);
	NUMBER(*node, MaxSlotsScratchCU);
	NUMBER(*node, EngineId.Value);
	NUMBER(*node, VendorId);
	NUMBER(*node, DeviceId);
	NUMBER(*node, LocationId);
	NUMBER(*node, LocalMemSize);
	NUMBER(*node, MaxEngineClockMhzFCompute);
	NUMBER(*node, MaxEngineClockMhzCCompute);
	NUMBER(*node, DrmRenderMinor);
	for (int i = 0; i < 4; i++)
		walk_number(w, "MarketingName", node->MarketingName[i]);
	for (int i = 0; i < 8; i++)
		walk_number(w, "AMDName", node->AMDName[i]);
	NUMBER(*node, uCodeEngineVersions.Value);
	NUMBER(*node, DebugProperties.Value);
	NUMBER(*node, HiveID);
	NUMBER(*node, NumSdmaEngines);
	NUMBER(*node, NumSdmaXgmiEngines);
	NUMBER(*node, NumSdmaQueuesPerEngine);
	NUMBER(*node, NumCpQueues);
	NUMBER(*node, NumGws);
	NUMBER(*node, Domain);
	NUMBER(*node, UniqueID);
	NUMBER(*node, VGPRSizePerCU);
	NUMBER(*node, SGPRSizePerCU);
}

static void every_node_tells_its_properties(struct walk *w)
{
	HsaNodeProperties node;

	memset(&node, 0, sizeof(node));
	API(INVALID_PARAMETER, hsaKmtGetNodeProperties, 0, NULL);
	API(INVALID_NODE_UNIT, hsaKmtGetNodeProperties, WALK_BAD_NODE, &node);
	for (uint32_t i = 0; i < w->node_count; i++)
		if (API(SUCCESS, hsaKmtGetNodeProperties, i, &node))
			print_node(w, &node);
}

static void node_counts(uint32_t i, uint32_t *banks, uint32_t *caches, uint32_t *links)
{
	HsaNodeProperties node;

	memset(&node, 0, sizeof(node));
	(void)hsaKmtGetNodeProperties(i, &node); /* zeroes when it fails */
	*banks = node.NumMemoryBanks;
	*caches = node.NumCaches;
	*links = node.NumIOLinks;
}

static void every_bank_is_told(struct walk *w)
{
	uint32_t banks, caches, links;
	HsaMemoryProperties *bank;

	API(INVALID_PARAMETER, hsaKmtGetNodeMemoryProperties, 0, 1, NULL);
	for (uint32_t i = 0; i < w->node_count; i++) {
		node_counts(i, &banks, &caches, &links);
		bank = calloc(banks + 1, sizeof(*bank));
		if (API(SUCCESS, hsaKmtGetNodeMemoryProperties, i, banks, bank)) {
			for (uint32_t b = 0; b < banks; b++) {
				NUMBER(bank[b], HeapType);
				/* where a window of the GPU lies is not the same in every run */
				if (bank[b].HeapType != HSA_HEAPTYPE_DEVICE_SVM)
					NUMBER(bank[b], SizeInBytes);
				NUMBER(bank[b], Flags.MemoryProperty);
				NUMBER(bank[b], Width);
				NUMBER(bank[b], MemoryClockMax);
			}
		}
		API(INVALID_NODE_UNIT, hsaKmtGetNodeMemoryProperties, WALK_BAD_NODE, banks, bank);
		free(bank);
	}
}

/* Nothing promises an order of a CPU's caches: one library takes that of the directory. */
static int by_content(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(HsaCacheProperties));
}

static void every_cache_is_told(struct walk *w)
{
	uint32_t banks, caches, links;
	HsaCacheProperties *cache;

	API(INVALID_PARAMETER, hsaKmtGetNodeCacheProperties, 0, 0, 1, NULL);
	for (uint32_t i = 0; i < w->node_count; i++) {
		node_counts(i, &banks, &caches, &links);
		cache = calloc(caches + 1, sizeof(*cache));
		if (API(SUCCESS, hsaKmtGetNodeCacheProperties, i, 0, caches, cache)) {
			qsort(cache, caches, sizeof(*cache), by_content);
			for (uint32_t c = 0; c < caches; c++) {
				NUMBER(cache[c], ProcessorIdLow);
				NUMBER(cache[c], CacheLevel);
				NUMBER(cache[c], CacheSize);
				NUMBER(cache[c], CacheLineSize);
				NUMBER(cache[c], CacheLinesPerTag);
				NUMBER(cache[c], CacheAssociativity);
				NUMBER(cache[c], CacheLatency);
				NUMBER(cache[c], CacheType.Value);
				for (int s = 0; s < 4; s++)
					NUMBER(cache[c], SiblingMap[s]);
			}
		}
		API(INVALID_NODE_UNIT, hsaKmtGetNodeCacheProperties, WALK_BAD_NODE, 0, caches,
		    cache);
		free(cache);
	}
}

static void every_link_is_told(struct walk *w)
{
	uint32_t banks, caches, links;
	HsaIoLinkProperties *link;

	API(INVALID_PARAMETER, hsaKmtGetNodeIoLinkProperties, 0, 1, NULL);
	for (uint32_t i = 0; i < w->node_count; i++) {
		node_counts(i, &banks, &caches, &links);
		link = calloc(links + 1, sizeof(*link));
		if (API(SUCCESS, hsaKmtGetNodeIoLinkProperties, i, links, link)) {
			for (uint32_t l = 0; l < links; l++) {
				NUMBER(link[l], IoLinkType);
				NUMBER(link[l], VersionMajor);
				NUMBER(link[l], VersionMinor);
				NUMBER(link[l], NodeFrom);
				NUMBER(link[l], NodeTo);
				NUMBER(link[l], Weight);
				NUMBER(link[l], MinimumLatency);
				NUMBER(link[l], MaximumLatency);
				NUMBER(link[l], MinimumBandwidth);
				NUMBER(link[l], MaximumBandwidth);
				NUMBER(link[l], RecTransferSize);
				NUMBER(link[l], Flags.LinkProperty);
			}
		}
		API(INVALID_NODE_UNIT, hsaKmtGetNodeIoLinkProperties, WALK_BAD_NODE, links, link);
		free(link);
	}
}

static void clocks_are_read(struct walk *w)
{
	HsaClockCounters first = { 0 }, second = { 0 };

	API(INVALID_NODE_UNIT, hsaKmtGetClockCounters, WALK_BAD_NODE, &first);
	for (uint32_t i = 0; i < w->node_count; i++) {
		if (!API(SUCCESS, hsaKmtGetClockCounters, i, &first) ||
		    !API(SUCCESS, hsaKmtGetClockCounters, i, &second))
			continue;
		NUMBER(first, SystemClockFrequencyHz);
		walk_expect(w, "CPU clock goes on", second.CPUClockCounter > first.CPUClockCounter,
			    1);
		walk_expect(w, "system clock goes on",
			    second.SystemClockCounter > first.SystemClockCounter, 1);
		walk_number(w, "GPU clock", first.GPUClockCounter != 0);
	}
#ifndef WALK_STOCK
	API(INVALID_PARAMETER, hsaKmtGetClockCounters, w->gpu, NULL);
	PLAIN(SUCCESS, hsaKmtGetClockCountersPrecise, w->gpu, &first);
	PLAIN(INVALID_NODE_UNIT, hsaKmtGetClockCountersPrecise, WALK_BAD_NODE, &first);
#endif
}

#ifndef WALK_STOCK
static void the_wall_clock_has_a_frequency(struct walk *w)
{
	uint64_t hz = 0;

	PLAIN(INVALID_PARAMETER, hsaKmtGetNodeWallclockFrequency, w->gpu, NULL);
	PLAIN(INVALID_NODE_UNIT, hsaKmtGetNodeWallclockFrequency, WALK_BAD_NODE, &hz);
	if (PLAIN(SUCCESS, hsaKmtGetNodeWallclockFrequency, w->gpu, &hz))
		walk_expect(w, "Hz", hz, 100000000);
}
#endif

static void without_an_open_driver_there_is_no_topology(struct walk *w)
{
	HsaSystemProperties system = { 0 };
	HsaClockCounters clock = { 0 };
	HsaMemoryProperties bank;
	HsaCacheProperties cache;
	HsaIoLinkProperties link;
	HsaNodeProperties node;

#ifdef WALK_CTX
	if (walk_open(w) == HSAKMT_STATUS_SUCCESS) /* to have a context at all */
		(void)walk_close(w);               /* tested elsewhere */
#endif
	memset(&node, 0, sizeof(node));
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtAcquireSystemProperties, &system);
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtGetNodeProperties, 0, &node);
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtGetNodeMemoryProperties, 0, 1, &bank);
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtGetNodeCacheProperties, 0, 0, 1, &cache);
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtGetNodeIoLinkProperties, 0, 1, &link);
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtGetClockCounters, 0, &clock);
	/* 5.2.3 finds nothing wrong with releasing what was never taken; newer ones neither */
	API(SUCCESS, hsaKmtReleaseSystemProperties);
}

const struct walk_case walk_topology_cases[] = {
	{ "without an open driver there is no topology",
	  without_an_open_driver_there_is_no_topology, true },
	{ "a snapshot is taken and dropped", snapshot_is_taken_and_dropped, false },
	{ "every node tells its properties", every_node_tells_its_properties, false },
	{ "every bank is told", every_bank_is_told, false },
	{ "every cache is told", every_cache_is_told, false },
	{ "every link is told", every_link_is_told, false },
	{ "clocks are read", clocks_are_read, false },
#ifndef WALK_STOCK
	{ "the wall clock has a frequency", the_wall_clock_has_a_frequency, false },
#endif
	{ NULL, NULL, false },
};
