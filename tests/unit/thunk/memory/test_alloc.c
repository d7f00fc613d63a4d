/* SPDX-License-Identifier: MIT */
/* Allocation and freeing: statuses in order, kinds of memory, what reaches the kernel. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

#include "fake_kfd.h"
#include "memory/memory.h"

#define PAGE       4096ull
#define CPU        0
#define GPU        1
#define ALLOC      AMDKFD_IOC_ALLOC_MEMORY_OF_GPU
#define BASE_FLAGS (KFD_IOC_ALLOC_MEM_FLAGS_NO_SUBSTITUTE | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE)

static int setup(void **state)
{
	*state = fake_kfd_open("b.tree");
	return 0;
}

static int setup_no_svm(void **state)
{
	setenv("HSA_USE_SVM", "0", 1);
	return setup(state);
}

static int teardown(void **state)
{
	fake_kfd_close(*state);
	return 0;
}

static HsaMemFlags vram(void)
{
	HsaMemFlags flags = { 0 };

	flags.ui32.NonPaged = 1;
	flags.ui32.HostAccess = 1;
	flags.ui32.CoarseGrain = 1;
	return flags;
}

static HsaMemFlags paged(void)
{
	HsaMemFlags flags = { 0 };

	flags.ui32.HostAccess = 1;
	return flags;
}

static void *alloc(struct fake_kfd *kfd, uint32_t node, uint64_t size, HsaMemFlags flags)
{
	void *address = NULL;

	assert_int_equal(kmt_alloc_memory(kfd->ctx, node, size, flags, &address),
			 HSAKMT_STATUS_SUCCESS);
	assert_non_null(address);
	return address;
}

static void release(struct fake_kfd *kfd, void *address)
{
	assert_int_equal(kmt_free_memory(kfd->ctx, address, 1), HSAKMT_STATUS_SUCCESS);
}

static void nothing_is_left(struct fake_kfd *kfd, unsigned int maps)
{
	assert_int_equal(fake_kfd_live(kfd), 0);
	assert_int_equal(fake_device_live_maps(kfd->device), maps);
}

static void wrong_arguments_are_refused_in_the_stated_order(void **state)
{
	struct fake_kfd *kfd = *state;
	struct kmt_context *ctx = kfd->ctx;
	HsaMemFlags flags = vram(), bad = vram();
	void *p = (void *)1;

	fake_device_set_version(kfd->device, 1, 15); /* not read again */
	bad.ui32.CoarseGrain = 1;
	bad.ui32.ExtendedCoherent = 1;
	/* The node comes before the pointer. */
	assert_int_equal(kmt_alloc_memory(ctx, 9, PAGE, flags, NULL),
			 HSAKMT_STATUS_INVALID_NODE_UNIT);
	assert_int_equal(kmt_alloc_memory(ctx, GPU, PAGE, flags, NULL),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_alloc_memory(ctx, GPU, 0, flags, &p), HSAKMT_STATUS_INVALID_PARAMETER);
	assert_null(p);
	assert_int_equal(kmt_alloc_memory(ctx, GPU, PAGE + 1, flags, &p),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_alloc_memory_align(ctx, GPU, PAGE, 3 * PAGE, flags, &p),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_alloc_memory_align(ctx, GPU, PAGE, 2048, flags, &p),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_alloc_memory(ctx, GPU, PAGE, bad, &p),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	bad.ui32.CoarseGrain = 0;
	bad.ui32.Uncached = 1;
	assert_int_equal(kmt_alloc_memory(ctx, GPU, PAGE, bad, &p),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	flags.ui32.PageSize = HSA_PAGE_SIZE_64KB;
	assert_int_equal(kmt_alloc_memory(ctx, GPU, PAGE, flags, &p),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	flags = vram();
	flags.ui32.FixedAddress = 1;
	p = NULL;
	assert_int_equal(kmt_alloc_memory(ctx, GPU, PAGE, flags, &p),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	flags = vram();
	flags.ui32.Scratch = 1;
	assert_int_equal(kmt_alloc_memory_align(ctx, GPU, PAGE, PAGE, flags, &p),
			 HSAKMT_STATUS_NOT_IMPLEMENTED);
	assert_int_equal(fake_device_op_calls(kfd->device, FAKE_IOCTL), 0);
}

static void device_memory_is_one_alloc_and_one_mapping(void **state)
{
	struct fake_kfd *kfd = *state;
	unsigned int maps = fake_device_live_maps(kfd->device);
	char *p = alloc(kfd, GPU, PAGE, vram());
	struct fake_bo *bo = fake_kfd_bo(kfd, p);

	assert_string_equal(fake_device_ioctl_sequence(kfd->device), "16");
	assert_non_null(bo);
	assert_int_equal(bo->gpu_id, 51110);
	assert_int_equal(bo->size_bytes, PAGE);
	assert_int_equal(bo->flags, BASE_FLAGS | KFD_IOC_ALLOC_MEM_FLAGS_VRAM |
					    KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC);
	p[0] = 1; /* the CPU can write it */
	release(kfd, p);
	assert_string_equal(fake_device_ioctl_sequence(kfd->device), "16 17");
	nothing_is_left(kfd, maps);
}

static void every_flag_reaches_the_kernel_as_documented(void **state)
{
	static const struct {
		unsigned int bit; /* of HsaMemFlags */
		bool clear;       /* clear it instead */
		uint32_t adds, removes;
	} table[] = {
		{ 3, false, 0, KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE },
		{ 6, true, 0, KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC },
		{ 12, false, KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE, 0 },
		{ 13, true, KFD_IOC_ALLOC_MEM_FLAGS_COHERENT, 0 },
		{ 14, false,
		  KFD_IOC_ALLOC_MEM_FLAGS_AQL_QUEUE_MEM | KFD_IOC_ALLOC_MEM_FLAGS_UNCACHED, 0 },
		{ 17, false, KFD_IOC_ALLOC_MEM_FLAGS_UNCACHED, 0 },
		{ 22, false, KFD_IOC_ALLOC_MEM_FLAGS_CONTIGUOUS_BEST_EFFORT, 0 },
		{ 10, false, 0, 0 }, /* atomics have no effect */
		{ 24, false, 0, 0 },
	};
	const uint32_t plain =
		BASE_FLAGS | KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC;
	struct fake_kfd *kfd = *state;

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		HsaMemFlags flags = vram();
		void *p;

		flags.Value &= ~(1u << table[i].bit);
		flags.Value |= table[i].clear ? 0 : 1u << table[i].bit;
		p = alloc(kfd, GPU, PAGE, flags);
		assert_int_equal(fake_kfd_bo(kfd, p)->flags,
				 (plain | table[i].adds) & ~table[i].removes);
		release(kfd, p);
	}
}

static void large_memory_is_aligned_to_its_size_up_to_two_mebibytes(void **state)
{
	struct fake_kfd *kfd = *state;
	void *large = alloc(kfd, GPU, 8ull << 20, vram());
	void *middle = alloc(kfd, GPU, 64ull << 10, vram());

	assert_int_equal((uintptr_t)large % (2ull << 20), 0);
	assert_int_equal((uintptr_t)middle % (64ull << 10), 0);
	release(kfd, large);
	release(kfd, middle);
}

static void an_alignment_that_is_asked_for_is_kept(void **state)
{
	struct fake_kfd *kfd = *state;
	void *p = NULL;

	assert_int_equal(kmt_alloc_memory_align(kfd->ctx, GPU, PAGE, 16ull << 20, vram(), &p),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal((uintptr_t)p % (16ull << 20), 0);
	release(kfd, p);
}

static void a_fixed_address_is_taken_when_free(void **state)
{
	struct fake_kfd *kfd = *state;
	HsaMemFlags flags = vram();
	void *first = alloc(kfd, GPU, PAGE, flags), *again = first;

	flags.ui32.FixedAddress = 1;
	assert_int_equal(kmt_alloc_memory(kfd->ctx, GPU, PAGE, flags, &again),
			 HSAKMT_STATUS_NO_MEMORY);
	assert_null(again);
	release(kfd, first);
	again = first;
	assert_int_equal(kmt_alloc_memory(kfd->ctx, GPU, PAGE, flags, &again),
			 HSAKMT_STATUS_SUCCESS);
	assert_ptr_equal(again, first);
	release(kfd, again);
}

static void memory_that_the_host_must_not_see_still_occupies_its_addresses(void **state)
{
	struct fake_kfd *kfd = *state;
	HsaMemFlags flags = vram();
	const struct fake_call *call = NULL;
	void *p;

	flags.ui32.HostAccess = 0;
	p = alloc(kfd, GPU, PAGE, flags);
	for (size_t i = 0; fake_device_log(kfd->device, i); i++)
		if (fake_device_log(kfd->device, i)->op == FAKE_MMAP)
			call = fake_device_log(kfd->device, i);
	assert_non_null(call);
	assert_int_equal(call->prot, PROT_NONE);
	assert_int_equal(call->flags, MAP_SHARED | MAP_FIXED);
	assert_ptr_equal((void *)(uintptr_t)call->addr, p);
	release(kfd, p);
}

static void paged_memory_is_a_user_pointer_over_shared_pages(void **state)
{
	struct fake_kfd *kfd = *state;
	unsigned int maps = fake_device_live_maps(kfd->device);
	char *p = alloc(kfd, CPU, 2 * PAGE, paged());
	struct fake_bo *bo = fake_kfd_bo(kfd, p);

	assert_non_null(bo);
	assert_int_equal(bo->flags, BASE_FLAGS | KFD_IOC_ALLOC_MEM_FLAGS_USERPTR |
					    KFD_IOC_ALLOC_MEM_FLAGS_COHERENT);
	assert_int_equal(bo->user_addr, (uintptr_t)p);
	assert_int_equal(bo->gpu_id, 51110); /* the first GPU */
	p[PAGE] = 1;
	release(kfd, p);
	nothing_is_left(kfd, maps);
}

static void paged_memory_of_a_gpu_hangs_on_that_gpu(void **state)
{
	struct fake_kfd *kfd = *state;
	void *p = alloc(kfd, 2, PAGE, paged());

	assert_int_equal(fake_kfd_bo(kfd, p)->gpu_id, 2987);
	assert_true(fake_kfd_bo(kfd, p)->flags & KFD_IOC_ALLOC_MEM_FLAGS_USERPTR);
	release(kfd, p);
}

static void a_huge_user_pointer_is_cut_into_chunks(void **state)
{
	const uint64_t chunk = (512ull << 30) - (2ull << 20), size = 2 * chunk + PAGE;
	struct fake_kfd *kfd = *state;
	struct fake_bo *bo;
	void *p = NULL;

	fake_kfd_go_fast(kfd); /* no machine has the pages */
	assert_int_equal(kmt_alloc_memory(kfd->ctx, CPU, size, paged(), &p), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(fake_kfd_live(kfd), 3);
	bo = fake_kfd_bo(kfd, (char *)p + chunk);
	assert_non_null(bo);
	assert_int_equal(bo->user_addr, (uintptr_t)p + chunk);
	bo = fake_kfd_bo(kfd, (char *)p + 2 * chunk);
	assert_non_null(bo);
	assert_int_equal(bo->size_bytes, PAGE);
	release(kfd, p);
	assert_int_equal(fake_kfd_live(kfd), 0);
}

static void nonpaged_system_memory_is_gtt_and_seen_by_the_host_on_demand(void **state)
{
	struct fake_kfd *kfd = *state;
	HsaMemFlags flags = paged();
	char *p;

	flags.ui32.NonPaged = 1;
	p = alloc(kfd, CPU, PAGE, flags);
	assert_true(fake_kfd_bo(kfd, p)->flags & KFD_IOC_ALLOC_MEM_FLAGS_GTT);
	p[0] = 1;
	release(kfd, p);
	fake_device_log_reset(kfd->device);
	flags.ui32.HostAccess = 0;
	p = alloc(kfd, CPU, PAGE, flags);
	assert_int_equal(fake_device_op_calls(kfd->device, FAKE_MMAP), 1); /* the addresses */
	release(kfd, p);
}

static void gtt_access_gives_system_memory_of_node_0(void **state)
{
	struct fake_kfd *kfd = *state;
	HsaMemFlags flags = vram();
	HsaPointerInfo info;
	void *p;

	flags.ui32.GTTAccess = 1;
	p = alloc(kfd, 2, PAGE, flags);
	assert_true(fake_kfd_bo(kfd, p)->flags & KFD_IOC_ALLOC_MEM_FLAGS_GTT);
	assert_int_equal(fake_kfd_bo(kfd, p)->gpu_id, 2987);
	assert_int_equal(kmt_query_pointer_info(kfd->ctx, p, &info), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(info.Node, 0);
	release(kfd, p);
}

static void host_gtt_memory_hangs_on_the_gpu_that_is_named(void **state)
{
	struct fake_kfd *kfd = *state;
	HsaPointerInfo info;
	void *p = (void *)1;

	assert_int_equal(kmt_alloc_memory_host_gtt(kfd->ctx, CPU, CPU, PAGE, paged(), &p),
			 HSAKMT_STATUS_INVALID_NODE_UNIT);
	assert_null(p);
	assert_int_equal(kmt_alloc_memory_host_gtt(kfd->ctx, CPU, 2, PAGE, paged(), &p),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(fake_kfd_bo(kfd, p)->gpu_id, 2987);
	assert_true(fake_kfd_bo(kfd, p)->flags & KFD_IOC_ALLOC_MEM_FLAGS_GTT);
	assert_int_equal(kmt_query_pointer_info(kfd->ctx, p, &info), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(info.Node, CPU);
	release(kfd, p);
}

static void an_address_range_has_no_buffer(void **state)
{
	struct fake_kfd *kfd = *state;
	HsaMemFlags flags = vram();
	HsaPointerInfo info;
	void *p;

	flags.ui32.OnlyAddress = 1;
	p = alloc(kfd, GPU, PAGE, flags);
	assert_int_equal(fake_device_op_calls(kfd->device, FAKE_IOCTL), 0);
	assert_int_equal(kmt_query_pointer_info(kfd->ctx, p, &info), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(info.Type, HSA_POINTER_RESERVED_ADDR);
	assert_null(info.CPUAddress);
	assert_int_equal(kmt_map_memory_to_gpu(kfd->ctx, p, PAGE, NULL),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	release(kfd, p);
}

static void a_buffer_without_address_gets_a_pointer_outside_of_all_apertures(void **state)
{
	struct fake_kfd *kfd = *state;
	HsaMemFlags flags = vram();
	void *p;

	flags.ui32.NoAddress = 1;
	p = alloc(kfd, GPU, PAGE, flags);
	assert_true((uintptr_t)p >= 1ull << 56);
	assert_non_null(fake_kfd_bo(kfd, NULL)); /* the kernel got address 0 */
	assert_int_equal(fake_device_op_calls(kfd->device, FAKE_MMAP), 0);
	assert_int_equal(kmt_map_memory_to_gpu(kfd->ctx, p, PAGE, NULL),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	release(kfd, p);
	assert_int_equal(fake_kfd_live(kfd), 0);
}

static void a_ring_occupies_twice_its_size_and_is_mapped_once(void **state)
{
	struct fake_kfd *kfd = *state;
	HsaMemFlags flags = vram();
	HsaPointerInfo info;
	void *p;

	flags.ui32.AQLQueueMemory = 1;
	p = alloc(kfd, GPU, PAGE, flags);
	assert_int_equal(fake_kfd_bo(kfd, p)->size_bytes, 2 * PAGE);
	assert_int_equal(kmt_query_pointer_info(kfd->ctx, p, &info), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(info.SizeInBytes, 2 * PAGE);
	release(kfd, p);
}

static void freeing_nothing_is_an_error(void **state)
{
	struct fake_kfd *kfd = *state;
	void *p = alloc(kfd, GPU, PAGE, vram());

	assert_int_equal(kmt_free_memory(kfd->ctx, NULL, PAGE), HSAKMT_STATUS_ERROR);
	assert_int_equal(kmt_free_memory(kfd->ctx, p, 0), HSAKMT_STATUS_ERROR);
	release(kfd, p);
}

static void unknown_memory_is_an_error_to_free_only_without_svm(void **state)
{
	struct fake_kfd *kfd = *state;
	char *p = alloc(kfd, GPU, 2 * PAGE, vram());
	HSAKMT_STATUS unknown = kfd->ctx->svm_api_supported ? HSAKMT_STATUS_SUCCESS
							    : HSAKMT_STATUS_MEMORY_NOT_REGISTERED;

	/* Inside the first page counts as the start, beyond it does not. */
	assert_int_equal(kmt_free_memory(kfd->ctx, p + PAGE, PAGE), unknown);
	assert_int_equal(fake_kfd_live(kfd), 1);
	assert_int_equal(kmt_free_memory(kfd->ctx, p + 100, PAGE), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(fake_kfd_live(kfd), 0);
	assert_int_equal(kmt_free_memory(kfd->ctx, p, PAGE), unknown);
}

static void what_the_kernel_refuses_to_free_stays_known(void **state)
{
	struct fake_kfd *kfd = *state;
	HsaPointerInfo info;
	char *p = alloc(kfd, GPU, PAGE, vram());

	fake_kfd_bo(kfd, p)->busy = true;
	assert_int_equal(kmt_free_memory(kfd->ctx, p, PAGE), HSAKMT_STATUS_ERROR);
	p[0] = 1; /* the mapping is there still */
	assert_int_equal(kmt_query_pointer_info(kfd->ctx, p, &info), HSAKMT_STATUS_SUCCESS);
	fake_kfd_bo(kfd, p)->busy = false;
	release(kfd, p);
}

static void a_half_freed_chunked_buffer_can_be_freed_later(void **state)
{
	const uint64_t chunk = (512ull << 30) - (2ull << 20);
	struct fake_kfd *kfd = *state;
	void *p;

	fake_kfd_go_fast(kfd); /* no machine has the pages */
	p = alloc(kfd, CPU, chunk + PAGE, paged());
	fake_kfd_bo(kfd, (char *)p + chunk)->busy = true;
	assert_int_equal(kmt_free_memory(kfd->ctx, p, PAGE), HSAKMT_STATUS_ERROR);
	assert_int_equal(fake_kfd_live(kfd), 1);
	fake_kfd_bo(kfd, (char *)p + chunk)->busy = false;
	release(kfd, p);
	assert_int_equal(fake_kfd_live(kfd), 0);
}

static void a_full_device_gives_no_memory_and_full_system_memory_an_error(void **state)
{
	struct fake_kfd *kfd = *state;
	unsigned int maps = fake_device_live_maps(kfd->device);
	void *p = (void *)1;

	fake_device_fail_next(kfd->device, ALLOC, ENOMEM);
	assert_int_equal(kmt_alloc_memory(kfd->ctx, GPU, PAGE, vram(), &p),
			 HSAKMT_STATUS_NO_MEMORY);
	assert_null(p);
	fake_device_fail_next(kfd->device, ALLOC, ENOMEM);
	p = (void *)1;
	assert_int_equal(kmt_alloc_memory(kfd->ctx, CPU, PAGE, paged(), &p), HSAKMT_STATUS_ERROR);
	assert_null(p);
	nothing_is_left(kfd, maps);
}

static void contiguous_memory_needs_a_newer_kernel(void **state)
{
	struct fake_kfd *kfd = fake_kfd_prepare("a.tree");
	HsaMemFlags flags = vram();
	void *p = NULL;

	(void)state;
	fake_device_set_version(kfd->device, 1, 15);
	assert_int_equal(fake_kfd_acquire(kfd), HSAKMT_STATUS_SUCCESS);
	flags.ui32.Contiguous = 1;
	/* Before the node and everything else. */
	assert_int_equal(kmt_alloc_memory(kfd->ctx, 9, PAGE, flags, &p),
			 HSAKMT_STATUS_NOT_SUPPORTED);
	fake_kfd_close(kfd);
}

static void nothing_works_before_open(void **state)
{
	struct fake_kfd *kfd = fake_kfd_prepare("a.tree");
	const HSAKMT_STATUS closed = HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	uint64_t bytes = 0;
	uint32_t node = 1;
	HsaPointerInfo info;
	void *p = NULL;

	(void)state;
	assert_int_equal(kmt_alloc_memory(kfd->ctx, GPU, PAGE, vram(), &p), closed);
	assert_int_equal(kmt_free_memory(kfd->ctx, &p, PAGE), closed);
	assert_int_equal(kmt_map_memory_to_gpu(kfd->ctx, &p, PAGE, NULL), closed);
	assert_int_equal(kmt_map_memory_to_gpu_nodes(kfd->ctx, &p, PAGE, NULL, vram(), 1, &node),
			 closed);
	assert_int_equal(kmt_unmap_memory_to_gpu(kfd->ctx, &p), closed);
	assert_int_equal(kmt_register_memory(kfd->ctx, &p, PAGE), closed);
	assert_int_equal(kmt_register_memory_to_nodes(kfd->ctx, &p, PAGE, 1, &node), closed);
	assert_int_equal(kmt_register_memory_with_flags(kfd->ctx, &p, PAGE, paged()), closed);
	assert_int_equal(kmt_deregister_memory(kfd->ctx, &p), closed);
	assert_int_equal(kmt_query_pointer_info(kfd->ctx, &p, &info), closed);
	assert_int_equal(kmt_set_memory_user_data(kfd->ctx, &p, NULL), closed);
	assert_int_equal(kmt_available_memory(kfd->ctx, GPU, &bytes), closed);
	assert_int_equal(kmt_get_default_host_gpu(kfd->ctx, &node, NULL), closed);
	assert_int_equal(kmt_get_tile_config(kfd->ctx, GPU, NULL), closed);
	assert_int_equal(kmt_set_memory_policy(kfd->ctx, GPU, 0, 0, NULL, 0), closed);
	/* These two have no guard. */
	assert_int_equal(kmt_process_vm_read(kfd->ctx, 1, NULL, 0, NULL, 0, NULL),
			 HSAKMT_STATUS_NOT_IMPLEMENTED);
	assert_int_equal(kmt_process_vm_write(kfd->ctx, 1, NULL, 0, NULL, 0, NULL),
			 HSAKMT_STATUS_NOT_IMPLEMENTED);
	fake_kfd_close(kfd);
}

static void zero_frame_buffer_mode_serves_device_memory_from_the_system(void **state)
{
	struct fake_kfd *kfd;
	HsaMemFlags flags = vram();
	void *p;

	(void)state;
	setenv("HSA_ZFB", "1", 1);
	kfd = fake_kfd_open("b.tree");
	flags.ui32.CoarseGrain = 0;
	p = alloc(kfd, 2, PAGE, flags);
	assert_true(fake_kfd_bo(kfd, p)->flags & KFD_IOC_ALLOC_MEM_FLAGS_GTT);
	assert_false(fake_kfd_bo(kfd, p)->flags & KFD_IOC_ALLOC_MEM_FLAGS_COHERENT);
	release(kfd, p);
	fake_kfd_close(kfd);
}

static void user_pointers_for_paged_memory_can_be_switched_off(void **state)
{
	struct fake_kfd *kfd;
	void *p;

	(void)state;
	setenv("HSA_USERPTR_FOR_PAGED_MEM", "0", 1);
	setenv("HSA_DISABLE_CACHE", "1", 1);
	kfd = fake_kfd_open("b.tree");
	p = alloc(kfd, CPU, PAGE, paged());
	assert_int_equal(fake_kfd_bo(kfd, p)->flags, BASE_FLAGS | KFD_IOC_ALLOC_MEM_FLAGS_GTT |
							     KFD_IOC_ALLOC_MEM_FLAGS_COHERENT |
							     KFD_IOC_ALLOC_MEM_FLAGS_UNCACHED);
	release(kfd, p);
	fake_kfd_close(kfd);
}

#define CASE(f)        cmocka_unit_test_setup_teardown(f, setup, teardown)
#define CASE_NO_SVM(f) cmocka_unit_test_setup_teardown(f, setup_no_svm, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(wrong_arguments_are_refused_in_the_stated_order),
		CASE(device_memory_is_one_alloc_and_one_mapping),
		CASE(every_flag_reaches_the_kernel_as_documented),
		CASE(large_memory_is_aligned_to_its_size_up_to_two_mebibytes),
		CASE(an_alignment_that_is_asked_for_is_kept),
		CASE(a_fixed_address_is_taken_when_free),
		CASE(memory_that_the_host_must_not_see_still_occupies_its_addresses),
		CASE(paged_memory_is_a_user_pointer_over_shared_pages),
		CASE(paged_memory_of_a_gpu_hangs_on_that_gpu),
		CASE(a_huge_user_pointer_is_cut_into_chunks),
		CASE(nonpaged_system_memory_is_gtt_and_seen_by_the_host_on_demand),
		CASE(gtt_access_gives_system_memory_of_node_0),
		CASE(host_gtt_memory_hangs_on_the_gpu_that_is_named),
		CASE(an_address_range_has_no_buffer),
		CASE(a_buffer_without_address_gets_a_pointer_outside_of_all_apertures),
		CASE(a_ring_occupies_twice_its_size_and_is_mapped_once),
		CASE(freeing_nothing_is_an_error),
		CASE(unknown_memory_is_an_error_to_free_only_without_svm),
		CASE_NO_SVM(unknown_memory_is_an_error_to_free_only_without_svm),
		CASE(what_the_kernel_refuses_to_free_stays_known),
		CASE(a_half_freed_chunked_buffer_can_be_freed_later),
		CASE(a_full_device_gives_no_memory_and_full_system_memory_an_error),
		cmocka_unit_test(contiguous_memory_needs_a_newer_kernel),
		cmocka_unit_test(nothing_works_before_open),
		cmocka_unit_test(zero_frame_buffer_mode_serves_device_memory_from_the_system),
		cmocka_unit_test(user_pointers_for_paged_memory_can_be_switched_off),
	};

	return cmocka_run_group_tests_name("thunk/memory/alloc", tests, NULL, NULL);
}
