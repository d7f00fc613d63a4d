/* SPDX-License-Identifier: MIT */
/*
 * The types of the libhsakmt interface, in the newest layout (that of a 2026 ROCm). Names, values,
 * offsets and sizes are the ABI's and are checked against its facts by tests/abi; the older layouts
 * that a 5.2.3 program expects are the library's private business (thunk/abi/layout.h).
 *
 * Everything is packed to 4 bytes: 64-bit members and pointers may sit at offsets that are only a
 * multiple of 4, so do not take the address of one where 8-byte alignment matters.
 */
#ifndef KFDSCOPE_HSAKMT_HSAKMTTYPES_H
#define KFDSCOPE_HSAKMT_HSAKMTTYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HSAKMT_VERSION_MAJOR 0 /* never counted up: useless for feature tests */
#define HSAKMT_VERSION_MINOR 99

#ifndef HSAKMTAPI
#define HSAKMTAPI
#endif

/* --- Numbers, handles and limits --- */

typedef uint8_t HSAuint8;
typedef int8_t HSAint8;
typedef uint16_t HSAuint16;
typedef int16_t HSAint16;
typedef uint32_t HSAuint32;
typedef int32_t HSAint32;
typedef int64_t HSAint64;
typedef uint64_t HSAuint64;

typedef void *HSA_HANDLE;
typedef HSAuint64 HSA_QUEUEID; /* opaque; not the kernel's queue number */
typedef HSAuint32 HSA_EVENTID;
typedef HSAuint64 HSATraceId;
typedef HSAuint32 HsaSharedMemoryHandle[8]; /* opaque; may be sent to another process */
typedef void *HsaAMDGPUDeviceHandle;        /* a libdrm amdgpu_device_handle */
typedef HSAuint32 HsaPcSamplingTraceId;
typedef struct _HsaMemoryObjectHandle *HsaMemoryObjectHandle; /* a libdrm amdgpu_bo_handle */

/* One opened KFD and all that depends on it; see hsakmtctx.h. */
typedef struct kmt_context HsaKFDContext;

#define INVALID_QUEUEID 0xFFFFFFFFFFFFFFFFULL
#define INVALID_PID     0xFFFFFFFF
#define INVALID_NODEID  0xFFFFFFFF

#define HSA_PUBLIC_NAME_SIZE 64  /* characters of a node's name */
#define HSA_CPU_SIBLINGS     256 /* words of a sibling map */
#define HSA_PROCESSORID_ALL  0xFFFFFFFF

/* --- Status --- */

/* What a call of the library returns. */
typedef enum _HSAKMT_STATUS {
	HSAKMT_STATUS_SUCCESS = 0,
	/* general error, and errors of the kernel without a code here */
	HSAKMT_STATUS_ERROR = 1,
	/* the driver speaks another interface version */
	HSAKMT_STATUS_DRIVER_MISMATCH = 2,
	HSAKMT_STATUS_INVALID_PARAMETER = 3,
	/* of an object that this library does not know */
	HSAKMT_STATUS_INVALID_HANDLE = 4,
	/* no such node, or not of the kind that is needed */
	HSAKMT_STATUS_INVALID_NODE_UNIT = 5,
	HSAKMT_STATUS_NO_MEMORY = 6,
	HSAKMT_STATUS_BUFFER_TOO_SMALL = 7,
	HSAKMT_STATUS_NOT_IMPLEMENTED = 10,
	HSAKMT_STATUS_NOT_SUPPORTED = 11,
	HSAKMT_STATUS_UNAVAILABLE = 12, /* busy for now */
	HSAKMT_STATUS_OUT_OF_RESOURCES = 13,
	/* before open, after close, or in a forked child */
	HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED = 20,
	HSAKMT_STATUS_KERNEL_COMMUNICATION_ERROR = 21, /* never returned */
	/* success of a repeated open: one reference more */
	HSAKMT_STATUS_KERNEL_ALREADY_OPENED = 22,
	HSAKMT_STATUS_HSAMMU_UNAVAILABLE = 23, /* never returned */
	HSAKMT_STATUS_WAIT_FAILURE = 30,       /* never returned */
	HSAKMT_STATUS_WAIT_TIMEOUT = 31,
	HSAKMT_STATUS_MEMORY_ALREADY_REGISTERED = 35,
	HSAKMT_STATUS_MEMORY_NOT_REGISTERED = 36,
	HSAKMT_STATUS_MEMORY_ALIGNMENT = 37, /* never returned */
} HSAKMT_STATUS;

/*
 * All types from here to the end of the header have at most 4-byte alignment. The enumerations are
 * not touched by that: HSA_QUEUE_PRIORITY has 8 bytes, because it mixes negative values with
 * 0xFFFFFFFF, and all others have 4.
 */
#pragma pack(push, 4)

/* --- Version, system and nodes --- */

/* The KFD interface version. */
typedef struct _HsaVersionInfo {
	HSAuint32 KernelInterfaceMajorVersion;
	HSAuint32 KernelInterfaceMinorVersion;
} HsaVersionInfo;

/* The machine. */
typedef struct _HsaSystemProperties {
	HSAuint32 NumNodes;
	HSAuint32 PlatformOem; /* the platform's name and revision, as the firmware says */
	HSAuint32 PlatformId;
	HSAuint32 PlatformRev;
} HsaSystemProperties;

/* The compute engine of a GPU: its version and its microcode. */
typedef union {
	HSAuint32 Value;
	struct {
		unsigned int uCode : 10;   /* microcode version */
		unsigned int Major : 6;    /* 9 of gfx90a */
		unsigned int Minor : 8;    /* 0 of gfx90a */
		unsigned int Stepping : 8; /* 10 of gfx90a */
	} ui32;
} HSA_ENGINE_ID;

/* Microcode versions of the other engines. */
typedef union {
	HSAuint32 Value;
	struct {
		unsigned int uCodeSDMA : 10; /* SDMA engine */
		unsigned int uCodeRes : 10;  /* reserved */
		unsigned int Reserved : 12;
	};
} HSA_ENGINE_VERSION;

/* What a node can do. */
typedef union {
	HSAuint32 Value;
	struct {
		unsigned int HotPluggable : 1;       /* may disappear */
		unsigned int HSAMMUPresent : 1;      /* shares the CPU's page tables */
		unsigned int SharedWithGraphics : 1; /* serves graphics too */
		/* ring sizes must be powers of two */
		unsigned int QueueSizePowerOfTwo : 1;
		unsigned int QueueSize32bit : 1; /* ring sizes fit 32 bits */
		unsigned int QueueIdleEvent : 1; /* supports idle events */
		unsigned int VALimit : 1;
		unsigned int WatchPointsSupported : 1; /* has address watch points */
		unsigned int WatchPointsTotalBits : 4;
		unsigned int DoorbellType : 2;
		/* the ring must be mapped twice in a row */
		unsigned int AQLQueueDoubleMap : 1;
		unsigned int DebugTrapSupported : 1;
		unsigned int WaveLaunchTrapOverrideSupported : 1;
		unsigned int WaveLaunchModeSupported : 1;
		unsigned int PreciseMemoryOperationsSupported : 1;
		unsigned int DEPRECATED_SRAM_EDCSupport : 1;
		unsigned int Mem_EDCSupport : 1;  /* ECC of the memory */
		unsigned int RASEventNotify : 1;  /* reports RAS events */
		unsigned int ASICRevision : 4;    /* revision of the chip */
		unsigned int SRAM_EDCSupport : 1; /* ECC of the on-chip memory */
		unsigned int SVMAPISupported : 1; /* can share virtual memory */
		/* host access to device memory is coherent */
		unsigned int CoherentHostAccess : 1;
		unsigned int DebugSupportedFirmware : 1; /* the microcode can be debugged */
		unsigned int PreciseALUOperationsSupported : 1;
		unsigned int PerQueueResetSupported : 1;
	} ui32;
} HSA_CAPABILITY;

/* More of what a node can do. */
typedef union {
	HSAuint32 Value;
	struct {
		unsigned int PerSDMAQueueResetSupported : 1;
		unsigned int AqlEmulationPm4_ : 1;
		unsigned int StallOnRetryFault : 1;
		unsigned int Reserved : 29;
	} ui32;
} HSA_CAPABILITY2;

/* What a node offers to a debugger. */
typedef union {
	HSAuint64 Value;
	struct {
		/* lowest address bit a watch point compares */
		HSAuint64 WatchAddrMaskLoBit : 4;
		HSAuint64 WatchAddrMaskHiBit : 6; /* highest one */
		/* dispatch data valid in each wave */
		HSAuint64 DispatchInfoAlwaysValid : 1;
		HSAuint64 AddressWatchpointShareKind : 1;
		HSAuint64 Reserved : 52;
	};
} HSA_DEBUG_PROPERTIES;

/* One node: a CPU socket, a GPU, or an APU that is both. 5.2.3 has another order. */
typedef struct _HsaNodeProperties {
	HSAuint32 NumCPUCores;      /* 0: no CPU */
	HSAuint32 NumFComputeCores; /* SIMDs; 0: no GPU */
	HSAuint32 NumNeuralCores;   /* NPU cores */
	HSAuint32 NumMemoryBanks;   /* with those that the library adds */
	HSAuint32 NumCaches;        /* length of the cache array */
	HSAuint32 NumIOLinks;       /* length of the link array */
	HSAuint32 CComputeIdLo;     /* id of the first CPU core */
	HSAuint32 FComputeIdLo;     /* id of the first SIMD */
	HSA_CAPABILITY Capability;
	HSA_CAPABILITY2 Capability2;
	HSAuint32 MaxWavesPerSIMD;   /* wave slots */
	HSAuint32 LDSSizeInKB;       /* per work group */
	HSAuint32 GDSSizeInKB;       /* global data share */
	HSAuint32 WaveFrontSize;     /* lanes: 32 or 64 */
	HSAuint32 NumShaderBanks;    /* shader engines */
	HSAuint32 NumArrays;         /* arrays in an engine */
	HSAuint32 NumCUPerArray;     /* compute units */
	HSAuint32 NumSIMDPerCU;      /* SIMDs */
	HSAuint32 MaxSlotsScratchCU; /* waves with scratch in a CU */
	HSA_ENGINE_ID EngineId;      /* as the kernel says */
	/* as HSA_OVERRIDE_GFX_VERSION says; 0: not overridden */
	HSA_ENGINE_ID OverrideEngineId;
	HSAuint16 VendorId;
	HSAuint16 DeviceId;
	HSAuint32 LocationId;   /* bus << 8 | device << 3 | function */
	HSAuint64 LocalMemSize; /* bytes */
	HSAuint32 MaxEngineClockMhzFCompute;
	HSAuint32 MaxEngineClockMhzCCompute;
	HSAint32 DrmRenderMinor;                       /* of /dev/dri/renderD*; 0: none */
	HSAuint16 MarketingName[HSA_PUBLIC_NAME_SIZE]; /* UTF-16 */
	HSAuint8 AMDName[HSA_PUBLIC_NAME_SIZE];        /* ASCII */
	HSA_ENGINE_VERSION uCodeEngineVersions;
	HSA_DEBUG_PROPERTIES DebugProperties;
	HSAuint64 HiveID;                /* XGMI hive; 0: none */
	HSAuint32 NumSdmaEngines;        /* for host and peer copies */
	HSAuint32 NumSdmaXgmiEngines;    /* for copies in the hive */
	HSAuint8 NumSdmaQueuesPerEngine; /* queues */
	HSAuint8 NumCpQueues;            /* compute queues */
	HSAuint8 NumGws;                 /* global wave sync slots */
	HSAuint8 Integrated;             /* 1: APU */
	HSAuint32 Domain;                /* of the PCI address */
	HSAuint64 UniqueID;              /* serial number; 0: none */
	HSAuint32 VGPRSizePerCU;         /* bytes */
	HSAuint32 SGPRSizePerCU;         /* bytes */
	HSAuint32 NumXcc;                /* partitions that work as one */
	HSAuint32 KFDGpuID;              /* gpu_id of the ioctls */
	HSAuint32 FamilyID;              /* family of the DRM driver */
	HSAuint32 CwsrSize;              /* bytes of the wave save area */
	HSAuint32 CtlStackSize;          /* bytes of the control stack */
	HSAuint32 LuidLowPart;           /* Windows */
	HSAuint32 LuidHighPart;          /* Windows */
	HSAuint64 WallClockKHz;          /* frequency of the wall clock */
	HSAuint32 FabricHandleSupported; /* 0 or 1 */
} HsaNodeProperties;

/* Kind of a memory bank. */
typedef enum _HSA_HEAPTYPE {
	HSA_HEAPTYPE_SYSTEM = 0,
	HSA_HEAPTYPE_FRAME_BUFFER_PUBLIC = 1,  /* VRAM that the host sees */
	HSA_HEAPTYPE_FRAME_BUFFER_PRIVATE = 2, /* VRAM that it does not see */
	HSA_HEAPTYPE_GPU_GDS = 3,
	HSA_HEAPTYPE_GPU_LDS = 4,     /* window of the local data share */
	HSA_HEAPTYPE_GPU_SCRATCH = 5, /* window of the private memory */
	HSA_HEAPTYPE_DEVICE_SVM = 6,  /* the shared address range */
	HSA_HEAPTYPE_MMIO_REMAP = 7,  /* page with the HDP flush registers */
	HSA_HEAPTYPE_NUMHEAPTYPES = 8,
	HSA_HEAPTYPE_SIZE = 0xFFFFFFFF,
} HSA_HEAPTYPE;

typedef union {
	HSAuint32 MemoryProperty;
	struct {
		unsigned int HotPluggable : 1;
		unsigned int NonVolatile : 1;
		unsigned int Reserved : 30;
	} ui32;
} HSA_MEMORYPROPERTY;

/* One memory bank or aperture of a node. */
typedef struct _HsaMemoryProperties {
	HSA_HEAPTYPE HeapType;
	union {
		HSAuint64 SizeInBytes; /* in bytes */
		struct {
			HSAuint32 SizeInBytesLow;
			HSAuint32 SizeInBytesHigh;
		} ui32;
	};
	HSA_MEMORYPROPERTY Flags;
	HSAuint32 Width;              /* bus width in bits */
	HSAuint32 MemoryClockMax;     /* MHz */
	HSAuint64 VirtualBaseAddress; /* of apertures */
} HsaMemoryProperties;

typedef union {
	HSAuint32 Value;
	struct {
		unsigned int Data : 1;
		unsigned int Instruction : 1;
		unsigned int CPU : 1;
		unsigned int HSACU : 1;
		unsigned int Reserved : 28;
	} ui32;
} HsaCacheType;

/* One cache of a node. Used as an array; 5.2.3 has another stride. */
typedef struct _HaCacheProperties {
	HSAuint32 ProcessorIdLow; /* first processor that uses it */
	HSAuint32 CacheLevel;
	HSAuint32 CacheSize;     /* KiB */
	HSAuint32 CacheLineSize; /* bytes */
	HSAuint32 CacheLinesPerTag;
	HSAuint32 CacheAssociativity;
	HSAuint32 CacheLatency; /* ns */
	HsaCacheType CacheType;
	HSAuint32 SiblingMap[HSA_CPU_SIBLINGS]; /* processors that share it */
	HSAuint32 PersistingCacheSizeMax;       /* bytes that can be reserved */
} HsaCacheProperties;

typedef struct _HsaCComputeProperties {
	HSAuint32 SiblingMap[HSA_CPU_SIBLINGS];
} HsaCComputeProperties;

typedef enum _HSA_IOLINKTYPE {
	HSA_IOLINKTYPE_UNDEFINED = 0,
	HSA_IOLINKTYPE_HYPERTRANSPORT = 1,
	HSA_IOLINKTYPE_PCIEXPRESS = 2,
	HSA_IOLINKTYPE_AMBA = 3,
	HSA_IOLINKTYPE_MIPI = 4,
	HSA_IOLINK_TYPE_QPI_1_1 = 5,
	HSA_IOLINK_TYPE_RESERVED1 = 6,
	HSA_IOLINK_TYPE_RESERVED2 = 7,
	HSA_IOLINK_TYPE_RAPID_IO = 8,
	HSA_IOLINK_TYPE_INFINIBAND = 9,
	HSA_IOLINK_TYPE_RESERVED3 = 10,
	HSA_IOLINK_TYPE_XGMI = 11,
	HSA_IOLINK_TYPE_XGOP = 12,
	HSA_IOLINK_TYPE_GZ = 13,
	HSA_IOLINK_TYPE_ETHERNET_RDMA = 14,
	HSA_IOLINK_TYPE_RDMA_OTHER = 15,
	HSA_IOLINK_TYPE_OTHER = 16,
	HSA_IOLINKTYPE_NUMIOLINKTYPES = 17,
	HSA_IOLINKTYPE_SIZE = 0xFFFFFFFF,
} HSA_IOLINKTYPE;

typedef union {
	HSAuint32 LinkProperty;
	struct {
		/* the other bits hold; else the bus type's defaults */
		unsigned int Override : 1;
		unsigned int NonCoherent : 1;
		unsigned int NoAtomics32bit : 1;
		unsigned int NoAtomics64bit : 1;
		unsigned int NoPeerToPeerDMA : 1;
		unsigned int Reserved : 27;
	} ui32;
} HSA_LINKPROPERTY;

/* One link from a node to another. Used as an array; 5.2.3 has another stride. */
typedef struct _HsaIoLinkProperties {
	HSA_IOLINKTYPE IoLinkType;
	HSAuint32 VersionMajor;
	HSAuint32 VersionMinor;
	HSAuint32 NodeFrom;
	HSAuint32 NodeTo;
	HSAuint32 Weight;           /* NUMA-like distance */
	HSAuint32 MinimumLatency;   /* ns */
	HSAuint32 MaximumLatency;   /* ns */
	HSAuint32 MinimumBandwidth; /* MB/s */
	HSAuint32 MaximumBandwidth; /* MB/s */
	HSAuint32 RecTransferSize;  /* recommended bytes of a transfer */
	HSAuint32 RecSdmaEngIdMask; /* engines recommended for this link */
	HSA_LINKPROPERTY Flags;
} HsaIoLinkProperties;

/* Tiling tables; the caller owns both arrays and says how long they are. */
typedef struct _HsaGpuTileConfig {
	HSAuint32 *TileConfig;         /* caller's array */
	HSAuint32 *MacroTileConfig;    /* caller's array */
	HSAuint32 NumTileConfigs;      /* in: length; out: entries */
	HSAuint32 NumMacroTileConfigs; /* in: length; out: entries */
	HSAuint32 GbAddrConfig;        /* register value */
	HSAuint32 NumBanks;
	HSAuint32 NumRanks;
	HSAuint32 Reserved[7];
} HsaGpuTileConfig;

/* Clocks, read together. */
typedef struct _HsaClockCounters {
	HSAuint64 GPUClockCounter;        /* ticks; 0 for CPU nodes */
	HSAuint64 CPUClockCounter;        /* ns, raw monotonic */
	HSAuint64 SystemClockCounter;     /* ns, boot time */
	HSAuint64 SystemClockFrequencyHz; /* of both */
} HsaClockCounters;

/* --- Memory --- */

typedef enum _HSA_CACHING_TYPE {
	HSA_CACHING_CACHED = 0,
	HSA_CACHING_NONCACHED = 1,
	HSA_CACHING_WRITECOMBINED = 2,
	HSA_CACHING_RESERVED = 3,
	HSA_CACHING_NUM_CACHING = 4,
	HSA_CACHING_SIZE = 0xFFFFFFFF,
} HSA_CACHING_TYPE;

typedef enum _HSA_PAGE_SIZE {
	HSA_PAGE_SIZE_4KB = 0,
	HSA_PAGE_SIZE_64KB = 1,
	HSA_PAGE_SIZE_2MB = 2,
	HSA_PAGE_SIZE_1GB = 3,
} HSA_PAGE_SIZE;

/* Properties of an allocation. */
typedef struct _HsaMemFlags {
	union {
		struct {
			/* 1: VRAM or pinned; 0: pageable system memory */
			unsigned int NonPaged : 1;
			unsigned int CachePolicy : 2; /* HSA_CACHING_TYPE */
			unsigned int ReadOnly : 1;
			unsigned int PageSize : 2;   /* HSA_PAGE_SIZE */
			unsigned int HostAccess : 1; /* the host can read and write it */
			/* fail rather than take another heap */
			unsigned int NoSubstitute : 1;
			unsigned int GDSMemory : 1; /* global data share */
			/* private memory of a node's waves */
			unsigned int Scratch : 1;
			unsigned int AtomicAccessFull : 1;
			unsigned int AtomicAccessPartial : 1;
			unsigned int ExecuteAccess : 1; /* code */
			/* coherent at kernel borders only */
			unsigned int CoarseGrain : 1;
			/* ring that is mapped twice in a row */
			unsigned int AQLQueueMemory : 1;
			unsigned int FixedAddress : 1; /* at the address given */
			/* do not bind to the node's memory */
			unsigned int NoNUMABind : 1;
			unsigned int Uncached : 1;
			/* buffer object without an address */
			unsigned int NoAddress : 1;
			unsigned int OnlyAddress : 1;      /* address range without memory */
			unsigned int ExtendedCoherent : 1; /* coherent between all agents */
			unsigned int GTTAccess : 1;        /* through the GTT */
			unsigned int Contiguous : 1;       /* in one piece, if possible */
			unsigned int ExecuteBlit : 1;      /* blit code */
			unsigned int QueueObject : 1;      /* for a queue's own use */
			unsigned int Reserved : 7;
		} ui32;
		HSAuint32 Value;
	};
} HsaMemFlags;

typedef struct _HsaMemoryRange {
	void *MemoryAddress;
	HSAuint64 SizeInBytes;
} HsaMemoryRange;

/* How an address came to be known. */
typedef enum _HSA_POINTER_TYPE {
	HSA_POINTER_UNKNOWN = 0,
	HSA_POINTER_ALLOCATED = 1,
	HSA_POINTER_REGISTERED_USER = 2,
	HSA_POINTER_REGISTERED_GRAPHICS = 3,
	HSA_POINTER_REGISTERED_SHARED = 4,
	HSA_POINTER_RESERVED_ADDR = 5,
} HSA_POINTER_TYPE;

/* What is known of an address. The arrays belong to the library. */
typedef struct _HsaPointerInfo {
	HSA_POINTER_TYPE Type;
	HSAuint32 Node; /* owner */
	HsaMemFlags MemFlags;
	void *CPUAddress;     /* start as the host sees it */
	HSAuint64 GPUAddress; /* start as the GPU sees it */
	HSAuint64 SizeInBytes;
	HSAuint32 NRegisteredNodes; /* length of RegisteredNodes */
	HSAuint32 NMappedNodes;     /* length of MappedNodes */
	const HSAuint32 *RegisteredNodes;
	const HSAuint32 *MappedNodes;
	void *UserData; /* from hsaKmtSetMemoryUserData */
} HsaPointerInfo;

typedef union {
	HSAuint32 Value;
	struct {
		unsigned int requiresVAddr : 1; /* map the import at an address */
		unsigned int kmtHandle : 1;     /* the handle is a KMT handle (Windows) */
	} ui32;
} HSA_REGISTER_MEM_FLAGS;

/* An imported graphics buffer; the metadata belongs to the library. */
typedef struct _HsaGraphicsResourceInfo {
	void *MemoryAddress;           /* out */
	HSAuint64 SizeInBytes;         /* out */
	const void *Metadata;          /* out */
	HSAuint32 MetadataSizeInBytes; /* out */
	HSAuint32 NodeId;              /* out: exporting node */
	HSAuint64 SizeHintInBytes;     /* in; not read of 5.2.3 callers */
} HsaGraphicsResourceInfo;

/* What hsaKmtQueryDmaBufInfo() reports; the layout is not published (api.md 5). */
typedef struct _HsaDmaBufInfo HsaDmaBufInfo;

/* --- Shared virtual memory --- */

typedef enum _HSA_SVM_FLAGS {
	HSA_SVM_FLAG_HOST_ACCESS = 0x1,
	HSA_SVM_FLAG_COHERENT = 0x2,
	HSA_SVM_FLAG_HIVE_LOCAL = 0x4,
	HSA_SVM_FLAG_GPU_RO = 0x8,
	HSA_SVM_FLAG_GPU_EXEC = 0x10,
	HSA_SVM_FLAG_GPU_READ_MOSTLY = 0x20,
	HSA_SVM_FLAG_GPU_ALWAYS_MAPPED = 0x40,
	HSA_SVM_FLAG_EXT_COHERENT = 0x80,
} HSA_SVM_FLAGS;

typedef enum _HSA_SVM_ATTR_TYPE {
	HSA_SVM_ATTR_PREFERRED_LOC = 0,
	HSA_SVM_ATTR_PREFETCH_LOC = 1,
	HSA_SVM_ATTR_ACCESS = 2,
	HSA_SVM_ATTR_ACCESS_IN_PLACE = 3,
	HSA_SVM_ATTR_NO_ACCESS = 4,
	HSA_SVM_ATTR_SET_FLAGS = 5,
	HSA_SVM_ATTR_CLR_FLAGS = 6,
	HSA_SVM_ATTR_GRANULARITY = 7,
} HSA_SVM_ATTR_TYPE;

typedef struct _HSA_SVM_ATTRIBUTE {
	HSAuint32 type;  /* HSA_SVM_ATTR_TYPE */
	HSAuint32 value; /* node id, flags or log2 of pages, as type says */
} HSA_SVM_ATTRIBUTE;

/* --- Queues --- */

typedef enum _HSA_QUEUE_PRIORITY {
	HSA_QUEUE_PRIORITY_MINIMUM = -3,
	HSA_QUEUE_PRIORITY_LOW = -2,
	HSA_QUEUE_PRIORITY_BELOW_NORMAL = -1,
	HSA_QUEUE_PRIORITY_NORMAL = 0,
	HSA_QUEUE_PRIORITY_ABOVE_NORMAL = 1,
	HSA_QUEUE_PRIORITY_HIGH = 2,
	HSA_QUEUE_PRIORITY_MAXIMUM = 3,
	HSA_QUEUE_PRIORITY_NUM_PRIORITY = 4,
	HSA_QUEUE_PRIORITY_SIZE = 0xFFFFFFFF,
} HSA_QUEUE_PRIORITY;

typedef enum _HSA_QUEUE_TYPE {
	HSA_QUEUE_COMPUTE = 1, /* PM4 packets */
	HSA_QUEUE_SDMA = 2,
	HSA_QUEUE_MULTIMEDIA_DECODE = 3,
	HSA_QUEUE_MULTIMEDIA_ENCODE = 4,
	HSA_QUEUE_SDMA_XGMI = 5,      /* an engine for copies in the hive */
	HSA_QUEUE_SDMA_BY_ENG_ID = 6, /* the engine that the caller names */
	HSA_QUEUE_COMPUTE_OS = 11,
	HSA_QUEUE_SDMA_OS = 12,
	HSA_QUEUE_MULTIMEDIA_DECODE_OS = 13,
	HSA_QUEUE_MULTIMEDIA_ENCODE_OS = 14,
	HSA_QUEUE_COMPUTE_AQL = 21,
	HSA_QUEUE_DMA_AQL = 22,
	HSA_QUEUE_DMA_AQL_XGMI = 23,
	HSA_QUEUE_TYPE_SIZE = 0xFFFFFFFF,
} HSA_QUEUE_TYPE;

/* The first bytes of a queue's save area; the layout is shared with the kernel and debuggers. */
typedef struct {
	HSAuint32 ControlStackOffset;
	HSAuint32 ControlStackSize;
	HSAuint32 WaveStateOffset;
	HSAuint32 WaveStateSize;
	HSAuint32 DebugOffset;
	HSAuint32 DebugSize;
	volatile HSAint64 *ErrorReason; /* receives the exception mask */
	HSAuint32 ErrorEventId;         /* event signalled with it */
	HSAuint32 Reserved1;
} HsaUserContextSaveAreaHeader;

/* State of a queue that is stopped. 8 bytes longer than in 5.2.3. */
typedef struct {
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
	HSAuint64 SaveAreaAllocSize; /* bytes allocated */
} HsaQueueInfo;

/*
 * A new queue. 12 bytes longer than in 5.2.3. ErrorReason, and the pointers of AQL queues, are
 * inputs.
 */
typedef struct _HsaQueueResource {
	HSA_QUEUEID QueueId; /* out */
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
	volatile HSAint64 *ErrorReason;     /* in: receives the exception mask */
	HSAuint64 SdmaProgressFenceVA;      /* Windows */
	HSAuint32 SdmaHwQueueEpilogueBytes; /* Windows */
} HsaQueueResource;

typedef struct _HsaQueueReport {
	HSAuint32 VMID;
	void *QueueAddress;
	HSAuint64 QueueSize;
} HsaQueueReport;

/* --- Debugger --- */

typedef enum _HSA_DBG_WAVEOP {
	HSA_DBG_WAVEOP_HALT = 1,
	HSA_DBG_WAVEOP_RESUME = 2,
	HSA_DBG_WAVEOP_KILL = 3,
	HSA_DBG_WAVEOP_DEBUG = 4,
	HSA_DBG_WAVEOP_TRAP = 5,
	HSA_DBG_NUM_WAVEOP = 5,
	HSA_DBG_MAX_WAVEOP = 0xFFFFFFFF,
} HSA_DBG_WAVEOP;

typedef enum _HSA_DBG_WAVEMODE {
	HSA_DBG_WAVEMODE_SINGLE = 0,
	HSA_DBG_WAVEMODE_BROADCAST_PROCESS = 2,
	HSA_DBG_WAVEMODE_BROADCAST_PROCESS_CU = 3,
	HSA_DBG_NUM_WAVEMODE = 3,
	HSA_DBG_MAX_WAVEMODE = 0xFFFFFFFF,
} HSA_DBG_WAVEMODE;

typedef enum _HSA_DBG_WAVEMSG_TYPE {
	HSA_DBG_WAVEMSG_AUTO = 0,
	HSA_DBG_WAVEMSG_USER = 1,
	HSA_DBG_WAVEMSG_ERROR = 2,
	HSA_DBG_NUM_WAVEMSG = 3,
	HSA_DBG_MAX_WAVEMSG = 0xFFFFFFFF,
} HSA_DBG_WAVEMSG_TYPE;

typedef enum _HSA_DBG_WATCH_MODE {
	HSA_DBG_WATCH_READ = 0,
	HSA_DBG_WATCH_NONREAD = 1,
	HSA_DBG_WATCH_ATOMIC = 2,
	HSA_DBG_WATCH_ALL = 3,
	HSA_DBG_WATCH_NUM = 4,
} HSA_DBG_WATCH_MODE;

typedef enum _HSA_DBG_TRAP_OVERRIDE {
	HSA_DBG_TRAP_OVERRIDE_OR = 0,
	HSA_DBG_TRAP_OVERRIDE_REPLACE = 1,
	HSA_DBG_TRAP_OVERRIDE_NUM = 2,
} HSA_DBG_TRAP_OVERRIDE;

typedef enum _HSA_DBG_TRAP_MASK {
	HSA_DBG_TRAP_MASK_FP_INVALID = 0x1,
	HSA_DBG_TRAP_MASK_FP_INPUT_DENOMAL = 0x2,
	HSA_DBG_TRAP_MASK_FP_DIVIDE_BY_ZERO = 0x4,
	HSA_DBG_TRAP_MASK_FP_OVERFLOW = 0x8,
	HSA_DBG_TRAP_MASK_FP_UNDERFLOW = 0x10,
	HSA_DBG_TRAP_MASK_FP_INEXACT = 0x20,
	HSA_DBG_TRAP_MASK_INT_DIVIDE_BY_ZERO = 0x40,
	HSA_DBG_TRAP_MASK_DBG_ADDRESS_WATCH = 0x80,
	HSA_DBG_TRAP_MASK_DBG_MEMORY_VIOLATION = 0x100,
} HSA_DBG_TRAP_MASK;

/* Exceptions of the debug trap interface; a mask holds bit (code - 1). */
typedef enum _HSA_DBG_TRAP_EXCEPTION_CODE {
	HSA_DBG_EC_NONE = 0,
	HSA_DBG_EC_QUEUE_WAVE_ABORT = 1,
	HSA_DBG_EC_QUEUE_WAVE_TRAP = 2,
	HSA_DBG_EC_QUEUE_WAVE_MATH_ERROR = 3,
	HSA_DBG_EC_QUEUE_WAVE_ILLEGAL_INSTRUCTION = 4,
	HSA_DBG_EC_QUEUE_WAVE_MEMORY_VIOLATION = 5,
	HSA_DBG_EC_QUEUE_WAVE_APERTURE_VIOLATION = 6,
	HSA_DBG_EC_QUEUE_PACKET_DISPATCH_DIM_INVALID = 16,
	HSA_DBG_EC_QUEUE_PACKET_DISPATCH_GROUP_SEGMENT_SIZE_INVALID = 17,
	HSA_DBG_EC_QUEUE_PACKET_DISPATCH_CODE_INVALID = 18,
	HSA_DBG_EC_QUEUE_PACKET_RESERVED = 19,
	HSA_DBG_EC_QUEUE_PACKET_UNSUPPORTED = 20,
	HSA_DBG_EC_QUEUE_PACKET_DISPATCH_WORK_GROUP_SIZE_INVALID = 21,
	HSA_DBG_EC_QUEUE_PACKET_DISPATCH_REGISTER_INVALID = 22,
	HSA_DBG_EC_QUEUE_PACKET_VENDOR_UNSUPPORTED = 23,
	HSA_DBG_EC_QUEUE_PREEMPTION_ERROR = 30,
	HSA_DBG_EC_QUEUE_NEW = 31,
	HSA_DBG_EC_DEVICE_QUEUE_DELETE = 32,
	HSA_DBG_EC_DEVICE_MEMORY_VIOLATION = 33,
	HSA_DBG_EC_DEVICE_RAS_ERROR = 34,
	HSA_DBG_EC_DEVICE_FATAL_HALT = 35,
	HSA_DBG_EC_DEVICE_NEW = 36,
	HSA_DBG_EC_PROCESS_RUNTIME = 48,
	HSA_DBG_EC_PROCESS_DEVICE_REMOVE = 49,
	HSA_DBG_EC_MAX = 50,
} HSA_DBG_TRAP_EXCEPTION_CODE;

#define HSA_EC_MASK(ecode) (1ULL << ((ecode)-1))

typedef enum _HSA_DBG_WAVE_LAUNCH_MODE {
	HSA_DBG_WAVE_LAUNCH_MODE_NORMAL = 0,
	HSA_DBG_WAVE_LAUNCH_MODE_HALT = 1,
	HSA_DBG_WAVE_LAUNCH_MODE_KILL = 2,
	HSA_DBG_WAVE_LAUNCH_MODE_SINGLE_STEP = 3,
	HSA_DBG_WAVE_LAUNCH_MODE_DISABLE = 4,
	HSA_DBG_WAVE_LAUNCH_MODE_NUM = 5,
} HSA_DBG_WAVE_LAUNCH_MODE;

typedef enum HSA_DBG_NODE_CONTROL {
	HSA_DBG_NODE_CONTROL_FLAG_MAX = 1,
} HSA_DBG_NODE_CONTROL;

typedef struct _HsaDbgWaveMsgAMDGen2 {
	HSAuint32 Value;
	HSAuint32 Reserved2;
} HsaDbgWaveMsgAMDGen2;

typedef union _HsaDbgWaveMessageAMD {
	HsaDbgWaveMsgAMDGen2 WaveMsgInfoGen2;
} HsaDbgWaveMessageAMD;

typedef struct _HsaDbgWaveMessage {
	void *MemoryVA;
	HsaDbgWaveMessageAMD DbgWaveMsg;
} HsaDbgWaveMessage;

/* hsaKmtGetRuntimeCapabilities(): a core dump can be written. */
#define HSA_RUNTIME_ENABLE_CAPS_SUPPORTS_CORE_DUMP_MASK 0x80000000

/* --- Events --- */

typedef enum _HSA_EVENTTYPE {
	HSA_EVENTTYPE_SIGNAL = 0,
	HSA_EVENTTYPE_NODECHANGE = 1,
	HSA_EVENTTYPE_DEVICESTATECHANGE = 2,
	HSA_EVENTTYPE_HW_EXCEPTION = 3,
	HSA_EVENTTYPE_SYSTEM_EVENT = 4,
	HSA_EVENTTYPE_DEBUG_EVENT = 5,
	HSA_EVENTTYPE_PROFILE_EVENT = 6,
	HSA_EVENTTYPE_QUEUE_EVENT = 7,
	HSA_EVENTTYPE_MEMORY = 8,
	HSA_EVENTTYPE_MAXID = 9,
	HSA_EVENTTYPE_TYPE_SIZE = 0xFFFFFFFF,
} HSA_EVENTTYPE;

/* Milliseconds with a meaning of their own. */
typedef enum _HsaEventTimeout {
	HSA_EVENTTIMEOUT_IMMEDIATE = 0,
	HSA_EVENTTIMEOUT_INFINITE = 0xFFFFFFFF,
} HsaEventTimeOut;

typedef enum _HSA_DEBUG_EVENT_TYPE {
	HSA_DEBUG_EVENT_TYPE_NONE = 0,
	HSA_DEBUG_EVENT_TYPE_TRAP = 1,
	HSA_DEBUG_EVENT_TYPE_VMFAULT = 2,
	HSA_DEBUG_EVENT_TYPE_TRAP_VMFAULT = 3,
} HSA_DEBUG_EVENT_TYPE;

typedef enum _HSA_EVENTTYPE_NODECHANGE_FLAGS {
	HSA_EVENTTYPE_NODECHANGE_ADD = 0,
	HSA_EVENTTYPE_NODECHANGE_REMOVE = 1,
	HSA_EVENTTYPE_NODECHANGE_SIZE = 0xFFFFFFFF,
} HSA_EVENTTYPE_NODECHANGE_FLAGS;

typedef enum _HSA_EVENTTYPE_DEVICESTATECHANGE_FLAGS {
	HSA_EVENTTYPE_DEVICESTATUSCHANGE_START = 0,
	HSA_EVENTTYPE_DEVICESTATUSCHANGE_STOP = 1,
	HSA_EVENTTYPE_DEVICESTATUSCHANGE_SIZE = 0xFFFFFFFF,
} HSA_EVENTTYPE_DEVICESTATECHANGE_FLAGS;

typedef enum _HSA_DEVICE {
	HSA_DEVICE_CPU = 0,
	HSA_DEVICE_GPU = 1,
	MAX_HSA_DEVICE = 2,
} HSA_DEVICE;

typedef enum _HSA_EVENTID_MEMORYFLAGS {
	HSA_EVENTID_MEMORY_RECOVERABLE = 0,
	HSA_EVENTID_MEMORY_FATAL_PROCESS = 1,
	HSA_EVENTID_MEMORY_FATAL_VM = 2,
} HSA_EVENTID_MEMORYFLAGS;

typedef enum _HSA_EVENTID_HW_EXCEPTION_CAUSE {
	HSA_EVENTID_HW_EXCEPTION_GPU_HANG = 0,
	HSA_EVENTID_HW_EXCEPTION_ECC = 1,
} HSA_EVENTID_HW_EXCEPTION_CAUSE;

typedef struct _HsaSyncVar {
	union {
		void *UserData;
		HSAuint64 UserDataPtrValue;
	} SyncVar;
	HSAuint64 SyncVarSize;
} HsaSyncVar;

typedef struct _HsaNodeChange {
	HSA_EVENTTYPE_NODECHANGE_FLAGS Flags;
} HsaNodeChange;

typedef struct _HsaDeviceStateChange {
	HSAuint32 NodeId;
	HSA_DEVICE Device;
	HSA_EVENTTYPE_DEVICESTATECHANGE_FLAGS Flags;
} HsaDeviceStateChange;

typedef struct _HsaAccessAttributeFailure {
	unsigned int NotPresent : 1; /* page not mapped */
	unsigned int ReadOnly : 1;   /* write to a read-only page */
	unsigned int NoExecute : 1;  /* fetch from a page without code */
	unsigned int GpuAccess : 1;
	unsigned int ECC : 1;
	unsigned int Imprecise : 1; /* the address is not exact */
	unsigned int ErrorType : 3; /* 0 no RAS, 1 SRAM ECC, 2 poison, 3 hang */
	unsigned int Reserved : 23;
} HsaAccessAttributeFailure;

typedef struct _HsaMemoryAccessFault {
	HSAuint32 NodeId;
	HSAuint64 VirtualAddress;
	HsaAccessAttributeFailure Failure;
	HSA_EVENTID_MEMORYFLAGS Flags;
} HsaMemoryAccessFault;

typedef struct _HsaHwException {
	HSAuint32 NodeId;
	HSAuint32 ResetType;
	HSAuint32 MemoryLost; /* VRAM contents are gone */
	HSA_EVENTID_HW_EXCEPTION_CAUSE ResetCause;
} HsaHwException;

/* What happened. HWData1 to 3 are the library's own. */
typedef struct _HsaEventData {
	HSA_EVENTTYPE EventType;
	union {
		HsaSyncVar SyncVar;
		HsaNodeChange NodeChangeState;
		HsaDeviceStateChange DeviceState;
		HsaMemoryAccessFault MemoryAccessFault;
		HsaHwException HwException;
	} EventData;
	HSAuint64 HWData1;
	HSAuint64 HWData2;
	HSAuint32 HWData3;
} HsaEventData;

typedef struct _HsaEventDescriptor {
	HSA_EVENTTYPE EventType;
	HSAuint32 NodeId; /* for events of one node */
	HsaSyncVar SyncVar;
} HsaEventDescriptor;

/* An event; made and freed by the library. */
typedef struct _HsaEvent {
	HSA_EVENTID EventId;
	HsaEventData EventData;
} HsaEvent;

/* --- System management events --- */

typedef enum _HSA_SMI_EVENT {
	HSA_SMI_EVENT_NONE = 0,
	HSA_SMI_EVENT_VMFAULT = 1,
	HSA_SMI_EVENT_THERMAL_THROTTLE = 2,
	HSA_SMI_EVENT_GPU_PRE_RESET = 3,
	HSA_SMI_EVENT_GPU_POST_RESET = 4,
	HSA_SMI_EVENT_MIGRATE_START = 5,
	HSA_SMI_EVENT_MIGRATE_END = 6,
	HSA_SMI_EVENT_PAGE_FAULT_START = 7,
	HSA_SMI_EVENT_PAGE_FAULT_END = 8,
	HSA_SMI_EVENT_QUEUE_EVICTION = 9,
	HSA_SMI_EVENT_QUEUE_RESTORE = 10,
	HSA_SMI_EVENT_UNMAP_FROM_GPU = 11,
	HSA_SMI_EVENT_INDEX_MAX = 12,
	HSA_SMI_EVENT_ALL_PROCESS = 64,
} HSA_EVENT_TYPE;

#define HSA_SMI_EVENT_MASK_FROM_INDEX(i) (1ULL << ((i)-1))

#define HSA_SMI_EVENT_MSG_SIZE 96 /* longest line that a read gives */

typedef enum _HSA_MIGRATE_TRIGGERS {
	HSA_MIGRATE_TRIGGER_PREFETCH = 0,
	HSA_MIGRATE_TRIGGER_PAGEFAULT_GPU = 1,
	HSA_MIGRATE_TRIGGER_PAGEFAULT_CPU = 2,
	HSA_MIGRATE_TRIGGER_TTM_EVICTION = 3,
} HSA_MIGRATE_TRIGGERS;

typedef enum _HSA_QUEUE_EVICTION_TRIGGERS {
	HSA_QUEUE_EVICTION_TRIGGER_SVM = 0,
	HSA_QUEUE_EVICTION_TRIGGER_USERPTR = 1,
	HSA_QUEUE_EVICTION_TRIGGER_TTM = 2,
	HSA_QUEUE_EVICTION_TRIGGER_SUSPEND = 3,
	HSA_QUEUE_EVICTION_CRIU_CHECKPOINT = 4,
	HSA_QUEUE_EVICTION_CRIU_RESTORE = 5,
} HSA_QUEUE_EVICTION_TRIGGERS;

typedef enum _HSA_SVM_UNMAP_TRIGGERS {
	HSA_SVM_UNMAP_TRIGGER_MMU_NOTIFY = 0,
	HSA_SVM_UNMAP_TRIGGER_MMU_NOTIFY_MIGRATE = 1,
	HSA_SVM_UNMAP_TRIGGER_UNMAP_FROM_CPU = 2,
} HSA_SVM_UNMAP_TRIGGERS;

/* --- Performance counters and PC sampling --- */

typedef struct _HSA_UUID {
	HSAuint32 Data1;
	HSAuint16 Data2;
	HSAuint16 Data3;
	HSAuint8 Data4[8];
} HSA_UUID;

typedef enum _HSA_PROFILE_TYPE {
	HSA_PROFILE_TYPE_PRIVILEGED_IMMEDIATE = 0,
	HSA_PROFILE_TYPE_PRIVILEGED_STREAMING = 1,
	HSA_PROFILE_TYPE_NONPRIV_IMMEDIATE = 2,
	HSA_PROFILE_TYPE_NONPRIV_STREAMING = 3,
	HSA_PROFILE_TYPE_NUM = 4,
	HSA_PROFILE_TYPE_SIZE = 0xFFFFFFFF,
} HSA_PROFILE_TYPE;

typedef struct _HsaCounterFlags {
	union {
		struct {
			unsigned int Global : 1;
			unsigned int Resettable : 1; /* starts from 0 */
			unsigned int ReadOnly : 1;
			unsigned int Stream : 1;
			unsigned int Reserved : 28;
		} ui32;
		HSAuint32 Value;
	};
} HsaCounterFlags;

typedef struct _HsaCounter {
	HSA_PROFILE_TYPE Type;
	HSAuint64 CounterId;
	HSAuint32 CounterSizeInBits;
	HSAuint64 CounterMask;
	HsaCounterFlags Flags;
	HSAuint32 BlockIndex;
} HsaCounter;

/* One block of counters; NumCounters of them follow, and then the next block. */
typedef struct _HsaCounterBlockProperties {
	HSA_UUID BlockId;
	HSAuint32 NumCounters;
	HSAuint32 NumConcurrent;
	HsaCounter Counters[1];
} HsaCounterBlockProperties;

/* NumBlocks blocks of different lengths follow. Belongs to the library. */
typedef struct _HsaCounterProperties {
	HSAuint32 NumBlocks;
	HSAuint32 NumConcurrent;
	HsaCounterBlockProperties Blocks[1];
} HsaCounterProperties;

typedef struct _HsaPmcTraceRoot {
	HSAuint64 TraceBufferMinSizeBytes;
	HSAuint32 NumberOfPasses;
	HSATraceId TraceId;
} HsaPmcTraceRoot;

typedef enum _HSA_PC_SAMPLING_METHOD_KIND {
	HSA_PC_SAMPLING_METHOD_KIND_HOSTTRAP_V1 = 1,
	HSA_PC_SAMPLING_METHOD_KIND_STOCHASTIC_V1 = 2,
} HSA_PC_SAMPLING_METHOD_KIND;

typedef enum _HSA_PC_SAMPLING_UNITS {
	HSA_PC_SAMPLING_UNIT_INTERVAL_MICROSECONDS = 0,
	HSA_PC_SAMPLING_UNIT_INTERVAL_CYCLES = 1,
	HSA_PC_SAMPLING_UNIT_INTERVAL_INSTRUCTIONS = 2,
} HSA_PC_SAMPLING_UNIT_INTERVAL;

/* One way to sample. */
typedef struct _HsaPcSamplingInfo {
	HSAuint64 value; /* interval, in units */
	HSAuint64 value_min;
	HSAuint64 value_max;
	HSAuint64 flags; /* 1: intervals are powers of two */
	HSA_PC_SAMPLING_METHOD_KIND method;
	HSA_PC_SAMPLING_UNIT_INTERVAL units;
} HsaPcSamplingInfo;

/* --- Buffer object handles --- */

typedef enum _HsaExternalHandleType {
	HSA_EXTERNAL_HANDLE_GEM_FLINK_NAME = 0,
	HSA_EXTERNAL_HANDLE_KMS = 1,
	HSA_EXTERNAL_HANDLE_DMA_BUF = 2,
	HSA_EXTERNAL_HANDLE_FABRIC = 3,
} HsaExternalHandleType;

typedef enum _HsaMemoryMapFlags {
	HSA_MEMORY_ACCESS_NONE = 0,
	HSA_MEMORY_ACCESS_RO = 1,
	HSA_MEMORY_ACCESS_WO = 2,
	HSA_MEMORY_ACCESS_RW = 3,
} HsaMemoryMapFlags;

typedef struct _HsaFabricHandle {
	HSAuint64 handle[2];
} HsaFabricHandle;

typedef struct _HsaHandleImportDesc {
	HsaAMDGPUDeviceHandle device_handle;
	HsaExternalHandleType type;
	union {
		HSAint64 dmabuf_fd;
		HsaMemoryObjectHandle buf_handle;
		HsaFabricHandle fabric;
	};
	void *mem;
	HSAuint32 metadata;
} HsaHandleImportDesc;

typedef struct _HsaHandleImportResult {
	HsaMemoryObjectHandle buf_handle;
	int dmabuf_fd;
	HSAuint64 alloc_size;
	HSAuint32 metadata;
} HsaHandleImportResult;

typedef struct _HsaHandleImportFlags {
	struct {
		unsigned int IPCHandle : 1;
		unsigned int SysMem : 1;
		unsigned int UpdateMetadata : 1;
		unsigned int Reserved : 29;
	} ui32;
} HsaHandleImportFlags;

typedef struct _HsaHandleExportDesc {
	HsaAMDGPUDeviceHandle device_handle;
	HsaExternalHandleType type;
	HsaMemoryObjectHandle buf_handle;
	HSAuint64 size;
} HsaHandleExportDesc;

typedef struct _HsaMemoryExportResult {
	union {
		HSAint32 dmabuf_fd;
		HsaFabricHandle fabric;
	};
} HsaMemoryExportResult;

typedef struct _HsaHandleExportFlags {
	struct {
		unsigned int Reserved : 32;
	} ui32;
} HsaHandleExportFlags;

/* --- External semaphores, direct storage, Windows --- */

typedef enum _HSA_EXTERNAL_SEMAPHORE_HANDLE_TYPE {
	HSA_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32 = 0,
	HSA_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_KMT = 1,
	HSA_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD = 2,
} HSA_EXTERNAL_SEMAPHORE_HANDLE_TYPE;

typedef struct _HSA_EXTERNAL_SEMAPHORE_HANDLE {
	HSAuint64 handle;
} HSA_EXTERNAL_SEMAPHORE_HANDLE;

typedef enum _HsaAisFlags {
	HSA_AIS_READ = 1,
	HSA_AIS_WRITE = 2,
} HsaAisFlags;

/* Windows only. */
typedef struct _HsaWddmSurfaceMetadata {
	HSAuint32 version;
	HSAuint32 swizzle_mode;
	HSAuint32 tile_swizzle;
	HSAuint32 compression_mode;
	HSAuint32 max_comp_blk;
	HSAuint32 max_uncomp_blk;
} HsaWddmSurfaceMetadata;

/* A self-check of the Windows flavour. */
typedef struct _HsaStructureSizes {
	HSAuint16 StructureSizes;
	HSAuint16 SizeOfHsaNodeProperties;
	HSAuint16 SizeOfHsaExternalHandleDesc;
	HSAuint16 Reserved[5];
} HsaStructureSizes;

#pragma pack(pop)

/* --- Ids of the counter blocks --- */

/* Declares a file-local constant HSA_UUID; with Windows' DEFINE_GUID it is a GUID. */
#ifdef DEFINE_GUID
#define HSA_UUID GUID
#define HSA_DEFINE_UUID(name, dw, w1, w2, b1, b2, b3, b4, b5, b6, b7, b8)                          \
	DEFINE_GUID(name, dw, w1, w2, b1, b2, b3, b4, b5, b6, b7, b8)
#else
#define HSA_DEFINE_UUID(name, dw, w1, w2, b1, b2, b3, b4, b5, b6, b7, b8)                          \
	static const HSA_UUID name                                                                 \
		__attribute__((unused)) = { dw, w1, w2, { b1, b2, b3, b4, b5, b6, b7, b8 } }
#endif

/* clang-format off */
HSA_DEFINE_UUID(HSA_PROFILEBLOCK_AMD_CB,
	0x9ba429c6, 0xaf2d, 0x4b38, 0xb3, 0x49, 0x15, 0x72, 0x71, 0xbe, 0xac, 0x6a);
HSA_DEFINE_UUID(HSA_PROFILEBLOCK_AMD_CPF,
	0x2b0ad2b5, 0x1c43, 0x4f46, 0xa7, 0xbc, 0xe1, 0x19, 0x41, 0x1e, 0xa6, 0xc9);
HSA_DEFINE_UUID(HSA_PROFILEBLOCK_AMD_CPG,
	0x590ec94d, 0x20f0, 0x448f, 0x8d, 0xff, 0x31, 0x6c, 0x67, 0x9d, 0xe7, 0xff);
HSA_DEFINE_UUID(HSA_PROFILEBLOCK_AMD_DB,
	0x3d1a47fc, 0x0013, 0x4ed4, 0x83, 0x06, 0x82, 0x2c, 0xa0, 0xb7, 0xa6, 0xc2);
HSA_DEFINE_UUID(HSA_PROFILEBLOCK_AMD_GDS,
	0xf59276ec, 0x2526, 0x4bf8, 0x8e, 0xc0, 0x11, 0x8f, 0x77, 0x70, 0x0d, 0xc9);
HSA_DEFINE_UUID(HSA_PROFILEBLOCK_AMD_GRBM,
	0x8f00933c, 0xc33d, 0x4801, 0x97, 0xb7, 0x70, 0x07, 0xf7, 0x85, 0x73, 0xad);
HSA_DEFINE_UUID(HSA_PROFILEBLOCK_AMD_GRBMSE,
	0x34ebd8d7, 0x7c8b, 0x4d15, 0x88, 0xfa, 0x0e, 0x4e, 0x4a, 0xf5, 0x9a, 0xc1);
HSA_DEFINE_UUID(HSA_PROFILEBLOCK_AMD_IA,
	0x34276944, 0x4264, 0x4fcd, 0x9d, 0x6e, 0xae, 0x26, 0x45, 0x82, 0xec, 0x51);
HSA_DEFINE_UUID(HSA_PROFILEBLOCK_AMD_MC,
	0x13900b57, 0x4956, 0x4d98, 0x81, 0xd0, 0x68, 0x52, 0x19, 0x37, 0xf5, 0x9c);
HSA_DEFINE_UUID(HSA_PROFILEBLOCK_AMD_PASC,
	0xb0e7fb5d, 0x0efc, 0x4744, 0xb5, 0x16, 0x5d, 0x23, 0xdc, 0x1f, 0xd5, 0x6c);
HSA_DEFINE_UUID(HSA_PROFILEBLOCK_AMD_PASU,
	0x9a152b6a, 0x1fad, 0x45f2, 0xa5, 0xbf, 0xf1, 0x63, 0x82, 0x6b, 0xd0, 0xcd);
HSA_DEFINE_UUID(HSA_PROFILEBLOCK_AMD_SPI,
	0xeda81044, 0xd62c, 0x47eb, 0xaf, 0x89, 0x4f, 0x6f, 0xbf, 0x3b, 0x38, 0xe0);
HSA_DEFINE_UUID(HSA_PROFILEBLOCK_AMD_SQ,
	0xb5c396b6, 0xd310, 0x47e4, 0x86, 0xfc, 0x5c, 0xc3, 0x04, 0x3a, 0xf5, 0x08);
HSA_DEFINE_UUID(HSA_PROFILEBLOCK_AMD_SRBM,
	0x9f8040e0, 0x6830, 0x4019, 0xac, 0xc8, 0x46, 0x3c, 0x9e, 0x44, 0x5b, 0x89);
HSA_DEFINE_UUID(HSA_PROFILEBLOCK_AMD_SX,
	0xbdb8d737, 0x43cc, 0x4162, 0xbe, 0x52, 0x51, 0xcf, 0xb8, 0x47, 0xbe, 0xaf);
HSA_DEFINE_UUID(HSA_PROFILEBLOCK_AMD_TA,
	0xc01ee43d, 0xad92, 0x44b1, 0x8a, 0xb9, 0xbe, 0x5e, 0x69, 0x6c, 0xee, 0xa7);
HSA_DEFINE_UUID(HSA_PROFILEBLOCK_AMD_TCA,
	0x333e393f, 0xe147, 0x4f49, 0xa6, 0xd1, 0x60, 0x91, 0x4c, 0x70, 0x86, 0xb0);
HSA_DEFINE_UUID(HSA_PROFILEBLOCK_AMD_TCC,
	0x848ce855, 0xd805, 0x4566, 0xa8, 0xab, 0x73, 0xe8, 0x84, 0xcc, 0x6b, 0xff);
HSA_DEFINE_UUID(HSA_PROFILEBLOCK_AMD_TCP,
	0xe10a013b, 0x17d4, 0x4bf5, 0xb0, 0x89, 0x42, 0x95, 0x91, 0x05, 0x9b, 0x60);
HSA_DEFINE_UUID(HSA_PROFILEBLOCK_AMD_TCS,
	0x4126245c, 0x4d96, 0x4d1a, 0x8a, 0xed, 0xa9, 0x39, 0xd4, 0xcc, 0x8e, 0xc9);
HSA_DEFINE_UUID(HSA_PROFILEBLOCK_AMD_TD,
	0x7d7c0fe4, 0xfe41, 0x4fea, 0x92, 0xc9, 0x45, 0x44, 0xd7, 0x70, 0x6d, 0xc6);
HSA_DEFINE_UUID(HSA_PROFILEBLOCK_AMD_VGT,
	0x0b6a8cb7, 0x7a01, 0x409f, 0xa2, 0x2c, 0x30, 0x14, 0x85, 0x4f, 0x13, 0x59);
HSA_DEFINE_UUID(HSA_PROFILEBLOCK_AMD_WD,
	0x0e176789, 0x46ed, 0x4b02, 0x97, 0x2a, 0x91, 0x6d, 0x2f, 0xac, 0x24, 0x4a);
/* No longer in the newest interface; kept for sources that name them. */
HSA_DEFINE_UUID(HSA_PROFILEBLOCK_AMD_IOMMUV2,
	0x80969879, 0xb0f6, 0x4be6, 0x97, 0xf6, 0x6a, 0x63, 0x00, 0xf5, 0x10, 0x1d);
HSA_DEFINE_UUID(HSA_PROFILEBLOCK_AMD_KERNEL_DRIVER,
	0xea9b5ae1, 0x6c3f, 0x44b3, 0x89, 0x54, 0xda, 0xf0, 0x75, 0x65, 0xa9, 0x0a);
/* clang-format on */

#ifdef __cplusplus
}
#endif

#endif
