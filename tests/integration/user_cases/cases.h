/* SPDX-License-Identifier: MIT */
/*
 * The user cases as far as the library and the simulation go; what a report must say of them is tested
 * elsewhere. Each case has a machine and perhaps a scenario of its own, which CMakeLists.txt sets.
 */
#ifndef KFDSCOPE_TESTS_INTEGRATION_USER_CASES_H
#define KFDSCOPE_TESTS_INTEGRATION_USER_CASES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "hsakmt/hsakmt.h"

#define KIB  1024ull
#define MIB  (1024ull * KIB)
#define GIB  (1024ull * MIB)
#define PAGE 4096ull

#define assert_status(call, expected) assert_int_equal((call), HSAKMT_STATUS_##expected)

/* The first GPU, or the one after it; the test fails when there is none. */
uint32_t gpu_number(unsigned int n);
/* Opens the driver and takes a snapshot. @return the number of nodes. */
uint32_t session_begin(void);
void session_end(void);

/* Device memory and pinned host memory, mapped to the default GPUs. */
void *device_memory(uint32_t node, uint64_t size);
void *host_memory(uint64_t size);
/* Device memory that is not mapped. @return what the library answers. */
HSAKMT_STATUS allocate_device(uint32_t node, uint64_t size, bool host_access, void **memory);
/* Unmaps and frees. */
void release(void *memory, uint64_t size);
uint64_t available(uint32_t node);

/* A queue with its ring and pointers. */
struct test_queue {
	void *ring, *pointers;
	HsaQueueResource resource;
};
HSAKMT_STATUS queue_begin(struct test_queue *queue, uint32_t node, HSA_QUEUE_TYPE type);
void queue_end(struct test_queue *queue, bool created);

struct user_case {
	const char *name; /* u02 … */
	void (*run)(void **state);
};
extern const struct user_case memory_cases[], limit_cases[], process_cases[], machine_cases[];

#endif
