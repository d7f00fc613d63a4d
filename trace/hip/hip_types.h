/* SPDX-License-Identifier: MIT */
/*
 * The types of the HIP functions in hip.def, as far as the binary interface and the events need them:
 * libkfdscope-hip.so builds without HIP's own headers. A test compares them with those headers.
 */
#ifndef KFDSCOPE_TRACE_HIP_HIP_TYPES_H
#define KFDSCOPE_TRACE_HIP_HIP_TYPES_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
	hipSuccess = 0,
	hipErrorInvalidValue = 1,
	hipErrorOutOfMemory = 2,
	hipErrorNotInitialized = 3,
	hipErrorDeinitialized = 4,
	hipErrorProfilerDisabled = 5,
	hipErrorProfilerNotInitialized = 6,
	hipErrorProfilerAlreadyStarted = 7,
	hipErrorProfilerAlreadyStopped = 8,
	hipErrorInvalidConfiguration = 9,
	hipErrorInvalidPitchValue = 12,
	hipErrorInvalidSymbol = 13,
	hipErrorInvalidDevicePointer = 17,
	hipErrorInvalidMemcpyDirection = 21,
	hipErrorInsufficientDriver = 35,
	hipErrorMissingConfiguration = 52,
	hipErrorPriorLaunchFailure = 53,
	hipErrorInvalidDeviceFunction = 98,
	hipErrorNoDevice = 100,
	hipErrorInvalidDevice = 101,
	hipErrorInvalidImage = 200,
	hipErrorInvalidContext = 201,
	hipErrorContextAlreadyCurrent = 202,
	hipErrorMapFailed = 205,
	hipErrorUnmapFailed = 206,
	hipErrorArrayIsMapped = 207,
	hipErrorAlreadyMapped = 208,
	hipErrorNoBinaryForGpu = 209,
	hipErrorAlreadyAcquired = 210,
	hipErrorNotMapped = 211,
	hipErrorNotMappedAsArray = 212,
	hipErrorNotMappedAsPointer = 213,
	hipErrorECCNotCorrectable = 214,
	hipErrorUnsupportedLimit = 215,
	hipErrorContextAlreadyInUse = 216,
	hipErrorPeerAccessUnsupported = 217,
	hipErrorInvalidKernelFile = 218,
	hipErrorInvalidGraphicsContext = 219,
	hipErrorInvalidSource = 300,
	hipErrorFileNotFound = 301,
	hipErrorSharedObjectSymbolNotFound = 302,
	hipErrorSharedObjectInitFailed = 303,
	hipErrorOperatingSystem = 304,
	hipErrorInvalidHandle = 400,
	hipErrorIllegalState = 401,
	hipErrorNotFound = 500,
	hipErrorNotReady = 600,
	hipErrorIllegalAddress = 700,
	hipErrorLaunchOutOfResources = 701,
	hipErrorLaunchTimeOut = 702,
	hipErrorPeerAccessAlreadyEnabled = 704,
	hipErrorPeerAccessNotEnabled = 705,
	hipErrorSetOnActiveProcess = 708,
	hipErrorContextIsDestroyed = 709,
	hipErrorAssert = 710,
	hipErrorHostMemoryAlreadyRegistered = 712,
	hipErrorHostMemoryNotRegistered = 713,
	hipErrorLaunchFailure = 719,
	hipErrorCooperativeLaunchTooLarge = 720,
	hipErrorNotSupported = 801,
	hipErrorStreamCaptureUnsupported = 900,
	hipErrorStreamCaptureInvalidated = 901,
	hipErrorStreamCaptureMerge = 902,
	hipErrorStreamCaptureUnmatched = 903,
	hipErrorStreamCaptureUnjoined = 904,
	hipErrorStreamCaptureIsolation = 905,
	hipErrorStreamCaptureImplicit = 906,
	hipErrorCapturedEvent = 907,
	hipErrorStreamCaptureWrongThread = 908,
	hipErrorGraphExecUpdateFailure = 910,
	hipErrorUnknown = 999,
	hipErrorRuntimeMemory = 1052,
	hipErrorRuntimeOther = 1053,
} hipError_t;

typedef enum {
	hipMemcpyHostToHost = 0,
	hipMemcpyHostToDevice = 1,
	hipMemcpyDeviceToHost = 2,
	hipMemcpyDeviceToDevice = 3,
	hipMemcpyDefault = 4,
} hipMemcpyKind;

typedef enum {
	hipMemoryTypeHost = 0,
	hipMemoryTypeDevice = 1,
	hipMemoryTypeArray = 2,
	hipMemoryTypeUnified = 3,
} hipMemoryType;

typedef enum {
	hipMemAdviseSetReadMostly = 1,
	hipMemAdviseUnsetReadMostly = 2,
	hipMemAdviseSetPreferredLocation = 3,
	hipMemAdviseUnsetPreferredLocation = 4,
	hipMemAdviseSetAccessedBy = 5,
	hipMemAdviseUnsetAccessedBy = 6,
	hipMemAdviseSetCoarseGrain = 100,
	hipMemAdviseUnsetCoarseGrain = 101,
} hipMemoryAdvise;

typedef enum {
	hipStreamCaptureModeGlobal = 0,
	hipStreamCaptureModeThreadLocal = 1,
	hipStreamCaptureModeRelaxed = 2,
} hipStreamCaptureMode;

typedef enum {
	hipStreamCaptureStatusNone = 0,
	hipStreamCaptureStatusActive = 1,
	hipStreamCaptureStatusInvalidated = 2,
} hipStreamCaptureStatus;

typedef enum {
	hipMemPoolReuseFollowEventDependencies = 1,
	hipMemPoolReuseAllowOpportunistic = 2,
	hipMemPoolReuseAllowInternalDependencies = 3,
	hipMemPoolAttrReleaseThreshold = 4,
	hipMemPoolAttrReservedMemCurrent = 5,
	hipMemPoolAttrReservedMemHigh = 6,
	hipMemPoolAttrUsedMemCurrent = 7,
	hipMemPoolAttrUsedMemHigh = 8,
} hipMemPoolAttr;

typedef enum {
	hipMemHandleTypeNone = 0,
	hipMemHandleTypePosixFileDescriptor = 1,
	hipMemHandleTypeWin32 = 2,
	hipMemHandleTypeWin32Kmt = 4,
} hipMemAllocationHandleType;

typedef struct ihipStream_t *hipStream_t;
typedef struct ihipEvent_t *hipEvent_t;
typedef struct ihipModule_t *hipModule_t;
typedef struct ihipModuleSymbol_t *hipFunction_t;
typedef struct ihipMemPoolHandle_t *hipMemPool_t;
typedef struct ihipCtx_t *hipCtx_t;
typedef struct ihipGraph *hipGraph_t;
typedef struct hipGraphExec *hipGraphExec_t;
typedef struct hipGraphNode *hipGraphNode_t;
typedef struct ihipMemGenericAllocationHandle *hipMemGenericAllocationHandle_t;
typedef void *hipExternalMemory_t;
typedef void *hipExternalSemaphore_t;
typedef void *hipDeviceptr_t;
typedef struct hipArray hipArray;
typedef const struct hipArray *hipArray_const_t;
typedef struct hipMipmappedArray *hipMipmappedArray_t;
typedef int hipDevice_t;

/* Enumerations whose numbers differ between releases: recorded as numbers. */
typedef int hipDeviceAttribute_t;
typedef int hipFuncAttribute;
typedef int hipFunction_attribute;
typedef int hipMemAccessFlags;
typedef int hipJitOption;

/* Only ever pointed to. */
typedef struct hipMemPoolPtrExportData hipMemPoolPtrExportData;
typedef struct hipLaunchParams hipLaunchParams;
typedef struct hipMemAccessDesc hipMemAccessDesc;
typedef struct hipMemLocation hipMemLocation;

typedef struct hipChannelFormatDesc hipChannelFormatDesc;
typedef struct HIP_MEMCPY3D HIP_MEMCPY3D;
typedef struct HIP_ARRAY_DESCRIPTOR HIP_ARRAY_DESCRIPTOR;
typedef struct HIP_ARRAY3D_DESCRIPTOR HIP_ARRAY3D_DESCRIPTOR;
typedef struct hipPointerAttribute_t hipPointerAttribute_t;
typedef struct hipFuncAttributes hipFuncAttributes;
typedef struct hipDeviceProp_t hipDeviceProp_t;
typedef struct hipMemPoolProps hipMemPoolProps;
typedef struct hipMemAllocationProp hipMemAllocationProp;
typedef struct hipExternalSemaphoreWaitParams hipExternalSemaphoreWaitParams;
typedef struct hipExternalSemaphoreSignalParams hipExternalSemaphoreSignalParams;
typedef struct hipExternalSemaphoreHandleDesc hipExternalSemaphoreHandleDesc;
typedef struct hipExternalMemoryHandleDesc hipExternalMemoryHandleDesc;
typedef struct hipExternalMemoryBufferDesc hipExternalMemoryBufferDesc;

typedef void (*hipStreamCallback_t)(hipStream_t stream, hipError_t status, void *data);
typedef void (*hipHostFn_t)(void *data);

typedef struct {
	uint32_t x, y, z;
} dim3;

typedef struct {
	size_t width, height, depth;
} hipExtent;

typedef struct {
	size_t x, y, z;
} hipPos;

typedef struct {
	void *ptr;
	size_t pitch, xsize, ysize;
} hipPitchedPtr;

typedef struct {
	char reserved[64];
} hipIpcMemHandle_t;

typedef struct {
	char reserved[64];
} hipIpcEventHandle_t;

typedef struct {
	hipArray *srcArray;
	hipPos srcPos;
	hipPitchedPtr srcPtr;
	hipArray *dstArray;
	hipPos dstPos;
	hipPitchedPtr dstPtr;
	hipExtent extent;
	hipMemcpyKind kind;
} hipMemcpy3DParms;

typedef struct {
	size_t srcXInBytes, srcY;
	hipMemoryType srcMemoryType;
	const void *srcHost;
	hipDeviceptr_t srcDevice;
	hipArray *srcArray;
	size_t srcPitch;
	size_t dstXInBytes, dstY;
	hipMemoryType dstMemoryType;
	void *dstHost;
	hipDeviceptr_t dstDevice;
	hipArray *dstArray;
	size_t dstPitch;
	size_t WidthInBytes, Height;
} hip_Memcpy2D;

#endif
