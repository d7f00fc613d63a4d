/* SPDX-License-Identifier: MIT */
/*
 * Makes calls whose records are as long as they get: below more frames than a stack can have, with
 * more elements than an array can have. Whether a call succeeds does not matter.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "hsakmt/hsakmt.h"

enum { FRAMES = 80, MANY = 100, EVENTS = 80, PAGES = 16, PAGE = 4096 };

static HsaEvent *events[EVENTS];
static uint64_t ages[EVENTS];
static HSAuint32 nodes[MANY];

static void properties(HSAuint32 node_count)
{
	static HsaIoLinkProperties links[MANY];
	static HsaCacheProperties caches[MANY];
	static HsaMemoryProperties banks[MANY];

	for (HSAuint32 node = 0; node < node_count; node++) {
		HsaNodeProperties props;

		if (hsaKmtGetNodeProperties(node, &props) != HSAKMT_STATUS_SUCCESS)
			continue;
		hsaKmtGetNodeIoLinkProperties(node, props.NumIOLinks, links);
		hsaKmtGetNodeCacheProperties(node, 0, props.NumCaches, caches);
		hsaKmtGetNodeMemoryProperties(node, props.NumMemoryBanks, banks);
	}
}

static void waits(void)
{
	HsaEventDescriptor wanted = { .EventType = HSA_EVENTTYPE_SIGNAL };

	for (int i = 0; i < EVENTS; i++) {
		if (hsaKmtCreateEvent(&wanted, true, false, &events[i]) != HSAKMT_STATUS_SUCCESS)
			return;
		ages[i] = 1;
	}
	hsaKmtWaitOnMultipleEvents(events, EVENTS, false, 0);
	hsaKmtSetEvent(events[EVENTS - 1]);
	hsaKmtWaitOnMultipleEvents_Ext(events, EVENTS, false, 0, ages);
}

static void memory(void *host, HSAuint64 size_bytes)
{
	HsaMemFlags flags = { .Value = 0 };
	HsaGraphicsResourceInfo info = { .SizeInBytes = 0 };
	HSAuint64 address;
	void *block = NULL;

	flags.ui32.NonPaged = 1;
	hsaKmtAllocMemory(nodes[1], size_bytes, flags, &block);
	hsaKmtMapMemoryToGPUNodes(block, size_bytes, &address, flags, MANY, nodes);
	hsaKmtUnmapMemoryToGPU(block);
	hsaKmtRegisterMemoryToNodes(host, size_bytes, MANY, nodes);
	hsaKmtRegisterGraphicsHandleToNodes(~0ull, &info, MANY, nodes);
}

static void lists(void *host, HSAuint64 size_bytes)
{
	static HSA_SVM_ATTRIBUTE attributes[MANY];
	static HsaMemoryRange ranges[MANY];
	static HSA_DBG_WATCH_MODE modes[MANY];
	static void *addresses[MANY];
	static HSAuint64 masks[MANY], copied;
	static HSAuint32 cu_mask[MANY];
	static HsaCounter counters[MANY];
	static HsaEvent *watched[MANY];
	HsaPmcTraceRoot root;

	for (int i = 0; i < MANY; i++) {
		attributes[i] = (HSA_SVM_ATTRIBUTE){ HSA_SVM_ATTR_GRANULARITY, 9 };
		ranges[i] = (HsaMemoryRange){ host, 16 };
		addresses[i] = host;
		watched[i] = events[0];
	}
	hsaKmtSVMSetAttr(host, size_bytes, MANY, attributes);
	hsaKmtSVMGetAttr(host, size_bytes, MANY, attributes);
	hsaKmtProcessVMRead((HSAuint32)getpid(), ranges, MANY, ranges, MANY, &copied);
	hsaKmtProcessVMWrite((HSAuint32)getpid(), ranges, MANY, ranges, MANY, &copied);
	hsaKmtDbgAddressWatch(nodes[1], MANY, modes, addresses, masks, watched);
	hsaKmtSetQueueCUMask(1, MANY * 32, cu_mask);
	hsaKmtPmcRegisterTrace(nodes[1], MANY, counters, &root);
}

/* More frames than a record has room for; the work is in the innermost. */
static __attribute__((noinline)) int descend(int depth, HSAuint32 node_count)
{
	static char host[PAGES * PAGE] __attribute__((aligned(PAGE)));
	int result;

	if (depth) {
		result = descend(depth - 1, node_count);
		__asm__ volatile("" ::: "memory"); /* no tail call */
		return result + 1;
	}
	properties(node_count);
	waits();
	memory(host, sizeof(host));
	lists(host, sizeof(host));
	return 0;
}

int main(void)
{
	HsaSystemProperties system;

	if (hsaKmtOpenKFD() != HSAKMT_STATUS_SUCCESS ||
	    hsaKmtAcquireSystemProperties(&system) != HSAKMT_STATUS_SUCCESS)
		return 1;
	for (HSAuint32 i = 0; i < MANY; i++)
		nodes[i] = 1 + i % (system.NumNodes - 1);
	printf("%d frames\n", descend(FRAMES, system.NumNodes));
	return 0;
}
