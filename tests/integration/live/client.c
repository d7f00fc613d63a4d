/* SPDX-License-Identifier: MIT */
/* Takes TAKEN blocks of 4096 bytes when told to, and gives all but LEFT back. */
#include <stdio.h>
#include <stdlib.h>

#include "hsakmt/hsakmt.h"

#define BLOCKS_MAX 1000

int main(int argc, char **argv)
{
	static void *blocks[BLOCKS_MAX];
	int taken = argc > 2 ? atoi(argv[1]) : 0, left = argc > 2 ? atoi(argv[2]) : 0;
	HsaMemFlags flags = { .ui32 = { .NonPaged = 1, .NoNUMABind = 1 } };
	HsaSystemProperties system;

	if (taken > BLOCKS_MAX || getchar() == EOF)
		return 2;
	if (hsaKmtOpenKFD() != HSAKMT_STATUS_SUCCESS)
		return 3;
	if (hsaKmtAcquireSystemProperties(&system) != HSAKMT_STATUS_SUCCESS)
		return 6;
	for (int i = 0; i < taken; i++)
		if (hsaKmtAllocMemory(1, 4096, flags, &blocks[i]) != HSAKMT_STATUS_SUCCESS)
			return 4;
	for (int i = left; i < taken; i++)
		if (hsaKmtFreeMemory(blocks[i], 4096) != HSAKMT_STATUS_SUCCESS)
			return 5;
	return 0;
}
