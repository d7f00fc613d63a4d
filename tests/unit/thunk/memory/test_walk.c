/* SPDX-License-Identifier: MIT */
/*
 * Many threads at once on shared blocks (the walk of user case U50): nothing crashes or locks up,
 * answers are right while others change what they are about, and in the end nothing is left. Built
 * with the thread sanitizer it also finds races.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

#include "fake_kfd.h"
#include "memory/fmm.h"
#include "memory/memory.h"

#define THREADS 16
#ifndef WALK_STEPS
#define WALK_STEPS 20000
#endif
#define SLOTS       64
#define BLOCK_BYTES (64ull << 10)

static struct fake_kfd *kfd;
static _Atomic(void *) slots[SLOTS]; /* blocks that any thread may use, map, query or free */
/*
 * Shared by those who use a slot's block, alone by who frees it: the address may be a registration's
 * next, which a late user would map and unmap unknowingly.
 */
static pthread_rwlock_t in_use[SLOTS];
static atomic_uint allocations, frees, wrong;
static char *user; /* registered by all, at overlapping ranges */

static unsigned int next(unsigned int *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 16;
}

static void expect(bool condition)
{
	if (!condition)
		atomic_fetch_add(&wrong, 1);
}

static void step_alloc(unsigned int slot, unsigned int *seed)
{
	HsaMemFlags flags = { 0 };
	void *expected = NULL, *p = NULL;

	flags.ui32.NonPaged = next(seed) & 1;
	flags.ui32.HostAccess = 1;
	if (kmt_alloc_memory(kfd->ctx, next(seed) % 3, BLOCK_BYTES, flags, &p) !=
	    HSAKMT_STATUS_SUCCESS) {
		expect(false);
		return;
	}
	atomic_fetch_add(&allocations, 1);
	if (atomic_compare_exchange_strong(&slots[slot], &expected, p))
		return;
	expect(kmt_free_memory(kfd->ctx, p, BLOCK_BYTES) == HSAKMT_STATUS_SUCCESS);
	atomic_fetch_add(&frees, 1);
}

static void step_free(unsigned int slot)
{
	void *p;

	pthread_rwlock_wrlock(&in_use[slot]);
	p = atomic_exchange(&slots[slot], NULL);
	if (p) {
		expect(kmt_unmap_memory_to_gpu(kfd->ctx, p) == HSAKMT_STATUS_SUCCESS &&
		       kmt_free_memory(kfd->ctx, p, BLOCK_BYTES) == HSAKMT_STATUS_SUCCESS);
		atomic_fetch_add(&frees, 1);
	}
	pthread_rwlock_unlock(&in_use[slot]);
}

static void step_query(unsigned int slot, unsigned int *seed)
{
	char *p = atomic_load(&slots[slot]);
	HsaPointerInfo info;

	if (!p)
		return;
	expect(kmt_query_pointer_info(kfd->ctx, p + next(seed) % BLOCK_BYTES, &info) ==
	       HSAKMT_STATUS_SUCCESS);
	expect(info.SizeInBytes == BLOCK_BYTES && info.NMappedNodes <= 2);
	for (uint32_t i = 0; i < info.NMappedNodes; i++)
		expect(info.MappedNodes[i] == 1 || info.MappedNodes[i] == 2);
}

static void step_map(unsigned int slot, unsigned int *seed)
{
	void *p = atomic_load(&slots[slot]);
	const HsaMemFlags none = { 0 };
	uint32_t node = 1 + next(seed) % 2;

	/* Statuses depend on who maps what when. */
	if (!p)
		return;
	switch (next(seed) % 3) {
	case 0:
		(void)kmt_map_memory_to_gpu(kfd->ctx, p, BLOCK_BYTES, NULL);
		break;
	case 1:
		(void)kmt_map_memory_to_gpu_nodes(kfd->ctx, p, BLOCK_BYTES, NULL, none, 1, &node);
		break;
	default:
		(void)kmt_unmap_memory_to_gpu(kfd->ctx, p);
	}
}

/* Something with a block that nobody frees meanwhile. */
static void step_use(unsigned int slot, unsigned int *seed)
{
	pthread_rwlock_rdlock(&in_use[slot]);
	switch (next(seed) % 4) {
	case 0:
	case 1:
		step_query(slot, seed);
		break;
	case 2:
		step_map(slot, seed);
		break;
	default:
		(void)kmt_set_memory_user_data(kfd->ctx, atomic_load(&slots[slot]), seed);
	}
	pthread_rwlock_unlock(&in_use[slot]);
}

static void step_register(unsigned int *seed)
{
	char *at = user + next(seed) % 4 * 4096;
	uint64_t size = 4096 + next(seed) % 4 * 4096;
	HSAuint64 va = 0;
	HsaPointerInfo info;

	if (kmt_register_memory(kfd->ctx, at, size) != HSAKMT_STATUS_SUCCESS) {
		expect(false);
		return;
	}
	/* The GPU's address names this registration alone, whatever overlaps. */
	expect(kmt_map_memory_to_gpu(kfd->ctx, at, size, &va) == HSAKMT_STATUS_SUCCESS);
	expect(kmt_query_pointer_info(kfd->ctx, (void *)(uintptr_t)va, &info) ==
		       HSAKMT_STATUS_SUCCESS &&
	       info.CPUAddress == at && info.SizeInBytes == size);
	expect(kmt_unmap_memory_to_gpu(kfd->ctx, (void *)(uintptr_t)va) == HSAKMT_STATUS_SUCCESS);
	expect(kmt_deregister_memory(kfd->ctx, (void *)(uintptr_t)va) == HSAKMT_STATUS_SUCCESS);
}

static void visit(const struct kmt_object_info *info, void *data)
{
	*(uint64_t *)data += info->size_bytes;
}

static void *walk(void *data)
{
	unsigned int seed = *(unsigned int *)data;
	uint64_t bytes = 0;

	for (int i = 0; i < WALK_STEPS; i++) {
		unsigned int slot = next(&seed) % SLOTS;

		switch (next(&seed) % 8) {
		case 0:
		case 1:
			step_alloc(slot, &seed);
			break;
		case 2:
			step_free(slot);
			break;
		case 3:
			step_register(&seed);
			break;
		default:
			step_use(slot, &seed);
		}
		if (i % 1000 == 0)
			kmt_fmm_for_each(kfd->ctx, visit, &bytes);
	}
	return NULL;
}

static void sixteen_threads_share_everything_and_leave_nothing(void **state)
{
	pthread_t thread[THREADS];
	unsigned int seed[THREADS];

	(void)state;
	setenv("HSA_USE_SVM", "0", 1);
	kfd = fake_kfd_open("b.tree");
	fake_kfd_go_fast(kfd);
	user = mmap(NULL, 16 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(user, MAP_FAILED);
	for (unsigned int i = 0; i < SLOTS; i++)
		pthread_rwlock_init(&in_use[i], NULL);
	for (unsigned int i = 0; i < THREADS; i++) {
		seed[i] = i + 1;
		assert_int_equal(pthread_create(&thread[i], NULL, walk, &seed[i]), 0);
	}
	for (unsigned int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	for (unsigned int i = 0; i < SLOTS; i++)
		step_free(i);
	assert_int_equal(atomic_load(&wrong), 0);
	assert_true(atomic_load(&allocations) > THREADS);
	assert_int_equal(atomic_load(&allocations), atomic_load(&frees));
	assert_int_equal(fake_kfd_live(kfd), 0);
	munmap(user, 16 * 4096);
	fake_kfd_close(kfd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sixteen_threads_share_everything_and_leave_nothing),
	};

	return cmocka_run_group_tests_name("thunk/memory/walk", tests, NULL, NULL);
}
