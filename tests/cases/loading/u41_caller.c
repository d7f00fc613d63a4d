/* SPDX-License-Identifier: MIT */
/* U41 (d): linked with libhsakmt and with a search path that leads to another one. */
#include <hsakmt/hsakmt.h>

#include <stdio.h>

int main(void)
{
	HsaVersionInfo info;

	printf("open %d\n", (int)hsaKmtOpenKFD());
	printf("version %d\n", (int)hsaKmtGetVersion(&info));
	return 0;
}
