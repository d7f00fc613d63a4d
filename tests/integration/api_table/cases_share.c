/* SPDX-License-Identifier: MIT */
/* Handles for other processes, dma-bufs and graphics buffers. */
#include <string.h>
#include <unistd.h>

#include "walk.h"

#define SIZE (16 * WALK_PAGE)

static void print_pointer(struct walk *w, const void *pointer)
{
	HsaPointerInfo info;

	memset(&info, 0, sizeof(info));
	if (hsaKmtQueryPointerInfo(pointer, &info) == HSAKMT_STATUS_SUCCESS) {
		walk_number(w, "type", info.Type);
		walk_number(w, "node", info.Node);
		walk_number(w, "size", info.SizeInBytes);
		walk_number(w, "registered nodes", info.NRegisteredNodes);
	}
}

static void memory_is_shared_by_a_handle(struct walk *w)
{
	HSAuint32 gpu = w->gpu;
	HsaSharedMemoryHandle handle;
	void *memory = walk_vram(w, SIZE), *import = NULL;
	HSAuint64 size = 0;

	memset(&handle, 0, sizeof(handle));
	API(INVALID_PARAMETER, hsaKmtShareMemory, &size, SIZE, &handle);
	API(INVALID_PARAMETER, hsaKmtRegisterSharedHandle, NULL, &import, &size);
	API(INVALID_PARAMETER, hsaKmtRegisterSharedHandleToNodes, NULL, &import, &size, 1, &gpu);
	if (!memory)
		return;
	API(INVALID_PARAMETER, hsaKmtShareMemory, memory, SIZE, NULL);
	if (API(SUCCESS, hsaKmtShareMemory, memory, SIZE, &handle)) {
		if (API(SUCCESS, hsaKmtRegisterSharedHandle, &handle, &import, &size)) {
			walk_expect(w, "size", size, SIZE);
			print_pointer(w, import);
			if (!API(SUCCESS, hsaKmtDeregisterMemory, import))
				(void)hsaKmtDeregisterMemory(import); /* one call fails only */
		}
		if (API(SUCCESS, hsaKmtRegisterSharedHandleToNodes, &handle, &import, &size, 1,
			&gpu)) {
			print_pointer(w, import);
			API(SUCCESS, hsaKmtDeregisterMemory, import);
		}
	}
	walk_unmap_release(w, memory, SIZE);
}

static void a_share_is_not_for_wrong_nodes(struct walk *w)
{
	HSAuint32 bad = WALK_BAD_NODE;
	HsaSharedMemoryHandle handle;
	void *memory = walk_vram(w, SIZE), *import = NULL;
	HSAuint64 size = 0;

	if (memory && hsaKmtShareMemory(memory, SIZE, &handle) == HSAKMT_STATUS_SUCCESS) {
		API(INVALID_PARAMETER, hsaKmtRegisterSharedHandleToNodes, &handle, &import, &size,
		    1, NULL);
		API(INVALID_NODE_UNIT, hsaKmtRegisterSharedHandleToNodes, &handle, &import, &size,
		    1, &bad);
	}
	walk_unmap_release(w, memory, SIZE);
}

static void a_made_up_handle_is_refused(struct walk *w)
{
	HsaSharedMemoryHandle handle;
	HSAuint64 size = 0;
	void *import = NULL;

	memset(&handle, 0, sizeof(handle));
	API(INVALID_PARAMETER, hsaKmtRegisterSharedHandle, &handle, &import, &size);
}

static void graphics_calls_of_old_are_refused(struct walk *w)
{
	HSAuint64 flat = 0;

	PLAIN(NOT_IMPLEMENTED, hsaKmtMapGraphicHandle, w->gpu, 0, 0, 0, WALK_PAGE, &flat);
	API(SUCCESS, hsaKmtUnmapGraphicHandle, w->gpu, 0, WALK_PAGE);
	API(SUCCESS, hsaKmtUnmapGraphicHandle, w->gpu, 0x1000, WALK_PAGE);
}

static void what_is_no_dma_buf_is_refused(struct walk *w)
{
	HSAuint32 gpu = w->gpu, bad = WALK_BAD_NODE;
	HsaGraphicsResourceInfo info;
	int pipes[2];

	memset(&info, 0, sizeof(info));
	if (pipe(pipes))
		return;
	API(ERROR, hsaKmtRegisterGraphicsHandleToNodes, (HSAuint64)pipes[0], &info, 1, &gpu);
	API(INVALID_PARAMETER, hsaKmtRegisterGraphicsHandleToNodes, (HSAuint64)pipes[0], NULL, 1,
	    &gpu);
	API(INVALID_NODE_UNIT, hsaKmtRegisterGraphicsHandleToNodes, (HSAuint64)pipes[0], &info, 1,
	    &bad);
	API(INVALID_PARAMETER, hsaKmtRegisterGraphicsHandleToNodes, (HSAuint64)pipes[0], &info, 1,
	    NULL);
	close(pipes[0]);
	close(pipes[1]);
}

#ifndef WALK_STOCK
static void memory_goes_out_and_in_as_a_dma_buf(struct walk *w)
{
	HSA_REGISTER_MEM_FLAGS with_address = { .ui32 = { .requiresVAddr = 1 } };
	HsaGraphicsResourceInfo info = { 0 };
	HSAuint32 gpu = w->gpu;
	void *memory = walk_vram(w, SIZE);
	HSAuint64 offset = 0;
	int fd = -1;

	API(INVALID_PARAMETER, hsaKmtExportDMABufHandle, &offset, SIZE, &fd, &offset);
	if (!memory)
		return;
	API(INVALID_PARAMETER, hsaKmtExportDMABufHandle, memory, 2 * SIZE, &fd, &offset);
	API(INVALID_PARAMETER, hsaKmtExportDMABufHandle, memory, SIZE, NULL, &offset);
	if (API(SUCCESS, hsaKmtExportDMABufHandle, (char *)memory + WALK_PAGE, WALK_PAGE, &fd,
		&offset)) {
		walk_expect(w, "offset", offset, WALK_PAGE);
		if (API(SUCCESS, hsaKmtRegisterGraphicsHandleToNodes, (HSAuint64)fd, &info, 1,
			&gpu)) {
			walk_expect(w, "size", info.SizeInBytes, SIZE);
			walk_expect(w, "node", info.NodeId, w->gpu);
			print_pointer(w, info.MemoryAddress);
			API(SUCCESS, hsaKmtDeregisterMemory, info.MemoryAddress);
		}
		if (API(SUCCESS, hsaKmtRegisterGraphicsHandleToNodesExt, (HSAuint64)fd, &info, 0,
			NULL, with_address)) {
			walk_expect(w, "size", info.SizeInBytes, SIZE);
			API(SUCCESS, hsaKmtDeregisterMemory, info.MemoryAddress);
		}
		API(INVALID_PARAMETER, hsaKmtRegisterGraphicsHandleToNodesExt, (HSAuint64)fd, NULL,
		    0, NULL, with_address);
		close(fd);
	}
	walk_unmap_release(w, memory, SIZE);
}

/* The record's layout is not published: room for any. */
static void a_dma_buf_tells_where_it_is_from(struct walk *w)
{
	_Alignas(16) char info[256] = { 0 };
	void *memory = walk_vram(w, SIZE);
	HSAuint64 offset;
	int fd = -1;

	API(INVALID_PARAMETER, hsaKmtQueryDmaBufInfo, -1, (HsaDmaBufInfo *)info);
	API(NOT_SUPPORTED, hsaKmtQueryDmaBufInfo, 0, (HsaDmaBufInfo *)info);
	if (memory &&
	    hsaKmtExportDMABufHandle(memory, SIZE, &fd, &offset) == HSAKMT_STATUS_SUCCESS) {
		API(SUCCESS, hsaKmtQueryDmaBufInfo, fd, (HsaDmaBufInfo *)info);
		API(INVALID_PARAMETER, hsaKmtQueryDmaBufInfo, fd, NULL);
		close(fd);
	}
	walk_unmap_release(w, memory, SIZE);
}
#endif

static void without_an_open_driver_nothing_is_shared(struct walk *w)
{
	HsaSharedMemoryHandle handle;
	HsaGraphicsResourceInfo info;
	HSAuint64 size = 0;
	HSAuint32 node = 0;
	void *import;

#ifdef WALK_CTX
	if (walk_open(w) == HSAKMT_STATUS_SUCCESS) /* to have a context at all */
		(void)walk_close(w);               /* tested elsewhere */
#endif
	memset(&handle, 0, sizeof(handle));
	memset(&info, 0, sizeof(info));
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtShareMemory, &node, WALK_PAGE, &handle);
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtRegisterSharedHandle, &handle, &import, &size);
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtRegisterSharedHandleToNodes, &handle, &import,
	    &size, 1, &node);
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtRegisterGraphicsHandleToNodes, 0, &info, 1, &node);
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtUnmapGraphicHandle, 0, 0x1000, WALK_PAGE);
}

const struct walk_case walk_share_cases[] = {
	{ "without an open driver nothing is shared", without_an_open_driver_nothing_is_shared,
	  true },
	{ "memory is shared by a handle", memory_is_shared_by_a_handle, false },
	{ "a share is not for wrong nodes", a_share_is_not_for_wrong_nodes, false },
	{ "a made-up handle is refused", a_made_up_handle_is_refused, false },
	{ "graphics calls of old are refused", graphics_calls_of_old_are_refused, false },
	{ "what is no dma-buf is refused", what_is_no_dma_buf_is_refused, false },
#ifndef WALK_STOCK
	{ "memory goes out and in as a dma-buf", memory_goes_out_and_in_as_a_dma_buf, false },
	{ "a dma-buf tells where it is from", a_dma_buf_tells_where_it_is_from, false },
#endif
	{ NULL, NULL, false },
};
