/* SPDX-License-Identifier: MIT */
/*
 * One of two guests at once: makes memory, an event and a queue, tells on stdout what they are called,
 * reads from stdin what the other's are, and tries on them everything that a command can name. None of
 * it may succeed; and what is its own must be as it was, whatever the other has tried.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "commands/fixture.h"

#define SIZE 65536ul

/* Names of one guest's objects, as a line of text. */
struct names {
	HSAuint64 memory, ring, pages, event, queue; /* pages: where the host has them */
};

static bool tell(const struct names *names)
{
	return printf("%" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 "\n",
		      names->memory, names->ring, names->pages, names->event, names->queue) > 0 &&
	       fflush(stdout) == 0;
}

static bool hear(struct names *names)
{
	return scanf("%" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64, &names->memory,
		     &names->ring, &names->pages, &names->event, &names->queue) == 5;
}

/* @return whether a MEMORY command with the address as its first argument and a size is refused. */
static bool is_refused(uint32_t type, uint64_t address, uint32_t res_id)
{
	struct vhsakmt_ccmd_memory_req req = { .type = type, .res_id = res_id };
	struct vhsakmt_ccmd_memory_rsp rsp;

	/* the first two words of all commands that name memory */
	req.map_to_GPU_args.MemoryAddress = address;
	req.map_to_GPU_args.MemorySizeInBytes = 4096;
	return !by_hand(VIRTIO_CMD_MEMORY, &req, sizeof(req), &rsp, sizeof(rsp));
}

static bool memory_is_out_of_reach(uint64_t address)
{
	static const uint32_t types[] = {
		VIRTIO_MEMORY_FREE,           VIRTIO_MEMORY_UNMAP_TO_GPU,
		VIRTIO_MEMORY_MAP_MEM_TO_GPU, VIRTIO_MEMORY_REG_MEM_WITH_FLAG,
		VIRTIO_MEMORY_DEREG_MEM,      VIRTIO_MEMORY_EXPORT_DMABUF,
		VIRTIO_MEMORY_SHARE_MEMORY,   VIRTIO_MEMORY_SVM_GET_ATTR,
	};
	struct {
		struct vhsakmt_ccmd_memory_req req;
		uint32_t nodes[2];
	} nodes = { .req = { .type = VIRTIO_MEMORY_MAP_TO_GPU_NODES }, .nodes = { gpu } };
	struct vhsakmt_ccmd_query_info_req query = { .type = VIRTIO_QUERY_POINTER_INFO };
	struct vhsakmt_ccmd_event_req trap = { .type = VIRTIO_EVENT_SET_TRAP };
	struct vhsakmt_ccmd_query_info_rsp query_rsp;
	struct vhsakmt_ccmd_memory_rsp rsp;
	struct vhsakmt_ccmd_event_rsp event_rsp;
	bool good = true;

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		good = HOLDS(is_refused(types[i], address, 0)) && good;
	nodes.req.map_to_GPU_nodes_args.MemoryAddress = address;
	nodes.req.map_to_GPU_nodes_args.MemorySizeInBytes = 4096;
	nodes.req.map_to_GPU_nodes_args.NumberOfNodes = 1;
	query.pointer = address;
	trap.set_trap_handler_args.NodeId = gpu;
	trap.set_trap_handler_args.TrapHandlerBaseAddress = address;
	trap.set_trap_handler_args.TrapHandlerSizeInBytes = 4096;
	return HOLDS(!by_hand(VIRTIO_CMD_MEMORY, &nodes, sizeof(nodes), &rsp, sizeof(rsp))) &&
	       HOLDS(!by_hand(VIRTIO_CMD_QUERY_INFO, &query, sizeof(query), &query_rsp,
			      sizeof(query_rsp))) &&
	       HOLDS(!by_hand(VIRTIO_CMD_EVENT, &trap, sizeof(trap), &event_rsp,
			      sizeof(event_rsp))) &&
	       good;
}

/* By its handle, with every resource that is none of our events. */
static bool event_is_out_of_reach(uint64_t handle, uint32_t own)
{
	static const uint32_t types[] = { VIRTIO_EVENT_SET, VIRTIO_EVENT_RESET,
					  VIRTIO_EVENT_DESTROY, VIRTIO_EVENT_QUERY_STATE };
	struct vhsakmt_ccmd_event_req req = { .event_hanele = handle };
	struct vhsakmt_ccmd_event_rsp rsp;
	bool good = true;

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		req.type = types[i];
		for (req.res_id = 0; req.res_id < 64; req.res_id++)
			if (req.res_id != own)
				good = HOLDS(!by_hand(VIRTIO_CMD_EVENT, &req, sizeof(req), &rsp,
						      sizeof(rsp))) &&
				       good;
	}
	return good;
}

/* By its handle, as a user of its ring, and with its event. */
static bool queue_is_out_of_reach(const struct names *other, const struct ring *own)
{
	struct vhsakmt_ccmd_queue_req req = { .type = VIRTIO_QUEUE_DESTROY };
	struct vhsakmt_ccmd_queue_rsp rsp;
	HsaQueueResource resource = own->resource;
	bool good;

	req.QueueId = other->queue;
	good = HOLDS(!by_hand(VIRTIO_CMD_QUEUE, &req, sizeof(req), &rsp, sizeof(rsp)));
	good = HOLDS(vhsaKmtCreateQueue(gpu, HSA_QUEUE_COMPUTE_AQL, 100, HSA_QUEUE_PRIORITY_NORMAL,
					(void *)(uintptr_t)other->ring, RING, NULL,
					&resource) != HSAKMT_STATUS_SUCCESS) &&
	       good;
	req = (struct vhsakmt_ccmd_queue_req){ .type = VIRTIO_QUEUE_CREATE, .blob_id = 4000000 };
	req.create_queue_args.NodeId = gpu;
	req.create_queue_args.Type = HSA_QUEUE_SDMA;
	req.create_queue_args.QueuePercentage = 100;
	req.create_queue_args.SdmaEngineId = VIRTIO_NO_ENGINE;
	req.create_queue_args.QueueAddress = other->ring;
	req.create_queue_args.QueueSizeInBytes = RING;
	for (req.queue_mem_res_id = 0; req.queue_mem_res_id < 64; req.queue_mem_res_id++)
		good = HOLDS(!by_hand(VIRTIO_CMD_QUEUE, &req, sizeof(req), &rsp, sizeof(rsp))) &&
		       good;
	return good;
}

static bool try_other(const struct names *other, const struct ring *ring, const HsaEvent *event)
{
	bool good = memory_is_out_of_reach(other->memory);

	good = memory_is_out_of_reach(other->ring) && good;
	good = memory_is_out_of_reach(other->pages) && good;
	/* even where our own event's name stands beside it, it is our own that is meant */
	good = event_is_out_of_reach(other->event, ((const struct vHsaEvent *)event)->res_id) &&
	       good;
	return queue_is_out_of_reach(other, ring) && good;
}

static bool is_filled(const unsigned char *memory, unsigned char mark)
{
	for (unsigned long i = 0; i < SIZE; i++)
		if (memory[i] != mark)
			return false;
	return true;
}

int main(int argc, char **argv)
{
	unsigned char mark = (unsigned char)(argc > 1 ? argv[1][0] : 1), *memory, *pages;
	const HsaMemFlags flags = { .ui32 = { .HostAccess = 1, .CoarseGrain = 1 } };
	HsaEventDescriptor descriptor = { .EventType = HSA_EVENTTYPE_SIGNAL };
	struct names own = { 0 }, other;
	HsaPointerInfo info = { 0 };
	HsaEvent *event = NULL;
	struct ring ring;
	/* a secondary context has none of the guest's own memory */
	bool registers = !getenv("KFDSCOPE_TEST_SECONDARY"), good;

	pages = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!OK(vhsaKmtOpenKFD()) || !find_gpu() || !(memory = take_vram(SIZE)) ||
	    !OK(vhsaKmtMapMemoryToGPU(memory, SIZE, NULL)) ||
	    (registers && (!OK(vhsaKmtRegisterMemoryWithFlags(pages, SIZE, flags)) ||
			   !OK(vhsaKmtMapMemoryToGPU(pages, SIZE, &own.pages)))) ||
	    !OK(vhsaKmtCreateEvent(&descriptor, true, false, &event)) ||
	    !ring_begin(&ring, HSA_QUEUE_COMPUTE_AQL))
		return 1;
	memset(memory, mark, SIZE);
	memset(pages, mark, SIZE);
	own.memory = (uintptr_t)memory;
	own.ring = (uintptr_t)ring.ring;
	own.event = ((struct vHsaEvent *)event)->event_handle;
	own.queue = 1; /* handles are counted up: the first that a host gives */
	if (!tell(&own) || !hear(&other))
		return 2;
	good = try_other(&other, &ring, event);
	puts("tried");
	fflush(stdout);
	if (!hear(&other))
		return 2;
	good = HOLDS(is_filled(memory, mark)) && HOLDS(is_filled(pages, mark)) && good;
	good = OK(vhsaKmtSetEvent(event)) && ring_runs(&ring) && good;
	good = OK(vhsaKmtQueryPointerInfo(memory, &info)) && HOLDS(info.NMappedNodes > 0) && good;
	if (registers)
		good = OK(vhsaKmtUnmapMemoryToGPU(pages)) && OK(vhsaKmtDeregisterMemory(pages)) &&
		       good;
	good = OK(vhsaKmtDestroyEvent(event)) && ring_end(&ring) && good;
	good = OK(vhsaKmtFreeMemory(memory, SIZE)) && OK(vhsaKmtCloseKFD()) && good;
	return good ? 0 : 3;
}
