/* SPDX-License-Identifier: MIT */
/*
 * The six structures that a 5.2.3 program lays out differently (api.md 3.1), and their conversion.
 * The thunk works on the newest layout only; the compatibility entries of version HSAKMT_1 use
 * these at the border.
 *
 * A conversion writes the bytes of the target's layout and none behind them; a caller's structure
 * is never cleared or assigned as a whole. Members that only the newer layout has are lost on the
 * way out and 0 on the way in.
 */
#ifndef KFDSCOPE_THUNK_ABI_LAYOUT_H
#define KFDSCOPE_THUNK_ABI_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "hsakmt/hsakmttypes.h"

#pragma pack(push, 4)

struct layout_523_node_properties {
	HSAuint32 NumCPUCores;
	HSAuint32 NumFComputeCores;
	HSAuint32 NumMemoryBanks;
	HSAuint32 NumCaches;
	HSAuint32 NumIOLinks;
	HSAuint32 CComputeIdLo;
	HSAuint32 FComputeIdLo;
	HSA_CAPABILITY Capability;
	HSAuint32 MaxWavesPerSIMD;
	HSAuint32 LDSSizeInKB;
	HSAuint32 GDSSizeInKB;
	HSAuint32 WaveFrontSize;
	HSAuint32 NumShaderBanks;
	HSAuint32 NumArrays;
	HSAuint32 NumCUPerArray;
	HSAuint32 NumSIMDPerCU;
	HSAuint32 MaxSlotsScratchCU;
	HSA_ENGINE_ID EngineId; /* with the override in it: there is no OverrideEngineId */
	HSAuint16 VendorId;
	HSAuint16 DeviceId;
	HSAuint32 LocationId;
	HSAuint64 LocalMemSize;
	HSAuint32 MaxEngineClockMhzFCompute;
	HSAuint32 MaxEngineClockMhzCCompute;
	HSAint32 DrmRenderMinor;
	HSAuint16 MarketingName[HSA_PUBLIC_NAME_SIZE];
	HSAuint8 AMDName[HSA_PUBLIC_NAME_SIZE];
	HSA_ENGINE_VERSION uCodeEngineVersions;
	HSA_DEBUG_PROPERTIES DebugProperties;
	HSAuint64 HiveID;
	HSAuint32 NumSdmaEngines;
	HSAuint32 NumSdmaXgmiEngines;
	HSAuint8 NumSdmaQueuesPerEngine;
	HSAuint8 NumCpQueues;
	HSAuint8 NumGws;
	HSAuint8 Reserved2; /* zero */
	HSAuint32 Domain;
	HSAuint64 UniqueID;
	HSAuint32 VGPRSizePerCU;
	HSAuint32 SGPRSizePerCU;
	HSAuint8 Reserved[12]; /* zero */
};

struct layout_523_cache_properties {
	HSAuint32 ProcessorIdLow;
	HSAuint32 CacheLevel;
	HSAuint32 CacheSize;
	HSAuint32 CacheLineSize;
	HSAuint32 CacheLinesPerTag;
	HSAuint32 CacheAssociativity;
	HSAuint32 CacheLatency;
	HsaCacheType CacheType;
	HSAuint32 SiblingMap[HSA_CPU_SIBLINGS];
};

struct layout_523_io_link_properties {
	HSA_IOLINKTYPE IoLinkType;
	HSAuint32 VersionMajor;
	HSAuint32 VersionMinor;
	HSAuint32 NodeFrom;
	HSAuint32 NodeTo;
	HSAuint32 Weight;
	HSAuint32 MinimumLatency;
	HSAuint32 MaximumLatency;
	HSAuint32 MinimumBandwidth;
	HSAuint32 MaximumBandwidth;
	HSAuint32 RecTransferSize;
	HSA_LINKPROPERTY Flags;
};

struct layout_523_queue_info {
	HSAuint32 QueueDetailError;
	HSAuint32 QueueTypeExtended;
	HSAuint32 NumCUAssigned;
	HSAuint32 *CUMaskInfo;
	HSAuint32 *UserContextSaveArea;
	HSAuint64 SaveAreaSizeInBytes;
	HSAuint32 *ControlStackTop;
	HSAuint64 ControlStackUsedInBytes;
	HsaUserContextSaveAreaHeader *SaveAreaHeader;
	HSAuint64 Reserved2;
};

struct layout_523_queue_resource {
	HSA_QUEUEID QueueId;
	union {
		HSAuint32 *Queue_DoorBell;
		HSAuint64 *Queue_DoorBell_aql;
		HSAuint64 QueueDoorBell;
	};
	union {
		HSAuint32 *Queue_write_ptr;
		HSAuint64 *Queue_write_ptr_aql;
		HSAuint64 QueueWptrValue;
	};
	union {
		HSAuint32 *Queue_read_ptr;
		HSAuint64 *Queue_read_ptr_aql;
		HSAuint64 QueueRptrValue;
	};
	volatile HSAint64 *ErrorReason;
};

struct layout_523_graphics_resource_info {
	void *MemoryAddress;
	HSAuint64 SizeInBytes;
	const void *Metadata;
	HSAuint32 MetadataSizeInBytes;
	HSAuint32 Reserved; /* zero, where the newest layout has NodeId */
};

#pragma pack(pop)

/* One element to the 5.2.3 layout. */
void kmt_layout_523_node_properties(struct layout_523_node_properties *dst,
				    const HsaNodeProperties *src);
void kmt_layout_523_queue_info(struct layout_523_queue_info *dst, const HsaQueueInfo *src);
void kmt_layout_523_queue_resource(struct layout_523_queue_resource *dst,
				   const HsaQueueResource *src);
void kmt_layout_523_graphics_resource_info(struct layout_523_graphics_resource_info *dst,
					   const HsaGraphicsResourceInfo *src);

/* An array of count elements to the 5.2.3 layout, with its stride. */
void kmt_layout_523_cache_properties(struct layout_523_cache_properties *dst,
				     const HsaCacheProperties *src, size_t count);
void kmt_layout_523_io_link_properties(struct layout_523_io_link_properties *dst,
				       const HsaIoLinkProperties *src, size_t count);

/*
 * The other way, for the calls that read the caller's structure. SizeHintInBytes and the members
 * that follow ErrorReason become 0.
 */
void kmt_layout_newest_queue_resource(HsaQueueResource *dst,
				      const struct layout_523_queue_resource *src);
void kmt_layout_newest_graphics_resource_info(HsaGraphicsResourceInfo *dst,
					      const struct layout_523_graphics_resource_info *src);

#endif
