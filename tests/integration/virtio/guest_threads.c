/* SPDX-License-Identifier: MIT */
/*
 * Threads of a guest on its one device, and a child of it: answers must not be mixed up, what one
 * thread makes must be its own, and the child has a device only when it opens one.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hsakmt/hsakmt_virtio.h"

#define PAGE    4096ul
#define SIZE    65536ul
#define THREADS 6
#define ROUNDS  40

static _Atomic int failures;

#define CHECK(what)                                                                                \
	do {                                                                                       \
		if (!(what)) {                                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what);                 \
			failures++;                                                                \
		}                                                                                  \
	} while (0)
#define OK(call) CHECK((call) == HSAKMT_STATUS_SUCCESS)

static const HsaMemFlags vram_flags = { .ui32 = { .HostAccess = 1, .NonPaged = 1 } };
static const HsaMemFlags page_flags = { .ui32 = { .HostAccess = 1, .CoarseGrain = 1 } };

static bool is_filled(const char *memory, size_t bytes, char mark)
{
	for (size_t i = 0; i < bytes; i++)
		if (memory[i] != mark)
			return false;
	return true;
}

static void allocate(char mark)
{
	HsaPointerInfo info = { 0 };
	char *memory = NULL;
	HSAuint64 va = 0;

	OK(vhsaKmtAllocMemory(1, SIZE, vram_flags, (void **)&memory));
	if (!memory)
		return;
	memset(memory, mark, SIZE);
	OK(vhsaKmtMapMemoryToGPU(memory, SIZE, &va));
	OK(vhsaKmtQueryPointerInfo(memory + 5, &info));
	CHECK(info.CPUAddress == memory && info.SizeInBytes == SIZE && info.NMappedNodes > 0);
	free((void *)(uintptr_t)info.MappedNodes);
	CHECK(is_filled(memory, SIZE, mark));
	OK(vhsaKmtUnmapMemoryToGPU(memory));
	OK(vhsaKmtFreeMemory(memory, SIZE));
}

static void register_pages(char *pages, char mark)
{
	memset(pages, mark, SIZE);
	if (getenv("KFDSCOPE_TEST_SECONDARY")) {
		CHECK(vhsaKmtRegisterMemoryWithFlags(pages, SIZE / 2, page_flags) ==
		      HSAKMT_STATUS_ERROR);
		pages[0] = 99;
	} else {
		OK(vhsaKmtRegisterMemoryWithFlags(pages, SIZE / 2, page_flags));
		pages[0] = 99;
		OK(vhsaKmtDeregisterMemory(pages));
	}
	CHECK(pages[0] == 99 && is_filled(pages + 1, SIZE - 1, mark));
}

static void use_event(void)
{
	HsaEventDescriptor descriptor = { .EventType = HSA_EVENTTYPE_SIGNAL };
	HsaEvent *event = NULL;

	OK(vhsaKmtCreateEvent(&descriptor, true, false, &event));
	OK(vhsaKmtSetEvent(event));
	OK(vhsaKmtDestroyEvent(event));
}

static void *run(void *data)
{
	char mark = (char)(intptr_t)data;
	char *pages = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	HsaNodeProperties node;

	for (int i = 0; i < ROUNDS; i++) {
		allocate(mark);
		register_pages(pages, mark);
		use_event();
		OK(vhsaKmtGetNodeProperties(1, &node));
		CHECK(node.NumFComputeCores > 0);
	}
	munmap(pages, SIZE);
	return NULL;
}

static int in_child(const char *parents)
{
	HsaVersionInfo version;
	char *memory = NULL;

	CHECK(vhsaKmtGetVersion(&version) == HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
	CHECK(vhsaKmtCloseKFD() == HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
	OK(vhsaKmtOpenKFD());
	OK(vhsaKmtAllocMemory(1, SIZE, vram_flags, (void **)&memory));
	CHECK(memory && memory != parents);
	if (memory)
		memset(memory, 2, SIZE);
	OK(vhsaKmtFreeMemory(memory, SIZE));
	OK(vhsaKmtCloseKFD());
	return failures != 0;
}

static void a_child_has_its_own(void)
{
	char *memory = NULL;
	int status = -1;
	pid_t child;

	OK(vhsaKmtAllocMemory(1, SIZE, vram_flags, (void **)&memory));
	if (!memory)
		return;
	memset(memory, 1, SIZE);
	child = fork();
	if (child == 0)
		_exit(in_child(memory));
	CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
	CHECK(is_filled(memory, SIZE, 1));
	OK(vhsaKmtFreeMemory(memory, SIZE));
}

int main(void)
{
	HsaSystemProperties system;
	pthread_t threads[THREADS];

	if (vhsaKmtOpenKFD() != HSAKMT_STATUS_SUCCESS)
		return 1;
	OK(vhsaKmtAcquireSystemProperties(&system));
	for (intptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, run, (void *)(i + 1)) != 0)
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	a_child_has_its_own();
	OK(vhsaKmtCloseKFD());
	return failures != 0;
}
