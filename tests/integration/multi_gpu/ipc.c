/* SPDX-License-Identifier: MIT */
/*
 * Two processes share device memory by handle: the sender writes, the receiver (this program again,
 * started anew) reads, answers in the same memory, and registers the handle several times.
 *
 *   ipc            the sender
 *   ipc receive    the receiver; the handle comes on its standard input
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hsakmt/hsakmt.h"

#define SIZE   (16u << 20)
#define TIMES  8
#define ASKED  0x1122334455667788ull
#define ANSWER 0x8877665544332211ull

static void must(HSAKMT_STATUS status, const char *what)
{
	if (status == HSAKMT_STATUS_SUCCESS)
		return;
	fprintf(stderr, "ipc[%d]: %s: status %d\n", (int)getpid(), what, (int)status);
	exit(1);
}

static void check(int good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "ipc[%d]: %s\n", (int)getpid(), what);
	exit(1);
}

static uint32_t begin(void)
{
	HsaSystemProperties system;
	HsaNodeProperties node;

	must(hsaKmtOpenKFD(), "open");
	must(hsaKmtAcquireSystemProperties(&system), "acquire");
	for (uint32_t i = 0; i < system.NumNodes; i++) {
		must(hsaKmtGetNodeProperties(i, &node), "properties");
		if (node.NumFComputeCores)
			return i;
	}
	check(0, "no GPU");
	return 0;
}

static int receive(void)
{
	HsaSharedMemoryHandle handle;
	HSAuint32 gpu = begin();

	check(read(0, &handle, sizeof(handle)) == (ssize_t)sizeof(handle), "no handle");
	for (int i = 0; i < TIMES; i++) {
		HSAuint64 size = 0, alternate;
		void *memory = NULL;
		HsaPointerInfo info;

		if (i % 2)
			must(hsaKmtRegisterSharedHandleToNodes(&handle, &memory, &size, 1, &gpu),
			     "register to nodes");
		else
			must(hsaKmtRegisterSharedHandle(&handle, &memory, &size), "register");
		check(size == SIZE, "another size");
		must(hsaKmtMapMemoryToGPU(memory, size, &alternate), "map");
		must(hsaKmtQueryPointerInfo(memory, &info), "query");
		check(info.Type == HSA_POINTER_REGISTERED_SHARED, "another type");
		check(*(volatile uint64_t *)memory == (i ? ANSWER : ASKED), "other contents");
		*(volatile uint64_t *)memory = ANSWER;
		must(hsaKmtUnmapMemoryToGPU(memory), "unmap");
		must(hsaKmtDeregisterMemory(memory), "deregister");
	}
	/* a handle that was never given out */
	memset(&handle, 0x5a, 16);
	HSAuint64 size;
	void *memory;

	check(hsaKmtRegisterSharedHandle(&handle, &memory, &size) != HSAKMT_STATUS_SUCCESS,
	      "a made-up handle works");
	must(hsaKmtReleaseSystemProperties(), "release");
	must(hsaKmtCloseKFD(), "close");
	return 0;
}

static int send(const char *program)
{
	HsaMemFlags flags = { .ui32 = { .NonPaged = 1, .HostAccess = 1, .CoarseGrain = 1 } };
	HsaSharedMemoryHandle handle;
	uint32_t gpu = begin();
	int pipes[2], status;
	void *memory = NULL;
	pid_t child;

	must(hsaKmtAllocMemory(gpu, SIZE, flags, &memory), "allocate");
	*(volatile uint64_t *)memory = ASKED;
	must(hsaKmtShareMemory(memory, SIZE, &handle), "share");
	check(pipe(pipes) == 0, "pipe");
	child = fork();
	if (child == 0) {
		dup2(pipes[0], 0);
		close(pipes[1]);
		execl(program, program, "receive", (char *)NULL);
		_exit(127);
	}
	close(pipes[0]);
	check(write(pipes[1], &handle, sizeof(handle)) == (ssize_t)sizeof(handle), "write");
	close(pipes[1]);
	check(waitpid(child, &status, 0) == child && status == 0, "the receiver failed");
	check(*(volatile uint64_t *)memory == ANSWER, "no answer");
	must(hsaKmtFreeMemory(memory, SIZE), "free");
	must(hsaKmtReleaseSystemProperties(), "release");
	must(hsaKmtCloseKFD(), "close");
	printf("shared and answered\n");
	return 0;
}

int main(int argc, char **argv)
{
	return argc == 2 && strcmp(argv[1], "receive") == 0 ? receive() : send(argv[0]);
}
