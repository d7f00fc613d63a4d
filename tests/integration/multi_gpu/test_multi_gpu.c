/* SPDX-License-Identifier: MIT */
/* Machines with many GPUs: links, peers, and which mappings a call makes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "hsakmt/hsakmt.h"

#define MIB       (1ull << 20)
#define GPUS_MAX  64
#define LINK_XGMI 11

#define assert_status(call, expected) assert_int_equal((call), HSAKMT_STATUS_##expected)

static uint32_t gpus[GPUS_MAX], gpu_count, node_count;
static HsaNodeProperties nodes[GPUS_MAX + 4];

static int setup(void **state)
{
	HsaSystemProperties system;

	(void)state;
	if (hsaKmtOpenKFD() != HSAKMT_STATUS_SUCCESS ||
	    hsaKmtAcquireSystemProperties(&system) != HSAKMT_STATUS_SUCCESS)
		return -1;
	node_count = system.NumNodes;
	for (uint32_t i = 0; i < node_count; i++) {
		if (hsaKmtGetNodeProperties(i, &nodes[i]) != HSAKMT_STATUS_SUCCESS)
			return -1;
		if (nodes[i].NumFComputeCores && gpu_count < GPUS_MAX)
			gpus[gpu_count++] = i;
	}
	return gpu_count > 1 ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	(void)hsaKmtReleaseSystemProperties(); /* always a success */
	return hsaKmtCloseKFD() == HSAKMT_STATUS_SUCCESS ? 0 : -1;
}

/* The direct link from a node to another; NULL when there is none. */
static const HsaIoLinkProperties *link_to(uint32_t from, uint32_t to)
{
	static HsaIoLinkProperties links[256];

	assert_true(nodes[from].NumIOLinks <= 256);
	assert_status(hsaKmtGetNodeIoLinkProperties(from, nodes[from].NumIOLinks, links), SUCCESS);
	for (uint32_t i = 0; i < nodes[from].NumIOLinks; i++)
		if (links[i].NodeTo == to)
			return &links[i];
	return NULL;
}

static bool are_peers(uint32_t a, uint32_t b)
{
	return a == b || link_to(a, b);
}

static void each_gpu_is_linked_to_a_cpu_and_its_hive(void **state)
{
	(void)state;
	for (uint32_t g = 0; g < gpu_count; g++) {
		uint32_t to_cpus = 0;

		for (uint32_t n = 0; n < node_count; n++) {
			const HsaIoLinkProperties *link = n == gpus[g] ? NULL : link_to(gpus[g], n);

			if (link && nodes[n].NumCPUCores)
				to_cpus++;
			if (!link || !nodes[n].NumFComputeCores || !nodes[n].HiveID ||
			    nodes[n].HiveID != nodes[gpus[g]].HiveID)
				continue;
			assert_int_equal(link->IoLinkType, LINK_XGMI);
			assert_int_equal(link->NodeFrom, gpus[g]);
		}
		assert_true(to_cpus >= 1);
	}
}

static uint32_t mapped_count(const void *memory)
{
	HsaPointerInfo info;

	assert_status(hsaKmtQueryPointerInfo(memory, &info), SUCCESS);
	return info.NMappedNodes;
}

static bool is_mapped_to(const void *memory, uint32_t node)
{
	HsaPointerInfo info;

	assert_status(hsaKmtQueryPointerInfo(memory, &info), SUCCESS);
	for (uint32_t i = 0; i < info.NMappedNodes; i++)
		if (info.MappedNodes[i] == node)
			return true;
	return false;
}

static void device_memory_is_mapped_to_its_owner_and_linked_peers(void **state)
{
	HsaMemFlags flags = { .ui32 = { .NonPaged = 1, .CoarseGrain = 1 } };
	HSAuint64 alternate;

	(void)state;
	for (uint32_t g = 0; g < gpu_count; g += gpu_count / 4 ? gpu_count / 4 : 1) {
		void *memory = NULL;
		uint32_t expected = 0;

		assert_status(hsaKmtAllocMemory(gpus[g], MIB, flags, &memory), SUCCESS);
		assert_status(hsaKmtMapMemoryToGPU(memory, MIB, &alternate), SUCCESS);
		for (uint32_t i = 0; i < gpu_count; i++) {
			expected += are_peers(gpus[g], gpus[i]);
			assert_int_equal(is_mapped_to(memory, gpus[i]),
					 are_peers(gpus[g], gpus[i]));
		}
		assert_int_equal(mapped_count(memory), expected);
		assert_status(hsaKmtUnmapMemoryToGPU(memory), SUCCESS);
		assert_status(hsaKmtFreeMemory(memory, MIB), SUCCESS);
	}
}

static void host_memory_is_mapped_to_all_gpus(void **state)
{
	HsaMemFlags flags = { .ui32 = { .NonPaged = 1, .HostAccess = 1 } };
	HSAuint64 alternate;
	void *memory = NULL;

	(void)state;
	assert_status(hsaKmtAllocMemory(0, MIB, flags, &memory), SUCCESS);
	assert_status(hsaKmtMapMemoryToGPU(memory, MIB, &alternate), SUCCESS);
	assert_int_equal(mapped_count(memory), gpu_count);
	assert_status(hsaKmtUnmapMemoryToGPU(memory), SUCCESS);
	assert_status(hsaKmtFreeMemory(memory, MIB), SUCCESS);
}

static void a_list_of_nodes_replaces_the_mappings(void **state)
{
	HsaMemFlags flags = { .ui32 = { .NonPaged = 1, .CoarseGrain = 1 } };
	const HsaMemFlags none = { 0 };
	HSAuint32 pair[2] = { gpus[0], gpus[1] };
	HSAuint64 alternate;
	void *memory = NULL;

	(void)state;
	assert_status(hsaKmtAllocMemory(gpus[0], MIB, flags, &memory), SUCCESS);
	assert_status(hsaKmtMapMemoryToGPUNodes(memory, MIB, &alternate, none, gpu_count, gpus),
		      SUCCESS);
	assert_int_equal(mapped_count(memory), gpu_count);
	assert_status(hsaKmtMapMemoryToGPUNodes(memory, MIB, &alternate, none, 2, pair), SUCCESS);
	assert_int_equal(mapped_count(memory), 2);
	assert_true(is_mapped_to(memory, pair[0]) && is_mapped_to(memory, pair[1]));
	assert_status(hsaKmtMapMemoryToGPUNodes(memory, MIB, &alternate, none, 1, &pair[1]),
		      SUCCESS);
	assert_false(is_mapped_to(memory, pair[0]));
	assert_status(hsaKmtFreeMemory(memory, MIB), ERROR); /* a peer has it */
	assert_status(hsaKmtUnmapMemoryToGPU(memory), SUCCESS);
	assert_status(hsaKmtFreeMemory(memory, MIB), SUCCESS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_gpu_is_linked_to_a_cpu_and_its_hive),
		cmocka_unit_test(device_memory_is_mapped_to_its_owner_and_linked_peers),
		cmocka_unit_test(host_memory_is_mapped_to_all_gpus),
		cmocka_unit_test(a_list_of_nodes_replaces_the_mappings),
	};

	return cmocka_run_group_tests_name("multi_gpu", tests, setup, teardown);
}
