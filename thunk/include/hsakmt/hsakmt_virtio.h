/* SPDX-License-Identifier: MIT */
/*
 * The guest flavour, a library of its own (libhsakmt_virtio): each call forwards to the host over a
 * virtio-gpu context and returns the host's status. Without a device the status is
 * KERNEL_IO_CHANNEL_NOT_OPENED. Guest and host must be built from the same headers.
 */
#ifndef KFDSCOPE_HSAKMT_HSAKMT_VIRTIO_H
#define KFDSCOPE_HSAKMT_HSAKMT_VIRTIO_H

#include "hsakmttypes.h"

#include <amdgpu.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- Guest calls --- */

/** Forwards hsaKmtOpenKFD() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtOpenKFD(void);

/** Forwards hsaKmtCloseKFD() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtCloseKFD(void);

/** Forwards hsaKmtAllocMemory() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtAllocMemory(HSAuint32 PreferredNode, HSAuint64 SizeInBytes,
					   HsaMemFlags MemFlags, void **MemoryAddress);

/** Forwards hsaKmtAllocMemoryAlign() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtAllocMemoryAlign(HSAuint32 PreferredNode, HSAuint64 SizeInBytes,
						HSAuint64 Alignment, HsaMemFlags MemFlags,
						void **MemoryAddress);

/** Forwards hsaKmtFreeMemory() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtFreeMemory(void *MemoryAddress, HSAuint64 SizeInBytes);

/** Forwards hsaKmtMapMemoryToGPUNodes() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtMapMemoryToGPUNodes(void *MemoryAddress, HSAuint64 MemorySizeInBytes,
						   HSAuint64 *AlternateVAGPU, HsaMemFlags MemFlags,
						   HSAuint64 NumberOfNodes, HSAuint32 *NodeArray);

/** Forwards hsaKmtUnmapMemoryToGPU() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtUnmapMemoryToGPU(void *MemoryAddress);

/** Forwards hsaKmtAvailableMemory() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtAvailableMemory(HSAuint32 Node, HSAuint64 *AvailableBytes);

/** Forwards hsaKmtMapMemoryToGPU() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtMapMemoryToGPU(void *MemoryAddress, HSAuint64 MemorySizeInBytes,
					      HSAuint64 *AlternateVAGPU);

/** Forwards hsaKmtRegisterMemoryWithFlags() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtRegisterMemoryWithFlags(void *MemoryAddress,
						       HSAuint64 MemorySizeInBytes,
						       HsaMemFlags MemFlags);

/** Forwards hsaKmtRegisterMemory() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtRegisterMemory(void *MemoryAddress, HSAuint64 MemorySizeInBytes);

/** Forwards hsaKmtRegisterMemoryToNodes() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtRegisterMemoryToNodes(void *MemoryAddress,
						     HSAuint64 MemorySizeInBytes,
						     HSAuint32 NumberOfNodes, HSAuint32 *NodeArray);

/** Forwards hsaKmtDeregisterMemory() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtDeregisterMemory(void *MemoryAddress);

/** Forwards hsaKmtGetVersion() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtGetVersion(HsaVersionInfo *VersionInfo);

/** Forwards hsaKmtAcquireSystemProperties() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtAcquireSystemProperties(HsaSystemProperties *SystemProperties);

/** Forwards hsaKmtReleaseSystemProperties() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtReleaseSystemProperties(void);

/** Forwards hsaKmtGetNodeProperties() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtGetNodeProperties(HSAuint32 NodeId,
						 HsaNodeProperties *NodeProperties);

/** Forwards hsaKmtGetXNACKMode() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtGetXNACKMode(HSAint32 *enable);

/** Forwards hsaKmtRuntimeEnable() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtRuntimeEnable(void *rDebug, bool setupTtmp);

/** Forwards hsaKmtRuntimeDisable() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtRuntimeDisable(void);

/** Forwards hsaKmtGetNodeMemoryProperties() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtGetNodeMemoryProperties(HSAuint32 NodeId, HSAuint32 NumBanks,
						       HsaMemoryProperties *MemoryProperties);

/** Forwards hsaKmtGetNodeCacheProperties() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtGetNodeCacheProperties(HSAuint32 NodeId, HSAuint32 ProcessorId,
						      HSAuint32 NumCaches,
						      HsaCacheProperties *CacheProperties);

/** Forwards hsaKmtGetNodeIoLinkProperties() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtGetNodeIoLinkProperties(HSAuint32 NodeId, HSAuint32 NumIoLinks,
						       HsaIoLinkProperties *IoLinkProperties);

/** Forwards hsaKmtGetClockCounters() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtGetClockCounters(HSAuint32 NodeId, HsaClockCounters *Counters);

/** Forwards hsaKmtGetAMDGPUDeviceHandle() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtGetAMDGPUDeviceHandle(HSAuint32 NodeId,
						     HsaAMDGPUDeviceHandle *DeviceHandle);

/** Forwards hsaKmtQueryPointerInfo() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtQueryPointerInfo(const void *Pointer, HsaPointerInfo *PointerInfo);

/** Forwards hsaKmtGetTileConfig() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtGetTileConfig(HSAuint32 NodeId, HsaGpuTileConfig *config);

/** Forwards hsaKmtCreateEvent() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtCreateEvent(HsaEventDescriptor *EventDesc, bool ManualReset,
					   bool IsSignaled, HsaEvent **Event);

/** Forwards hsaKmtDestroyEvent() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtDestroyEvent(HsaEvent *Event);

/** Forwards hsaKmtSetEvent() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtSetEvent(HsaEvent *Event);

/** Forwards hsaKmtResetEvent() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtResetEvent(HsaEvent *Event);

/** Forwards hsaKmtQueryEventState() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtQueryEventState(HsaEvent *Event);

/** Forwards hsaKmtWaitOnMultipleEvents() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtWaitOnMultipleEvents(HsaEvent **Events, HSAuint32 NumEvents,
						    bool WaitOnAll, HSAuint32 Milliseconds);

/** Forwards hsaKmtWaitOnEvent() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtWaitOnEvent(HsaEvent *Event, HSAuint32 Milliseconds);

/** Forwards hsaKmtWaitOnEvent_Ext() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtWaitOnEvent_Ext(HsaEvent *Event, HSAuint32 Milliseconds,
					       uint64_t *event_age);

/** Forwards hsaKmtWaitOnMultipleEvents_Ext() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtWaitOnMultipleEvents_Ext(HsaEvent **Events, HSAuint32 NumEvents,
							bool WaitOnAll, HSAuint32 Milliseconds,
							uint64_t *event_age);

/** Forwards hsaKmtSetTrapHandler() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtSetTrapHandler(HSAuint32 NodeId, void *TrapHandlerBaseAddress,
					      HSAuint64 TrapHandlerSizeInBytes,
					      void *TrapBufferBaseAddress,
					      HSAuint64 TrapBufferSizeInBytes);

/** Forwards hsaKmtCreateQueueExt() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtCreateQueueExt(HSAuint32 NodeId, HSA_QUEUE_TYPE Type,
					      HSAuint32 QueuePercentage,
					      HSA_QUEUE_PRIORITY Priority, HSAuint32 SdmaEngineId,
					      void *QueueAddress, HSAuint64 QueueSizeInBytes,
					      HsaEvent *Event, HsaQueueResource *QueueResource);

/** Forwards hsaKmtCreateQueue() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtCreateQueue(HSAuint32 NodeId, HSA_QUEUE_TYPE Type,
					   HSAuint32 QueuePercentage, HSA_QUEUE_PRIORITY Priority,
					   void *QueueAddress, HSAuint64 QueueSizeInBytes,
					   HsaEvent *Event, HsaQueueResource *QueueResource);

/** Forwards hsaKmtDestroyQueue() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtDestroyQueue(HSA_QUEUEID QueueId);

/** Forwards hsaKmtRegisterGraphicsHandleToNodesExt() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtRegisterGraphicsHandleToNodesExt(
	HSAuint64 GraphicsResourceHandle, HsaGraphicsResourceInfo *GraphicsResourceInfo,
	HSAuint64 NumberOfNodes, HSAuint32 *NodeArray, HSA_REGISTER_MEM_FLAGS RegisterFlags);

/** Forwards hsaKmtRegisterGraphicsHandleToNodes() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtRegisterGraphicsHandleToNodes(
	HSAuint64 GraphicsResourceHandle, HsaGraphicsResourceInfo *GraphicsResourceInfo,
	HSAuint64 NumberOfNodes, HSAuint32 *NodeArray);

/** Forwards hsaKmtMapGraphicHandle() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtMapGraphicHandle(HSAuint32 NodeId, HSAuint64 GraphicDeviceHandle,
						HSAuint64 GraphicResourceHandle,
						HSAuint64 GraphicResourceOffset,
						HSAuint64 GraphicResourceSize,
						HSAuint64 *FlatMemoryAddress);

/** Forwards hsaKmtUnmapGraphicHandle() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtUnmapGraphicHandle(HSAuint32 NodeId, HSAuint64 FlatMemoryAddress,
						  HSAuint64 SizeInBytes);

/** Forwards hsaKmtExportDMABufHandle() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtExportDMABufHandle(void *MemoryAddress, HSAuint64 MemorySizeInBytes,
						  int *DMABufFd, HSAuint64 *Offset);

/** Forwards hsaKmtGetRuntimeCapabilities() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtGetRuntimeCapabilities(HSAuint32 *caps_mask);

/**
 * The guest's form of amdgpu_query_gpu_info().
 *
 * @param dev  device
 * @param out  out: struct amdgpu_gpu_info
 */
int HSAKMTAPI vamdgpu_query_gpu_info(amdgpu_device_handle dev, void *out);

/**
 * The guest's form of amdgpu_device_initialize().
 *
 * @param fd             descriptor
 * @param major_version  out: DRM major number
 * @param minor_version  out: DRM minor number
 * @param device_handle  out: device
 */
int HSAKMTAPI vamdgpu_device_initialize(int fd, uint32_t *major_version, uint32_t *minor_version,
					amdgpu_device_handle *device_handle);

/**
 * The guest's form of amdgpu_device_deinitialize().
 *
 * @param device_handle  device
 */
int HSAKMTAPI vamdgpu_device_deinitialize(amdgpu_device_handle device_handle);

/**
 * The guest's form of amdgpu_device_get_fd().
 *
 * @param device_handle  device
 */
int HSAKMTAPI vamdgpu_device_get_fd(amdgpu_device_handle device_handle);

/**
 * The guest's form of drmCommandWriteRead().
 *
 * @param fd               descriptor
 * @param drmCommandIndex  command
 * @param data             in/out: argument
 * @param size             bytes of data
 */
int HSAKMTAPI vdrmCommandWriteRead(int fd, unsigned long drmCommandIndex, void *data,
				   unsigned long size);

/**
 * The guest's form of amdgpu_bo_cpu_map().
 *
 * @param buf_handle  buffer object
 * @param cpu         out: address
 */
int HSAKMTAPI vamdgpu_bo_cpu_map(amdgpu_bo_handle buf_handle, void **cpu);

/**
 * The guest's form of amdgpu_bo_free().
 *
 * @param buf_handle  buffer object
 */
int HSAKMTAPI vamdgpu_bo_free(amdgpu_bo_handle buf_handle);

/**
 * The guest's form of amdgpu_bo_export().
 *
 * @param buf_handle     buffer object
 * @param type           kind of handle
 * @param shared_handle  out: handle
 */
int HSAKMTAPI vamdgpu_bo_export(amdgpu_bo_handle buf_handle, enum amdgpu_bo_handle_type type,
				uint32_t *shared_handle);

/**
 * The guest's form of amdgpu_bo_import().
 *
 * @param dev            device
 * @param type           kind of handle
 * @param shared_handle  handle
 * @param output         out: buffer object and size
 */
int HSAKMTAPI vamdgpu_bo_import(amdgpu_device_handle dev, enum amdgpu_bo_handle_type type,
				uint32_t shared_handle, struct amdgpu_bo_import_result *output);

/**
 * The guest's form of amdgpu_bo_va_op().
 *
 * @param bo      buffer object
 * @param offset  byte offset in the buffer object
 * @param size    bytes
 * @param addr    address
 * @param flags   AMDGPU_VM_*
 * @param ops     AMDGPU_VA_OP_*
 */
int HSAKMTAPI vamdgpu_bo_va_op(amdgpu_bo_handle bo, uint64_t offset, uint64_t size, uint64_t addr,
			       uint64_t flags, uint32_t ops);

/* --- Guest calls of the 2026 protocol --- */

/** Forwards hsaKmtShareMemory() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtShareMemory(void *MemoryAddress, HSAuint64 SizeInBytes,
					   HsaSharedMemoryHandle *SharedMemoryHandle);

/** Forwards hsaKmtRegisterSharedHandle() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtRegisterSharedHandle(const HsaSharedMemoryHandle *SharedMemoryHandle,
						    void **MemoryAddress, HSAuint64 *SizeInBytes);

/** Forwards hsaKmtRegisterSharedHandleToNodes() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtRegisterSharedHandleToNodes(
	const HsaSharedMemoryHandle *SharedMemoryHandle, void **MemoryAddress,
	HSAuint64 *SizeInBytes, HSAuint64 NumberOfNodes, HSAuint32 *NodeArray);

/** Forwards hsaKmtSetMemoryPolicy() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtSetMemoryPolicy(HSAuint32 Node, HSAuint32 DefaultPolicy,
					       HSAuint32 AlternatePolicy,
					       void *MemoryAddressAlternate,
					       HSAuint64 MemorySizeInBytes);

/** Forwards hsaKmtSetMemoryUserData() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtSetMemoryUserData(const void *Pointer, void *UserData);

/** Forwards hsaKmtSVMGetAttr() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtSVMGetAttr(void *start_addr, HSAuint64 size, unsigned int nattr,
					  HSA_SVM_ATTRIBUTE *attrs);

/** Forwards hsaKmtSVMSetAttr() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtSVMSetAttr(void *start_addr, HSAuint64 size, unsigned int nattr,
					  HSA_SVM_ATTRIBUTE *attrs);

/** Forwards hsaKmtCreateQueueV2() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtCreateQueueV2(HSAuint32 NodeId, HSA_QUEUE_TYPE Type,
					     HSAuint32 QueuePercentage, HSA_QUEUE_PRIORITY Priority,
					     HSAuint32 SdmaEngineId, void *QueueAddress,
					     HSAuint64 QueueSizeInBytes,
					     HSAuint64 MetaDataPrefetchSizeInBytes, HsaEvent *Event,
					     HsaQueueResource *QueueResource);

/** Forwards hsaKmtUpdateQueue() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtUpdateQueue(HSA_QUEUEID QueueId, HSAuint32 QueuePercentage,
					   HSA_QUEUE_PRIORITY Priority, void *QueueAddress,
					   HSAuint64 QueueSize, HsaEvent *Event);

/** Forwards hsaKmtGetQueueInfo() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtGetQueueInfo(HSA_QUEUEID QueueId, HsaQueueInfo *QueueInfo);

/** Forwards hsaKmtSetQueueCUMask() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtSetQueueCUMask(HSA_QUEUEID QueueId, HSAuint32 CUMaskCount,
					      HSAuint32 *QueueCUMask);

/** Forwards hsaKmtAllocQueueGWS() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtAllocQueueGWS(HSA_QUEUEID QueueId, HSAuint32 nGWS,
					     HSAuint32 *firstGWS);

/** Forwards hsaKmtSetXNACKMode() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtSetXNACKMode(HSAint32 enable);

/** Forwards hsaKmtSPMAcquire() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtSPMAcquire(HSAuint32 PreferredNode);

/** Forwards hsaKmtSPMRelease() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtSPMRelease(HSAuint32 PreferredNode);

/** Forwards hsaKmtSPMSetDestBuffer() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtSPMSetDestBuffer(HSAuint32 PreferredNode, HSAuint32 SizeInBytes,
						HSAuint32 *timeout, HSAuint32 *SizeCopied,
						void *DestMemoryAddress, bool *isSPMDataLoss);

/** Forwards hsaKmtModelEnabled() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtModelEnabled(bool *enable);

/** Forwards hsaKmtOpenSMI() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtOpenSMI(HSAuint32 NodeId, int *fd);

/** Forwards hsaKmtReplaceAsanHeaderPage() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtReplaceAsanHeaderPage(void *addr);

/** Forwards hsaKmtReturnAsanHeaderPage() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtReturnAsanHeaderPage(void *addr);

/** Forwards hsaKmtAisReadWriteFile() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtAisReadWriteFile(void *MemoryAddress, HSAuint64 MemorySizeInBytes,
						HSAint32 fd, HSAint64 file_offset,
						HsaAisFlags AisFlags, HSAuint64 *SizeCopiedInBytes,
						HSAint32 *status);

/** Forwards hsaKmtProcessVMRead() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtProcessVMRead(HSAuint32 Pid, HsaMemoryRange *LocalMemoryArray,
					     HSAuint64 LocalMemoryArrayCount,
					     HsaMemoryRange *RemoteMemoryArray,
					     HSAuint64 RemoteMemoryArrayCount,
					     HSAuint64 *SizeCopied);

/** Forwards hsaKmtProcessVMWrite() to the host. */
HSAKMT_STATUS HSAKMTAPI vhsaKmtProcessVMWrite(HSAuint32 Pid, HsaMemoryRange *LocalMemoryArray,
					      HSAuint64 LocalMemoryArrayCount,
					      HsaMemoryRange *RemoteMemoryArray,
					      HSAuint64 RemoteMemoryArrayCount,
					      HSAuint64 *SizeCopied);

/**
 * The guest's form of amdgpu_bo_query_info(): of memory from vhsaKmtAllocMemory(), by its address.
 *
 * @param buf_handle  the address
 * @param info        out: what the host knows of it
 */
int HSAKMTAPI vamdgpu_bo_query_info(amdgpu_bo_handle buf_handle, struct amdgpu_bo_info *info);

/**
 * The guest's form of amdgpu_bo_set_metadata(), likewise.
 *
 * @param buf_handle  the address
 * @param info        metadata
 */
int HSAKMTAPI vamdgpu_bo_set_metadata(amdgpu_bo_handle buf_handle, struct amdgpu_bo_metadata *info);

#ifdef __cplusplus
}
#endif

#endif
