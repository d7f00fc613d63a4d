/* SPDX-License-Identifier: MIT */
/*
 * The calls that name a context. The plain call of the same name without Ctx is the same, applied
 * to the primary context; parameters and statuses are in its text in hsakmt.h.
 *
 * A context is one opened KFD descriptor with all that hangs on it. hsaKmtOpenKFDCtx() gives the
 * primary one; hsaKmtOpenSecondaryKFDCtx() makes others, for which the kernel keeps a process
 * object of their own. A NULL or closed context gets KERNEL_IO_CHANNEL_NOT_OPENED.
 */
#ifndef KFDSCOPE_HSAKMT_HSAKMTCTX_H
#define KFDSCOPE_HSAKMT_HSAKMTCTX_H

#include "hsakmttypes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of the KFD ioctl header, linux/kfd_ioctl.h. */
struct kfd_ioctl_dbg_trap_args;

/* --- Contexts --- */

/**
 * Opens the driver as hsaKmtOpenKFD does and returns the pointer of the primary context.
 *
 * @param pCtx  out: the context
 * @return SUCCESS, KERNEL_ALREADY_OPENED, KERNEL_IO_CHANNEL_NOT_OPENED, ERROR, DRIVER_MISMATCH,
 *         NO_MEMORY.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtOpenKFDCtx(HsaKFDContext **pCtx);

/**
 * Same as hsaKmtCloseKFD; takes no argument because there is one primary context.
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtCloseKFDCtx(void);

/**
 * Opens a second, independent KFD descriptor, makes the kernel create a separate process object
 * for it and returns a heap context; the driver must already be open.
 *
 * @param pCtx  out: the context
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, NO_MEMORY, ERROR, INVALID_PARAMETER.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtOpenSecondaryKFDCtx(HsaKFDContext **pCtx);

/**
 * Tears down and frees a secondary context; refuses NULL and the primary context.
 *
 * @param ctx  context
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_PARAMETER.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtCloseSecondaryKFDCtx(HsaKFDContext *ctx);

/* --- Topology --- */

/** hsaKmtAcquireSystemProperties() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtAcquireSystemPropertiesCtx(HsaKFDContext *ctx,
							 HsaSystemProperties *SystemProperties);

/** hsaKmtReleaseSystemProperties() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtReleaseSystemPropertiesCtx(HsaKFDContext *ctx);

/** hsaKmtGetNodeProperties() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtGetNodePropertiesCtx(HsaKFDContext *ctx, HSAuint32 NodeId,
						   HsaNodeProperties *NodeProperties);

/** hsaKmtGetNodeMemoryProperties() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtGetNodeMemoryPropertiesCtx(HsaKFDContext *ctx, HSAuint32 NodeId,
							 HSAuint32 NumBanks,
							 HsaMemoryProperties *MemoryProperties);

/** hsaKmtGetNodeCacheProperties() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtGetNodeCachePropertiesCtx(HsaKFDContext *ctx, HSAuint32 NodeId,
							HSAuint32 ProcessorId, HSAuint32 NumCaches,
							HsaCacheProperties *CacheProperties);

/** hsaKmtGetNodeIoLinkProperties() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtGetNodeIoLinkPropertiesCtx(HsaKFDContext *ctx, HSAuint32 NodeId,
							 HSAuint32 NumIoLinks,
							 HsaIoLinkProperties *IoLinkProperties);

/** hsaKmtGetClockCounters() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtGetClockCountersCtx(HsaKFDContext *ctx, HSAuint32 NodeId,
						  HsaClockCounters *Counters);

/* --- Memory --- */

/** hsaKmtAllocMemory() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtAllocMemoryCtx(HsaKFDContext *ctx, HSAuint32 PreferredNode,
					     HSAuint64 SizeInBytes, HsaMemFlags MemFlags,
					     void **MemoryAddress);

/** hsaKmtAllocMemoryAlign() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtAllocMemoryAlignCtx(HsaKFDContext *ctx, HSAuint32 PreferredNode,
						  HSAuint64 SizeInBytes, HSAuint64 Alignment,
						  HsaMemFlags MemFlags, void **MemoryAddress);

/** hsaKmtFreeMemory() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtFreeMemoryCtx(HsaKFDContext *ctx, void *MemoryAddress,
					    HSAuint64 SizeInBytes);

/** hsaKmtRegisterMemory() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtRegisterMemoryCtx(HsaKFDContext *ctx, void *MemoryAddress,
						HSAuint64 MemorySizeInBytes);

/** hsaKmtRegisterMemoryToNodes() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtRegisterMemoryToNodesCtx(HsaKFDContext *ctx, void *MemoryAddress,
						       HSAuint64 MemorySizeInBytes,
						       HSAuint64 NumberOfNodes,
						       HSAuint32 *NodeArray);

/** hsaKmtRegisterMemoryWithFlags() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtRegisterMemoryWithFlagsCtx(HsaKFDContext *ctx, void *MemoryAddress,
							 HSAuint64 MemorySizeInBytes,
							 HsaMemFlags MemFlags);

/** hsaKmtDeregisterMemory() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtDeregisterMemoryCtx(HsaKFDContext *ctx, void *MemoryAddress);

/** hsaKmtMapMemoryToGPU() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtMapMemoryToGPUCtx(HsaKFDContext *ctx, void *MemoryAddress,
						HSAuint64 MemorySizeInBytes,
						HSAuint64 *AlternateVAGPU);

/** hsaKmtMapMemoryToGPUNodes() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtMapMemoryToGPUNodesCtx(HsaKFDContext *ctx, void *MemoryAddress,
						     HSAuint64 MemorySizeInBytes,
						     HSAuint64 *AlternateVAGPU,
						     HsaMemFlags MemFlags, HSAuint64 NumberOfNodes,
						     HSAuint32 *NodeArray);

/** hsaKmtUnmapMemoryToGPU() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtUnmapMemoryToGPUCtx(HsaKFDContext *ctx, void *MemoryAddress);

/** hsaKmtQueryPointerInfo() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtQueryPointerInfoCtx(HsaKFDContext *ctx, const void *Pointer,
						  HsaPointerInfo *PointerInfo);

/** hsaKmtSetMemoryUserData() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtSetMemoryUserDataCtx(HsaKFDContext *ctx, const void *Pointer,
						   void *UserData);

/**
 * Allocates host memory on a CPU node while naming the GPU whose GTT buffer object backs it;
 * there is no non-context twin.
 *
 * @param ctx            context
 * @param PreferredNode  node
 * @param GttAnchorNode  GPU that backs it
 * @param SizeInBytes    bytes
 * @param MemFlags       properties
 * @param MemoryAddress  address out; in for FixedAddress
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_NODE_UNIT, INVALID_PARAMETER, NO_MEMORY,
 *         ERROR, NOT_IMPLEMENTED, NOT_SUPPORTED.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtAllocMemoryHostGttCtx(HsaKFDContext *ctx, HSAuint32 PreferredNode,
						    HSAuint32 GttAnchorNode, HSAuint64 SizeInBytes,
						    HsaMemFlags MemFlags, void **MemoryAddress);

/* --- Memory policy and queries --- */

/** hsaKmtSetMemoryPolicy() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtSetMemoryPolicyCtx(HsaKFDContext *ctx, HSAuint32 Node,
						 HSAuint32 DefaultPolicy, HSAuint32 AlternatePolicy,
						 void *MemoryAddressAlternate,
						 HSAuint64 MemorySizeInBytes);

/** hsaKmtAvailableMemory() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtAvailableMemoryCtx(HsaKFDContext *ctx, HSAuint32 Node,
						 HSAuint64 *AvailableBytes);

/** hsaKmtGetTileConfig() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtGetTileConfigCtx(HsaKFDContext *ctx, HSAuint32 NodeId,
					       HsaGpuTileConfig *config);

/** hsaKmtSetPersistingCacheSize() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtSetPersistingCacheSizeCtx(HsaKFDContext *ctx, HSAuint32 Node,
							HSAuint64 CacheSize);

/* --- Sharing --- */

/** hsaKmtExportDMABufHandle() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtExportDMABufHandleCtx(HsaKFDContext *ctx, void *MemoryAddress,
						    HSAuint64 MemorySizeInBytes, int *DMABufFd,
						    HSAuint64 *Offset);

/** hsaKmtShareMemory() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtShareMemoryCtx(HsaKFDContext *ctx, void *MemoryAddress,
					     HSAuint64 SizeInBytes,
					     HsaSharedMemoryHandle *SharedMemoryHandle);

/** hsaKmtRegisterSharedHandle() on a context. */
HSAKMT_STATUS HSAKMTAPI
hsaKmtRegisterSharedHandleCtx(HsaKFDContext *ctx, const HsaSharedMemoryHandle *SharedMemoryHandle,
			      void **MemoryAddress, HSAuint64 *SizeInBytes);

/** hsaKmtRegisterSharedHandleToNodes() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtRegisterSharedHandleToNodesCtx(
	HsaKFDContext *ctx, const HsaSharedMemoryHandle *SharedMemoryHandle, void **MemoryAddress,
	HSAuint64 *SizeInBytes, HSAuint64 NumberOfNodes, HSAuint32 *NodeArray);

/** hsaKmtQueryDmaBufInfo() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtQueryDmaBufInfoCtx(HsaKFDContext *ctx, int DMABufFd,
						 HsaDmaBufInfo *Info);

/** hsaKmtRegisterGraphicsHandleToNodes() on a context. */
HSAKMT_STATUS HSAKMTAPI
hsaKmtRegisterGraphicsHandleToNodesCtx(HsaKFDContext *ctx, HSAuint64 GraphicsResourceHandle,
				       HsaGraphicsResourceInfo *GraphicsResourceInfo,
				       HSAuint64 NumberOfNodes, HSAuint32 *NodeArray);

/** hsaKmtRegisterGraphicsHandleToNodesExt() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtRegisterGraphicsHandleToNodesExtCtx(
	HsaKFDContext *ctx, HSAuint64 GraphicsResourceHandle,
	HsaGraphicsResourceInfo *GraphicsResourceInfo, HSAuint64 NumberOfNodes,
	HSAuint32 *NodeArray, HSA_REGISTER_MEM_FLAGS RegisterFlags);

/** hsaKmtUnmapGraphicHandle() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtUnmapGraphicHandleCtx(HsaKFDContext *ctx, HSAuint32 NodeId,
						    HSAuint64 FlatMemoryAddress,
						    HSAuint64 SizeInBytes);

/* --- Buffer object handles --- */

/** hsaKmtGetAMDGPUDeviceHandle() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtGetAMDGPUDeviceHandleCtx(HsaKFDContext *ctx, HSAuint32 NodeId,
						       HsaAMDGPUDeviceHandle *DeviceHandle);

/* --- Shared virtual memory and XNACK --- */

/** hsaKmtSVMSetAttr() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtSVMSetAttrCtx(HsaKFDContext *ctx, void *start_addr, HSAuint64 size,
					    unsigned int nattr, HSA_SVM_ATTRIBUTE *attrs);

/** hsaKmtSVMGetAttr() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtSVMGetAttrCtx(HsaKFDContext *ctx, void *start_addr, HSAuint64 size,
					    unsigned int nattr, HSA_SVM_ATTRIBUTE *attrs);

/** hsaKmtSetXNACKMode() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtSetXNACKModeCtx(HsaKFDContext *ctx, HSAint32 enable);

/** hsaKmtGetXNACKMode() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtGetXNACKModeCtx(HsaKFDContext *ctx, HSAint32 *enable);

/* --- Queues --- */

/** hsaKmtCreateQueue() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtCreateQueueCtx(HsaKFDContext *ctx, HSAuint32 NodeId,
					     HSA_QUEUE_TYPE Type, HSAuint32 QueuePercentage,
					     HSA_QUEUE_PRIORITY Priority, void *QueueAddress,
					     HSAuint64 QueueSizeInBytes, HsaEvent *Event,
					     HsaQueueResource *QueueResource);

/** hsaKmtCreateQueueExt() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtCreateQueueExtCtx(HsaKFDContext *ctx, HSAuint32 NodeId,
						HSA_QUEUE_TYPE Type, HSAuint32 QueuePercentage,
						HSA_QUEUE_PRIORITY Priority, HSAuint32 SdmaEngineId,
						void *QueueAddress, HSAuint64 QueueSizeInBytes,
						HsaEvent *Event, HsaQueueResource *QueueResource);

/** hsaKmtCreateQueueV2() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtCreateQueueV2Ctx(HsaKFDContext *ctx, HSAuint32 NodeId,
					       HSA_QUEUE_TYPE Type, HSAuint32 QueuePercentage,
					       HSA_QUEUE_PRIORITY Priority, HSAuint32 SdmaEngineId,
					       void *QueueAddress, HSAuint64 QueueSizeInBytes,
					       HSAuint64 MetaDataQueueSizeInBytes, HsaEvent *Event,
					       HsaQueueResource *QueueResource);

/** hsaKmtUpdateQueue() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtUpdateQueueCtx(HsaKFDContext *ctx, HSA_QUEUEID QueueId,
					     HSAuint32 QueuePercentage, HSA_QUEUE_PRIORITY Priority,
					     void *QueueAddress, HSAuint64 QueueSize,
					     HsaEvent *Event);

/** hsaKmtDestroyQueue() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtDestroyQueueCtx(HsaKFDContext *ctx, HSA_QUEUEID QueueId);

/** hsaKmtSetQueueCUMask() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtSetQueueCUMaskCtx(HsaKFDContext *ctx, HSA_QUEUEID QueueId,
						HSAuint32 CUMaskCount, HSAuint32 *QueueCUMask);

/** hsaKmtGetQueueInfo() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtGetQueueInfoCtx(HsaKFDContext *ctx, HSA_QUEUEID QueueId,
					      HsaQueueInfo *QueueInfo);

/** hsaKmtSetTrapHandler() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtSetTrapHandlerCtx(HsaKFDContext *ctx, HSAuint32 NodeId,
						void *TrapHandlerBaseAddress,
						HSAuint64 TrapHandlerSizeInBytes,
						void *TrapBufferBaseAddress,
						HSAuint64 TrapBufferSizeInBytes);

/** hsaKmtAllocQueueGWS() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtAllocQueueGWSCtx(HsaKFDContext *ctx, HSA_QUEUEID QueueId,
					       HSAuint32 nGWS, HSAuint32 *firstGWS);

/* --- Events --- */

/** hsaKmtCreateEvent() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtCreateEventCtx(HsaKFDContext *ctx, HsaEventDescriptor *EventDesc,
					     bool ManualReset, bool IsSignaled, HsaEvent **Event);

/** hsaKmtDestroyEvent() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtDestroyEventCtx(HsaKFDContext *ctx, HsaEvent *Event);

/** hsaKmtSetEvent() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtSetEventCtx(HsaKFDContext *ctx, HsaEvent *Event);

/** hsaKmtResetEvent() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtResetEventCtx(HsaKFDContext *ctx, HsaEvent *Event);

/** hsaKmtQueryEventState() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtQueryEventStateCtx(HsaKFDContext *ctx, HsaEvent *Event);

/** hsaKmtWaitOnEvent() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtWaitOnEventCtx(HsaKFDContext *ctx, HsaEvent *Event,
					     HSAuint32 Milliseconds);

/** hsaKmtWaitOnEvent_Ext() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtWaitOnEvent_ExtCtx(HsaKFDContext *ctx, HsaEvent *Event,
						 HSAuint32 Milliseconds, uint64_t *event_age);

/** hsaKmtWaitOnMultipleEvents() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtWaitOnMultipleEventsCtx(HsaKFDContext *ctx, HsaEvent **Events,
						      HSAuint32 NumEvents, bool WaitOnAll,
						      HSAuint32 Milliseconds);

/** hsaKmtWaitOnMultipleEvents_Ext() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtWaitOnMultipleEvents_ExtCtx(HsaKFDContext *ctx, HsaEvent **Events,
							  HSAuint32 NumEvents, bool WaitOnAll,
							  HSAuint32 Milliseconds,
							  uint64_t *event_age);

/** hsaKmtOpenSMI() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtOpenSMICtx(HsaKFDContext *ctx, HSAuint32 NodeId, int *fd);

/* --- Performance counters, streaming and sampling --- */

/** hsaKmtPmcGetCounterProperties() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtPmcGetCounterPropertiesCtx(HsaKFDContext *ctx, HSAuint32 NodeId,
							 HsaCounterProperties **CounterProperties);

/** hsaKmtPmcRegisterTrace() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtPmcRegisterTraceCtx(HsaKFDContext *ctx, HSAuint32 NodeId,
						  HSAuint32 NumberOfCounters, HsaCounter *Counters,
						  HsaPmcTraceRoot *TraceRoot);

/** hsaKmtPmcUnregisterTrace() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtPmcUnregisterTraceCtx(HsaKFDContext *ctx, HSAuint32 NodeId,
						    HSATraceId TraceId);

/** hsaKmtPmcAcquireTraceAccess() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtPmcAcquireTraceAccessCtx(HsaKFDContext *ctx, HSAuint32 NodeId,
						       HSATraceId TraceId);

/** hsaKmtPmcReleaseTraceAccess() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtPmcReleaseTraceAccessCtx(HsaKFDContext *ctx, HSAuint32 NodeId,
						       HSATraceId TraceId);

/* --- Debugger and runtime --- */

/** hsaKmtRuntimeEnable() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtRuntimeEnableCtx(HsaKFDContext *ctx, void *rDebug, bool setupTtmp);

/** hsaKmtRuntimeDisable() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtRuntimeDisableCtx(HsaKFDContext *ctx);

/** hsaKmtGetRuntimeCapabilities() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtGetRuntimeCapabilitiesCtx(HsaKFDContext *ctx, HSAuint32 *caps_mask);

/** hsaKmtDbgEnable() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtDbgEnableCtx(HsaKFDContext *ctx, void **runtime_info,
					   HSAuint32 *data_size);

/** hsaKmtDbgDisable() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtDbgDisableCtx(HsaKFDContext *ctx);

/** hsaKmtDbgGetDeviceData() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtDbgGetDeviceDataCtx(HsaKFDContext *ctx, void **data,
						  HSAuint32 *n_entries, HSAuint32 *entry_size);

/** hsaKmtDbgGetQueueData() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtDbgGetQueueDataCtx(HsaKFDContext *ctx, void **data,
						 HSAuint32 *n_entries, HSAuint32 *entry_size,
						 bool suspend_queues);

/** hsaKmtCheckRuntimeDebugSupport() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtCheckRuntimeDebugSupportCtx(HsaKFDContext *ctx);

/** hsaKmtDebugTrapIoctl() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtDebugTrapIoctlCtx(HsaKFDContext *ctx,
						struct kfd_ioctl_dbg_trap_args *args,
						HSA_QUEUEID *Queues, HSAuint64 *DebugReturn);

/* --- Address sanitizer, direct storage, semaphores, model --- */

/** hsaKmtReplaceAsanHeaderPage() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtReplaceAsanHeaderPageCtx(HsaKFDContext *ctx, void *addr);

/** hsaKmtReturnAsanHeaderPage() on a context. */
HSAKMT_STATUS HSAKMTAPI hsaKmtReturnAsanHeaderPageCtx(HsaKFDContext *ctx, void *addr);

#ifdef __cplusplus
}
#endif

#endif
