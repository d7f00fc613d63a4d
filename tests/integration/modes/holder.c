/* SPDX-License-Identifier: MIT */
/*
 * Does what it is told on standard input, a line each, and answers each line: "alloc MIB" holds a
 * block more, "free" gives the last one back, "query N" asks N times about a pointer, "fault" waits
 * for a memory fault, "abort" does so and dies of it. At the end of input it exits with 5 and holds
 * what it holds.
 */
#include <hsakmt/hsakmt.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEPT __attribute__((noinline))

enum { BLOCKS_MAX = 64 };

static struct block {
	void *address;
	HSAuint64 size_bytes;
} blocks[BLOCKS_MAX];
static unsigned int count;
static HsaEvent *fault_event;

static KEPT void hold_block(unsigned long mib)
{
	struct block *block = &blocks[count];
	HsaMemFlags flags = { .Value = 0 };
	HSAKMT_STATUS status;

	flags.ui32.NonPaged = 1;
	block->size_bytes = (HSAuint64)mib << 20;
	status = count < BLOCKS_MAX
			 ? hsaKmtAllocMemory(1, block->size_bytes, flags, &block->address)
			 : HSAKMT_STATUS_NO_MEMORY;
	if (status == HSAKMT_STATUS_SUCCESS)
		count++;
	printf("alloc %d\n", (int)status);
}

static KEPT void give_back(void)
{
	count--;
	printf("free %d\n", (int)hsaKmtFreeMemory(blocks[count].address, blocks[count].size_bytes));
}

static KEPT void ask(unsigned long times)
{
	HsaPointerInfo info;

	for (unsigned long i = 0; i < times; i++)
		hsaKmtQueryPointerInfo(blocks[0].address, &info);
	printf("query %lu\n", times);
}

static KEPT void meet_fault(void)
{
	HSAKMT_STATUS status = hsaKmtWaitOnEvent(fault_event, 10000);

	printf("fault %d at %#llx\n", (int)status,
	       (unsigned long long)
		       fault_event->EventData.EventData.MemoryAccessFault.VirtualAddress);
}

static void obey(const char *line)
{
	if (strncmp(line, "alloc ", 6) == 0)
		hold_block(strtoul(line + 6, NULL, 10));
	else if (strncmp(line, "query ", 6) == 0)
		ask(strtoul(line + 6, NULL, 10));
	else if (strcmp(line, "free\n") == 0 && count)
		give_back();
	else
		meet_fault();
	fflush(stdout);
	if (strcmp(line, "abort\n") == 0)
		abort();
}

int main(void)
{
	HsaEventDescriptor desc = { .EventType = HSA_EVENTTYPE_MEMORY };
	HsaSystemProperties system;
	char line[64];

	setvbuf(stdin, NULL, _IONBF, 0);
	if (hsaKmtOpenKFD() != HSAKMT_STATUS_SUCCESS ||
	    hsaKmtAcquireSystemProperties(&system) != HSAKMT_STATUS_SUCCESS ||
	    hsaKmtCreateEvent(&desc, false, false, &fault_event) != HSAKMT_STATUS_SUCCESS)
		return 1;
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin))
		obey(line);
	return 5;
}
