/* SPDX-License-Identifier: MIT */
/* U06: host memory is unmapped while it is registered, and its addresses are used again. */
#include <sys/mman.h>

#include "client.h"

#define SMALL (64u << 10)
#define LARGE (128u << 10)

static CASE_FUNCTION void register_old(void *address)
{
	OK(hsaKmtRegisterMemory(address, SMALL));
}

static CASE_FUNCTION void register_new(void *address)
{
	OK(hsaKmtRegisterMemory(address, LARGE));
}

int main(void)
{
	/* Room for both, so that the second one can have the first one's address. */
	char *room = mmap(NULL, LARGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;

	if (room == MAP_FAILED ||
	    mmap(room, SMALL, PROT_READ | PROT_WRITE, flags, -1, 0) == MAP_FAILED)
		return 98;
	open_driver();
	register_old(room);
	munmap(room, SMALL);
	if (mmap(room, LARGE, PROT_READ | PROT_WRITE, flags, -1, 0) == MAP_FAILED)
		return 97;
	register_new(room);
	OK(hsaKmtDeregisterMemory(room));
	close_driver();
	return 0;
}
