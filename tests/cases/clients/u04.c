/* SPDX-License-Identifier: MIT */
/* U04: somebody else takes device memory between two queries. */
#include "client.h"

static CASE_FUNCTION HSAuint64 query(void)
{
	HSAuint64 bytes = 0;

	OK(hsaKmtAvailableMemory(1, &bytes));
	return bytes;
}

int main(void)
{
	HSAuint64 answers[4];
	void *address;

	open_driver();
	answers[0] = query();
	address = alloc_device(1, 256 << 20);
	answers[1] = query(); /* after this call the scenario takes 256 MiB */
	answers[2] = query();
	OK(hsaKmtFreeMemory(address, 256 << 20));
	answers[3] = query();
	for (int i = 0; i < 4; i++)
		printf("%llu\n", (unsigned long long)answers[i]);
	close_driver();
	return 0;
}
