/* SPDX-License-Identifier: MIT */
/* U28, U32, U46, U48: machines that differ, and their clocks. */
#include "cases.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* Of four GPUs the scenario hides the second and the fourth. */
static void visible_gpus_are_numbered_without_gaps(void **state)
{
	HsaNodeProperties first, second;

	(void)state;
	assert_int_equal(session_begin(), 3);
	assert_status(hsaKmtGetNodeProperties(1, &first), SUCCESS);
	assert_status(hsaKmtGetNodeProperties(2, &second), SUCCESS);
	assert_int_equal(second.DrmRenderMinor, first.DrmRenderMinor + 2);
	assert_true(first.KFDGpuID && second.KFDGpuID && first.KFDGpuID != second.KFDGpuID);
	session_end();
}

static void the_retry_mode_cannot_change_under_queues(void **state)
{
	HSA_SVM_ATTRIBUTE attributes[3], cpu = { HSA_SVM_ATTR_ACCESS, 0 };
	struct test_queue queue;
	HSAint32 mode = 7;
	char *pages;
	uint32_t gpu;

	(void)state;
	session_begin();
	gpu = gpu_number(0);
	assert_status(hsaKmtSetXNACKMode(1), SUCCESS);
	assert_status(hsaKmtGetXNACKMode(&mode), SUCCESS);
	assert_int_equal(mode, 1);
	assert_status(hsaKmtSetXNACKMode(0), SUCCESS);
	assert_status(queue_begin(&queue, gpu, HSA_QUEUE_COMPUTE_AQL), SUCCESS);
	assert_status(hsaKmtSetXNACKMode(1), ERROR);
	queue_end(&queue, true);

	pages = mmap(NULL, 4 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(pages, MAP_FAILED);
	attributes[0] = (HSA_SVM_ATTRIBUTE){ HSA_SVM_ATTR_PREFERRED_LOC, gpu };
	attributes[1] = (HSA_SVM_ATTRIBUTE){ HSA_SVM_ATTR_ACCESS, gpu };
	attributes[2] = (HSA_SVM_ATTRIBUTE){ HSA_SVM_ATTR_SET_FLAGS, HSA_SVM_FLAG_COHERENT };
	assert_status(hsaKmtSVMSetAttr(pages, 2 * MIB, 3, attributes), SUCCESS);
	attributes[0].value = attributes[2].value = 0;
	assert_status(hsaKmtSVMGetAttr(pages, 2 * MIB, 3, attributes), SUCCESS);
	assert_int_equal(attributes[0].value, gpu);
	assert_true(attributes[2].value & HSA_SVM_FLAG_COHERENT);
	assert_status(hsaKmtSVMSetAttr(pages + 1, 2 * MIB, 3, attributes), INVALID_PARAMETER);
	assert_status(hsaKmtSVMSetAttr(pages, 2 * MIB, 1, &cpu), INVALID_NODE_UNIT);
	assert_status(hsaKmtSVMGetAttr(pages + 2 * MIB, 2 * MIB, 1, attributes), SUCCESS);
	munmap(pages, 4 * MIB);
	session_end();
}

static void a_gpu_without_retry_faults_has_no_mode(void **state)
{
	(void)state;
	session_begin();
	assert_status(hsaKmtSetXNACKMode(1), NOT_SUPPORTED);
	session_end();
}

/* The scenario speaks interface 1.4. */
static void an_old_interface_has_no_attributes(void **state)
{
	HSA_SVM_ATTRIBUTE attribute = { HSA_SVM_ATTR_SET_FLAGS, 0 };
	HSAint32 mode;

	(void)state;
	session_begin();
	assert_status(hsaKmtGetXNACKMode(&mode), NOT_SUPPORTED);
	assert_status(hsaKmtSVMSetAttr((void *)PAGE, PAGE, 1, &attribute), NOT_SUPPORTED);
	session_end();
}

#define READINGS 10

/* 100 MHz that go 50 ppm too fast; CLOCK_BOOTTIME jumps 30 s ahead at the middle. */
static void the_clocks_can_be_told_apart(void **state)
{
	const struct timespec pause = { .tv_nsec = 100000000 };
	HsaClockCounters counters[READINGS];
	double gpu_ns, cpu_ns;
	int jumps = 0;
	uint32_t gpu;

	(void)state;
	session_begin();
	gpu = gpu_number(0);
	for (int i = 0; i < READINGS; i++) {
		assert_status(hsaKmtGetClockCounters(gpu, &counters[i]), SUCCESS);
		nanosleep(&pause, NULL);
	}
	gpu_ns =
		(double)(counters[READINGS - 1].GPUClockCounter - counters[0].GPUClockCounter) * 10;
	cpu_ns = (double)(counters[READINGS - 1].CPUClockCounter - counters[0].CPUClockCounter);
	/* The drift is seen: both clocks are read at one moment, to a tick of 10 ns at either end. */
	assert_true(gpu_ns - cpu_ns * 1.00005 >= -20 && gpu_ns - cpu_ns * 1.00005 <= 20);
	for (int i = 1; i < READINGS; i++) {
		int64_t boot = (int64_t)(counters[i].SystemClockCounter -
					 counters[i - 1].SystemClockCounter);
		int64_t monotonic =
			(int64_t)(counters[i].CPUClockCounter - counters[i - 1].CPUClockCounter);

		assert_true(counters[i].GPUClockCounter > counters[i - 1].GPUClockCounter);
		jumps += boot - monotonic > 29000000000ll && boot - monotonic < 31000000000ll;
	}
	assert_int_equal(jumps, 1);
	session_end();
}

/* 64 GPUs with 63 links each; one render node opens slowly. */
static void many_gpus_start_twice(void **state)
{
	(void)state;
	for (int round = 0; round < 2; round++) {
		uint32_t nodes = session_begin();

		assert_int_equal(nodes, 66);
		for (uint32_t i = 0; i < nodes; i++) {
			HsaNodeProperties node;
			HsaIoLinkProperties links[80];
			HsaCacheProperties caches[4];

			assert_status(hsaKmtGetNodeProperties(i, &node), SUCCESS);
			assert_true(node.NumIOLinks <= 80);
			assert_status(hsaKmtGetNodeIoLinkProperties(i, node.NumIOLinks, links),
				      SUCCESS);
			if (!node.NumFComputeCores)
				continue;
			assert_true(node.NumIOLinks >= 64); /* 63 GPUs, and a CPU */
			assert_true(node.NumCaches <= 4);
			assert_status(hsaKmtGetNodeCacheProperties(i, 0, node.NumCaches, caches),
				      SUCCESS);
		}
		session_end();
	}
}

const struct user_case machine_cases[] = {
	{ "u28", visible_gpus_are_numbered_without_gaps },
	{ "u32", the_retry_mode_cannot_change_under_queues },
	{ "u32-hardware", a_gpu_without_retry_faults_has_no_mode },
	{ "u32-interface", an_old_interface_has_no_attributes },
	{ "u46", the_clocks_can_be_told_apart },
	{ "u48", many_gpus_start_twice },
	{ NULL, NULL },
};
