/* SPDX-License-Identifier: MIT */
/* U08: freed while a peer still has it mapped. */
#include "client.h"

#define SIZE (16ull << 20)

static CASE_FUNCTION void *make_block(void)
{
	HSAuint32 nodes[] = { 1, 2 };
	HsaMemFlags flags = { 0 };
	HSAuint64 alternate = 0;
	void *address = alloc_device(1, SIZE);

	OK(hsaKmtMapMemoryToGPUNodes(address, SIZE, &alternate, flags, 2, nodes));
	return address;
}

static CASE_FUNCTION void free_too_early(void *address)
{
	EXPECT(HSAKMT_STATUS_ERROR, hsaKmtFreeMemory(address, SIZE));
}

static CASE_FUNCTION void free_well(void *address)
{
	OK(hsaKmtUnmapMemoryToGPU(address));
	OK(hsaKmtFreeMemory(address, SIZE));
}

int main(void)
{
	open_driver();
	free_too_early(make_block());
	free_well(make_block());
	close_driver();
	return 0;
}
