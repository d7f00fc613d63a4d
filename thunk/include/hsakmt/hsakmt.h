/* SPDX-License-Identifier: MIT */
/*
 * The libhsakmt interface: the user-space side of the KFD driver.
 *
 * Every call may be made from any thread. Unless its text says otherwise, a call returns
 * KERNEL_IO_CHANNEL_NOT_OPENED before hsaKmtOpenKFD(), after the last hsaKmtCloseKFD() and in a
 * forked child; NULL outputs and unknown nodes or handles get a status, never a crash. The plain
 * calls work on the primary context; hsakmtctx.h has the ones that name a context. Status names are
 * given without their prefix HSAKMT_STATUS_; SUCCESS comes first where a call can succeed.
 */
#ifndef KFDSCOPE_HSAKMT_HSAKMT_H
#define KFDSCOPE_HSAKMT_HSAKMT_H

#include "hsakmttypes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of the KFD ioctl header, linux/kfd_ioctl.h. */
struct kfd_ioctl_dbg_trap_args;
struct kfd_runtime_info;
struct kfd_dbg_device_info_entry;

/* --- Opening and closing --- */

/**
 * Opens /dev/kfd for the process (counted), checks the kernel interface version, reads
 * environment settings and installs fork handlers; a repeated open adds a reference and reports
 * that it was already open.
 * @return SUCCESS, KERNEL_ALREADY_OPENED, KERNEL_IO_CHANNEL_NOT_OPENED, ERROR, DRIVER_MISMATCH,
 *         NO_MEMORY.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtOpenKFD(void);

/**
 * Drops one reference taken by the open call; at zero the per-process debug and counter
 * bookkeeping is released.
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtCloseKFD(void);

/**
 * Reports the KFD interface major and minor numbers cached when the driver was opened.
 *
 * @param VersionInfo  out: major and minor number
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtGetVersion(HsaVersionInfo *VersionInfo);

/* --- Topology --- */

/**
 * Takes (or reuses) the topology snapshot from sysfs, sets up the GPU apertures and doorbell
 * bookkeeping, and returns the node count and platform ids.
 *
 * @param SystemProperties  out: node count and platform ids
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_PARAMETER, ERROR, NO_MEMORY,
 *         INVALID_NODE_UNIT, NOT_SUPPORTED.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtAcquireSystemProperties(HsaSystemProperties *SystemProperties);

/**
 * Discards the topology snapshot and tears down doorbells and apertures set up for it.
 * @return SUCCESS.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtReleaseSystemProperties(void);

/**
 * Copies the properties of one node; for GPU nodes the memory bank count is raised by the
 * apertures that the library adds.
 *
 * @param NodeId          node
 * @param NodeProperties  out: the properties
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_PARAMETER, INVALID_NODE_UNIT, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtGetNodeProperties(HSAuint32 NodeId,
						HsaNodeProperties *NodeProperties);

/**
 * Fills an array of memory banks of one node: banks from sysfs plus LDS, scratch, SVM/GPUVM and
 * MMIO apertures.
 *
 * @param NodeId            node
 * @param NumBanks          elements of MemoryProperties
 * @param MemoryProperties  out: array, one element a bank
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_PARAMETER, INVALID_NODE_UNIT.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtGetNodeMemoryProperties(HSAuint32 NodeId, HSAuint32 NumBanks,
						      HsaMemoryProperties *MemoryProperties);

/**
 * Reports the wall clock frequency of a node.
 *
 * @param NodeId     node
 * @param Frequency  out: Hz
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_PARAMETER, INVALID_NODE_UNIT,
 *         NOT_SUPPORTED.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtGetNodeWallclockFrequency(HSAuint32 NodeId, uint64_t *Frequency);

/**
 * Fills an array of cache descriptors of one node (ProcessorId is ignored).
 *
 * @param NodeId           node
 * @param ProcessorId      ignored; HSA_PROCESSORID_ALL
 * @param NumCaches        elements of CacheProperties
 * @param CacheProperties  out: array, one element a cache
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_PARAMETER, INVALID_NODE_UNIT.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtGetNodeCacheProperties(HSAuint32 NodeId, HSAuint32 ProcessorId,
						     HSAuint32 NumCaches,
						     HsaCacheProperties *CacheProperties);

/**
 * Fills an array of IO links of one node, direct ones followed by derived indirect ones.
 *
 * @param NodeId            node
 * @param NumIoLinks        elements of IoLinkProperties
 * @param IoLinkProperties  out: array, one element a link
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_PARAMETER, INVALID_NODE_UNIT, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtGetNodeIoLinkProperties(HSAuint32 NodeId, HSAuint32 NumIoLinks,
						      HsaIoLinkProperties *IoLinkProperties);

/**
 * Reads GPU, CPU and system counters and the system frequency of a node, for GPU nodes as the
 * tightest of four samples.
 *
 * @param NodeId    node
 * @param Counters  out: clocks
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_NODE_UNIT, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtGetClockCounters(HSAuint32 NodeId, HsaClockCounters *Counters);

/**
 * The same as hsaKmtGetClockCounters(); the name is of a downstream copy.
 *
 * @param NodeId    node
 * @param Counters  out: clocks
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_NODE_UNIT, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtGetClockCountersPrecise(HSAuint32 NodeId, HsaClockCounters *Counters);

/* --- Memory --- */

/**
 * Allocates system memory, VRAM, doorbell-like or scratch memory or a bare address range
 * according to the flags; in/out address for fixed placement.
 *
 * @param PreferredNode  node
 * @param SizeInBytes    bytes
 * @param MemFlags       properties
 * @param MemoryAddress  address out; in for FixedAddress
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_NODE_UNIT, INVALID_PARAMETER, NO_MEMORY,
 *         ERROR, NOT_IMPLEMENTED, NOT_SUPPORTED.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtAllocMemory(HSAuint32 PreferredNode, HSAuint64 SizeInBytes,
					  HsaMemFlags MemFlags, void **MemoryAddress);

/**
 * As memory allocation with a power-of-two alignment that is zero or at least the page size.
 *
 * @param PreferredNode  node
 * @param SizeInBytes    bytes
 * @param Alignment      bytes, a power of two of at least a page; 0: any
 * @param MemFlags       properties
 * @param MemoryAddress  address out; in for FixedAddress
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_NODE_UNIT, INVALID_PARAMETER, NO_MEMORY,
 *         ERROR, NOT_IMPLEMENTED, NOT_SUPPORTED.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtAllocMemoryAlign(HSAuint32 PreferredNode, HSAuint64 SizeInBytes,
					       HSAuint64 Alignment, HsaMemFlags MemFlags,
					       void **MemoryAddress);

/**
 * Releases an allocation; NULL address or zero size is an error.
 *
 * @param MemoryAddress  address
 * @param SizeInBytes    bytes
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, ERROR, MEMORY_NOT_REGISTERED.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtFreeMemory(void *MemoryAddress, HSAuint64 SizeInBytes);

/**
 * Registers a user buffer (coarse grained) for access by all GPUs; succeeds without doing
 * anything on APU-only systems.
 *
 * @param MemoryAddress      address
 * @param MemorySizeInBytes  bytes
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_PARAMETER, INVALID_HANDLE,
 *         MEMORY_ALREADY_REGISTERED, ERROR, NO_MEMORY.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtRegisterMemory(void *MemoryAddress, HSAuint64 MemorySizeInBytes);

/**
 * Registers a user buffer for the listed nodes only.
 *
 * @param MemoryAddress      address
 * @param MemorySizeInBytes  bytes
 * @param NumberOfNodes      elements of NodeArray
 * @param NodeArray          nodes
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, NOT_SUPPORTED, INVALID_PARAMETER,
 *         INVALID_NODE_UNIT, NO_MEMORY, INVALID_HANDLE, MEMORY_ALREADY_REGISTERED, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtRegisterMemoryToNodes(void *MemoryAddress,
						    HSAuint64 MemorySizeInBytes,
						    HSAuint64 NumberOfNodes, HSAuint32 *NodeArray);

/**
 * Registers pageable host memory with coherence flags.
 *
 * @param MemoryAddress      address
 * @param MemorySizeInBytes  bytes
 * @param MemFlags           properties
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_PARAMETER, NOT_SUPPORTED,
 *         INVALID_HANDLE, MEMORY_ALREADY_REGISTERED, ERROR, NO_MEMORY.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtRegisterMemoryWithFlags(void *MemoryAddress,
						      HSAuint64 MemorySizeInBytes,
						      HsaMemFlags MemFlags);

/**
 * Undoes a registration of user, graphics or shared memory.
 *
 * @param MemoryAddress  address
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, MEMORY_NOT_REGISTERED.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtDeregisterMemory(void *MemoryAddress);

/**
 * Makes an allocation or registered buffer accessible to all (registered) GPUs.
 *
 * @param MemoryAddress      address
 * @param MemorySizeInBytes  bytes
 * @param AlternateVAGPU     out: GPU address where it differs; 0
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, ERROR, INVALID_PARAMETER, INVALID_HANDLE,
 *         NO_MEMORY.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtMapMemoryToGPU(void *MemoryAddress, HSAuint64 MemorySizeInBytes,
					     HSAuint64 *AlternateVAGPU);

/**
 * Makes an allocation accessible to exactly the listed nodes and unmaps it from others; the flags
 * are ignored.
 *
 * @param MemoryAddress      address
 * @param MemorySizeInBytes  bytes
 * @param AlternateVAGPU     out: GPU address where it differs; 0
 * @param MemFlags           properties
 * @param NumberOfNodes      elements of NodeArray
 * @param NodeArray          nodes
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, ERROR, INVALID_PARAMETER, INVALID_NODE_UNIT,
 *         NO_MEMORY, INVALID_HANDLE.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtMapMemoryToGPUNodes(void *MemoryAddress, HSAuint64 MemorySizeInBytes,
						  HSAuint64 *AlternateVAGPU, HsaMemFlags MemFlags,
						  HSAuint64 NumberOfNodes, HSAuint32 *NodeArray);

/**
 * Removes GPU mappings of an address; NULL is accepted.
 *
 * @param MemoryAddress  address
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtUnmapMemoryToGPU(void *MemoryAddress);

/**
 * Describes the allocation or registration that contains an address; node arrays stay owned by
 * the library.
 *
 * @param Pointer      address
 * @param PointerInfo  out: what is known
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_PARAMETER, ERROR, NO_MEMORY.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtQueryPointerInfo(const void *Pointer, HsaPointerInfo *PointerInfo);

/**
 * Attaches an opaque pointer to the allocation that starts at an address.
 *
 * @param Pointer   address
 * @param UserData  pointer to keep
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtSetMemoryUserData(const void *Pointer, void *UserData);

/* --- Memory policy and queries --- */

/**
 * Legacy default/alternate cache policy call; works on Kaveri only and is refused elsewhere.
 *
 * @param Node                    node
 * @param DefaultPolicy           HSA_CACHING_TYPE outside the window
 * @param AlternatePolicy         HSA_CACHING_TYPE inside it
 * @param MemoryAddressAlternate  start of the window
 * @param MemorySizeInBytes       bytes
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_NODE_UNIT, NOT_IMPLEMENTED,
 *         INVALID_PARAMETER, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtSetMemoryPolicy(HSAuint32 Node, HSAuint32 DefaultPolicy,
					      HSAuint32 AlternatePolicy,
					      void *MemoryAddressAlternate,
					      HSAuint64 MemorySizeInBytes);

/**
 * Reports how much memory can still be allocated on a GPU node (KFD minor 9).
 *
 * @param Node            node
 * @param AvailableBytes  out: bytes
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, NOT_SUPPORTED, INVALID_NODE_UNIT, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtAvailableMemory(HSAuint32 Node, HSAuint64 *AvailableBytes);

/**
 * Reports node id and KFD gpu id of the first GPU in topology order, the one used as anchor for
 * host/GTT buffers.
 *
 * @param NodeId  out: node
 * @param GpuId   out: the KFD's gpu id
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_PARAMETER, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtGetDefaultHostGpu(HSAuint32 *NodeId, HSAuint32 *GpuId);

/**
 * Copies from the GPU memory of another process; obsolete, refuses.
 *
 * @param Pid                     other process
 * @param LocalMemoryArray        ranges here
 * @param LocalMemoryArrayCount   elements of LocalMemoryArray
 * @param RemoteMemoryArray       ranges there
 * @param RemoteMemoryArrayCount  elements of RemoteMemoryArray
 * @param SizeCopied              out: bytes copied
 * @return NOT_IMPLEMENTED.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtProcessVMRead(HSAuint32 Pid, HsaMemoryRange *LocalMemoryArray,
					    HSAuint64 LocalMemoryArrayCount,
					    HsaMemoryRange *RemoteMemoryArray,
					    HSAuint64 RemoteMemoryArrayCount,
					    HSAuint64 *SizeCopied);

/**
 * Copies to the GPU memory of another process; obsolete, refuses.
 *
 * @param Pid                     other process
 * @param LocalMemoryArray        ranges here
 * @param LocalMemoryArrayCount   elements of LocalMemoryArray
 * @param RemoteMemoryArray       ranges there
 * @param RemoteMemoryArrayCount  elements of RemoteMemoryArray
 * @param SizeCopied              out: bytes copied
 * @return NOT_IMPLEMENTED.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtProcessVMWrite(HSAuint32 Pid, HsaMemoryRange *LocalMemoryArray,
					     HSAuint64 LocalMemoryArrayCount,
					     HsaMemoryRange *RemoteMemoryArray,
					     HSAuint64 RemoteMemoryArrayCount,
					     HSAuint64 *SizeCopied);

/**
 * Reads tiling tables into two caller-provided arrays and returns address configuration, bank and
 * rank counts.
 *
 * @param NodeId  node
 * @param config  in/out: arrays and lengths in, tables and lengths out
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_NODE_UNIT, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtGetTileConfig(HSAuint32 NodeId, HsaGpuTileConfig *config);

/**
 * Forwards a poison SIGBUS delay to the DRM driver through a render node ioctl; every failure is
 * reported as unsupported.
 *
 * @param NodeId   node
 * @param DelayMs  delay in ms
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, NOT_SUPPORTED.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtSetSigbusDelay(HSAuint32 NodeId, HSAuint32 DelayMs);

/**
 * Asks the DRM driver through the render node VM ioctl to reserve persisting L2 cache.
 *
 * @param Node       node
 * @param CacheSize  bytes; 0 gives it back
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_PARAMETER, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtSetPersistingCacheSize(HSAuint32 Node, HSAuint64 CacheSize);

/* --- Sharing --- */

/**
 * Exports the allocation that contains an address as a DMA-buf descriptor plus offset (KFD minor
 * 12).
 *
 * @param MemoryAddress      address
 * @param MemorySizeInBytes  bytes
 * @param DMABufFd           out: new descriptor, the caller's to close
 * @param Offset             out: byte offset of the address in the buffer
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, NOT_SUPPORTED, INVALID_PARAMETER, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtExportDMABufHandle(void *MemoryAddress, HSAuint64 MemorySizeInBytes,
						 int *DMABufFd, HSAuint64 *Offset);

/**
 * Exports a whole allocation as a 32-byte handle for another process.
 *
 * @param MemoryAddress       address
 * @param SizeInBytes         bytes
 * @param SharedMemoryHandle  out: 32 bytes that another process can import
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_PARAMETER, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtShareMemory(void *MemoryAddress, HSAuint64 SizeInBytes,
					  HsaSharedMemoryHandle *SharedMemoryHandle);

/**
 * Imports a 32-byte handle of another process and returns address and size.
 *
 * @param SharedMemoryHandle  32 bytes that another process can import
 * @param MemoryAddress       out: address
 * @param SizeInBytes         out: bytes
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_PARAMETER, NO_MEMORY, ERROR,
 *         INVALID_NODE_UNIT.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtRegisterSharedHandle(const HsaSharedMemoryHandle *SharedMemoryHandle,
						   void **MemoryAddress, HSAuint64 *SizeInBytes);

/**
 * As the shared import, restricted to the listed nodes.
 *
 * @param SharedMemoryHandle  32 bytes that another process can import
 * @param MemoryAddress       out: address
 * @param SizeInBytes         out: bytes
 * @param NumberOfNodes       elements of NodeArray
 * @param NodeArray           nodes
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_PARAMETER, NO_MEMORY, ERROR,
 *         INVALID_NODE_UNIT.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtRegisterSharedHandleToNodes(
	const HsaSharedMemoryHandle *SharedMemoryHandle, void **MemoryAddress,
	HSAuint64 *SizeInBytes, HSAuint64 NumberOfNodes, HSAuint32 *NodeArray);

/**
 * Reports size, owning gpu id and whether the memory is device local for a DMA-buf descriptor.
 *
 * @param DMABufFd  descriptor
 * @param Info      out: size, gpu id, heap
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_PARAMETER, NOT_SUPPORTED.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtQueryDmaBufInfo(int DMABufFd, HsaDmaBufInfo *Info);

/**
 * Imports a DMA-buf exported by a graphics API and returns address, size, metadata and exporting
 * node.
 *
 * @param GraphicsResourceHandle  dma-buf descriptor
 * @param GraphicsResourceInfo    in/out: address, size, metadata and node; SizeHintInBytes in
 * @param NumberOfNodes           elements of NodeArray
 * @param NodeArray               nodes
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_PARAMETER, INVALID_NODE_UNIT, NO_MEMORY,
 *         ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtRegisterGraphicsHandleToNodes(
	HSAuint64 GraphicsResourceHandle, HsaGraphicsResourceInfo *GraphicsResourceInfo,
	HSAuint64 NumberOfNodes, HSAuint32 *NodeArray);

/**
 * As the graphics import, with flags that say whether a virtual address is needed and whether the
 * handle is a KMT handle.
 *
 * @param GraphicsResourceHandle  dma-buf descriptor
 * @param GraphicsResourceInfo    in/out: address, size, metadata and node; SizeHintInBytes in
 * @param NumberOfNodes           elements of NodeArray
 * @param NodeArray               nodes
 * @param RegisterFlags           whether an address is wanted
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_PARAMETER, INVALID_NODE_UNIT, NO_MEMORY,
 *         ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtRegisterGraphicsHandleToNodesExt(
	HSAuint64 GraphicsResourceHandle, HsaGraphicsResourceInfo *GraphicsResourceInfo,
	HSAuint64 NumberOfNodes, HSAuint32 *NodeArray, HSA_REGISTER_MEM_FLAGS RegisterFlags);

/**
 * Obsolete; always refuses.
 *
 * @param NodeId                 node
 * @param GraphicDeviceHandle    ignored
 * @param GraphicResourceHandle  ignored
 * @param GraphicResourceOffset  ignored
 * @param GraphicResourceSize    ignored
 * @param FlatMemoryAddress      out: address
 * @return NOT_IMPLEMENTED.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtMapGraphicHandle(HSAuint32 NodeId, HSAuint64 GraphicDeviceHandle,
					       HSAuint64 GraphicResourceHandle,
					       HSAuint64 GraphicResourceOffset,
					       HSAuint64 GraphicResourceSize,
					       HSAuint64 *FlatMemoryAddress);

/**
 * Unmaps the given flat address from the GPU, ignoring node and size.
 *
 * @param NodeId             node
 * @param FlatMemoryAddress  address
 * @param SizeInBytes        bytes
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtUnmapGraphicHandle(HSAuint32 NodeId, HSAuint64 FlatMemoryAddress,
						 HSAuint64 SizeInBytes);

/* --- Buffer object handles --- */

/**
 * Exports an OS handle of a GPU allocation; of Windows only, so it refuses.
 *
 * @param va                  address
 * @param MemoryAddress       address
 * @param SizeInBytes         bytes
 * @param SharedMemoryHandle  out: OS handle
 * @return NOT_SUPPORTED.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtGetMemoryHandle(void *va, void *MemoryAddress, HSAuint64 SizeInBytes,
					      uint64_t *SharedMemoryHandle);

/**
 * Returns the libdrm device handle that the library opened for a GPU node.
 *
 * @param NodeId        node
 * @param DeviceHandle  out: libdrm device, the library's
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_NODE_UNIT, INVALID_HANDLE.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtGetAMDGPUDeviceHandle(HSAuint32 NodeId,
						    HsaAMDGPUDeviceHandle *DeviceHandle);

/**
 * Imports a DMA-buf or fabric handle as a libdrm buffer object, optionally checking or setting
 * IPC metadata.
 *
 * @param ImportDesc    what to import
 * @param ImportResult  out: buffer object and its size
 * @param Flags         how, may be NULL
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_HANDLE, NOT_SUPPORTED, ERROR,
 *         INVALID_PARAMETER.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtHandleImport(const HsaHandleImportDesc *ImportDesc,
					   HsaHandleImportResult *ImportResult,
					   HsaHandleImportFlags *Flags);

/**
 * Exports a buffer object as DMA-buf descriptor or fabric handle.
 *
 * @param ExportDesc    what to export
 * @param ExportResult  out: the handle
 * @param Flags         how, may be NULL
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_HANDLE, ERROR, NOT_SUPPORTED.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtHandleExport(const HsaHandleExportDesc *ExportDesc,
					   HsaMemoryExportResult *ExportResult,
					   HsaHandleExportFlags *Flags);

/**
 * Maps a buffer object at a GPU address through the render node and waits for the page table
 * update.
 *
 * @param Handle  buffer object
 * @param offset  byte offset in the buffer object
 * @param size    bytes
 * @param addr    address
 * @param flags   access
 * @param NodeId  node
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, ERROR, INVALID_NODE_UNIT, INVALID_HANDLE.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtMemoryVaMap(HsaMemoryObjectHandle Handle, HSAuint64 offset,
					  HSAuint64 size, HSAuint64 addr, HsaMemoryMapFlags flags,
					  HSAuint32 NodeId);

/**
 * Unmaps a buffer object from a GPU address and waits for the page table update.
 *
 * @param Handle  buffer object
 * @param offset  byte offset in the buffer object
 * @param size    bytes
 * @param addr    address
 * @param NodeId  node
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, ERROR, INVALID_NODE_UNIT, INVALID_HANDLE.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtMemoryVaUnmap(HsaMemoryObjectHandle Handle, HSAuint64 offset,
					    HSAuint64 size, HSAuint64 addr, HSAuint32 NodeId);

/**
 * Maps a buffer object into the process.
 *
 * @param Handle       buffer object
 * @param out_cpu_ptr  out: address
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtMemoryCpuMap(HsaMemoryObjectHandle Handle, void **out_cpu_ptr);

/**
 * Clears the metadata of a buffer object and frees the handle.
 *
 * @param Handle  buffer object
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtMemHandleFree(HsaMemoryObjectHandle Handle);

/**
 * Frees a buffer object handle, leaving its metadata in place.
 *
 * @param Handle  buffer object
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtMemHandleFreePreserveMetadata(HsaMemoryObjectHandle Handle);

/**
 * Returns the mmap offset (fake address) of a buffer object on the render node.
 *
 * @param DeviceHandle  libdrm device
 * @param MemoryHandle  buffer object
 * @param cpu_addr      out: mmap offset on the render node
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtMemoryGetCpuAddr(HsaAMDGPUDeviceHandle DeviceHandle,
					       HsaMemoryObjectHandle MemoryHandle,
					       HSAuint64 *cpu_addr);

/**
 * Returns the render node descriptor behind a libdrm device handle.
 *
 * @param DeviceHandle  libdrm device
 * @param fd            out: descriptor
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtGetAmdGPUDeviceFd(HsaAMDGPUDeviceHandle DeviceHandle, int *fd);

/* --- Shared virtual memory and XNACK --- */

/**
 * Sets shared virtual memory attributes on a page-aligned range, translating node ids to gpu ids
 * (KFD minor 5).
 *
 * @param start_addr  first byte, page-aligned
 * @param size        bytes, whole pages
 * @param nattr       elements of attrs
 * @param attrs       attributes
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, NOT_SUPPORTED, INVALID_PARAMETER,
 *         INVALID_NODE_UNIT, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtSVMSetAttr(void *start_addr, HSAuint64 size, unsigned int nattr,
					 HSA_SVM_ATTRIBUTE *attrs);

/**
 * Queries shared virtual memory attributes, translating gpu ids back to node ids (KFD minor 5).
 *
 * @param start_addr  first byte, page-aligned
 * @param size        bytes, whole pages
 * @param nattr       elements of attrs
 * @param attrs       in/out: types in, values out
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, NOT_SUPPORTED, INVALID_PARAMETER,
 *         INVALID_NODE_UNIT, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtSVMGetAttr(void *start_addr, HSAuint64 size, unsigned int nattr,
					 HSA_SVM_ATTRIBUTE *attrs);

/**
 * Switches retry faults on or off for the process (KFD minor 5).
 *
 * @param enable  1 on, 0 off
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, NOT_SUPPORTED, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtSetXNACKMode(HSAint32 enable);

/**
 * Reads the retry fault mode by passing a negative value to the same kernel call (KFD minor 5).
 *
 * @param enable  out: 1 on, 0 off
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, NOT_SUPPORTED, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtGetXNACKMode(HSAint32 *enable);

/* --- Queues --- */

/**
 * Declared for historical reasons; refuses.
 *
 * @param QueueId      queue
 * @param QueueReport  out: ring and VMID
 * @return NOT_SUPPORTED.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtReportQueue(HSA_QUEUEID QueueId, HsaQueueReport *QueueReport);

/**
 * Creates a user-mode queue on a node and returns its id, doorbell and, for non-AQL queues, read
 * and write pointer addresses; the by-engine SDMA type is rejected.
 *
 * @param NodeId            node
 * @param Type              kind of queue
 * @param QueuePercentage   share of the GPU in percent, 0 to 100; 0 stops the queue
 * @param Priority          priority among the process's queues
 * @param QueueAddress      ring
 * @param QueueSizeInBytes  bytes of the ring
 * @param Event             event
 * @param QueueResource     in/out: id, doorbell and pointers of the new queue
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_PARAMETER, INVALID_NODE_UNIT, NO_MEMORY,
 *         ERROR, NOT_SUPPORTED.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtCreateQueue(HSAuint32 NodeId, HSA_QUEUE_TYPE Type,
					  HSAuint32 QueuePercentage, HSA_QUEUE_PRIORITY Priority,
					  void *QueueAddress, HSAuint64 QueueSizeInBytes,
					  HsaEvent *Event, HsaQueueResource *QueueResource);

/**
 * As queue creation, with an SDMA engine number for the by-engine SDMA queue type.
 *
 * @param NodeId            node
 * @param Type              kind of queue
 * @param QueuePercentage   share of the GPU in percent, 0 to 100; 0 stops the queue
 * @param Priority          priority among the process's queues
 * @param SdmaEngineId      engine, for HSA_QUEUE_SDMA_BY_ENG_ID
 * @param QueueAddress      ring
 * @param QueueSizeInBytes  bytes of the ring
 * @param Event             event
 * @param QueueResource     in/out: id, doorbell and pointers of the new queue
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_PARAMETER, INVALID_NODE_UNIT, NO_MEMORY,
 *         ERROR, NOT_SUPPORTED.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtCreateQueueExt(HSAuint32 NodeId, HSA_QUEUE_TYPE Type,
					     HSAuint32 QueuePercentage, HSA_QUEUE_PRIORITY Priority,
					     HSAuint32 SdmaEngineId, void *QueueAddress,
					     HSAuint64 QueueSizeInBytes, HsaEvent *Event,
					     HsaQueueResource *QueueResource);

/**
 * As the extended creation, plus a page-aligned metadata ring size (non-zero needs KFD minor 19).
 *
 * @param NodeId                       node
 * @param Type                         kind of queue
 * @param QueuePercentage              share of the GPU in percent, 0 to 100; 0 stops the queue
 * @param Priority                     priority among the process's queues
 * @param SdmaEngineId                 engine, for HSA_QUEUE_SDMA_BY_ENG_ID
 * @param QueueAddress                 ring
 * @param QueueSizeInBytes             bytes of the ring
 * @param MetaDataPrefetchSizeInBytes  bytes of the metadata ring, whole pages; 0: none
 * @param Event                        event
 * @param QueueResource                in/out: id, doorbell and pointers of the new queue
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_PARAMETER, INVALID_NODE_UNIT, NO_MEMORY,
 *         ERROR, NOT_SUPPORTED.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtCreateQueueV2(HSAuint32 NodeId, HSA_QUEUE_TYPE Type,
					    HSAuint32 QueuePercentage, HSA_QUEUE_PRIORITY Priority,
					    HSAuint32 SdmaEngineId, void *QueueAddress,
					    HSAuint64 QueueSizeInBytes,
					    HSAuint64 MetaDataPrefetchSizeInBytes, HsaEvent *Event,
					    HsaQueueResource *QueueResource);

/**
 * Changes ring address, ring size, percentage and priority of a queue.
 *
 * @param QueueId          queue
 * @param QueuePercentage  share of the GPU in percent, 0 to 100; 0 stops the queue
 * @param Priority         priority among the process's queues
 * @param QueueAddress     ring
 * @param QueueSize        bytes of the ring
 * @param Event            ignored
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_PARAMETER, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtUpdateQueue(HSA_QUEUEID QueueId, HSAuint32 QueuePercentage,
					  HSA_QUEUE_PRIORITY Priority, void *QueueAddress,
					  HSAuint64 QueueSize, HsaEvent *Event);

/**
 * Destroys a queue and frees its EOP and context save memory.
 *
 * @param QueueId  queue
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_PARAMETER, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtDestroyQueue(HSA_QUEUEID QueueId);

/**
 * Sets the compute unit mask of a queue; the bit count must be a non-zero multiple of 32.
 *
 * @param QueueId      queue
 * @param CUMaskCount  bits of the mask, a multiple of 32
 * @param QueueCUMask  words of the mask
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_PARAMETER, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtSetQueueCUMask(HSA_QUEUEID QueueId, HSAuint32 CUMaskCount,
					     HSAuint32 *QueueCUMask);

/**
 * Reports the context save area, control stack and CU mask of a (suspended) queue.
 *
 * @param QueueId    queue
 * @param QueueInfo  out: save area, control stack and mask
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_PARAMETER, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtGetQueueInfo(HSA_QUEUEID QueueId, HsaQueueInfo *QueueInfo);

/**
 * Translates a queue handle of this library to the queue number that the kernel assigned.
 *
 * @param QueueId                queue
 * @param KernelInternalQueueId  out: the kernel's queue number
 * @return SUCCESS, INVALID_PARAMETER.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtGetKernelQueueId(HSA_QUEUEID QueueId,
					       HSAuint32 *KernelInternalQueueId);

/**
 * Rings a doorbell on behalf of the caller; on Linux programs do that themselves, so it refuses.
 *
 * @param QueueId  queue
 * @param value    what to write
 * @return NOT_SUPPORTED.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtQueueRingDoorbell(HSA_QUEUEID QueueId, HSAuint64 value);

/**
 * Allocates or frees global wave sync slots for a queue.
 *
 * @param QueueId   queue
 * @param nGWS      slots; 0 gives them back
 * @param firstGWS  out: first slot
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_PARAMETER, OUT_OF_RESOURCES,
 *         NOT_SUPPORTED, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtAllocQueueGWS(HSA_QUEUEID QueueId, HSAuint32 nGWS,
					    HSAuint32 *firstGWS);

/**
 * Registers first-level trap handler and trap buffer addresses for a node.
 *
 * @param NodeId                  node
 * @param TrapHandlerBaseAddress  code
 * @param TrapHandlerSizeInBytes  its bytes
 * @param TrapBufferBaseAddress   data
 * @param TrapBufferSizeInBytes   its bytes
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_NODE_UNIT, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtSetTrapHandler(HSAuint32 NodeId, void *TrapHandlerBaseAddress,
					     HSAuint64 TrapHandlerSizeInBytes,
					     void *TrapBufferBaseAddress,
					     HSAuint64 TrapBufferSizeInBytes);

/* --- Events --- */

/**
 * Creates a KFD event (and on first use the shared signal page), optionally signals it, and
 * returns a heap-allocated event object owned by the library.
 *
 * @param EventDesc    type, node and sync variable
 * @param ManualReset  false: a wait that the event ends resets it
 * @param IsSignaled   true: signalled from the start
 * @param Event        out: the event; ended by hsaKmtDestroyEvent()
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_PARAMETER, ERROR, NO_MEMORY.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtCreateEvent(HsaEventDescriptor *EventDesc, bool ManualReset,
					  bool IsSignaled, HsaEvent **Event);

/**
 * Destroys the kernel event and frees the event object.
 *
 * @param Event  event
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_HANDLE, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtDestroyEvent(HsaEvent *Event);

/**
 * Signals a signal or debug event; system event types are refused.
 *
 * @param Event  event
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_HANDLE, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtSetEvent(HsaEvent *Event);

/**
 * Clears a signal or debug event; system event types are refused.
 *
 * @param Event  event
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_HANDLE, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtResetEvent(HsaEvent *Event);

/**
 * Validates its argument only; reports success without asking the kernel.
 *
 * @param Event  event
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_HANDLE.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtQueryEventState(HsaEvent *Event);

/**
 * Waits for one event with a timeout in milliseconds.
 *
 * @param Event         in/out: event
 * @param Milliseconds  time limit in ms, or an HsaEventTimeOut value
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_HANDLE, NO_MEMORY, ERROR, WAIT_TIMEOUT,
 *         INVALID_NODE_UNIT.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtWaitOnEvent(HsaEvent *Event, HSAuint32 Milliseconds);

/**
 * Waits for one event, passing in and returning the event age used to avoid missed wake-ups.
 *
 * @param Event         in/out: event
 * @param Milliseconds  time limit in ms, or an HsaEventTimeOut value
 * @param event_age     in/out: last age seen in, new age out; 0 turns ages off
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_HANDLE, NO_MEMORY, ERROR, WAIT_TIMEOUT,
 *         INVALID_NODE_UNIT.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtWaitOnEvent_Ext(HsaEvent *Event, HSAuint32 Milliseconds,
					      uint64_t *event_age);

/**
 * Waits for any or all of several events; fault and reset details are stored into the event
 * objects.
 *
 * @param Events        in/out: array of events
 * @param NumEvents     elements of Events
 * @param WaitOnAll     true: wait for all; false: for any one
 * @param Milliseconds  time limit in ms, or an HsaEventTimeOut value
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_HANDLE, NO_MEMORY, ERROR, WAIT_TIMEOUT,
 *         INVALID_NODE_UNIT.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtWaitOnMultipleEvents(HsaEvent **Events, HSAuint32 NumEvents,
						   bool WaitOnAll, HSAuint32 Milliseconds);

/**
 * As the multiple-event wait, with an array of event ages (one per event, may be NULL).
 *
 * @param Events        in/out: array of events
 * @param NumEvents     elements of Events
 * @param WaitOnAll     true: wait for all; false: for any one
 * @param Milliseconds  time limit in ms, or an HsaEventTimeOut value
 * @param event_age     in/out: last age seen in, new age out; 0 turns ages off
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_HANDLE, NO_MEMORY, ERROR, WAIT_TIMEOUT,
 *         INVALID_NODE_UNIT.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtWaitOnMultipleEvents_Ext(HsaEvent **Events, HSAuint32 NumEvents,
						       bool WaitOnAll, HSAuint32 Milliseconds,
						       uint64_t *event_age);

/**
 * Opens an anonymous descriptor for system management events of a GPU.
 *
 * @param NodeId  node
 * @param fd      out: descriptor, the caller's to close
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_NODE_UNIT, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtOpenSMI(HSAuint32 NodeId, int *fd);

/* --- Performance counters, streaming and sampling --- */

/**
 * Returns the library-owned table of performance counter blocks of a node.
 *
 * @param NodeId             node
 * @param CounterProperties  out: the library's table
 * @return SUCCESS, NO_MEMORY, INVALID_PARAMETER, INVALID_NODE_UNIT.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtPmcGetCounterProperties(HSAuint32 NodeId,
						      HsaCounterProperties **CounterProperties);

/**
 * Validates a set of counters and creates a trace object with its minimum buffer size.
 *
 * @param NodeId            node
 * @param NumberOfCounters  elements of Counters
 * @param Counters          counters to measure
 * @param TraceRoot         out: id and smallest buffer
 * @return SUCCESS, NO_MEMORY, INVALID_PARAMETER, INVALID_NODE_UNIT.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtPmcRegisterTrace(HSAuint32 NodeId, HSAuint32 NumberOfCounters,
					       HsaCounter *Counters, HsaPmcTraceRoot *TraceRoot);

/**
 * Destroys a trace object, stopping it when needed.
 *
 * @param NodeId   node
 * @param TraceId  trace
 * @return SUCCESS, INVALID_PARAMETER, INVALID_NODE_UNIT, INVALID_HANDLE.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtPmcUnregisterTrace(HSAuint32 NodeId, HSATraceId TraceId);

/**
 * Requests exclusive use of the counters of a trace.
 *
 * @param NodeId   node
 * @param TraceId  trace
 * @return SUCCESS, INVALID_PARAMETER, INVALID_HANDLE, INVALID_NODE_UNIT.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtPmcAcquireTraceAccess(HSAuint32 NodeId, HSATraceId TraceId);

/**
 * Gives up exclusive use.
 *
 * @param NodeId   node
 * @param TraceId  trace
 * @return SUCCESS, INVALID_PARAMETER, INVALID_HANDLE.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtPmcReleaseTraceAccess(HSAuint32 NodeId, HSATraceId TraceId);

/**
 * Enables the counters of a trace and remembers the result buffer.
 *
 * @param TraceId               trace
 * @param TraceBuffer           result buffer
 * @param TraceBufferSizeBytes  its bytes
 * @return SUCCESS, INVALID_PARAMETER, INVALID_HANDLE, UNAVAILABLE, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtPmcStartTrace(HSATraceId TraceId, void *TraceBuffer,
					    HSAuint64 TraceBufferSizeBytes);

/**
 * Reads the current counter values into the result buffer.
 *
 * @param TraceId  trace
 * @return SUCCESS, INVALID_PARAMETER, INVALID_HANDLE, NO_MEMORY, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtPmcQueryTrace(HSATraceId TraceId);

/**
 * Disables the counters of a trace.
 *
 * @param TraceId  trace
 * @return SUCCESS, INVALID_PARAMETER, INVALID_HANDLE, UNAVAILABLE, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtPmcStopTrace(HSATraceId TraceId);

/**
 * Requests exclusive streaming performance monitor use of a node.
 *
 * @param PreferredNode  node
 * @return SUCCESS, INVALID_NODE_UNIT.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtSPMAcquire(HSAuint32 PreferredNode);

/**
 * Ends streaming performance monitor use of a node.
 *
 * @param PreferredNode  node
 * @return SUCCESS, INVALID_NODE_UNIT.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtSPMRelease(HSAuint32 PreferredNode);

/**
 * Sets the next destination buffer (NULL to stop) and returns bytes copied so far, remaining
 * timeout and a data loss flag.
 *
 * @param PreferredNode      node
 * @param SizeInBytes        bytes of the new buffer
 * @param timeout            in/out: ms to wait in, ms left out
 * @param SizeCopied         out: bytes put into the previous buffer
 * @param DestMemoryAddress  next buffer; NULL stops
 * @param isSPMDataLoss      out: true: samples were lost
 * @return SUCCESS, INVALID_NODE_UNIT.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtSPMSetDestBuffer(HSAuint32 PreferredNode, HSAuint32 SizeInBytes,
					       HSAuint32 *timeout, HSAuint32 *SizeCopied,
					       void *DestMemoryAddress, bool *isSPMDataLoss);

/**
 * Says whether the kernel interface is new enough for PC sampling (KFD minor 16).
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, NOT_SUPPORTED.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtPcSamplingSupport(void);

/**
 * Lists the sampling methods of a GPU; reports the needed element count when the array is too
 * small.
 *
 * @param NodeId          node
 * @param sample_info     out: array of HsaPcSamplingInfo, may be NULL
 * @param sample_info_sz  elements of sample_info
 * @param sz_needed       out: elements there are
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_NODE_UNIT, INVALID_PARAMETER, ERROR,
 *         NOT_SUPPORTED, BUFFER_TOO_SMALL, UNAVAILABLE.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtPcSamplingQueryCapabilities(HSAuint32 NodeId, void *sample_info,
							  HSAuint32 sample_info_sz,
							  HSAuint32 *sz_needed);

/**
 * Creates a sampling configuration on a GPU and returns its id.
 *
 * @param node_id      node
 * @param sample_info  in/out: what to sample; the active one out when another runs
 * @param traceId      out: sampling configuration
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_NODE_UNIT, INVALID_PARAMETER, ERROR,
 *         NO_MEMORY, UNAVAILABLE.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtPcSamplingCreate(HSAuint32 node_id, HsaPcSamplingInfo *sample_info,
					       HsaPcSamplingTraceId *traceId);

/**
 * Destroys a sampling configuration.
 *
 * @param NodeId   node
 * @param traceId  sampling configuration
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_NODE_UNIT, INVALID_PARAMETER, ERROR,
 *         INVALID_HANDLE.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtPcSamplingDestroy(HSAuint32 NodeId, HsaPcSamplingTraceId traceId);

/**
 * Starts sampling.
 *
 * @param NodeId   node
 * @param traceId  sampling configuration
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_NODE_UNIT, INVALID_PARAMETER, ERROR,
 *         INVALID_HANDLE, OUT_OF_RESOURCES, UNAVAILABLE, KERNEL_ALREADY_OPENED.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtPcSamplingStart(HSAuint32 NodeId, HsaPcSamplingTraceId traceId);

/**
 * Stops sampling; stopping twice is reported with the already-opened code.
 *
 * @param NodeId   node
 * @param traceId  sampling configuration
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_NODE_UNIT, INVALID_PARAMETER, ERROR,
 *         INVALID_HANDLE, KERNEL_ALREADY_OPENED.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtPcSamplingStop(HSAuint32 NodeId, HsaPcSamplingTraceId traceId);

/* --- Debugger and runtime --- */

/**
 * Obsolete debugger registration of a node.
 *
 * @param NodeId  node
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, NO_MEMORY, INVALID_NODE_UNIT, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtDbgRegister(HSAuint32 NodeId);

/**
 * Obsolete debugger detachment from a node.
 *
 * @param NodeId  node
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, NO_MEMORY, INVALID_NODE_UNIT, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtDbgUnregister(HSAuint32 NodeId);

/**
 * Obsolete wave control request (halt, resume, kill, debug, trap).
 *
 * @param NodeId          node
 * @param Operand         what to do
 * @param Mode            which waves
 * @param TrapId          trap number
 * @param DbgWaveMsgRing  message
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_NODE_UNIT, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtDbgWavefrontControl(HSAuint32 NodeId, HSA_DBG_WAVEOP Operand,
						  HSA_DBG_WAVEMODE Mode, HSAuint32 TrapId,
						  HsaDbgWaveMessage *DbgWaveMsgRing);

/**
 * Obsolete address watch setup, at most 100 points.
 *
 * @param NodeId          node
 * @param NumWatchPoints  watch points, at most 100
 * @param WatchMode       array of kinds of access
 * @param WatchAddress    array of addresses
 * @param WatchMask       array of masks; a single 0 counts for all
 * @param WatchEvent      array of events, may be NULL
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_NODE_UNIT, INVALID_PARAMETER, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtDbgAddressWatch(HSAuint32 NodeId, HSAuint32 NumWatchPoints,
					      HSA_DBG_WATCH_MODE *WatchMode, void **WatchAddress,
					      HSAuint64 *WatchMask, HsaEvent **WatchEvent);

/**
 * Tells the kernel that a runtime with the given debug structure exists, optionally enabling trap
 * temporary setup.
 *
 * @param rDebug     the debugger's rendezvous structure
 * @param setupTtmp  true: set up the trap temporaries
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, ERROR, NOT_SUPPORTED, INVALID_PARAMETER,
 *         NO_MEMORY, INVALID_NODE_UNIT, UNAVAILABLE.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtRuntimeEnable(void *rDebug, bool setupTtmp);

/**
 * Withdraws the runtime announcement.
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, ERROR, NOT_SUPPORTED, INVALID_PARAMETER,
 *         NO_MEMORY, INVALID_NODE_UNIT.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtRuntimeDisable(void);

/**
 * Returns the capability mask that the last successful runtime enable reported.
 *
 * @param caps_mask  out: HSA_RUNTIME_ENABLE_CAPS_*
 * @return SUCCESS.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtGetRuntimeCapabilities(HSAuint32 *caps_mask);

/**
 * Copies the runtime information cached at runtime enable, for core dump writers.
 *
 * @param runtime_info  out: the record
 * @return SUCCESS, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtGetCoreRuntimeInfo(struct kfd_runtime_info *runtime_info);

/**
 * Builds a debugger-style device record for a KFD gpu id from topology, apertures and PCI data.
 *
 * @param gpu_id       the KFD's gpu id
 * @param device_info  out: the record
 * @return SUCCESS, ERROR, INVALID_NODE_UNIT.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtGetCoreDeviceInfo(HSAuint32 gpu_id,
						struct kfd_dbg_device_info_entry *device_info);

/**
 * Starts self-debugging and returns a heap buffer with runtime information (caller frees).
 *
 * @param runtime_info  out: record for free(); NULL on failure
 * @param data_size     out: its bytes
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, NOT_SUPPORTED, NO_MEMORY, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtDbgEnable(void **runtime_info, HSAuint32 *data_size);

/**
 * Ends self-debugging.
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, NOT_SUPPORTED, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtDbgDisable(void);

/**
 * Returns a heap array of device snapshot records (caller frees).
 *
 * @param data        out: array for free(); NULL on failure
 * @param n_entries   out: its elements
 * @param entry_size  out: bytes of an element
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, NOT_SUPPORTED, NO_MEMORY, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtDbgGetDeviceData(void **data, HSAuint32 *n_entries,
					       HSAuint32 *entry_size);

/**
 * Returns a heap array of queue snapshot records, optionally suspending the queues first.
 *
 * @param data            out: array for free(); NULL on failure
 * @param n_entries       out: its elements
 * @param entry_size      out: bytes of an element
 * @param suspend_queues  true: suspend the queues first
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, NOT_SUPPORTED, NO_MEMORY, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtDbgGetQueueData(void **data, HSAuint32 *n_entries,
					      HSAuint32 *entry_size, bool suspend_queues);

/**
 * Checks that every GPU has debug-capable firmware and that the KFD interface is at least 1.13;
 * may take the topology snapshot.
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, ERROR, NOT_SUPPORTED, INVALID_PARAMETER,
 *         NO_MEMORY, INVALID_NODE_UNIT.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtCheckRuntimeDebugSupport(void);

/**
 * Passes a debug trap request through, translating queue handles to kernel queue ids for suspend
 * and resume.
 *
 * @param args         in/out: the ioctl's argument
 * @param Queues       queues to translate, may be NULL
 * @param DebugReturn  out: raw result of the ioctl, may be NULL
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, NO_MEMORY, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtDebugTrapIoctl(struct kfd_ioctl_dbg_trap_args *args,
					     HSA_QUEUEID *Queues, HSAuint64 *DebugReturn);

/**
 * Reads the version of the private debug trap interface of 5.2.3 days; kept for old programs.
 *
 * @param Major  out: major number
 * @param Minor  out: minor number
 * @return SUCCESS, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtGetKernelDebugTrapVersionInfo(HSAuint32 *Major, HSAuint32 *Minor);

/* --- Address sanitizer, direct storage, semaphores, model --- */

/**
 * In address sanitizer builds replaces the first page of a GPU allocation by host memory;
 * otherwise refuses.
 *
 * @param addr  address
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, ERROR, NOT_SUPPORTED.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtReplaceAsanHeaderPage(void *addr);

/**
 * In address sanitizer builds restores the first page of a GPU allocation; otherwise refuses.
 *
 * @param addr  address
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, ERROR, NOT_SUPPORTED.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtReturnAsanHeaderPage(void *addr);

/**
 * Transfers directly between a file and a GPU allocation, capped at 0x7ffff000 bytes per call.
 *
 * @param MemoryAddress      address
 * @param MemorySizeInBytes  bytes
 * @param fd                 file
 * @param file_offset        byte offset in the file
 * @param AisFlags           direction
 * @param SizeCopiedInBytes  out: bytes transferred
 * @param status             out: 0 or negative errno of the transfer
 * @return SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED, INVALID_PARAMETER, ERROR.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtAisReadWriteFile(void *MemoryAddress, HSAuint64 MemorySizeInBytes,
					       HSAint32 fd, HSAint64 file_offset,
					       HsaAisFlags AisFlags, HSAuint64 *SizeCopiedInBytes,
					       HSAint32 *status);

/**
 * Imports a semaphore of another API; the Linux build always refuses.
 *
 * @param NodeId     node
 * @param NtHandle   handle of the other API
 * @param Type       kind of NtHandle
 * @param OutHandle  out: the semaphore
 * @return NOT_SUPPORTED.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtImportExternalSemaphore(HSAuint32 NodeId, void *NtHandle,
						      HSA_EXTERNAL_SEMAPHORE_HANDLE_TYPE Type,
						      HSA_EXTERNAL_SEMAPHORE_HANDLE *OutHandle);

/**
 * Releases an imported semaphore; the Linux build always refuses.
 *
 * @param Handle  semaphore
 * @return NOT_SUPPORTED.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtDestroyExternalSemaphore(HSA_EXTERNAL_SEMAPHORE_HANDLE Handle);

/**
 * Queues a signal of an imported semaphore; the Linux build always refuses.
 *
 * @param QueueId  queue
 * @param Handle   semaphore
 * @param Value    value of the semaphore
 * @return NOT_SUPPORTED.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtQueueSignalExternalSemaphore(HSA_QUEUEID QueueId,
							   HSA_EXTERNAL_SEMAPHORE_HANDLE Handle,
							   HSAuint64 Value);

/**
 * Queues a wait on an imported semaphore; the Linux build always refuses.
 *
 * @param QueueId  queue
 * @param Handle   semaphore
 * @param Value    value of the semaphore
 * @return NOT_SUPPORTED.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtQueueWaitExternalSemaphore(HSA_QUEUEID QueueId,
							 HSA_EXTERNAL_SEMAPHORE_HANDLE Handle,
							 HSAuint64 Value);

/**
 * Says whether the software model replaces real hardware.
 *
 * @param enable  out: true: a model answers
 * @return SUCCESS.
 */
HSAKMT_STATUS HSAKMTAPI hsaKmtModelEnabled(bool *enable);

#ifdef __cplusplus
}
#endif

#endif
