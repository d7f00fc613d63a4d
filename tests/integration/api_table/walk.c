/* SPDX-License-Identifier: MIT */
/* What every case of the walk needs: notes, names for addresses, a session, memory. */
#include "walk.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define ADDRESSES_MAX 64

/* Addresses of the running case, in the order in which they came. */
static uint64_t addresses[ADDRESSES_MAX];
static unsigned int address_count;

static const struct walk_case *const modules[] = {
	walk_open_cases,   walk_topology_cases, walk_memory_cases, walk_registration_cases,
	walk_share_cases,  walk_queue_cases,    walk_event_cases,  walk_svm_cases,
#ifndef WALK_GUEST /* which has none of these */
	walk_debug_cases,  walk_perf_cases,     walk_other_cases,
#ifndef WALK_STOCK
	walk_handle_cases,
#endif
#endif
};

const struct walk_case *walk_next(const struct walk_case *c)
{
	const size_t count = sizeof(modules) / sizeof(modules[0]);
	size_t module = 0;

	if (c && c[1].name)
		return c + 1;
	if (c) {
		for (module = 0; module < count; module++) {
			const struct walk_case *last = modules[module];

			while (last[1].name)
				last++;
			if (last == c)
				break;
		}
		module++;
	}
	return module < count ? modules[module] : NULL;
}

static const char *status_name(HSAKMT_STATUS status)
{
	switch ((int)status) {
#define NAME(x)                                                                                    \
	case HSAKMT_STATUS_##x:                                                                    \
		return #x
		NAME(SUCCESS);
		NAME(ERROR);
		NAME(DRIVER_MISMATCH);
		NAME(INVALID_PARAMETER);
		NAME(INVALID_HANDLE);
		NAME(INVALID_NODE_UNIT);
		NAME(NO_MEMORY);
		NAME(BUFFER_TOO_SMALL);
		NAME(NOT_IMPLEMENTED);
		NAME(NOT_SUPPORTED);
		NAME(UNAVAILABLE);
		NAME(OUT_OF_RESOURCES);
		NAME(KERNEL_IO_CHANNEL_NOT_OPENED);
		NAME(KERNEL_COMMUNICATION_ERROR);
		NAME(KERNEL_ALREADY_OPENED);
		NAME(HSAMMU_UNAVAILABLE);
		NAME(WAIT_FAILURE);
		NAME(WAIT_TIMEOUT);
		NAME(MEMORY_ALREADY_REGISTERED);
		NAME(MEMORY_NOT_REGISTERED);
		NAME(MEMORY_ALIGNMENT);
#undef NAME
	}
	return NULL;
}

bool walk_note(struct walk *w, const char *call, HSAKMT_STATUS expected, HSAKMT_STATUS got)
{
	const char *name = status_name(got);
	bool wrong;

#ifdef WALK_GUEST
	if (got == WALK_ABSENT)
		return false;
	if (got != expected)
		expected = walk_guest_expects(w->name, call, expected);
#endif
	wrong = !name || (!w->relaxed && got != expected);

	w->calls++;
	if (wrong)
		w->mismatches++;
	if (wrong || !w->quiet)
		printf("  %s -> %s(%d)%s%s%s\n", call, name ? name : "?", (int)got,
		       wrong ? ", expected " : "", wrong ? status_name(expected) : "",
		       wrong && w->quiet ? w->name : "");
	return got == HSAKMT_STATUS_SUCCESS || got == HSAKMT_STATUS_KERNEL_ALREADY_OPENED;
}

void walk_number(struct walk *w, const char *field, uint64_t value)
{
	if (!w->quiet)
		printf("    %s = 0x%" PRIx64 "\n", field, value);
}

void walk_expect(struct walk *w, const char *field, uint64_t value, uint64_t expected)
{
	walk_number(w, field, value);
	if (w->relaxed || value == expected)
		return;
	w->mismatches++;
	printf("    %s: expected 0x%" PRIx64 "\n", field, expected);
}

void walk_address(struct walk *w, const char *field, uint64_t address)
{
	unsigned int i = 0;

	if (w->quiet)
		return;
	if (!address || address_count == ADDRESSES_MAX) {
		printf("    %s = %s\n", field, address ? "some address" : "NULL");
		return;
	}
	/* an address in the same pages as one that was seen is told relative to that one */
	while (i < address_count && (address < addresses[i] || address - addresses[i] > 0xffff))
		i++;
	if (i == address_count)
		addresses[address_count++] = address;
	printf("    %s = A%u+0x%" PRIx64 "\n", field, i, address - addresses[i]);
}

HSAKMT_STATUS walk_open(struct walk *w)
{
#if defined(WALK_STOCK) || defined(WALK_GUEST)
	(void)w;
	return hsaKmtOpenKFD();
#else
	return hsaKmtOpenKFDCtx(&w->ctx);
#endif
}

HSAKMT_STATUS walk_close(struct walk *w)
{
	(void)w;
	return hsaKmtCloseKFD();
}

/* The first CPU and the first GPU. */
static void find_nodes(struct walk *w)
{
	HsaNodeProperties node;

	w->cpu = w->gpu = WALK_NO_NODE;
	for (uint32_t i = 0; i < w->node_count; i++) {
		memset(&node, 0, sizeof(node));
		if (hsaKmtGetNodeProperties(i, &node) != HSAKMT_STATUS_SUCCESS)
			continue;
		if (node.NumFComputeCores && w->gpu == WALK_NO_NODE)
			w->gpu = i;
		if (node.NumCPUCores && w->cpu == WALK_NO_NODE)
			w->cpu = i;
	}
}

static void run_case(struct walk *w, const struct walk_case *c)
{
	if (w->before)
		w->before(w);
	c->run(w);
}

bool walk_run(struct walk *w, const struct walk_case *c)
{
	unsigned int before = w->mismatches;
	HsaSystemProperties system = { 0 };
	HSAKMT_STATUS status;

	w->name = c->name;
	address_count = 0;
	if (!w->quiet)
		printf("CASE %s\n", c->name);
	if (c->closed) {
		run_case(w, c);
		return w->mismatches == before;
	}
	status = walk_open(w);
	if (status == HSAKMT_STATUS_SUCCESS) {
		status = hsaKmtAcquireSystemProperties(&system);
		if (status == HSAKMT_STATUS_SUCCESS) {
			w->node_count = system.NumNodes;
			find_nodes(w);
			run_case(w, c);
			(void)hsaKmtReleaseSystemProperties(); /* always a success */
		}
		if (walk_close(w) != HSAKMT_STATUS_SUCCESS)
			w->mismatches++;
	}
	if (status != HSAKMT_STATUS_SUCCESS && !w->relaxed) {
		printf("  no session: status %d\n", (int)status);
		w->mismatches++;
	}
	return w->mismatches == before;
}

void *walk_pages(size_t size_bytes)
{
	void *pages =
		mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return pages == MAP_FAILED ? NULL : pages;
}

void walk_pages_free(void *pages, size_t size_bytes)
{
	if (pages)
		munmap(pages, size_bytes);
}

static void *allocate(uint32_t node, uint64_t size_bytes, HsaMemFlags flags)
{
	void *memory = NULL;
	HSAuint64 alternate;

	if (hsaKmtAllocMemory(node, size_bytes, flags, &memory) != HSAKMT_STATUS_SUCCESS)
		return NULL;
	if (hsaKmtMapMemoryToGPU(memory, size_bytes, &alternate) == HSAKMT_STATUS_SUCCESS)
		return memory;
	(void)hsaKmtFreeMemory(memory, size_bytes); /* the caller sees NULL */
	return NULL;
}

void *walk_host(struct walk *w, uint64_t size_bytes)
{
	HsaMemFlags flags = { .ui32 = { .HostAccess = 1, .NonPaged = 1, .ExecuteAccess = 1 } };

	return allocate(w->cpu, size_bytes, flags);
}

void *walk_vram(struct walk *w, uint64_t size_bytes)
{
	HsaMemFlags flags = { .ui32 = { .HostAccess = 1, .NonPaged = 1, .CoarseGrain = 1 } };

	return allocate(w->gpu, size_bytes, flags);
}

void walk_release(struct walk *w, void *memory, uint64_t size_bytes)
{
	HSAKMT_STATUS status;

	if (!memory)
		return;
	status = hsaKmtFreeMemory(memory, size_bytes);
	if (status != HSAKMT_STATUS_SUCCESS && w->relaxed)
		status = hsaKmtFreeMemory(memory, size_bytes); /* only one call fails */
	if (status != HSAKMT_STATUS_SUCCESS) {
		printf("  cannot free: status %d\n", (int)status);
		w->mismatches++;
	}
}

void walk_unmap_release(struct walk *w, void *memory, uint64_t size_bytes)
{
	if (!memory)
		return;
	if (hsaKmtUnmapMemoryToGPU(memory) != HSAKMT_STATUS_SUCCESS)
		(void)hsaKmtUnmapMemoryToGPU(memory); /* the free tells whether it worked */
	walk_release(w, memory, size_bytes);
}
