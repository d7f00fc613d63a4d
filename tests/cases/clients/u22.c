/* SPDX-License-Identifier: MIT */
/*
 * U22: three blocks, one of them freed, and a wait for the memory event. Prints where the blocks are.
 * Run it without address randomisation, so that they are there again the next time.
 */
#include "client.h"

static CASE_FUNCTION void *alloc_first(void)
{
	return alloc_device(1, 1 << 20);
}

static CASE_FUNCTION void *alloc_second(void)
{
	return alloc_device(1, 2 << 20);
}

static CASE_FUNCTION void *alloc_third(void)
{
	return alloc_device(1, 1 << 20);
}

static CASE_FUNCTION void free_second(void *address)
{
	OK(hsaKmtFreeMemory(address, 2 << 20));
}

int main(void)
{
	HsaEventDescriptor descriptor = { .EventType = HSA_EVENTTYPE_MEMORY, .NodeId = 1 };
	HsaEvent *event = NULL;
	void *a, *b, *c;

	open_driver();
	OK(hsaKmtCreateEvent(&descriptor, false, false, &event));
	a = alloc_first();
	b = alloc_second();
	c = alloc_third();
	printf("%p %p %p\n", a, b, c);
	free_second(b);
	/* Without an exception this is a time-out, with one a success; both are fine here. */
	hsaKmtWaitOnEvent(event, 2500);
	close_driver();
	return 0;
}
