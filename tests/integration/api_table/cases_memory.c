/* SPDX-License-Identifier: MIT */
/* Allocating, mapping and freeing, pointer information, and the memory queries. */
#include <string.h>

#include "walk.h"

#define MIB (1ull << 20)

static const walk_map_flags no_map_flags;

static void print_pointer(struct walk *w, const void *pointer, HSAKMT_STATUS expected)
{
	HsaPointerInfo info;

	memset(&info, 0, sizeof(info));
	if (!walk_note(w, WALK_TWIN(hsaKmtQueryPointerInfo), expected,
		       WALK_CALL(hsaKmtQueryPointerInfo, pointer, &info)))
		return;
	walk_number(w, "type", info.Type);
	walk_number(w, "node", info.Node);
	walk_number(w, "flags", info.MemFlags.Value);
	walk_address(w, "cpu", (uintptr_t)info.CPUAddress);
	walk_address(w, "gpu", info.GPUAddress);
	walk_number(w, "size", info.SizeInBytes);
	walk_number(w, "registered nodes", info.NRegisteredNodes);
	walk_number(w, "mapped nodes", info.NMappedNodes);
	walk_number(w, "user data", (uintptr_t)info.UserData);
}

/* The life of one allocation, with everything that can be asked about it. */
static void live(struct walk *w, uint32_t node, uint64_t size, HsaMemFlags flags)
{
	HSAuint64 alternate = 1;
	void *memory = NULL;

	if (!API(SUCCESS, hsaKmtAllocMemory, node, size, flags, &memory))
		return;
	walk_address(w, "address", (uintptr_t)memory);
	print_pointer(w, memory, HSAKMT_STATUS_SUCCESS);
	if (API(SUCCESS, hsaKmtMapMemoryToGPU, memory, size, &alternate))
		walk_number(w, "alternate", alternate);
	print_pointer(w, (char *)memory + size / 2, HSAKMT_STATUS_SUCCESS);
	API(SUCCESS, hsaKmtMapMemoryToGPU, memory, size, &alternate);
	API(SUCCESS, hsaKmtSetMemoryUserData, memory, (void *)0x1234);
	print_pointer(w, memory, HSAKMT_STATUS_SUCCESS);
	if (!API(SUCCESS, hsaKmtUnmapMemoryToGPU, memory))
		(void)hsaKmtUnmapMemoryToGPU(memory); /* else it cannot be freed */
	API(SUCCESS, hsaKmtUnmapMemoryToGPU, memory);
	if (!API(SUCCESS, hsaKmtFreeMemory, memory, size))
		walk_release(w, memory, size);
	print_pointer(w, memory, HSAKMT_STATUS_ERROR);
}

static void device_memory_lives(struct walk *w)
{
	HsaMemFlags flags = { .ui32 = { .NonPaged = 1, .CoarseGrain = 1 } };

	live(w, w->gpu, WALK_PAGE, flags);
	flags.ui32.HostAccess = 1;
	live(w, w->gpu, 2 * MIB, flags);
	flags.ui32.CoarseGrain = 0;
	live(w, w->gpu, 3 * WALK_PAGE, flags);
}

static void host_memory_lives(struct walk *w)
{
	HsaMemFlags flags = { .ui32 = { .HostAccess = 1 } };

	live(w, w->cpu, WALK_PAGE, flags); /* paged */
	flags.ui32.NonPaged = 1;
	live(w, w->cpu, 2 * MIB, flags);
	flags.ui32.CoarseGrain = 1;
	live(w, w->cpu, WALK_PAGE, flags);
	flags.ui32.CoarseGrain = 0;
	flags.ui32.ExecuteAccess = 1;
	flags.ui32.AQLQueueMemory = 1;
	live(w, w->cpu, WALK_PAGE, flags);
	flags.Value = 0;
	flags.ui32.HostAccess = flags.ui32.ReadOnly = flags.ui32.NoNUMABind = 1;
	live(w, w->cpu, 16 * WALK_PAGE, flags);
}

static void wrong_requests_are_refused(struct walk *w)
{
	HsaMemFlags flags = { .ui32 = { .NonPaged = 1, .HostAccess = 1 } }, odd;
	void *memory = (void *)1;

	API(INVALID_PARAMETER, hsaKmtAllocMemory, w->gpu, 0, flags, &memory);
	API(INVALID_PARAMETER, hsaKmtAllocMemory, w->gpu, 4097, flags, &memory);
	API(INVALID_PARAMETER, hsaKmtAllocMemory, w->gpu, WALK_PAGE, flags, NULL);
	API(INVALID_NODE_UNIT, hsaKmtAllocMemory, WALK_BAD_NODE, WALK_PAGE, flags, &memory);
	odd = flags;
	odd.ui32.FixedAddress = 1;
	memory = NULL;
	API(INVALID_PARAMETER, hsaKmtAllocMemory, w->gpu, WALK_PAGE, odd, &memory);
	odd = flags;
	odd.ui32.PageSize = HSA_PAGE_SIZE_64KB;
	API(INVALID_PARAMETER, hsaKmtAllocMemory, w->gpu, WALK_PAGE, odd, &memory);
	/* more than there is */
	API(NO_MEMORY, hsaKmtAllocMemory, w->gpu, 1ull << 40, flags, &memory);
}

static void scratch_lives(struct walk *w)
{
	HsaMemFlags flags = { .ui32 = { .Scratch = 1, .HostAccess = 1 } };
	HSAuint64 alternate = 0;
	void *memory = NULL;

	if (!API(SUCCESS, hsaKmtAllocMemory, w->gpu, 2 * MIB, flags, &memory))
		return;
	API(SUCCESS, hsaKmtMapMemoryToGPU, memory, MIB, &alternate);
	API(SUCCESS, hsaKmtMapMemoryToGPU, (char *)memory + MIB, MIB, &alternate);
	API(SUCCESS, hsaKmtUnmapMemoryToGPU, (char *)memory + MIB);
	if (!API(SUCCESS, hsaKmtUnmapMemoryToGPU, memory))
		(void)hsaKmtUnmapMemoryToGPU(memory); /* else it cannot be freed */
	if (!API(SUCCESS, hsaKmtFreeMemory, memory, 2 * MIB))
		walk_release(w, memory, 2 * MIB);
	API(NO_MEMORY, hsaKmtAllocMemory, w->cpu, 2 * MIB, flags, &memory);
}

static void frees_of_nothing_are_told(struct walk *w)
{
	void *memory = walk_vram(w, WALK_PAGE);

	API(ERROR, hsaKmtFreeMemory, NULL, WALK_PAGE);
	API(SUCCESS, hsaKmtFreeMemory, (void *)0x1000, WALK_PAGE);
	if (!memory)
		return;
	/* still mapped on a GPU: the driver keeps it */
	API(ERROR, hsaKmtFreeMemory, memory, WALK_PAGE);
	API(SUCCESS, hsaKmtUnmapMemoryToGPU, memory);
	API(SUCCESS, hsaKmtFreeMemory, memory, WALK_PAGE);
	API(SUCCESS, hsaKmtFreeMemory, memory, WALK_PAGE); /* a second time */
}

static void wrong_maps_are_refused(struct walk *w)
{
	HSAuint64 alternate = 0;

	API(ERROR, hsaKmtMapMemoryToGPU, NULL, WALK_PAGE, &alternate);
	API(SUCCESS, hsaKmtUnmapMemoryToGPU, NULL);
	API(SUCCESS, hsaKmtUnmapMemoryToGPU, (void *)0x1000);
	PLAIN(SUCCESS, hsaKmtUnmapMemoryToGPU, (void *)0x1000);
	API(ERROR, hsaKmtSetMemoryUserData, (void *)0x1000, NULL);
	API(INVALID_PARAMETER, hsaKmtQueryPointerInfo, (void *)0x1000, NULL);
	print_pointer(w, (void *)0x1000, HSAKMT_STATUS_ERROR);
	print_pointer(w, &alternate, HSAKMT_STATUS_ERROR);
}

static void an_ordinary_page_can_be_mapped_or_not(struct walk *w)
{
	void *pages = walk_pages(4 * WALK_PAGE);
	HSAuint64 alternate = 0;

	if (!pages)
		return;
	API(SUCCESS, hsaKmtMapMemoryToGPU, pages, 4 * WALK_PAGE, &alternate);
	API(SUCCESS, hsaKmtUnmapMemoryToGPU, pages);
	walk_pages_free(pages, 4 * WALK_PAGE);
}

static void nodes_are_chosen_for_a_map(struct walk *w)
{
	HSAuint32 gpu = w->gpu, cpu = w->cpu, bad = WALK_BAD_NODE;
	HSAuint64 alternate = 0;
	void *memory = walk_vram(w, WALK_PAGE);

	if (!memory)
		return;
	API(SUCCESS, hsaKmtMapMemoryToGPUNodes, memory, WALK_PAGE, &alternate, no_map_flags, 1,
	    &gpu);
	API(INVALID_NODE_UNIT, hsaKmtMapMemoryToGPUNodes, memory, WALK_PAGE, &alternate,
	    no_map_flags, 1, &bad);
	API(ERROR, hsaKmtMapMemoryToGPUNodes, NULL, WALK_PAGE, &alternate, no_map_flags, 1, &gpu);
	API(INVALID_PARAMETER, hsaKmtMapMemoryToGPUNodes, memory, WALK_PAGE, &alternate,
	    no_map_flags, 1, NULL);
	API(INVALID_PARAMETER, hsaKmtMapMemoryToGPUNodes, memory, WALK_PAGE, &alternate,
	    no_map_flags, 0, &gpu);
	API(ERROR, hsaKmtMapMemoryToGPUNodes, memory, WALK_PAGE, &alternate, no_map_flags, 1, &cpu);
	walk_unmap_release(w, memory, WALK_PAGE);
}

static void policies_are_for_one_old_machine(struct walk *w)
{
	API(NOT_IMPLEMENTED, hsaKmtSetMemoryPolicy, w->gpu, HSA_CACHING_CACHED,
	    HSA_CACHING_NONCACHED, NULL, 0);
	API(INVALID_NODE_UNIT, hsaKmtSetMemoryPolicy, WALK_BAD_NODE, HSA_CACHING_CACHED,
	    HSA_CACHING_NONCACHED, NULL, 0);
}

static void tile_tables_are_read(struct walk *w)
{
	HSAuint32 tile[32], macro_tile[16];
	HsaGpuTileConfig config = { .TileConfig = tile,
				    .MacroTileConfig = macro_tile,
				    .NumTileConfigs = 32,
				    .NumMacroTileConfigs = 16 };

	API(INVALID_NODE_UNIT, hsaKmtGetTileConfig, WALK_BAD_NODE, &config);
	if (!API(SUCCESS, hsaKmtGetTileConfig, w->gpu, &config))
		return;
	walk_number(w, "tiles", config.NumTileConfigs);
	walk_number(w, "macro tiles", config.NumMacroTileConfigs);
	walk_number(w, "address config", config.GbAddrConfig);
	walk_number(w, "banks", config.NumBanks);
	walk_number(w, "ranks", config.NumRanks);
}

static void nobody_reads_another_process(struct walk *w)
{
	char here[16] = { 0 }, there[16] = { 0 };
	HsaMemoryRange local = { here, sizeof(here) }, remote = { there, sizeof(there) };
	HSAuint64 copied = 0;

	PLAIN(NOT_IMPLEMENTED, hsaKmtProcessVMRead, 1, &local, 1, &remote, 1, &copied);
	PLAIN(NOT_IMPLEMENTED, hsaKmtProcessVMWrite, 1, &local, 1, &remote, 1, &copied);
	PLAIN(NOT_IMPLEMENTED, hsaKmtProcessVMRead, 1, NULL, 0, NULL, 0, NULL);
	PLAIN(NOT_IMPLEMENTED, hsaKmtProcessVMWrite, 1, NULL, 0, NULL, 0, &copied);
}

static void without_an_open_driver_there_is_no_memory(struct walk *w)
{
	HsaGpuTileConfig config = { 0 };
	HsaMemFlags flags = { 0 };
	HSAuint64 alternate = 0;
	HSAuint32 node = 0;
	void *memory = NULL;

#ifdef WALK_CTX
	if (walk_open(w) == HSAKMT_STATUS_SUCCESS) /* to have a context at all */
		(void)walk_close(w);               /* tested elsewhere */
#endif
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtAllocMemory, 0, WALK_PAGE, flags, &memory);
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtFreeMemory, &node, WALK_PAGE);
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtMapMemoryToGPU, &node, WALK_PAGE, &alternate);
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtMapMemoryToGPUNodes, &node, WALK_PAGE, &alternate,
	    no_map_flags, 1, &node);
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtUnmapMemoryToGPU, &node);
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtSetMemoryPolicy, 0, 0, 0, NULL, 0);
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtGetTileConfig, 0, &config);
}

static void without_an_open_driver_no_pointer_is_known(struct walk *w)
{
	HsaPointerInfo info;
	int here = 0;

#ifdef WALK_CTX
	if (walk_open(w) == HSAKMT_STATUS_SUCCESS) /* to have a context at all */
		(void)walk_close(w);               /* tested elsewhere */
#endif
	memset(&info, 0, sizeof(info));
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtSetMemoryUserData, &here, NULL);
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtQueryPointerInfo, &here, &info);
}

#ifndef WALK_STOCK
static void alignments_are_kept_or_refused(struct walk *w)
{
	HsaMemFlags flags = { .ui32 = { .NonPaged = 1, .HostAccess = 1 } };
	HsaMemFlags scratch = { .ui32 = { .Scratch = 1, .HostAccess = 1 } };
	void *memory = NULL;

	if (API(SUCCESS, hsaKmtAllocMemoryAlign, w->gpu, MIB, 4 * MIB, flags, &memory)) {
		walk_expect(w, "misplaced by", (uintptr_t)memory % (4 * MIB), 0);
		walk_release(w, memory, MIB);
	}
	API(INVALID_PARAMETER, hsaKmtAllocMemoryAlign, w->gpu, MIB, 3 * MIB, flags, &memory);
	API(INVALID_PARAMETER, hsaKmtAllocMemoryAlign, w->gpu, MIB, 2048, flags, &memory);
	API(NOT_IMPLEMENTED, hsaKmtAllocMemoryAlign, w->gpu, MIB, MIB, scratch, &memory);
	flags.ui32.CoarseGrain = flags.ui32.ExtendedCoherent = 1;
	API(INVALID_PARAMETER, hsaKmtAllocMemory, w->gpu, MIB, flags, &memory);
}

static void addresses_without_memory_and_memory_without_address(struct walk *w)
{
	HsaMemFlags flags = { .ui32 = { .OnlyAddress = 1 } };
	HSAuint64 alternate;
	void *memory = NULL;

	if (API(SUCCESS, hsaKmtAllocMemory, w->cpu, MIB, flags, &memory)) {
		API(INVALID_PARAMETER, hsaKmtMapMemoryToGPU, memory, MIB, &alternate);
		walk_release(w, memory, MIB);
	}
	flags.Value = 0;
	flags.ui32.NonPaged = flags.ui32.NoAddress = 1;
	if (API(SUCCESS, hsaKmtAllocMemory, w->gpu, MIB, flags, &memory)) {
		API(INVALID_PARAMETER, hsaKmtMapMemoryToGPU, memory, MIB, &alternate);
		walk_release(w, memory, MIB);
	}
	API(ERROR, hsaKmtFreeMemory, &alternate, 0);
}

static void what_is_left_is_told(struct walk *w)
{
	HSAuint64 before = 0, after = 0;
	HSAuint32 node = 0, gpu_id = 0;
	void *memory;

	API(INVALID_NODE_UNIT, hsaKmtAvailableMemory, WALK_BAD_NODE, &before);
	API(INVALID_PARAMETER, hsaKmtAvailableMemory, w->gpu, NULL);
	API(SUCCESS, hsaKmtAvailableMemory, w->gpu, &before);
	memory = walk_vram(w, 64 * MIB);
	API(SUCCESS, hsaKmtAvailableMemory, w->gpu, &after);
	if (memory)
		walk_expect(w, "taken", before - after, 64 * MIB);
	walk_unmap_release(w, memory, 64 * MIB);
	if (PLAIN(SUCCESS, hsaKmtGetDefaultHostGpu, &node, &gpu_id))
		walk_expect(w, "default host GPU", node, w->gpu);
	PLAIN(INVALID_PARAMETER, hsaKmtGetDefaultHostGpu, NULL, NULL);
}

static void the_render_node_is_tuned(struct walk *w)
{
	PLAIN(NOT_SUPPORTED, hsaKmtSetSigbusDelay, WALK_BAD_NODE, 10);
	PLAIN(SUCCESS, hsaKmtSetSigbusDelay, w->gpu, 10);
	API(ERROR, hsaKmtSetPersistingCacheSize, w->gpu, MIB); /* no driver has it */
	API(INVALID_PARAMETER, hsaKmtSetPersistingCacheSize, WALK_BAD_NODE, MIB);
}

static void host_memory_has_a_gpu_for_an_anchor(struct walk *w)
{
	HsaMemFlags flags = { .ui32 = { .NonPaged = 1, .HostAccess = 1 } };
	void *memory = NULL;

	if (PLAIN(SUCCESS, hsaKmtAllocMemoryHostGttCtx, w->ctx, w->cpu, w->gpu, MIB, flags,
		  &memory))
		walk_release(w, memory, MIB);
	PLAIN(INVALID_NODE_UNIT, hsaKmtAllocMemoryHostGttCtx, w->ctx, w->cpu, WALK_BAD_NODE, MIB,
	      flags, &memory);
}
#endif

const struct walk_case walk_memory_cases[] = {
	{ "without an open driver there is no memory", without_an_open_driver_there_is_no_memory,
	  true },
	{ "without an open driver no pointer is known", without_an_open_driver_no_pointer_is_known,
	  true },
	{ "device memory lives", device_memory_lives, false },
	{ "host memory lives", host_memory_lives, false },
	{ "wrong requests are refused", wrong_requests_are_refused, false },
	{ "scratch lives", scratch_lives, false },
	{ "frees of nothing are told", frees_of_nothing_are_told, false },
	{ "wrong maps are refused", wrong_maps_are_refused, false },
	{ "an ordinary page can be mapped or not", an_ordinary_page_can_be_mapped_or_not, false },
	{ "nodes are chosen for a map", nodes_are_chosen_for_a_map, false },
	{ "policies are for one old machine", policies_are_for_one_old_machine, false },
	{ "tile tables are read", tile_tables_are_read, false },
	{ "nobody reads another process", nobody_reads_another_process, false },
#ifndef WALK_STOCK
	{ "alignments are kept or refused", alignments_are_kept_or_refused, false },
	{ "addresses without memory and memory without address",
	  addresses_without_memory_and_memory_without_address, false },
	{ "what is left is told", what_is_left_is_told, false },
	{ "the render node is tuned", the_render_node_is_tuned, false },
	{ "host memory has a GPU for an anchor", host_memory_has_a_gpu_for_an_anchor, false },
#endif
	{ NULL, NULL, false },
};
