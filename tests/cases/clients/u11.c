/* SPDX-License-Identifier: MIT */
/* U11: three allocations that fail, each for another limit. */
#include "client.h"

static CASE_FUNCTION void *fill_device(void)
{
	void *weights = alloc_device(1, 900ull << 20), *more = NULL;

	EXPECT(HSAKMT_STATUS_NO_MEMORY, hsaKmtAllocMemory(1, 200ull << 20, device_flags(), &more));
	return weights;
}

static CASE_FUNCTION void ask_for_host_memory(void)
{
	HsaMemFlags flags = { 0 };
	void *address = NULL;

	flags.ui32.HostAccess = 1;
	EXPECT(HSAKMT_STATUS_ERROR, hsaKmtAllocMemory(0, 32ull << 30, flags, &address));
}

static CASE_FUNCTION void ask_for_visible_memory(void)
{
	HsaMemFlags flags = device_flags();
	void *address = NULL;

	flags.ui32.HostAccess = 1;
	EXPECT(HSAKMT_STATUS_NO_MEMORY, hsaKmtAllocMemory(1, 512ull << 20, flags, &address));
}

int main(void)
{
	void *weights;

	open_driver();
	weights = fill_device();
	ask_for_host_memory();
	OK(hsaKmtFreeMemory(weights, 900ull << 20));
	ask_for_visible_memory();
	close_driver();
	return 0;
}
