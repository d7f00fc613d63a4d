/* SPDX-License-Identifier: MIT */
/*
 * Conversion between the newest and the 5.2.3 layout: one table of members a structure, walked in
 * either direction. tests/abi checks offsets and sizes of both sides against the facts.
 */
#include "abi/layout.h"

#include <assert.h>
#include <string.h>

/* One member that both layouts have. */
struct field {
	uint16_t old_offset, new_offset, size_bytes;
};

#define SIZE_OF(type, member) sizeof(((type *)0)->member)
#define FIELD(old_type, new_type, member)                                                          \
	{                                                                                          \
		.old_offset = offsetof(old_type, member),                                          \
		.new_offset = offsetof(new_type, member), .size_bytes = SIZE_OF(old_type, member)  \
	}

#define NODE(member) FIELD(struct layout_523_node_properties, HsaNodeProperties, member)
static const struct field node_fields[] = {
	NODE(NumCPUCores),
	NODE(NumFComputeCores),
	NODE(NumMemoryBanks),
	NODE(NumCaches),
	NODE(NumIOLinks),
	NODE(CComputeIdLo),
	NODE(FComputeIdLo),
	NODE(Capability),
	NODE(MaxWavesPerSIMD),
	NODE(LDSSizeInKB),
	NODE(GDSSizeInKB),
	NODE(WaveFrontSize),
	NODE(NumShaderBanks),
	NODE(NumArrays),
	NODE(NumCUPerArray),
	NODE(NumSIMDPerCU),
	NODE(MaxSlotsScratchCU),
	NODE(EngineId),
	NODE(VendorId),
	NODE(DeviceId),
	NODE(LocationId),
	NODE(LocalMemSize),
	NODE(MaxEngineClockMhzFCompute),
	NODE(MaxEngineClockMhzCCompute),
	NODE(DrmRenderMinor),
	NODE(MarketingName),
	NODE(AMDName),
	NODE(uCodeEngineVersions),
	NODE(DebugProperties),
	NODE(HiveID),
	NODE(NumSdmaEngines),
	NODE(NumSdmaXgmiEngines),
	NODE(NumSdmaQueuesPerEngine),
	NODE(NumCpQueues),
	NODE(NumGws),
	NODE(Domain),
	NODE(UniqueID),
	NODE(VGPRSizePerCU),
	NODE(SGPRSizePerCU),
};

#define CACHE(member) FIELD(struct layout_523_cache_properties, HsaCacheProperties, member)
static const struct field cache_fields[] = {
	CACHE(ProcessorIdLow), CACHE(CacheLevel),       CACHE(CacheSize),
	CACHE(CacheLineSize),  CACHE(CacheLinesPerTag), CACHE(CacheAssociativity),
	CACHE(CacheLatency),   CACHE(CacheType),        CACHE(SiblingMap),
};

#define LINK(member) FIELD(struct layout_523_io_link_properties, HsaIoLinkProperties, member)
static const struct field link_fields[] = {
	LINK(IoLinkType),       LINK(VersionMajor),     LINK(VersionMinor),    LINK(NodeFrom),
	LINK(NodeTo),           LINK(Weight),           LINK(MinimumLatency),  LINK(MaximumLatency),
	LINK(MinimumBandwidth), LINK(MaximumBandwidth), LINK(RecTransferSize), LINK(Flags),
};

#define INFO(member) FIELD(struct layout_523_queue_info, HsaQueueInfo, member)
static const struct field queue_info_fields[] = {
	INFO(QueueDetailError), INFO(QueueTypeExtended),       INFO(NumCUAssigned),
	INFO(CUMaskInfo),       INFO(UserContextSaveArea),     INFO(SaveAreaSizeInBytes),
	INFO(ControlStackTop),  INFO(ControlStackUsedInBytes), INFO(SaveAreaHeader),
	INFO(Reserved2),
};

#define RESOURCE(member) FIELD(struct layout_523_queue_resource, HsaQueueResource, member)
static const struct field queue_resource_fields[] = {
	RESOURCE(QueueId),        RESOURCE(QueueDoorBell), RESOURCE(QueueWptrValue),
	RESOURCE(QueueRptrValue), RESOURCE(ErrorReason),
};

#define GRAPHICS(member)                                                                           \
	FIELD(struct layout_523_graphics_resource_info, HsaGraphicsResourceInfo, member)
static const struct field graphics_fields[] = {
	GRAPHICS(MemoryAddress),
	GRAPHICS(SizeInBytes),
	GRAPHICS(Metadata),
	GRAPHICS(MetadataSizeInBytes),
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static_assert(sizeof(struct layout_523_node_properties) == 356, "5.2.3 layout");
static_assert(sizeof(struct layout_523_cache_properties) == 1056, "5.2.3 layout");
static_assert(sizeof(struct layout_523_io_link_properties) == 48, "5.2.3 layout");
static_assert(sizeof(struct layout_523_queue_info) == 68, "5.2.3 layout");
static_assert(sizeof(struct layout_523_queue_resource) == 40, "5.2.3 layout");
static_assert(sizeof(struct layout_523_graphics_resource_info) == 32, "5.2.3 layout");

static void to_523(void *dst, const void *src, const struct field *fields, size_t count)
{
	for (size_t i = 0; i < count; i++)
		memcpy((char *)dst + fields[i].old_offset, (const char *)src + fields[i].new_offset,
		       fields[i].size_bytes);
}

static void to_newest(void *dst, const void *src, const struct field *fields, size_t count)
{
	for (size_t i = 0; i < count; i++)
		memcpy((char *)dst + fields[i].new_offset, (const char *)src + fields[i].old_offset,
		       fields[i].size_bytes);
}

void kmt_layout_523_node_properties(struct layout_523_node_properties *dst,
				    const HsaNodeProperties *src)
{
	to_523(dst, src, node_fields, COUNT_OF(node_fields));
	dst->Reserved2 = 0;
	memset(dst->Reserved, 0, sizeof(dst->Reserved));
	/* 5.2.3 puts the override into EngineId itself and keeps the microcode (topology.md 6). */
	if (src->OverrideEngineId.ui32.Major || src->OverrideEngineId.ui32.Minor ||
	    src->OverrideEngineId.ui32.Stepping) {
		dst->EngineId.ui32.Major = src->OverrideEngineId.ui32.Major;
		dst->EngineId.ui32.Minor = src->OverrideEngineId.ui32.Minor;
		dst->EngineId.ui32.Stepping = src->OverrideEngineId.ui32.Stepping;
	}
}

void kmt_layout_523_cache_properties(struct layout_523_cache_properties *dst,
				     const HsaCacheProperties *src, size_t count)
{
	for (size_t i = 0; i < count; i++)
		to_523(&dst[i], &src[i], cache_fields, COUNT_OF(cache_fields));
}

void kmt_layout_523_io_link_properties(struct layout_523_io_link_properties *dst,
				       const HsaIoLinkProperties *src, size_t count)
{
	for (size_t i = 0; i < count; i++)
		to_523(&dst[i], &src[i], link_fields, COUNT_OF(link_fields));
}

void kmt_layout_523_queue_info(struct layout_523_queue_info *dst, const HsaQueueInfo *src)
{
	to_523(dst, src, queue_info_fields, COUNT_OF(queue_info_fields));
}

void kmt_layout_523_queue_resource(struct layout_523_queue_resource *dst,
				   const HsaQueueResource *src)
{
	to_523(dst, src, queue_resource_fields, COUNT_OF(queue_resource_fields));
}

void kmt_layout_523_graphics_resource_info(struct layout_523_graphics_resource_info *dst,
					   const HsaGraphicsResourceInfo *src)
{
	to_523(dst, src, graphics_fields, COUNT_OF(graphics_fields));
	dst->Reserved = 0;
}

void kmt_layout_newest_queue_resource(HsaQueueResource *dst,
				      const struct layout_523_queue_resource *src)
{
	memset(dst, 0, sizeof(*dst));
	to_newest(dst, src, queue_resource_fields, COUNT_OF(queue_resource_fields));
}

void kmt_layout_newest_graphics_resource_info(HsaGraphicsResourceInfo *dst,
					      const struct layout_523_graphics_resource_info *src)
{
	memset(dst, 0, sizeof(*dst));
	to_newest(dst, src, graphics_fields, COUNT_OF(graphics_fields));
}
