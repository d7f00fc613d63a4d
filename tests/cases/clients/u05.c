/* SPDX-License-Identifier: MIT */
/* U05: a host range registered twice and released once; another one in balance. */
#include <sys/mman.h>

#include "client.h"

static void *map_host(size_t size_bytes)
{
	void *address =
		mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (address == MAP_FAILED)
		exit(98);
	return address;
}

static CASE_FUNCTION void register_first(void *address)
{
	OK(hsaKmtRegisterMemory(address, 4 << 20));
}

static CASE_FUNCTION void register_again(void *address)
{
	OK(hsaKmtRegisterMemory(address, 4 << 20));
}

int main(void)
{
	void *large = map_host(4 << 20), *small = map_host(1 << 20);

	open_driver();
	register_first(large);
	register_again(large);
	OK(hsaKmtRegisterMemory(small, 1 << 20));
	OK(hsaKmtDeregisterMemory(small));
	OK(hsaKmtDeregisterMemory(large));
	close_driver();
	return 0;
}
