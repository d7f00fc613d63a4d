/* SPDX-License-Identifier: MIT */
/*
 * U21: opens the driver's event stream while the driver evicts and restores queues: a scenario lets it
 * do that when the clocks are read, which is done STEPS times and not before.
 */
#include "client.h"

#include <sys/mman.h>
#include <unistd.h>

#define RANGE_BYTES 65536
#define STEPS       2
#define STEP_US     60000

static CASE_FUNCTION int open_stream(void)
{
	int fd = -1;

	OK(hsaKmtOpenSMI(1, &fd));
	return fd;
}

int main(void)
{
	HsaClockCounters counters;
	void *range =
		mmap(NULL, RANGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd;

	if (range == MAP_FAILED)
		return 98;
	open_driver();
	fd = open_stream();
	printf("%d\n", fd);
	OK(hsaKmtRegisterMemory(range, RANGE_BYTES));
	munmap(range, RANGE_BYTES);
	for (int i = 0; i < STEPS; i++) {
		OK(hsaKmtGetClockCounters(1, &counters));
		usleep(STEP_US);
	}
	close(fd);
	close_driver();
	return 0;
}
