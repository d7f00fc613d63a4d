/* SPDX-License-Identifier: MIT */
/* Management events, direct storage, semaphores, sanitizer pages and the model. */
#include <stdlib.h>
#include <unistd.h>

#include "walk.h"

#ifdef WALK_STOCK

static void nothing_more_in_this_era(struct walk *w)
{
	(void)w;
}

const struct walk_case walk_other_cases[] = {
	{ "nothing more in this era", nothing_more_in_this_era, true },
	{ NULL, NULL, false },
};

#else

static void management_events_are_read(struct walk *w)
{
	int fd = -1;

	API(INVALID_NODE_UNIT, hsaKmtOpenSMI, WALK_BAD_NODE, &fd);
	API(INVALID_PARAMETER, hsaKmtOpenSMI, w->gpu, NULL);
	if (API(SUCCESS, hsaKmtOpenSMI, w->gpu, &fd)) {
		walk_expect(w, "a descriptor", fd >= 0, 1);
		close(fd);
	}
}

static void files_are_read_into_device_memory(struct walk *w)
{
	char name[] = "/tmp/kfdscope-walk-XXXXXX";
	int fd = mkstemp(name);
	void *memory = walk_vram(w, WALK_PAGE);
	HSAuint64 copied = 0;
	HSAint32 status = 1;

	if (fd >= 0)
		unlink(name);
	if (memory && fd >= 0 && ftruncate(fd, WALK_PAGE) == 0) {
		if (PLAIN(SUCCESS, hsaKmtAisReadWriteFile, memory, WALK_PAGE, fd, 0, HSA_AIS_READ,
			  &copied, &status)) {
			walk_expect(w, "copied", copied, WALK_PAGE);
			walk_expect(w, "status", (uint32_t)status, 0);
		}
		PLAIN(INVALID_PARAMETER, hsaKmtAisReadWriteFile, memory, WALK_PAGE, fd, 0,
		      (HsaAisFlags)9, &copied, &status);
		PLAIN(INVALID_PARAMETER, hsaKmtAisReadWriteFile, &fd, WALK_PAGE, fd, 0,
		      HSA_AIS_READ, &copied, &status);
		PLAIN(ERROR, hsaKmtAisReadWriteFile, memory, WALK_PAGE, -1, 0, HSA_AIS_READ,
		      &copied, &status);
	}
	walk_unmap_release(w, memory, WALK_PAGE);
	if (fd >= 0)
		close(fd);
}

static void what_linux_lacks_is_refused(struct walk *w)
{
	HSA_EXTERNAL_SEMAPHORE_HANDLE semaphore = { 0 };

	PLAIN(NOT_SUPPORTED, hsaKmtImportExternalSemaphore, w->gpu, NULL,
	      HSA_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD, &semaphore);
	PLAIN(NOT_SUPPORTED, hsaKmtDestroyExternalSemaphore, semaphore);
	PLAIN(NOT_SUPPORTED, hsaKmtQueueSignalExternalSemaphore, 0, semaphore, 1);
	PLAIN(NOT_SUPPORTED, hsaKmtQueueWaitExternalSemaphore, 0, semaphore, 1);
	API(NOT_SUPPORTED, hsaKmtReplaceAsanHeaderPage, &semaphore);
	API(NOT_SUPPORTED, hsaKmtReturnAsanHeaderPage, &semaphore);
}

static void the_model_is_told(struct walk *w)
{
	bool enabled = false;

	if (PLAIN(SUCCESS, hsaKmtModelEnabled, &enabled))
		walk_expect(w, "enabled", enabled, getenv("HSA_MODEL_TOPOLOGY") != NULL);
	PLAIN(INVALID_PARAMETER, hsaKmtModelEnabled, NULL);
}

static void without_an_open_driver_nothing_else_works(struct walk *w)
{
	HSAuint64 bytes = 0;
	HSAint32 status = 0;
	HSAuint32 node = 0;
	int fd = -1;

#ifdef WALK_CTX
	if (walk_open(w) == HSAKMT_STATUS_SUCCESS) /* to have a context at all */
		(void)walk_close(w);               /* tested elsewhere */
#endif
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtOpenSMI, 0, &fd);
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtAvailableMemory, 0, &bytes);
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtSetPersistingCacheSize, 0, 0);
	PLAIN(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtGetDefaultHostGpu, &node, &node);
	PLAIN(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtSetSigbusDelay, 0, 0);
	PLAIN(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtAisReadWriteFile, &node, 4, 0, 0, HSA_AIS_READ,
	      &bytes, &status);
}

const struct walk_case walk_other_cases[] = {
	{ "without an open driver nothing else works", without_an_open_driver_nothing_else_works,
	  true },
	{ "management events are read", management_events_are_read, false },
	{ "files are read into device memory", files_are_read_into_device_memory, false },
	{ "what Linux lacks is refused", what_linux_lacks_is_refused, false },
	{ "the model is told", the_model_is_told, false },
	{ NULL, NULL, false },
};

#endif
