/* SPDX-License-Identifier: MIT */
/* Buffer objects by handle, through the render node. */
#include <unistd.h>

#include "walk.h"

#ifndef WALK_STOCK

#define SIZE (16 * WALK_PAGE)
#define VA   0x600000000000ull

static void devices_are_told(struct walk *w)
{
	HsaAMDGPUDeviceHandle device = NULL;
	int fd = -1;

	API(INVALID_NODE_UNIT, hsaKmtGetAMDGPUDeviceHandle, WALK_BAD_NODE, &device);
	API(INVALID_PARAMETER, hsaKmtGetAMDGPUDeviceHandle, w->gpu, NULL);
	if (API(SUCCESS, hsaKmtGetAMDGPUDeviceHandle, w->gpu, &device)) {
		PLAIN(SUCCESS, hsaKmtGetAmdGPUDeviceFd, device, &fd);
		walk_expect(w, "a descriptor", fd >= 0, 1);
		PLAIN(INVALID_PARAMETER, hsaKmtGetAmdGPUDeviceFd, device, NULL);
	}
	PLAIN(ERROR, hsaKmtGetAmdGPUDeviceFd, NULL, &fd);
}

/* A buffer object of the render node, by the way of a dma-buf. */
static bool import(struct walk *w, void *memory, HsaHandleImportDesc *desc,
		   HsaHandleImportResult *result)
{
	HsaHandleImportFlags flags = { 0 };
	HSAuint64 offset;
	bool good;
	int fd = -1;

	if (hsaKmtGetAMDGPUDeviceHandle(w->gpu, &desc->device_handle) != HSAKMT_STATUS_SUCCESS ||
	    hsaKmtExportDMABufHandle(memory, SIZE, &fd, &offset) != HSAKMT_STATUS_SUCCESS)
		return false;
	desc->type = HSA_EXTERNAL_HANDLE_DMA_BUF;
	desc->dmabuf_fd = fd;
	good = PLAIN(SUCCESS, hsaKmtHandleImport, desc, result, &flags);
	close(fd);
	return good;
}

static void use(struct walk *w, const HsaHandleImportDesc *desc,
		const HsaHandleImportResult *result)
{
	HsaHandleExportDesc out = { .device_handle = desc->device_handle,
				    .type = HSA_EXTERNAL_HANDLE_DMA_BUF,
				    .buf_handle = result->buf_handle,
				    .size = SIZE };
	HsaMemoryExportResult exported = { 0 };
	HsaHandleExportFlags flags = { 0 };
	HSAuint64 fake = 0;
	void *cpu = NULL;

	walk_expect(w, "size", result->alloc_size, SIZE);
	if (PLAIN(SUCCESS, hsaKmtHandleExport, &out, &exported, &flags))
		close(exported.dmabuf_fd);
	out.type = HSA_EXTERNAL_HANDLE_GEM_FLINK_NAME;
	PLAIN(NOT_SUPPORTED, hsaKmtHandleExport, &out, &exported, &flags);
	PLAIN(INVALID_HANDLE, hsaKmtHandleExport, NULL, &exported, &flags);
	PLAIN(SUCCESS, hsaKmtMemoryCpuMap, result->buf_handle, &cpu);
	PLAIN(SUCCESS, hsaKmtMemoryGetCpuAddr, desc->device_handle, result->buf_handle, &fake);
	PLAIN(INVALID_PARAMETER, hsaKmtMemoryVaMap, result->buf_handle, 0, SIZE, VA,
	      HSA_MEMORY_ACCESS_RW, WALK_BAD_NODE);
	PLAIN(INVALID_PARAMETER, hsaKmtMemoryVaUnmap, result->buf_handle, 0, SIZE, VA,
	      WALK_BAD_NODE);
	if (PLAIN(SUCCESS, hsaKmtMemoryVaMap, result->buf_handle, 0, SIZE, VA, HSA_MEMORY_ACCESS_RW,
		  w->gpu) &&
	    !PLAIN(SUCCESS, hsaKmtMemoryVaUnmap, result->buf_handle, 0, SIZE, VA, w->gpu))
		(void)hsaKmtMemoryVaUnmap(result->buf_handle, 0, SIZE, VA, w->gpu);
}

static void a_buffer_object_is_used_by_its_handle(struct walk *w)
{
	HsaHandleImportResult result = { 0 };
	HsaHandleImportDesc desc = { 0 };
	void *memory = walk_vram(w, SIZE);

	if (memory && import(w, memory, &desc, &result)) {
		use(w, &desc, &result);
		if (!PLAIN(SUCCESS, hsaKmtMemHandleFree, result.buf_handle))
			(void)hsaKmtMemHandleFree(result.buf_handle); /* one call fails only */
	}
	if (memory && import(w, memory, &desc, &result) &&
	    !PLAIN(SUCCESS, hsaKmtMemHandleFreePreserveMetadata, result.buf_handle))
		(void)hsaKmtMemHandleFreePreserveMetadata(result.buf_handle); /* same */
	walk_unmap_release(w, memory, SIZE);
}

static void made_up_handles_are_refused(struct walk *w)
{
	HsaHandleImportResult result = { 0 };
	HsaHandleImportDesc desc = { 0 };
	HSAuint64 fake = 0;
	void *cpu = NULL;

	PLAIN(INVALID_HANDLE, hsaKmtHandleImport, NULL, &result, NULL);
	PLAIN(INVALID_HANDLE, hsaKmtHandleImport, &desc, &result, NULL);
	PLAIN(ERROR, hsaKmtMemoryCpuMap, NULL, &cpu);
	PLAIN(ERROR, hsaKmtMemHandleFree, NULL);
	PLAIN(ERROR, hsaKmtMemHandleFreePreserveMetadata, NULL);
	PLAIN(ERROR, hsaKmtMemoryGetCpuAddr, NULL, NULL, &fake);
	PLAIN(ERROR, hsaKmtMemoryVaMap, NULL, 0, SIZE, VA, HSA_MEMORY_ACCESS_RW, w->gpu);
	PLAIN(ERROR, hsaKmtMemoryVaUnmap, NULL, 0, SIZE, VA, w->gpu);
	PLAIN(NOT_SUPPORTED, hsaKmtGetMemoryHandle, &fake, &fake, SIZE, &fake);
}

static void without_an_open_driver_there_are_no_handles(struct walk *w)
{
	HsaAMDGPUDeviceHandle device = NULL;
	HsaHandleImportResult imported = { 0 };
	HsaMemoryExportResult exported = { 0 };
	HsaHandleImportDesc in = { 0 };
	HsaHandleExportDesc out = { 0 };
	HSAuint64 offset = 0;
	void *cpu = NULL;
	int fd = -1;

#ifdef WALK_CTX
	if (walk_open(w) == HSAKMT_STATUS_SUCCESS) /* to have a context at all */
		(void)walk_close(w);               /* tested elsewhere */
#endif
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtGetAMDGPUDeviceHandle, 0, &device);
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtExportDMABufHandle, &fd, 1, &fd, &offset);
	PLAIN(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtHandleImport, &in, &imported, NULL);
	PLAIN(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtHandleExport, &out, &exported, NULL);
	PLAIN(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtMemoryCpuMap, NULL, &cpu);
	PLAIN(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtMemHandleFree, NULL);
	PLAIN(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtGetAmdGPUDeviceFd, NULL, &fd);
}

const struct walk_case walk_handle_cases[] = {
	{ "without an open driver there are no handles",
	  without_an_open_driver_there_are_no_handles, true },
	{ "devices are told", devices_are_told, false },
	{ "a buffer object is used by its handle", a_buffer_object_is_used_by_its_handle, false },
	{ "made-up handles are refused", made_up_handles_are_refused, false },
	{ NULL, NULL, false },
};

#endif
