/* SPDX-License-Identifier: MIT */
/* U36: four threads that ask about pointers, and one that allocates and frees. */
#include <pthread.h>

#include "client.h"

#define QUERIES 200000
#define BLOCKS  10000

static void *known;

static void *ask(void *data)
{
	HsaPointerInfo info;

	(void)data;
	for (int i = 0; i < QUERIES; i++)
		OK(hsaKmtQueryPointerInfo(known, &info));
	return NULL;
}

static CASE_FUNCTION void take_and_give_back(void)
{
	for (int i = 0; i < BLOCKS; i++)
		OK(hsaKmtFreeMemory(alloc_device(1, 4096), 4096));
}

int main(void)
{
	pthread_t threads[4];

	open_driver();
	known = alloc_device(1, 1 << 20);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, ask, NULL);
	take_and_give_back();
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	OK(hsaKmtFreeMemory(known, 1 << 20));
	close_driver();
	return 0;
}
