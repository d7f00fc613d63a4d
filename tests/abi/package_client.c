/* SPDX-License-Identifier: MIT */
/* A client of the installed package: what it calls must not need a GPU. */
#include <stdio.h>

#include <hsakmt/hsakmt.h>

int main(void)
{
	HsaVersionInfo version;
	HsaNodeProperties properties;

	/* Nothing is open: the library must say so, and not write anything. */
	if (hsaKmtGetVersion(&version) != HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED)
		return 1;
	if (hsaKmtGetNodeProperties(0, &properties) != HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED)
		return 2;
	puts("linked and called");
	return 0;
}
