/* SPDX-License-Identifier: MIT */
/*
 * A program as it runs in a virtual machine: asks the host for GPU memory, uses it, and forgets a part.
 *
 *   kfdscope record -o /tmp/trace --model -- kfdscope-virtio-host -- virtio_guest
 *   kfdscope chains /tmp/trace
 *   kfdscope leaks /tmp/trace
 */
#include <stdio.h>
#include <string.h>

#include "hsakmt/hsakmt_virtio.h"

#define BYTES (1ul << 20)

static void *take_memory(HSAuint32 node)
{
	const HsaMemFlags flags = { .ui32 = { .HostAccess = 1, .NonPaged = 1 } };
	void *memory = NULL;

	if (vhsaKmtAllocMemory(node, BYTES, flags, &memory) != HSAKMT_STATUS_SUCCESS)
		return NULL;
	memset(memory, 0, BYTES);
	if (vhsaKmtMapMemoryToGPU(memory, BYTES, NULL) == HSAKMT_STATUS_SUCCESS)
		return memory;
	(void)vhsaKmtFreeMemory(memory, BYTES); /* the caller sees NULL */
	return NULL;
}

static HSAuint32 first_gpu(HSAuint32 nodes)
{
	HsaNodeProperties node;

	for (HSAuint32 i = 0; i < nodes; i++)
		if (vhsaKmtGetNodeProperties(i, &node) == HSAKMT_STATUS_SUCCESS &&
		    node.NumFComputeCores)
			return i;
	return nodes;
}

int main(void)
{
	HsaSystemProperties system;
	HSAuint32 gpu;

	if (vhsaKmtOpenKFD() != HSAKMT_STATUS_SUCCESS ||
	    vhsaKmtAcquireSystemProperties(&system) != HSAKMT_STATUS_SUCCESS) {
		fprintf(stderr, "virtio_guest: no host (VHSAKMT_DEBUG_LEVEL=3 says why)\n");
		return 1;
	}
	gpu = first_gpu(system.NumNodes);
	for (int i = 0; i < 8; i++) {
		void *memory = take_memory(gpu);

		if (!memory) {
			fprintf(stderr, "virtio_guest: no memory on node %u\n", gpu);
			return 1;
		}
		if (i % 4 == 3) /* forgotten */
			continue;
		(void)vhsaKmtUnmapMemoryToGPU(memory); /* the free tells */
		if (vhsaKmtFreeMemory(memory, BYTES) != HSAKMT_STATUS_SUCCESS)
			return 1;
	}
	printf("virtio_guest: used 8 MiB of node %u, 2 MiB are left\n", gpu);
	return vhsaKmtCloseKFD() == HSAKMT_STATUS_SUCCESS ? 0 : 1;
}
