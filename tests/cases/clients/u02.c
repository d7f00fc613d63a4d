/* SPDX-License-Identifier: MIT */
/* U02: exported, then freed, and nobody ever imported it. */
#include "client.h"

#define SIZE (512ull << 20)

static CASE_FUNCTION void *give_away(void)
{
	HsaSharedMemoryHandle handle;
	void *address = alloc_device(1, SIZE);

	OK(hsaKmtShareMemory(address, SIZE, &handle));
	return address;
}

static CASE_FUNCTION void drop(void *address)
{
	OK(hsaKmtFreeMemory(address, SIZE));
}

int main(void)
{
	open_driver();
	for (int i = 0; i < 3; i++)
		drop(give_away());
	close_driver();
	return 0;
}
