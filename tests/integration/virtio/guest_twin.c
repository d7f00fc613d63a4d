/* SPDX-License-Identifier: MIT */
/*
 * One of two guests at once: takes memory, tells where on stdout, waits for the other's address on
 * stdin, and tries everything on it that a guest could. Its own memory must keep what it wrote.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "hsakmt/hsakmt_virtio.h"

#define SIZE 65536ul

static int try_other(void *other)
{
	HsaPointerInfo info;
	HSAuint64 va;
	int got_through = 0;

	got_through += vhsaKmtMapMemoryToGPU(other, SIZE, &va) == HSAKMT_STATUS_SUCCESS;
	got_through += vhsaKmtQueryPointerInfo(other, &info) == HSAKMT_STATUS_SUCCESS;
	got_through += vhsaKmtDeregisterMemory(other) == HSAKMT_STATUS_SUCCESS;
	(void)vhsaKmtFreeMemory(other, SIZE);
	return got_through;
}

int main(int argc, char **argv)
{
	const HsaMemFlags flags = { .ui32 = { .HostAccess = 1, .NonPaged = 1 } };
	unsigned char mark = (unsigned char)(argc > 1 ? argv[1][0] : 1), *memory = NULL;
	uint64_t other;

	if (vhsaKmtOpenKFD() != HSAKMT_STATUS_SUCCESS ||
	    vhsaKmtAllocMemory(1, SIZE, flags, (void **)&memory) != HSAKMT_STATUS_SUCCESS)
		return 1;
	memset(memory, mark, SIZE);
	printf("%#lx\n", (unsigned long)(uintptr_t)memory);
	fflush(stdout);
	if (scanf("%lx", &other) != 1)
		return 2;
	if (try_other((void *)(uintptr_t)other) != 0)
		return 3;
	printf("tried\n");
	fflush(stdout);
	if (scanf("%lx", &other) != 1)
		return 2;
	for (unsigned long i = 0; i < SIZE; i++)
		if (memory[i] != mark)
			return 4;
	return vhsaKmtCloseKFD() == HSAKMT_STATUS_SUCCESS ? 0 : 5;
}
