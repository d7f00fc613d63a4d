/* SPDX-License-Identifier: MIT */
/* A little of everything, once, for the golden trace. */
#include <stdlib.h>

#include "hsakmt/hsakmt.h"

enum { SIZE_BYTES = 1 << 20 };

static __attribute__((noinline)) void *allocate(HSAuint64 size_bytes)
{
	HsaMemFlags flags = { .Value = 0 };
	void *address = NULL;

	flags.ui32.NonPaged = 1;
	flags.ui32.CoarseGrain = 1;
	if (hsaKmtAllocMemory(1, size_bytes, flags, &address) != HSAKMT_STATUS_SUCCESS)
		exit(2);
	return address;
}

int main(void)
{
	HsaEventDescriptor desc = { .EventType = HSA_EVENTTYPE_SIGNAL };
	HsaNodeProperties properties;
	HsaSystemProperties system;
	HSAuint32 nodes[] = { 1 };
	HSAuint64 alternate = 0; /* the call leaves it alone here */
	HsaVersionInfo version;
	HsaPointerInfo info;
	HsaEvent *event;
	void *address;

	if (hsaKmtOpenKFD() != HSAKMT_STATUS_SUCCESS)
		return 3;
	hsaKmtGetVersion(&version);
	hsaKmtAcquireSystemProperties(&system);
	hsaKmtGetNodeProperties(1, &properties);
	hsaKmtGetNodeProperties(9, &properties);
	address = allocate(SIZE_BYTES);
	hsaKmtMapMemoryToGPUNodes(address, SIZE_BYTES, &alternate, (HsaMemFlags){ .Value = 0 }, 1,
				  nodes);
	hsaKmtQueryPointerInfo(address, &info);
	hsaKmtUnmapMemoryToGPU(address);
	hsaKmtFreeMemory(address, SIZE_BYTES);
	hsaKmtFreeMemory(address, SIZE_BYTES);
	hsaKmtCreateEvent(&desc, false, false, &event);
	hsaKmtSetEvent(event);
	hsaKmtWaitOnEvent(event, 1000);
	hsaKmtWaitOnEvent(event, 10);
	hsaKmtDestroyEvent(event);
	hsaKmtReleaseSystemProperties();
	return hsaKmtCloseKFD() == HSAKMT_STATUS_SUCCESS ? 0 : 4;
}
