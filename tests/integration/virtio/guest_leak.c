/* SPDX-License-Identifier: MIT */
/* A guest that leaves one allocation of two behind, from a function with a name. */
#include <stdio.h>

#include "hsakmt/hsakmt_virtio.h"

#define SIZE (3ul << 20)

__attribute__((noinline)) static void *forgetful_helper(void)
{
	const HsaMemFlags flags = { .ui32 = { .HostAccess = 1, .NonPaged = 1 } };
	void *memory = NULL;

	return vhsaKmtAllocMemory(1, SIZE, flags, &memory) == HSAKMT_STATUS_SUCCESS ? memory : NULL;
}

int main(void)
{
	void *first, *second;

	if (vhsaKmtOpenKFD() != HSAKMT_STATUS_SUCCESS)
		return 1;
	first = forgetful_helper();
	second = forgetful_helper();
	if (!first || !second || vhsaKmtMapMemoryToGPU(second, SIZE, NULL) != HSAKMT_STATUS_SUCCESS)
		return 2;
	if (vhsaKmtUnmapMemoryToGPU(first) != HSAKMT_STATUS_SUCCESS ||
	    vhsaKmtFreeMemory(first, SIZE) != HSAKMT_STATUS_SUCCESS)
		return 3;
	return 0; /* without a close: the second stays */
}
