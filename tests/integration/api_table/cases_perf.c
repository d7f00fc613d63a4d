/* SPDX-License-Identifier: MIT */
/* Performance counters, streaming counters and PC sampling. */
#include <string.h>

#include "walk.h"

static void counters_are_listed(struct walk *w)
{
	HsaCounterProperties *counters = NULL, *again = NULL;
	const HsaCounterBlockProperties *block;

	API(INVALID_PARAMETER, hsaKmtPmcGetCounterProperties, w->gpu, NULL);
	API(INVALID_NODE_UNIT, hsaKmtPmcGetCounterProperties, WALK_BAD_NODE, &counters);
	API(INVALID_PARAMETER, hsaKmtPmcGetCounterProperties, w->cpu, &counters);
	if (!API(SUCCESS, hsaKmtPmcGetCounterProperties, w->gpu, &counters))
		return;
	API(SUCCESS, hsaKmtPmcGetCounterProperties, w->gpu, &again);
	walk_expect(w, "the same table", again == counters, 1);
	walk_number(w, "blocks", counters->NumBlocks);
	walk_number(w, "concurrent", counters->NumConcurrent);
	block = counters->Blocks;
	for (uint32_t i = 0; i < counters->NumBlocks; i++) {
		walk_number(w, "block", block->BlockId.Data1);
		walk_number(w, "counters", block->NumCounters);
		walk_number(w, "slots", block->NumConcurrent);
		walk_number(w, "index", block->Counters[0].BlockIndex);
		walk_number(w, "first", block->Counters[0].CounterId);
		walk_number(w, "last", block->Counters[block->NumCounters - 1].CounterId);
		block = (const void *)&block->Counters[block->NumCounters];
	}
}

static void wrong_traces_are_refused(struct walk *w)
{
	HsaPmcTraceRoot root;
	HsaCounter counter;

	memset(&root, 0, sizeof(root));
	memset(&counter, 0, sizeof(counter));
	counter.BlockIndex = 99;
	API(INVALID_PARAMETER, hsaKmtPmcRegisterTrace, w->gpu, 1, NULL, &root);
	API(INVALID_PARAMETER, hsaKmtPmcRegisterTrace, w->gpu, 1, &counter, NULL);
	API(INVALID_PARAMETER, hsaKmtPmcRegisterTrace, w->gpu, 0, &counter, &root);
	API(INVALID_NODE_UNIT, hsaKmtPmcRegisterTrace, WALK_BAD_NODE, 1, &counter, &root);
	API(INVALID_PARAMETER, hsaKmtPmcRegisterTrace, w->gpu, 1, &counter, &root);
	API(INVALID_PARAMETER, hsaKmtPmcUnregisterTrace, w->gpu, 0);
	API(INVALID_PARAMETER, hsaKmtPmcAcquireTraceAccess, w->gpu, 0);
	API(INVALID_PARAMETER, hsaKmtPmcReleaseTraceAccess, w->gpu, 0);
	PLAIN(INVALID_PARAMETER, hsaKmtPmcStartTrace, 0, &root, sizeof(root));
	PLAIN(INVALID_PARAMETER, hsaKmtPmcQueryTrace, 0);
	PLAIN(INVALID_PARAMETER, hsaKmtPmcStopTrace, 0);
}

static void streaming_counters_have_one_owner(struct walk *w)
{
	HSAuint32 timeout = 1, copied = 99;
	bool loss = true;

	PLAIN(INVALID_NODE_UNIT, hsaKmtSPMAcquire, WALK_BAD_NODE);
	PLAIN(INVALID_NODE_UNIT, hsaKmtSPMRelease, WALK_BAD_NODE);
	PLAIN(INVALID_NODE_UNIT, hsaKmtSPMSetDestBuffer, WALK_BAD_NODE, 0, &timeout, &copied, NULL,
	      &loss);
	if (PLAIN(SUCCESS, hsaKmtSPMAcquire, w->gpu)) {
		if (PLAIN(SUCCESS, hsaKmtSPMSetDestBuffer, w->gpu, 0, &timeout, &copied, NULL,
			  &loss))
			walk_number(w, "copied", copied);
		if (!PLAIN(SUCCESS, hsaKmtSPMRelease, w->gpu))
			(void)hsaKmtSPMRelease(w->gpu); /* one call fails only */
	}
#ifndef WALK_STOCK /* 5.2.3 gives the raw -1 */
	PLAIN(ERROR, hsaKmtSPMRelease, w->gpu);
#endif
}

#ifndef WALK_STOCK
static void without_an_open_driver_nothing_is_counted(struct walk *w)
{
	HsaCounterProperties *counters = NULL;
	HsaPmcTraceRoot root = { 0 };
	HsaPcSamplingInfo info = { 0 };
	HsaCounter counter = { 0 };
	HSAuint32 word = 0;

#ifdef WALK_CTX
	if (walk_open(w) == HSAKMT_STATUS_SUCCESS) /* to have a context at all */
		(void)walk_close(w);               /* tested elsewhere */
#endif
	API(NO_MEMORY, hsaKmtPmcGetCounterProperties, 0, &counters);
	API(NO_MEMORY, hsaKmtPmcRegisterTrace, 0, 1, &counter, &root);
	PLAIN(INVALID_NODE_UNIT, hsaKmtSPMAcquire, 0);
	PLAIN(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtPcSamplingSupport);
	PLAIN(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtPcSamplingQueryCapabilities, 0, NULL, 0, &word);
	PLAIN(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtPcSamplingCreate, 0, &info, &word);
	PLAIN(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtPcSamplingStart, 0, 1);
	PLAIN(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtPcSamplingStop, 0, 1);
	PLAIN(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtPcSamplingDestroy, 0, 1);
}

/* Counters that anybody may use are skipped; as privileged ones they make a trace. */
static void a_trace_lives(struct walk *w)
{
	HsaCounterProperties *counters = NULL;
	HsaPmcTraceRoot root = { 0 };
	HsaCounter counter;
	char buffer[64];
	HSATraceId made_up = (HSATraceId)(uintptr_t)&root;

	if (!API(SUCCESS, hsaKmtPmcGetCounterProperties, w->gpu, &counters))
		return;
	counter = counters->Blocks[0].Counters[0];
	counter.Type = HSA_PROFILE_TYPE_PRIVILEGED_IMMEDIATE;
	API(INVALID_HANDLE, hsaKmtPmcUnregisterTrace, w->gpu, made_up);
	API(INVALID_HANDLE, hsaKmtPmcAcquireTraceAccess, w->gpu, made_up);
	API(INVALID_HANDLE, hsaKmtPmcReleaseTraceAccess, w->gpu, made_up);
	PLAIN(INVALID_HANDLE, hsaKmtPmcStartTrace, made_up, buffer, sizeof(buffer));
	PLAIN(INVALID_HANDLE, hsaKmtPmcQueryTrace, made_up);
	PLAIN(INVALID_HANDLE, hsaKmtPmcStopTrace, made_up);
	if (!API(SUCCESS, hsaKmtPmcRegisterTrace, w->gpu, 1, &counter, &root))
		return;
	walk_expect(w, "buffer", root.TraceBufferMinSizeBytes, WALK_PAGE);
	walk_expect(w, "passes", root.NumberOfPasses, 1);
	PLAIN(UNAVAILABLE, hsaKmtPmcStartTrace, root.TraceId, buffer, sizeof(buffer));
	if (API(SUCCESS, hsaKmtPmcAcquireTraceAccess, w->gpu, root.TraceId))
		API(SUCCESS, hsaKmtPmcReleaseTraceAccess, w->gpu, root.TraceId);
	PLAIN(NO_MEMORY, hsaKmtPmcQueryTrace, root.TraceId); /* no buffer yet */
	API(INVALID_NODE_UNIT, hsaKmtPmcUnregisterTrace, w->cpu, root.TraceId);
	API(SUCCESS, hsaKmtPmcUnregisterTrace, w->gpu, root.TraceId);
}

static void the_program_counter_is_sampled(struct walk *w)
{
	HsaPcSamplingInfo info[8] = { 0 };
	HsaPcSamplingTraceId id = 0;
	HSAuint32 needed = 0;

	PLAIN(SUCCESS, hsaKmtPcSamplingSupport);
	PLAIN(INVALID_PARAMETER, hsaKmtPcSamplingQueryCapabilities, w->gpu, NULL, 0, NULL);
	PLAIN(INVALID_NODE_UNIT, hsaKmtPcSamplingQueryCapabilities, WALK_BAD_NODE, NULL, 0,
	      &needed);
	PLAIN(INVALID_PARAMETER, hsaKmtPcSamplingCreate, w->gpu, NULL, &id);
	PLAIN(INVALID_HANDLE, hsaKmtPcSamplingStart, w->gpu, 0);
	PLAIN(INVALID_HANDLE, hsaKmtPcSamplingStop, w->gpu, 0);
	PLAIN(INVALID_HANDLE, hsaKmtPcSamplingDestroy, w->gpu, 0);
	if (!PLAIN(SUCCESS, hsaKmtPcSamplingQueryCapabilities, w->gpu, info, 8, &needed) || !needed)
		return;
	info[0].value = info[0].value_min;
	if (!PLAIN(SUCCESS, hsaKmtPcSamplingCreate, w->gpu, &info[0], &id))
		return;
	if (PLAIN(SUCCESS, hsaKmtPcSamplingStart, w->gpu, id)) {
		PLAIN(KERNEL_ALREADY_OPENED, hsaKmtPcSamplingStart, w->gpu, id);
		PLAIN(SUCCESS, hsaKmtPcSamplingStop, w->gpu, id);
	}
	if (!PLAIN(SUCCESS, hsaKmtPcSamplingDestroy, w->gpu, id))
		(void)hsaKmtPcSamplingDestroy(w->gpu, id); /* one call fails only */
}
#endif

const struct walk_case walk_perf_cases[] = {
	{ "counters are listed", counters_are_listed, false },
	{ "wrong traces are refused", wrong_traces_are_refused, false },
	{ "streaming counters have one owner", streaming_counters_have_one_owner, false },
#ifndef WALK_STOCK
	{ "without an open driver nothing is counted", without_an_open_driver_nothing_is_counted,
	  true },
	{ "a trace lives", a_trace_lives, false },
	{ "the program counter is sampled", the_program_counter_is_sampled, false },
#endif
	{ NULL, NULL, false },
};
