/* SPDX-License-Identifier: MIT */
/* Mapping memory to GPUs and taking it away again. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

#include "fake_kfd.h"
#include "memory/fmm.h"
#include "memory/memory.h"

#define PAGE 4096ull
#define CPU  0u
#define GPU  1u
#define PEER 2u

static const HsaMemFlags none;

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

static void *alloc(struct fake_kfd *kfd, uint32_t node, bool non_paged)
{
	HsaMemFlags flags = { 0 };
	void *address = NULL;

	flags.ui32.NonPaged = non_paged;
	flags.ui32.HostAccess = 1;
	assert_int_equal(kmt_alloc_memory(kfd->ctx, node, PAGE, flags, &address),
			 HSAKMT_STATUS_SUCCESS);
	fake_device_log_reset(kfd->device);
	return address;
}

static HSAKMT_STATUS map_nodes(struct fake_kfd *kfd, void *address, uint32_t a, uint32_t b,
			       uint64_t count)
{
	uint32_t nodes[] = { a, b };

	return kmt_map_memory_to_gpu_nodes(kfd->ctx, address, PAGE, NULL, none, count, nodes);
}

static void finish(struct fake_kfd *kfd, void *address)
{
	assert_int_equal(kmt_unmap_memory_to_gpu(kfd->ctx, address), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_free_memory(kfd->ctx, address, PAGE), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(fake_kfd_live(kfd), 0);
}

static void device_memory_goes_to_its_owner_and_the_peers(void **state)
{
	struct fake_kfd *kfd = *state;
	void *p = alloc(kfd, GPU, true), *q = alloc(kfd, PEER, true);
	HSAuint64 alternate = 7;

	assert_int_equal(kmt_map_memory_to_gpu(kfd->ctx, p, PAGE, &alternate),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(alternate, 0);
	assert_string_equal(fake_device_ioctl_sequence(kfd->device), "18");
	assert_string_equal(fake_kfd_mapped(kfd, p), "51110 2987");
	assert_int_equal(kmt_map_memory_to_gpu(kfd->ctx, q, PAGE, NULL), HSAKMT_STATUS_SUCCESS);
	assert_string_equal(fake_kfd_mapped(kfd, q), "2987 51110");
	assert_int_equal(kmt_unmap_memory_to_gpu(kfd->ctx, q), HSAKMT_STATUS_SUCCESS);
	assert_string_equal(fake_kfd_mapped(kfd, q), "");
	assert_int_equal(kmt_free_memory(kfd->ctx, q, PAGE), HSAKMT_STATUS_SUCCESS);
	finish(kfd, p);
}

static void system_memory_goes_to_all_gpus_in_kernel_order(void **state)
{
	struct fake_kfd *kfd = *state;
	void *p = alloc(kfd, CPU, false);

	assert_int_equal(kmt_map_memory_to_gpu(kfd->ctx, p, PAGE, NULL), HSAKMT_STATUS_SUCCESS);
	assert_string_equal(fake_kfd_mapped(kfd, p), "51110 2987");
	finish(kfd, p);
}

static void a_node_list_replaces_the_mapping(void **state)
{
	struct fake_kfd *kfd = *state;
	void *p = alloc(kfd, GPU, true);

	assert_int_equal(map_nodes(kfd, p, GPU, 0, 1), HSAKMT_STATUS_SUCCESS);
	assert_string_equal(fake_kfd_mapped(kfd, p), "51110");
	assert_int_equal(map_nodes(kfd, p, PEER, 0, 1), HSAKMT_STATUS_SUCCESS);
	assert_string_equal(fake_kfd_mapped(kfd, p), "2987");
	assert_string_equal(fake_device_ioctl_sequence(kfd->device), "18 19 18");
	fake_device_log_reset(kfd->device);
	assert_int_equal(map_nodes(kfd, p, PEER, 0, 1), HSAKMT_STATUS_SUCCESS);
	assert_string_equal(fake_device_ioctl_sequence(kfd->device), "");
	assert_int_equal(map_nodes(kfd, p, GPU, PEER, 2), HSAKMT_STATUS_SUCCESS);
	assert_string_equal(fake_device_ioctl_sequence(kfd->device), "18");
	assert_string_equal(fake_kfd_mapped(kfd, p), "2987 51110");
	finish(kfd, p);
}

static void wrong_node_lists_are_refused(void **state)
{
	struct fake_kfd *kfd = *state;
	void *p = alloc(kfd, GPU, true);

	assert_int_equal(map_nodes(kfd, NULL, GPU, 0, 1), HSAKMT_STATUS_ERROR);
	assert_int_equal(map_nodes(kfd, p, GPU, 0, 0), HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(map_nodes(kfd, p, 9, 0, 1), HSAKMT_STATUS_INVALID_NODE_UNIT);
	assert_int_equal(kmt_map_memory_to_gpu_nodes(kfd->ctx, p, PAGE, NULL, none, 1, NULL),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(map_nodes(kfd, p, CPU, 0, 1), HSAKMT_STATUS_ERROR);
	assert_string_equal(fake_kfd_mapped(kfd, p), "");
	finish(kfd, p);
}

static void a_map_that_fails_half_way_is_undone(void **state)
{
	struct fake_kfd *kfd = *state;
	HsaPointerInfo info;
	void *p = alloc(kfd, GPU, true);

	kfd->map_success_limit = 1;
	assert_int_equal(kmt_map_memory_to_gpu(kfd->ctx, p, PAGE, NULL), HSAKMT_STATUS_ERROR);
	assert_string_equal(fake_kfd_mapped(kfd, p), "");
	assert_int_equal(kmt_query_pointer_info(kfd->ctx, p, &info), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(info.NMappedNodes, 0);
	kfd->map_success_limit = 0;
	assert_int_equal(map_nodes(kfd, p, GPU, 0, 1), HSAKMT_STATUS_SUCCESS);
	kfd->map_success_limit = 1; /* what was mapped before stays */
	assert_int_equal(kmt_map_memory_to_gpu(kfd->ctx, p, PAGE, NULL), HSAKMT_STATUS_ERROR);
	assert_string_equal(fake_kfd_mapped(kfd, p), "51110");
	kfd->map_success_limit = 0;
	finish(kfd, p);
}

static void an_unmap_that_fails_keeps_the_state(void **state)
{
	struct fake_kfd *kfd = *state;
	HsaPointerInfo info;
	void *p = alloc(kfd, GPU, true);

	assert_int_equal(kmt_map_memory_to_gpu(kfd->ctx, p, PAGE, NULL), HSAKMT_STATUS_SUCCESS);
	fake_device_fail_next(kfd->device, AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, ENOMEM);
	assert_int_equal(kmt_unmap_memory_to_gpu(kfd->ctx, p), HSAKMT_STATUS_ERROR);
	assert_int_equal(kmt_query_pointer_info(kfd->ctx, p, &info), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(info.NMappedNodes, 2);
	/* Mapped memory cannot be freed. */
	assert_int_equal(kmt_free_memory(kfd->ctx, p, PAGE), HSAKMT_STATUS_ERROR);
	finish(kfd, p);
}

static void unmapping_what_is_not_mapped_costs_nothing(void **state)
{
	struct fake_kfd *kfd = *state;
	void *p = alloc(kfd, GPU, true);

	assert_int_equal(kmt_unmap_memory_to_gpu(kfd->ctx, NULL), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_unmap_memory_to_gpu(kfd->ctx, p), HSAKMT_STATUS_SUCCESS);
	assert_string_equal(fake_device_ioctl_sequence(kfd->device), "");
	finish(kfd, p);
}

static void an_unknown_pointer_is_mapped_through_svm(void **state)
{
	static char buffer[3 * PAGE];
	struct fake_kfd *kfd = *state;
	char *p = (char *)(((uintptr_t)buffer + PAGE) & ~(PAGE - 1));
	HSAuint64 alternate = 0;

	fake_device_log_reset(kfd->device);
	assert_int_equal(kmt_map_memory_to_gpu(kfd->ctx, p + 8, PAGE, &alternate),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(alternate, (uintptr_t)p + 8);
	assert_string_equal(fake_device_ioctl_sequence(kfd->device), "20");
	assert_int_equal(kfd->svm_count, 1);
	assert_int_equal(kfd->svm[0].start, (uintptr_t)p);
	assert_int_equal(kfd->svm[0].size_bytes, 2 * PAGE);
	assert_int_equal(kfd->svm[0].count, 2);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(kfd->svm[0].attributes[i].type,
				 KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE);
		assert_int_equal(kfd->svm[0].attributes[i].value, kfd->gpu_ids[i]);
	}
	assert_int_equal(map_nodes(kfd, p, PEER, 0, 1), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kfd->svm[1].count, 1);
	assert_int_equal(kfd->svm[1].attributes[0].value, 2987);
	assert_int_equal(kmt_unmap_memory_to_gpu(kfd->ctx, p), HSAKMT_STATUS_SUCCESS);
	fake_device_fail_next(kfd->device, AMDKFD_IOC_SVM, EFAULT);
	assert_int_equal(kmt_map_memory_to_gpu(kfd->ctx, p, PAGE, NULL), HSAKMT_STATUS_ERROR);
}

static void an_unknown_pointer_is_refused_without_svm(void **state)
{
	struct fake_kfd *kfd = *state;
	int local = 0;

	assert_int_equal(kmt_map_memory_to_gpu(kfd->ctx, &local, PAGE, NULL),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(map_nodes(kfd, &local, GPU, 0, 1), HSAKMT_STATUS_ERROR);
	assert_int_equal(kmt_unmap_memory_to_gpu(kfd->ctx, &local), HSAKMT_STATUS_ERROR);
	assert_int_equal(kmt_map_memory_to_gpu(kfd->ctx, NULL, PAGE, NULL), HSAKMT_STATUS_ERROR);
}

static void scratch_pieces_come_and_go_in_any_order(void **state)
{
	struct fake_kfd *kfd = *state;
	unsigned int maps = fake_device_live_maps(kfd->device);
	HsaMemFlags flags = { 0 };
	char *p = NULL, *other = NULL;

	flags.ui32.Scratch = 1;
	flags.ui32.HostAccess = 1;
	fake_device_log_reset(kfd->device);
	assert_int_equal(kmt_alloc_memory(kfd->ctx, GPU, 3 * PAGE, flags, (void **)&p),
			 HSAKMT_STATUS_SUCCESS);
	assert_string_equal(fake_device_ioctl_sequence(kfd->device), "11");
	assert_int_equal((uintptr_t)p % (64 << 10), 0);
	/* One block a GPU, and none on a CPU. */
	assert_int_equal(kmt_alloc_memory(kfd->ctx, GPU, PAGE, flags, (void **)&other),
			 HSAKMT_STATUS_NO_MEMORY);
	assert_int_equal(kmt_alloc_memory(kfd->ctx, CPU, PAGE, flags, (void **)&other),
			 HSAKMT_STATUS_NO_MEMORY);
	/* It reaches to the next 64 KiB and not beyond. */
	assert_int_equal(kmt_map_memory_to_gpu(kfd->ctx, p + 15 * PAGE, PAGE, NULL),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_map_memory_to_gpu(kfd->ctx, p + 14 * PAGE, 3 * PAGE, NULL),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	fake_device_log_reset(kfd->device);
	assert_int_equal(kmt_map_memory_to_gpu(kfd->ctx, p, 2 * PAGE, NULL), HSAKMT_STATUS_SUCCESS);
	assert_string_equal(fake_device_ioctl_sequence(kfd->device), "16 18");
	assert_string_equal(fake_kfd_mapped(kfd, p), "51110"); /* the owner alone */
	assert_int_equal(kmt_unmap_memory_to_gpu(kfd->ctx, p + 15 * PAGE), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_unmap_memory_to_gpu(kfd->ctx, p + PAGE), HSAKMT_STATUS_ERROR);
	assert_int_equal(fake_kfd_live(kfd), 1);
	/* From the inside, with a piece still mapped. */
	assert_int_equal(kmt_free_memory(kfd->ctx, p + 5 * PAGE + 3, PAGE), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(fake_kfd_live(kfd), 0);
	assert_int_equal(fake_device_live_maps(kfd->device), maps);
	assert_int_equal(kmt_alloc_memory(kfd->ctx, GPU, PAGE, flags, (void **)&p),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_free_memory(kfd->ctx, p, PAGE), HSAKMT_STATUS_SUCCESS);
}

static void scratch_without_memory_leaves_the_block_as_it_was(void **state)
{
	struct fake_kfd *kfd = *state;
	HsaMemFlags flags = { 0 };
	char *p = NULL;

	flags.ui32.Scratch = 1;
	assert_int_equal(kmt_alloc_memory(kfd->ctx, GPU, PAGE, flags, (void **)&p),
			 HSAKMT_STATUS_SUCCESS);
	fake_device_fail_next(kfd->device, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, ENOMEM);
	assert_int_equal(kmt_map_memory_to_gpu(kfd->ctx, p, PAGE, NULL),
			 HSAKMT_STATUS_INVALID_HANDLE);
	fake_device_fail_next(kfd->device, AMDKFD_IOC_MAP_MEMORY_TO_GPU, ENOMEM);
	assert_int_equal(kmt_map_memory_to_gpu(kfd->ctx, p, PAGE, NULL), HSAKMT_STATUS_ERROR);
	assert_int_equal(fake_kfd_live(kfd), 0);
	assert_int_equal(kmt_map_memory_to_gpu(kfd->ctx, p, PAGE, NULL), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_free_memory(kfd->ctx, p, PAGE), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(fake_kfd_live(kfd), 0);
}

static void internal_memory_is_mapped_to_its_node_or_to_all(void **state)
{
	struct fake_kfd *kfd = *state;
	struct kmt_internal_alloc request = { .size_bytes = 100,
					      .align_bytes = PAGE,
					      .gpu_id = 2987,
					      .node_id = PEER,
					      .non_paged = true,
					      .uncached = true };
	uint64_t handle = 0, offset = 0;
	char *p = kmt_fmm_internal_alloc(kfd->ctx, &request);

	assert_non_null(p);
	assert_string_equal(fake_kfd_mapped(kfd, p), "2987");
	assert_true(fake_kfd_bo(kfd, p)->flags & KFD_IOC_ALLOC_MEM_FLAGS_GTT);
	assert_true(fake_kfd_bo(kfd, p)->flags & KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE);
	assert_true(kmt_fmm_handle(kfd->ctx, p, &handle));
	assert_int_equal(handle, fake_kfd_bo(kfd, p)->handle);
	assert_true(kmt_fmm_handle_of_range(kfd->ctx, p + 16, 32, &handle, &offset));
	assert_int_equal(offset, 16);
	assert_false(kmt_fmm_handle_of_range(kfd->ctx, p + 16, PAGE, &handle, &offset));
	kmt_fmm_internal_free(kfd->ctx, p);
	request.node_id = 0;
	request.device_local = true;
	p = kmt_fmm_internal_alloc(kfd->ctx, &request);
	assert_non_null(p);
	assert_true(fake_kfd_bo(kfd, p)->flags & KFD_IOC_ALLOC_MEM_FLAGS_VRAM);
	assert_string_equal(fake_kfd_mapped(kfd, p), "2987 51110");
	kmt_fmm_internal_free(kfd->ctx, p);
	kmt_fmm_internal_free(kfd->ctx, NULL);
	assert_int_equal(fake_kfd_live(kfd), 0);
}

static void a_doorbell_page_is_mapped_from_the_kfd_and_to_the_gpu(void **state)
{
	const uint64_t offset = 3ull << 62 | 2987ull << 46;
	struct fake_kfd *kfd = *state;
	const struct fake_call *call;
	void *p;

	fake_device_log_reset(kfd->device);
	p = kmt_fmm_map_doorbell(kfd->ctx, PEER, 2 * PAGE, offset);
	assert_non_null(p);
	assert_string_equal(fake_device_ioctl_sequence(kfd->device), "16 18");
	assert_true(fake_kfd_bo(kfd, p)->flags & KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL);
	call = NULL;
	for (size_t i = 0; fake_device_log(kfd->device, i); i++)
		if (fake_device_log(kfd->device, i)->op == FAKE_MMAP)
			call = fake_device_log(kfd->device, i);
	assert_non_null(call);
	assert_int_equal(call->fd, kfd->ctx->fd);
	assert_int_equal(call->offset_bytes, offset);
	assert_int_equal(call->size_bytes, 2 * PAGE);
	fake_device_log_reset(kfd->device);
	kmt_fmm_unmap_doorbell(kfd->ctx, p);
	assert_string_equal(fake_device_ioctl_sequence(kfd->device), "19 17");
	assert_int_equal(fake_kfd_live(kfd), 0);
	assert_null(kmt_fmm_map_doorbell(kfd->ctx, CPU, 2 * PAGE, offset));
}

#define CASE(f)        cmocka_unit_test_setup_teardown(f, setup, teardown)
#define CASE_NO_SVM(f) cmocka_unit_test_setup_teardown(f, setup_no_svm, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(device_memory_goes_to_its_owner_and_the_peers),
		CASE(system_memory_goes_to_all_gpus_in_kernel_order),
		CASE(a_node_list_replaces_the_mapping),
		CASE(wrong_node_lists_are_refused),
		CASE(a_map_that_fails_half_way_is_undone),
		CASE(an_unmap_that_fails_keeps_the_state),
		CASE(unmapping_what_is_not_mapped_costs_nothing),
		CASE(an_unknown_pointer_is_mapped_through_svm),
		CASE_NO_SVM(an_unknown_pointer_is_refused_without_svm),
		CASE(scratch_pieces_come_and_go_in_any_order),
		CASE(scratch_without_memory_leaves_the_block_as_it_was),
		CASE(internal_memory_is_mapped_to_its_node_or_to_all),
		CASE(a_doorbell_page_is_mapped_from_the_kfd_and_to_the_gpu),
	};

	return cmocka_run_group_tests_name("thunk/memory/map", tests, NULL, NULL);
}
