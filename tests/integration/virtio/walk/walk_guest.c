/* SPDX-License-Identifier: MIT */
/* Where a guest is answered otherwise than a program on the host, and why (virtio.md). */
#include "walk_guest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct difference {
	const char *name_of_case; /* NULL: every case */
	const char *call;
	HSAKMT_STATUS thunk, guest;
};

#define EVERY_CASE NULL
#define DIFFERS(in, call, thunk, guest)                                                            \
	{                                                                                          \
		in, call, HSAKMT_STATUS_##thunk, HSAKMT_STATUS_##guest                             \
	}

/* clang-format off */
static const struct difference differences[] = {
	/* One device a process: a second open does not count. */
	DIFFERS("opens are counted", "hsaKmtOpenKFD", KERNEL_ALREADY_OPENED, SUCCESS),
	DIFFERS("opens are counted", "hsaKmtGetVersion", SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED),
	DIFFERS("opens are counted", "hsaKmtCloseKFD", SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED),
	/* The open comes first, whatever the call. */
	DIFFERS("without an open driver there is no topology", "hsaKmtReleaseSystemProperties",
		SUCCESS, KERNEL_IO_CHANNEL_NOT_OPENED),
	/* A free closes the resource, and the host then unmaps before it frees. */
	DIFFERS("frees of nothing are told", "hsaKmtFreeMemory", ERROR, SUCCESS),
	/* No memory is shared without being registered. */
	DIFFERS("an ordinary page can be mapped or not", "hsaKmtMapMemoryToGPU", SUCCESS,
		INVALID_HANDLE),
	DIFFERS("memory is registered and mapped", "hsaKmtDeregisterMemory", SUCCESS,
		MEMORY_NOT_REGISTERED),
	DIFFERS("attributes are set and told", "hsaKmtSVMSetAttr", SUCCESS, INVALID_PARAMETER),
	DIFFERS("attributes are set and told", "hsaKmtSVMSetAttr", INVALID_NODE_UNIT,
		INVALID_PARAMETER),
	DIFFERS("attributes are set and told", "hsaKmtSVMGetAttr", SUCCESS, INVALID_PARAMETER),
	DIFFERS("attributes are set and told", "hsaKmtSVMGetAttr", INVALID_NODE_UNIT,
		INVALID_PARAMETER),
	/* What both sides have at one address need not be registered. */
	DIFFERS("what the driver gave cannot be registered", "hsaKmtRegisterMemory", INVALID_HANDLE,
		SUCCESS),
	DIFFERS("what the driver gave cannot be registered", "hsaKmtDeregisterMemory",
		MEMORY_NOT_REGISTERED, SUCCESS),
	/* No command carries it. */
	DIFFERS(EVERY_CASE, "hsaKmtRegisterMemoryToNodes", INVALID_NODE_UNIT, NOT_IMPLEMENTED),
	DIFFERS(EVERY_CASE, "hsaKmtRegisterMemoryToNodes", INVALID_PARAMETER, NOT_IMPLEMENTED),
	DIFFERS(EVERY_CASE, "hsaKmtRegisterMemoryToNodes", SUCCESS, NOT_IMPLEMENTED),
	/* The call takes the descriptor, even when it fails later. */
	DIFFERS("what is no dma-buf is refused", "hsaKmtRegisterGraphicsHandleToNodes",
		INVALID_NODE_UNIT, INVALID_HANDLE),
	DIFFERS("memory goes out and in as a dma-buf", "hsaKmtRegisterGraphicsHandleToNodesExt",
		SUCCESS, INVALID_HANDLE),
	/* A guest polls its signals: it cannot wait. Nothing is destroyed as well as anything. */
	DIFFERS(EVERY_CASE, "hsaKmtDestroyEvent", INVALID_HANDLE, SUCCESS),
	DIFFERS(EVERY_CASE, "hsaKmtWaitOnEvent", INVALID_HANDLE, ERROR),
	DIFFERS(EVERY_CASE, "hsaKmtWaitOnEvent", SUCCESS, ERROR),
	DIFFERS(EVERY_CASE, "hsaKmtWaitOnEvent", WAIT_TIMEOUT, ERROR),
	DIFFERS(EVERY_CASE, "hsaKmtWaitOnEvent_Ext", INVALID_HANDLE, ERROR),
	DIFFERS(EVERY_CASE, "hsaKmtWaitOnEvent_Ext", SUCCESS, ERROR),
	DIFFERS(EVERY_CASE, "hsaKmtWaitOnEvent_Ext", WAIT_TIMEOUT, ERROR),
	DIFFERS(EVERY_CASE, "hsaKmtWaitOnMultipleEvents", INVALID_HANDLE, ERROR),
	DIFFERS(EVERY_CASE, "hsaKmtWaitOnMultipleEvents", SUCCESS, ERROR),
	DIFFERS(EVERY_CASE, "hsaKmtWaitOnMultipleEvents", WAIT_TIMEOUT, ERROR),
	DIFFERS(EVERY_CASE, "hsaKmtWaitOnMultipleEvents_Ext", INVALID_HANDLE, ERROR),
	DIFFERS(EVERY_CASE, "hsaKmtWaitOnMultipleEvents_Ext", SUCCESS, ERROR),
};
/* clang-format on */

/* For the test that looks for rows which no call needs. */
static void __attribute__((constructor)) print_rows(void)
{
	if (getenv("WALK_GUEST_DIFFERENCES"))
		printf("%zu differences\n", sizeof(differences) / sizeof(differences[0]));
}

HSAKMT_STATUS walk_guest_expects(const char *name_of_case, const char *call, HSAKMT_STATUS expected)
{
	call += call[0] == 'v';
	for (size_t i = 0; i < sizeof(differences) / sizeof(differences[0]); i++) {
		const struct difference *at = &differences[i];

		if (at->thunk == expected && strcmp(at->call, call) == 0 &&
		    (!at->name_of_case || strcmp(at->name_of_case, name_of_case) == 0)) {
			printf("  difference %zu\n", i);
			return at->guest;
		}
	}
	return expected;
}
