/* SPDX-License-Identifier: MIT */
/* Registering memory of the program. */
#include <string.h>

#include "walk.h"

#define SIZE (16 * WALK_PAGE)

static void print_pointer(struct walk *w, const void *pointer)
{
	HsaPointerInfo info;

	memset(&info, 0, sizeof(info));
	if (hsaKmtQueryPointerInfo(pointer, &info) == HSAKMT_STATUS_SUCCESS) {
		walk_number(w, "type", info.Type);
		walk_number(w, "size", info.SizeInBytes);
		walk_number(w, "registered nodes", info.NRegisteredNodes);
	} else {
		walk_number(w, "type", HSA_POINTER_UNKNOWN);
	}
}

static void memory_is_registered_and_mapped(struct walk *w)
{
	void *pages = walk_pages(SIZE);
	HSAuint64 alternate = 0;

	if (!pages)
		return;
	if (API(SUCCESS, hsaKmtRegisterMemory, pages, SIZE)) {
		print_pointer(w, pages);
		if (API(SUCCESS, hsaKmtMapMemoryToGPU, pages, SIZE, &alternate))
			walk_number(w, "has a GPU address", alternate != 0);
		API(SUCCESS, hsaKmtUnmapMemoryToGPU, pages);
		API(SUCCESS, hsaKmtDeregisterMemory, pages);
	}
	API(SUCCESS, hsaKmtDeregisterMemory, pages);
	API(SUCCESS, hsaKmtDeregisterMemory, NULL);
	walk_pages_free(pages, SIZE);
}

static void registrations_are_counted(struct walk *w)
{
	void *pages = walk_pages(SIZE);

	if (!pages)
		return;
	API(SUCCESS, hsaKmtRegisterMemory, pages, SIZE);
	API(SUCCESS, hsaKmtRegisterMemory, pages, SIZE);
	API(SUCCESS, hsaKmtRegisterMemory, pages, SIZE / 2);
	API(SUCCESS, hsaKmtDeregisterMemory, pages);
	API(SUCCESS, hsaKmtDeregisterMemory, pages);
	API(SUCCESS, hsaKmtDeregisterMemory, pages);
	walk_pages_free(pages, SIZE);
}

static void what_the_driver_gave_cannot_be_registered(struct walk *w)
{
	void *memory = walk_vram(w, SIZE);

	if (!memory)
		return;
	API(INVALID_HANDLE, hsaKmtRegisterMemory, memory, SIZE);
	API(MEMORY_NOT_REGISTERED, hsaKmtDeregisterMemory, memory);
	walk_unmap_release(w, memory, SIZE);
}

static void memory_is_registered_for_nodes(struct walk *w)
{
	HSAuint32 gpu = w->gpu, bad = WALK_BAD_NODE;
	void *pages = walk_pages(SIZE);

	if (!pages)
		return;
	API(INVALID_NODE_UNIT, hsaKmtRegisterMemoryToNodes, pages, SIZE, 1, &bad);
	API(INVALID_PARAMETER, hsaKmtRegisterMemoryToNodes, pages, SIZE, 1, NULL);
	API(INVALID_PARAMETER, hsaKmtRegisterMemoryToNodes, pages, SIZE, 0, &gpu);
	if (API(SUCCESS, hsaKmtRegisterMemoryToNodes, pages, SIZE, 1, &gpu)) {
		print_pointer(w, pages);
		API(SUCCESS, hsaKmtDeregisterMemory, pages);
	}
	walk_pages_free(pages, SIZE);
}

static void memory_is_registered_with_flags(struct walk *w)
{
	HsaMemFlags flags = { .ui32 = { .HostAccess = 1, .CoarseGrain = 1 } };
	void *pages = walk_pages(SIZE);

	if (!pages)
		return;
	if (API(SUCCESS, hsaKmtRegisterMemoryWithFlags, pages, SIZE, flags)) {
		print_pointer(w, pages);
		API(SUCCESS, hsaKmtDeregisterMemory, pages);
	}
	flags.ui32.NonPaged = 1;
	API(NOT_SUPPORTED, hsaKmtRegisterMemoryWithFlags, pages, SIZE, flags);
	flags.Value = 0;
	API(NOT_SUPPORTED, hsaKmtRegisterMemoryWithFlags, pages, SIZE, flags);
	walk_pages_free(pages, SIZE);
}

static void without_an_open_driver_nothing_is_registered(struct walk *w)
{
	HsaMemFlags flags = { 0 };
	HSAuint32 node = 0;

#ifdef WALK_CTX
	if (walk_open(w) == HSAKMT_STATUS_SUCCESS) /* to have a context at all */
		(void)walk_close(w);               /* tested elsewhere */
#endif
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtRegisterMemory, &node, WALK_PAGE);
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtRegisterMemoryToNodes, &node, WALK_PAGE, 1, &node);
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtRegisterMemoryWithFlags, &node, WALK_PAGE, flags);
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtDeregisterMemory, &node);
}

const struct walk_case walk_registration_cases[] = {
	{ "without an open driver nothing is registered",
	  without_an_open_driver_nothing_is_registered, true },
	{ "memory is registered and mapped", memory_is_registered_and_mapped, false },
	{ "registrations are counted", registrations_are_counted, false },
	{ "what the driver gave cannot be registered", what_the_driver_gave_cannot_be_registered,
	  false },
	{ "memory is registered for nodes", memory_is_registered_for_nodes, false },
	{ "memory is registered with flags", memory_is_registered_with_flags, false },
	{ NULL, NULL, false },
};
