/* SPDX-License-Identifier: MIT */
/* U07: one call site that gets the same address again and again. */
#include "client.h"

static CASE_FUNCTION void *churn(int keep)
{
	void *address = alloc_device(1, 1 << 20);

	if (keep)
		return address;
	OK(hsaKmtMapMemoryToGPU(address, 1 << 20, NULL));
	OK(hsaKmtUnmapMemoryToGPU(address));
	OK(hsaKmtFreeMemory(address, 1 << 20));
	return address;
}

int main(void)
{
	void *first = NULL, *address;
	int reused = 0;

	open_driver();
	/* One call instruction, so that all 1001 allocations have one stack. */
	for (int i = 0; i <= 1000; i++) {
		address = churn(i == 1000);
		if (i == 0)
			first = address;
		reused += i > 0 && address == first;
	}
	printf("reused %d of 1000\n", reused);
	close_driver();
	return 0;
}
