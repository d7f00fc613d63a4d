/* SPDX-License-Identifier: MIT */
/*
 * A guest program that makes the library's calls over whichever transport the environment gives. Run
 * with a host on the simulated KFD (guests.py); says what failed and where.
 */
#include <amdgpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hsakmt/hsakmt_virtio.h"

#define PAGE 4096ul
#define RING 65536ul

static int failures;

#define CHECK(what)                                                                                \
	do {                                                                                       \
		if (!(what)) {                                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what);                 \
			failures++;                                                                \
		}                                                                                  \
	} while (0)
#define OK(call) CHECK((call) == HSAKMT_STATUS_SUCCESS)

static HSAuint32 gpu; /* the first node with one */
static bool newer;    /* revision 2 */

static const HsaMemFlags host_flags = {
	.ui32 = { .HostAccess = 1, .NonPaged = 0, .CoarseGrain = 1 }
};
static const HsaMemFlags device_flags = { .ui32 = { .HostAccess = 1, .NonPaged = 1 } };
static const HsaMemFlags private_flags = { .ui32 = { .NonPaged = 1 } };

static void calls_before_the_open_are_refused(void)
{
	HsaVersionInfo version;
	void *memory;

	CHECK(vhsaKmtGetVersion(&version) == HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
	CHECK(vhsaKmtAllocMemory(0, PAGE, host_flags, &memory) ==
	      HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
	CHECK(vhsaKmtCloseKFD() == HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
}

static void the_machine_is_described(void)
{
	HsaMemoryProperties banks[8];
	HsaCacheProperties caches[512];
	HsaIoLinkProperties links[64];
	HsaSystemProperties system;
	HsaNodeProperties node;
	HsaClockCounters clocks;
	HsaVersionInfo version;
	HSAuint32 caps;
	HSAint32 xnack;

	CHECK(vhsaKmtGetNodeProperties(0, &node) != HSAKMT_STATUS_SUCCESS);
	OK(vhsaKmtGetVersion(&version));
	CHECK(version.KernelInterfaceMajorVersion == 1);
	OK(vhsaKmtAcquireSystemProperties(&system));
	CHECK(system.NumNodes >= 2);
	for (HSAuint32 i = 0; i < system.NumNodes; i++) {
		OK(vhsaKmtGetNodeProperties(i, &node));
		if (node.NumFComputeCores && !gpu)
			gpu = i;
		CHECK(node.NumMemoryBanks <= 8 && node.NumCaches <= 512 && node.NumIOLinks <= 64);
		OK(vhsaKmtGetNodeMemoryProperties(i, node.NumMemoryBanks, banks));
		if (node.NumCaches <= 128) {
			OK(vhsaKmtGetNodeCacheProperties(i, 0, node.NumCaches, caches));
			for (HSAuint32 c = 0; c < node.NumCaches; c++)
				CHECK(caches[c].CacheLevel >= 1 && caches[c].CacheLevel <= 3);
		}
		OK(vhsaKmtGetNodeIoLinkProperties(i, node.NumIOLinks, links));
		if (newer)
			CHECK(node.NumGws == 0 && !node.Capability.ui32.SVMAPISupported);
	}
	CHECK(gpu != 0);
	CHECK(vhsaKmtGetNodeProperties(system.NumNodes, &node) == HSAKMT_STATUS_INVALID_NODE_UNIT);
	OK(vhsaKmtGetClockCounters(gpu, &clocks));
	CHECK(clocks.GPUClockCounter != 0);
	OK(vhsaKmtGetRuntimeCapabilities(&caps));
	(void)vhsaKmtGetXNACKMode(&xnack);       /* not every machine has it */
	(void)vhsaKmtRuntimeEnable(NULL, false); /* the primary process's only: context.md 6 */
	OK(vhsaKmtRuntimeDisable());
}

static void memory_is_shared_with_the_gpu(HsaMemFlags flags, HSAuint32 node)
{
	HsaPointerInfo info;
	HSAuint64 va = 0;
	void *memory = NULL;

	OK(vhsaKmtAllocMemory(node, 4 * PAGE, flags, &memory));
	if (!memory)
		return;
	CHECK(vhsaKmtMapMemoryToGPU(memory, 4 * PAGE, &va) == HSAKMT_STATUS_SUCCESS);
	if (flags.ui32.HostAccess) {
		memset(memory, 0x5a, 4 * PAGE);
		CHECK(((char *)memory)[4 * PAGE - 1] == 0x5a);
	}
	OK(vhsaKmtQueryPointerInfo((char *)memory + PAGE, &info));
	CHECK(info.Type == HSA_POINTER_ALLOCATED);
	CHECK(info.CPUAddress == memory && info.SizeInBytes == 4 * PAGE);
	CHECK(info.NMappedNodes >= 1 && info.NMappedNodes <= 3 && info.MappedNodes &&
	      info.MappedNodes[0] == gpu);
	free((void *)info.MappedNodes);
	OK(vhsaKmtUnmapMemoryToGPU(memory));
	OK(vhsaKmtMapMemoryToGPUNodes(memory, 4 * PAGE, &va, (HsaMemFlags){ 0 }, 1, &gpu));
	OK(vhsaKmtUnmapMemoryToGPU(memory));
	OK(vhsaKmtFreeMemory(memory, 4 * PAGE));
	CHECK(vhsaKmtQueryPointerInfo(memory, &info) != HSAKMT_STATUS_SUCCESS);
	/* the addresses can be had again */
	OK(vhsaKmtAllocMemory(node, 4 * PAGE, flags, &memory));
	if (flags.ui32.HostAccess)
		CHECK(((char *)memory)[0] == 0);
	OK(vhsaKmtFreeMemory(memory, 4 * PAGE));
}

static void bad_allocations_are_refused(void)
{
	HSAuint64 bytes = 0;
	void *memory = NULL;

	CHECK(vhsaKmtAllocMemory(99, PAGE, host_flags, &memory) != HSAKMT_STATUS_SUCCESS);
	CHECK(vhsaKmtAllocMemory(0, 0, host_flags, &memory) != HSAKMT_STATUS_SUCCESS);
	CHECK(vhsaKmtAllocMemory(0, PAGE, host_flags, NULL) != HSAKMT_STATUS_SUCCESS);
	CHECK(vhsaKmtAllocMemory(gpu, 1ul << 50, device_flags, &memory) != HSAKMT_STATUS_SUCCESS);
	CHECK(vhsaKmtMapMemoryToGPU((void *)0x1000, PAGE, &bytes) == HSAKMT_STATUS_INVALID_HANDLE);
	OK(vhsaKmtFreeMemory((void *)0x1000, PAGE));
	OK(vhsaKmtAvailableMemory(gpu, &bytes));
	CHECK(bytes > 0);
}

static void registered_memory_keeps_its_contents(void)
{
	char *memory =
		mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	HSAuint64 va = 0;

	memset(memory, 7, 8 * PAGE);
	OK(vhsaKmtRegisterMemoryWithFlags(memory + 64, 3 * PAGE, host_flags));
	CHECK(memory[0] == 7 && memory[8 * PAGE - 1] == 7);
	OK(vhsaKmtRegisterMemoryWithFlags(memory + 64, PAGE, host_flags)); /* counted */
	OK(vhsaKmtMapMemoryToGPU(memory + 64, 2 * PAGE, &va));
	CHECK(va % PAGE == 64);
	OK(vhsaKmtUnmapMemoryToGPU(memory + 64));
	OK(vhsaKmtDeregisterMemory(memory + 64));
	OK(vhsaKmtDeregisterMemory(memory + 64));
	CHECK(vhsaKmtDeregisterMemory(memory + 64) != HSAKMT_STATUS_SUCCESS);
	memory[0] = 8;
	/* they are ours alone again, with what was written meanwhile: another time is like the first */
	for (int i = 0; i < 3; i++) {
		OK(vhsaKmtRegisterMemoryWithFlags(memory + i * PAGE, 3 * PAGE, host_flags));
		OK(vhsaKmtRegisterMemoryWithFlags(memory + (i + 2) * PAGE, 2 * PAGE, host_flags));
		memory[3 * PAGE] = (char)i;
		OK(vhsaKmtDeregisterMemory(memory + i * PAGE));
		CHECK(memory[0] == 8 && memory[3 * PAGE] == i && memory[8 * PAGE - 1] == 7);
		OK(vhsaKmtDeregisterMemory(memory + (i + 2) * PAGE));
		CHECK(memory[0] == 8 && memory[3 * PAGE] == i && memory[8 * PAGE - 1] == 7);
	}
	munmap(memory, 8 * PAGE);
}

static void events_are_set_and_reset(void)
{
	HsaEventDescriptor descriptor = { .EventType = HSA_EVENTTYPE_SIGNAL, .NodeId = 0 };
	HsaEvent *event = NULL;

	OK(vhsaKmtCreateEvent(&descriptor, true, false, &event));
	if (!event)
		return;
	OK(vhsaKmtSetEvent(event));
	OK(vhsaKmtResetEvent(event));
	(void)vhsaKmtQueryEventState(event);
	CHECK(vhsaKmtWaitOnEvent(event, 0) == HSAKMT_STATUS_ERROR);
	CHECK(vhsaKmtSetEvent((HsaEvent *)&descriptor) == HSAKMT_STATUS_INVALID_HANDLE);
	OK(vhsaKmtDestroyEvent(event));
	CHECK(vhsaKmtDestroyEvent(event) == HSAKMT_STATUS_INVALID_HANDLE);
	OK(vhsaKmtDestroyEvent(NULL));
}

/* A barrier packet that the GPU must consume: its read pointer moves. */
static void a_queue_runs(void)
{
	HsaQueueResource resource = { 0 };
	void *ring = NULL, *pointers = NULL;
	volatile HSAuint64 *read_pointer, *write_pointer;
	HsaQueueInfo info;

	OK(vhsaKmtAllocMemory(
		0, RING, (HsaMemFlags){ .ui32 = { .HostAccess = 1, .ExecuteAccess = 1 } }, &ring));
	OK(vhsaKmtAllocMemory(0, PAGE, host_flags, &pointers));
	OK(vhsaKmtMapMemoryToGPU(ring, RING, NULL));
	OK(vhsaKmtMapMemoryToGPU(pointers, PAGE, NULL));
	if (!ring || !pointers)
		return;
	memset(ring, 0, RING);
	for (size_t i = 0; i < RING / 64; i++)
		((unsigned short *)ring)[i * 32] = 1; /* invalid packet */
	write_pointer = (HSAuint64 *)pointers;
	read_pointer = (HSAuint64 *)pointers + 8;
	resource.Queue_write_ptr_aql = (HSAuint64 *)pointers;
	resource.Queue_read_ptr_aql = (HSAuint64 *)pointers + 8;
	OK(vhsaKmtCreateQueue(gpu, HSA_QUEUE_COMPUTE_AQL, 100, HSA_QUEUE_PRIORITY_NORMAL, ring,
			      RING, NULL, &resource));
	if (resource.QueueId) {
		((unsigned short *)ring)[0] = 3 | 1 << 8; /* barrier-AND, barrier bit */
		__atomic_store_n(write_pointer, 1, __ATOMIC_RELEASE);
		*(volatile HSAuint64 *)resource.Queue_DoorBell_aql = 0;
		for (int i = 0; i < 60000 && __atomic_load_n(read_pointer, __ATOMIC_ACQUIRE) == 0;
		     i++)
			usleep(1000);
		CHECK(*read_pointer == 1);
		if (newer) {
			HSAuint32 mask[4] = { ~0u, ~0u, ~0u, ~0u };

			OK(vhsaKmtUpdateQueue(resource.QueueId, 50, HSA_QUEUE_PRIORITY_NORMAL, ring,
					      RING, NULL));
			(void)vhsaKmtGetQueueInfo(resource.QueueId, &info);
			OK(vhsaKmtSetQueueCUMask(resource.QueueId, 128, mask));
		}
		OK(vhsaKmtDestroyQueue(resource.QueueId));
		CHECK(vhsaKmtDestroyQueue(resource.QueueId) == HSAKMT_STATUS_INVALID_PARAMETER);
	}
	OK(vhsaKmtFreeMemory(ring, RING));
	OK(vhsaKmtFreeMemory(pointers, PAGE));
}

static void an_sdma_queue_has_pointers(void)
{
	HsaQueueResource resource = { 0 };
	void *ring = NULL;

	OK(vhsaKmtAllocMemory(0, RING, host_flags, &ring));
	OK(vhsaKmtMapMemoryToGPU(ring, RING, NULL));
	OK(vhsaKmtCreateQueue(gpu, HSA_QUEUE_SDMA, 100, HSA_QUEUE_PRIORITY_NORMAL, ring, RING, NULL,
			      &resource));
	if (resource.QueueId) {
		CHECK(resource.Queue_write_ptr && resource.Queue_read_ptr &&
		      resource.Queue_DoorBell);
		CHECK(*resource.Queue_read_ptr == 0);
		OK(vhsaKmtDestroyQueue(resource.QueueId));
	}
	OK(vhsaKmtFreeMemory(ring, RING));
}

static void memory_is_exported_and_imported(void)
{
	HsaGraphicsResourceInfo info = { 0 };
	HsaSharedMemoryHandle handle;
	void *memory = NULL, *shared = NULL;
	HSAuint64 offset = 1, bytes = 0;
	int fd = -1;

	OK(vhsaKmtAllocMemory(gpu, 16 * PAGE, device_flags, &memory));
	OK(vhsaKmtExportDMABufHandle(memory, 16 * PAGE, &fd, &offset));
	CHECK(offset == 0);
	if (fd >= 0)
		OK(vhsaKmtRegisterGraphicsHandleToNodes((HSAuint64)fd, &info, 1, &gpu));
	CHECK(info.SizeInBytes == 16 * PAGE);
	if (info.MemoryAddress)
		OK(vhsaKmtDeregisterMemory(info.MemoryAddress));
	OK(vhsaKmtShareMemory(memory, 16 * PAGE, &handle));
	OK(vhsaKmtRegisterSharedHandle(&handle, &shared, &bytes));
	CHECK(bytes == 16 * PAGE);
	if (shared)
		OK(vhsaKmtDeregisterMemory(shared));
	OK(vhsaKmtFreeMemory(memory, 16 * PAGE));
}

static void what_the_protocol_lacks_says_so(void)
{
	bool enabled = true;
	int fd;

	OK(vhsaKmtModelEnabled(&enabled));
	CHECK(!enabled);
	CHECK(vhsaKmtOpenSMI(gpu, &fd) == HSAKMT_STATUS_NOT_SUPPORTED);
	CHECK(vhsaKmtReplaceAsanHeaderPage(NULL) == HSAKMT_STATUS_NOT_IMPLEMENTED);
	CHECK(vhsaKmtProcessVMRead(0, NULL, 0, NULL, 0, NULL) == HSAKMT_STATUS_NOT_IMPLEMENTED);
	CHECK(vamdgpu_device_initialize(0, NULL, NULL, NULL) < 0);
}

static void libdrm_answers(void)
{
	struct amdgpu_gpu_info info = { 0 };

	CHECK(vamdgpu_query_gpu_info(NULL, &info) == 0);
	CHECK(info.gpu_counter_freq != 0);
}

int main(void)
{
	const char *revision = getenv("KFDSCOPE_VIRTIO_REVISION");

	newer = !revision || strcmp(revision, "1") != 0;
	calls_before_the_open_are_refused();
	if (vhsaKmtOpenKFD() != HSAKMT_STATUS_SUCCESS) {
		fprintf(stderr, "the open fails\n");
		return 1;
	}
	OK(vhsaKmtOpenKFD());
	the_machine_is_described();
	if (!getenv("KFDSCOPE_TEST_SANITIZED")) /* the plug-in's host has no libdrm */
		libdrm_answers();
	memory_is_shared_with_the_gpu(host_flags, 0);
	memory_is_shared_with_the_gpu(device_flags, gpu);
	memory_is_shared_with_the_gpu(private_flags, gpu);
	bad_allocations_are_refused();
	registered_memory_keeps_its_contents();
	events_are_set_and_reset();
	a_queue_runs();
	an_sdma_queue_has_pointers();
	if (newer) {
		memory_is_exported_and_imported();
		what_the_protocol_lacks_says_so();
	}
	OK(vhsaKmtReleaseSystemProperties());
	OK(vhsaKmtCloseKFD());
	calls_before_the_open_are_refused();
	return failures ? 1 : 0;
}
