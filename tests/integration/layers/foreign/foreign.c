/* SPDX-License-Identifier: MIT */
/*
 * A program whose HIP and HSA are instrumented by somebody else: three allocations of 1 MiB, one of
 * them refused by HIP, and their frees.
 */
#include <hsakmt/hsakmt.h>
#include <stdio.h>
#include <stdlib.h>

#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "number.h"
#include "pair.h"
#include "phase.h"

#define BLOCKS 3
#define BYTES  (1u << 20)
#define NODE   1

enum { ENTER = 10, EXIT = 20, OUT_OF_MEMORY = 2 };

static void *pool_allocate(uint64_t size)
{
	HsaMemFlags flags = { 0 };
	void *memory = NULL;

	flags.ui32.NonPaged = 1;
	lttng_ust_tracepoint(other_hsa, hsa_amd_memory_pool_allocate, ENTER, size, 0);
	if (hsaKmtAllocMemory(NODE, size, flags, &memory) != HSAKMT_STATUS_SUCCESS)
		exit(99);
	lttng_ust_tracepoint(other_hsa, hsa_amd_memory_pool_allocate, EXIT, size, 0);
	return memory;
}

static void *allocate(uint64_t size, int status)
{
	void *memory;

	lttng_ust_tracepoint(lttng_ust_hip, hipMalloc_entry, size, "whatever");
	memory = status ? NULL : pool_allocate(size);
	lttng_ust_tracepoint(lttng_ust_hip, hipEventRecord_entry, 7);
	lttng_ust_tracepoint(lttng_ust_hip, hipMalloc_exit, status, memory);
	return memory;
}

static void release(void *memory, uint64_t size)
{
	lttng_ust_tracepoint(other_hip, hipFree, 0, 0);
	if (hsaKmtFreeMemory(memory, size) != HSAKMT_STATUS_SUCCESS)
		exit(99);
	lttng_ust_tracepoint(other_hip, hipProgress, 50);
	lttng_ust_tracepoint(other_hip, hipFree, 1, 0);
}

int main(void)
{
	HsaSystemProperties properties;
	void *blocks[BLOCKS];

	if (hsaKmtOpenKFD() != HSAKMT_STATUS_SUCCESS ||
	    hsaKmtAcquireSystemProperties(&properties) != HSAKMT_STATUS_SUCCESS)
		return 99;
	for (int i = 0; i < BLOCKS; i++)
		blocks[i] = allocate(BYTES, i == BLOCKS - 1 ? OUT_OF_MEMORY : 0);
	for (int i = 0; i < BLOCKS - 1; i++)
		release(blocks[i], BYTES);
	hsaKmtReleaseSystemProperties();
	hsaKmtCloseKFD();
	return 0;
}
