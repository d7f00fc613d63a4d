/* SPDX-License-Identifier: MIT */
/* U47: blocks that are mapped to all of eight nodes, of which the last is slow, or to seven only. */
#include "client.h"

#define FIRST  2 /* the machine has two processors in front of its GPUs */
#define NODES  8
#define BLOCKS 20
#define BYTES  (1u << 20)

static CASE_FUNCTION void map_everywhere(void *block)
{
	HSAuint32 nodes[NODES];
	HsaMemFlags flags = { 0 };
	HSAuint64 gpu_va;

	for (HSAuint32 i = 0; i < NODES; i++)
		nodes[i] = FIRST + i;
	OK(hsaKmtMapMemoryToGPUNodes(block, BYTES, &gpu_va, flags, NODES, nodes));
}

static CASE_FUNCTION void map_to_fast_nodes(void *block)
{
	HSAuint32 nodes[NODES - 1];
	HsaMemFlags flags = { 0 };
	HSAuint64 gpu_va;

	for (HSAuint32 i = 0; i < NODES - 1; i++)
		nodes[i] = FIRST + i;
	OK(hsaKmtMapMemoryToGPUNodes(block, BYTES, &gpu_va, flags, NODES - 1, nodes));
}

int main(void)
{
	void *blocks[2 * BLOCKS];

	open_driver();
	for (int i = 0; i < 2 * BLOCKS; i++) {
		blocks[i] = alloc_device(FIRST, BYTES);
		if (i < BLOCKS)
			map_everywhere(blocks[i]);
		else
			map_to_fast_nodes(blocks[i]);
	}
	for (int i = 0; i < 2 * BLOCKS; i++) {
		OK(hsaKmtUnmapMemoryToGPU(blocks[i]));
		OK(hsaKmtFreeMemory(blocks[i], BYTES));
	}
	close_driver();
	return 0;
}
