/* SPDX-License-Identifier: MIT */
/* U01: a cache that only grows. */
#include "client.h"

#define BLOCKS 100

static CASE_FUNCTION void grow_cache(void)
{
	void *blocks[BLOCKS];

	for (int i = 0; i < BLOCKS; i++)
		blocks[i] = alloc_device(1, 2 << 20);
	for (int i = 0; i < BLOCKS; i += 2)
		OK(hsaKmtFreeMemory(blocks[i], 2 << 20));
}

static CASE_FUNCTION void load_weights(void)
{
	alloc_device(1, 64 << 20);
}

int main(void)
{
	open_driver();
	grow_cache();
	load_weights();
	close_driver();
	return 0;
}
