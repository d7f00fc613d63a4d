/* SPDX-License-Identifier: MIT */
/*
 * The walk through a guest's library: its cases, with the guest's names for the calls. What the guest's
 * library does not have is answered with WALK_ABSENT, which walk_note() passes over; a name that stands
 * in neither list does not link.
 */
#ifndef KFDSCOPE_TESTS_INTEGRATION_WALK_GUEST_H
#define KFDSCOPE_TESTS_INTEGRATION_WALK_GUEST_H

#include "hsakmt/hsakmt_virtio.h"

#define WALK_ABSENT ((HSAKMT_STATUS)-1000)

static inline HSAKMT_STATUS walk_absent(int first, ...)
{
	(void)first;
	return WALK_ABSENT;
}

/*
 * What a guest is answered where the thunk answers otherwise; says so on stdout.
 * @return the expected status, which is the thunk's unless the list has another.
 */
HSAKMT_STATUS walk_guest_expects(const char *name_of_case, const char *call,
				 HSAKMT_STATUS expected);

/* clang-format off */
#define hsaKmtAcquireSystemProperties          vhsaKmtAcquireSystemProperties
#define hsaKmtAllocMemory                      vhsaKmtAllocMemory
#define hsaKmtAllocMemoryAlign                 vhsaKmtAllocMemoryAlign
#define hsaKmtAllocQueueGWS                    vhsaKmtAllocQueueGWS
#define hsaKmtAvailableMemory                  vhsaKmtAvailableMemory
#define hsaKmtCloseKFD                         vhsaKmtCloseKFD
#define hsaKmtCreateEvent                      vhsaKmtCreateEvent
#define hsaKmtCreateQueue                      vhsaKmtCreateQueue
#define hsaKmtCreateQueueExt                   vhsaKmtCreateQueueExt
#define hsaKmtCreateQueueV2                    vhsaKmtCreateQueueV2
#define hsaKmtDeregisterMemory                 vhsaKmtDeregisterMemory
#define hsaKmtDestroyEvent                     vhsaKmtDestroyEvent
#define hsaKmtDestroyQueue                     vhsaKmtDestroyQueue
#define hsaKmtExportDMABufHandle               vhsaKmtExportDMABufHandle
#define hsaKmtFreeMemory                       vhsaKmtFreeMemory
#define hsaKmtGetClockCounters                 vhsaKmtGetClockCounters
#define hsaKmtGetNodeCacheProperties           vhsaKmtGetNodeCacheProperties
#define hsaKmtGetNodeIoLinkProperties          vhsaKmtGetNodeIoLinkProperties
#define hsaKmtGetNodeMemoryProperties          vhsaKmtGetNodeMemoryProperties
#define hsaKmtGetNodeProperties                vhsaKmtGetNodeProperties
#define hsaKmtGetQueueInfo                     vhsaKmtGetQueueInfo
#define hsaKmtGetTileConfig                    vhsaKmtGetTileConfig
#define hsaKmtGetVersion                       vhsaKmtGetVersion
#define hsaKmtGetXNACKMode                     vhsaKmtGetXNACKMode
#define hsaKmtMapGraphicHandle                 vhsaKmtMapGraphicHandle
#define hsaKmtMapMemoryToGPU                   vhsaKmtMapMemoryToGPU
#define hsaKmtMapMemoryToGPUNodes              vhsaKmtMapMemoryToGPUNodes
#define hsaKmtOpenKFD                          vhsaKmtOpenKFD
#define hsaKmtProcessVMRead                    vhsaKmtProcessVMRead
#define hsaKmtProcessVMWrite                   vhsaKmtProcessVMWrite
#define hsaKmtQueryEventState                  vhsaKmtQueryEventState
#define hsaKmtQueryPointerInfo                 vhsaKmtQueryPointerInfo
#define hsaKmtRegisterGraphicsHandleToNodes    vhsaKmtRegisterGraphicsHandleToNodes
#define hsaKmtRegisterGraphicsHandleToNodesExt vhsaKmtRegisterGraphicsHandleToNodesExt
#define hsaKmtRegisterMemory                   vhsaKmtRegisterMemory
#define hsaKmtRegisterMemoryToNodes            vhsaKmtRegisterMemoryToNodes
#define hsaKmtRegisterMemoryWithFlags          vhsaKmtRegisterMemoryWithFlags
#define hsaKmtRegisterSharedHandle             vhsaKmtRegisterSharedHandle
#define hsaKmtRegisterSharedHandleToNodes      vhsaKmtRegisterSharedHandleToNodes
#define hsaKmtReleaseSystemProperties          vhsaKmtReleaseSystemProperties
#define hsaKmtResetEvent                       vhsaKmtResetEvent
#define hsaKmtSVMGetAttr                       vhsaKmtSVMGetAttr
#define hsaKmtSVMSetAttr                       vhsaKmtSVMSetAttr
#define hsaKmtSetEvent                         vhsaKmtSetEvent
#define hsaKmtSetMemoryPolicy                  vhsaKmtSetMemoryPolicy
#define hsaKmtSetMemoryUserData                vhsaKmtSetMemoryUserData
#define hsaKmtSetQueueCUMask                   vhsaKmtSetQueueCUMask
#define hsaKmtSetTrapHandler                   vhsaKmtSetTrapHandler
#define hsaKmtSetXNACKMode                     vhsaKmtSetXNACKMode
#define hsaKmtShareMemory                      vhsaKmtShareMemory
#define hsaKmtUnmapGraphicHandle               vhsaKmtUnmapGraphicHandle
#define hsaKmtUnmapMemoryToGPU                 vhsaKmtUnmapMemoryToGPU
#define hsaKmtUpdateQueue                      vhsaKmtUpdateQueue
#define hsaKmtWaitOnEvent                      vhsaKmtWaitOnEvent
#define hsaKmtWaitOnEvent_Ext vhsaKmtWaitOnEvent_Ext
#define hsaKmtWaitOnMultipleEvents_Ext vhsaKmtWaitOnMultipleEvents_Ext
#define hsaKmtWaitOnMultipleEvents             vhsaKmtWaitOnMultipleEvents

#define hsaKmtAcquireSystemPropertiesCtx(...) walk_absent(0, ##__VA_ARGS__)
#define hsaKmtAllocMemoryHostGttCtx(...) walk_absent(0, ##__VA_ARGS__)
#define hsaKmtCloseKFDCtx(...) walk_absent(0, ##__VA_ARGS__)
#define hsaKmtCloseSecondaryKFDCtx(...) walk_absent(0, ##__VA_ARGS__)
#define hsaKmtGetClockCountersPrecise(...) walk_absent(0, ##__VA_ARGS__)
#define hsaKmtGetDefaultHostGpu(...) walk_absent(0, ##__VA_ARGS__)
#define hsaKmtGetKernelQueueId(...) walk_absent(0, ##__VA_ARGS__)
#define hsaKmtGetNodeWallclockFrequency(...) walk_absent(0, ##__VA_ARGS__)
#define hsaKmtOpenKFDCtx(...) walk_absent(0, ##__VA_ARGS__)
#define hsaKmtOpenSecondaryKFDCtx(...) walk_absent(0, ##__VA_ARGS__)
#define hsaKmtQueryDmaBufInfo(...) walk_absent(0, ##__VA_ARGS__)
#define hsaKmtQueueRingDoorbell(...) walk_absent(0, ##__VA_ARGS__)
#define hsaKmtReleaseSystemPropertiesCtx(...) walk_absent(0, ##__VA_ARGS__)
#define hsaKmtReportQueue(...) walk_absent(0, ##__VA_ARGS__)
#define hsaKmtSetPersistingCacheSize(...) walk_absent(0, ##__VA_ARGS__)
#define hsaKmtSetSigbusDelay(...) walk_absent(0, ##__VA_ARGS__)
/* clang-format on */

#endif
