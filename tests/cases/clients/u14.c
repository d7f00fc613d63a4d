/* SPDX-License-Identifier: MIT */
/* U14: opens the driver and prints the status, and the number of nodes when it worked. */
#include "client.h"

int main(void)
{
	HsaSystemProperties properties;
	HSAKMT_STATUS status = hsaKmtOpenKFD();

	printf("open %d\n", (int)status);
	if (status != HSAKMT_STATUS_SUCCESS)
		return 0;
	status = hsaKmtAcquireSystemProperties(&properties);
	printf("properties %d\n", (int)status);
	if (status == HSAKMT_STATUS_SUCCESS)
		printf("nodes %u\n", properties.NumNodes);
	hsaKmtReleaseSystemProperties();
	hsaKmtCloseKFD();
	return 0;
}
