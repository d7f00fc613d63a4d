/* SPDX-License-Identifier: MIT */
/*
 * U21: opens the driver's event stream while the driver evicts and restores queues. With an argument it
 * stays so many milliseconds longer.
 */
#include "client.h"

#include <sys/mman.h>
#include <unistd.h>

#define RANGE_BYTES 65536

static CASE_FUNCTION int open_stream(void)
{
	int fd = -1;

	OK(hsaKmtOpenSMI(1, &fd));
	return fd;
}

int main(int argc, char **argv)
{
	void *range =
		mmap(NULL, RANGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd;

	if (range == MAP_FAILED)
		return 98;
	open_driver();
	fd = open_stream();
	printf("%d\n", fd);
	OK(hsaKmtRegisterMemory(range, RANGE_BYTES));
	usleep(99000);
	munmap(range, RANGE_BYTES);
	usleep(150000 + (argc > 1 ? (unsigned int)atoi(argv[1]) * 1000 : 0));
	close(fd);
	close_driver();
	return 0;
}
