/* SPDX-License-Identifier: MIT */
/* Registering user memory, by buffer objects and by SVM attributes, and pointer information. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fake_kfd.h"
#include "memory/fmm.h"
#include "memory/memory.h"

#define PAGE 4096ull
#define GPU  1u
#define PEER 2u

static char buffer[16 * PAGE] __attribute__((aligned(4096)));

static int setup_svm(void **state)
{
	*state = fake_kfd_open("b.tree");
	return 0;
}

static int setup(void **state)
{
	setenv("HSA_USE_SVM", "0", 1);
	return setup_svm(state);
}

static int setup_reserved(void **state)
{
	if (!FAKE_KFD_SANITIZED)
		setenv("HSA_RESERVE_SVM", "1", 1);
	return setup(state);
}

static int teardown(void **state)
{
	fake_kfd_close(*state);
	return 0;
}

static HSAKMT_STATUS to_nodes(struct fake_kfd *kfd, void *address, uint32_t a, uint32_t b,
			      uint64_t count)
{
	uint32_t nodes[] = { a, b };

	return kmt_register_memory_to_nodes(kfd->ctx, address, PAGE, count, nodes);
}

static HSAKMT_STATUS deregister(struct fake_kfd *kfd, void *address)
{
	return kmt_deregister_memory(kfd->ctx, address);
}

static void a_user_pointer_gets_a_buffer_on_the_first_gpu(void **state)
{
	struct fake_kfd *kfd = *state;
	HsaPointerInfo info, by_gpu;
	struct fake_bo *bo;

	assert_int_equal(kmt_register_memory(kfd->ctx, buffer + 100, PAGE), HSAKMT_STATUS_SUCCESS);
	assert_string_equal(fake_device_ioctl_sequence(kfd->device), "16");
	assert_int_equal(kmt_query_pointer_info(kfd->ctx, buffer + 100 + PAGE - 1, &info),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(info.Type, HSA_POINTER_REGISTERED_USER);
	assert_ptr_equal(info.CPUAddress, buffer + 100);
	assert_int_equal(info.SizeInBytes, PAGE);
	assert_int_equal(info.GPUAddress % PAGE, 100);
	assert_int_equal(info.Node, GPU);
	assert_true(info.MemFlags.ui32.CoarseGrain);
	bo = fake_kfd_bo(kfd, (void *)(uintptr_t)(info.GPUAddress - 100));
	assert_non_null(bo);
	assert_int_equal(bo->gpu_id, 51110);
	assert_int_equal(bo->user_addr, (uintptr_t)buffer);
	assert_int_equal(bo->size_bytes, 2 * PAGE);
	assert_int_equal(bo->flags, KFD_IOC_ALLOC_MEM_FLAGS_USERPTR |
					    KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE |
					    KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE |
					    KFD_IOC_ALLOC_MEM_FLAGS_NO_SUBSTITUTE);
	/* The GPU's address names it too. */
	assert_int_equal(
		kmt_query_pointer_info(kfd->ctx, (void *)(uintptr_t)info.GPUAddress, &by_gpu),
		HSAKMT_STATUS_SUCCESS);
	assert_ptr_equal(by_gpu.CPUAddress, info.CPUAddress);
	assert_int_equal(kmt_query_pointer_info(kfd->ctx, buffer + 100 + PAGE, &info),
			 HSAKMT_STATUS_ERROR);
	assert_int_equal(info.Type, HSA_POINTER_UNKNOWN);
	assert_int_equal(deregister(kfd, buffer + 100), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(fake_kfd_live(kfd), 0);
	assert_int_equal(deregister(kfd, buffer + 100), HSAKMT_STATUS_MEMORY_NOT_REGISTERED);
}

static void registrations_of_the_same_range_are_counted(void **state)
{
	struct fake_kfd *kfd = *state;

	for (int i = 0; i < 3; i++)
		assert_int_equal(kmt_register_memory(kfd->ctx, buffer, PAGE),
				 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(fake_kfd_live(kfd), 1);
	for (int i = 0; i < 2; i++)
		assert_int_equal(deregister(kfd, buffer), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(fake_kfd_live(kfd), 1);
	assert_int_equal(deregister(kfd, buffer), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(fake_kfd_live(kfd), 0);
}

static void another_size_is_another_registration(void **state)
{
	struct fake_kfd *kfd = *state;
	HsaPointerInfo info;
	HSAuint64 va = 0, other = 0;

	assert_int_equal(kmt_register_memory(kfd->ctx, buffer, PAGE), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_register_memory(kfd->ctx, buffer, 3 * PAGE), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(fake_kfd_live(kfd), 2);
	assert_int_equal(kmt_map_memory_to_gpu(kfd->ctx, buffer, PAGE, &va), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_map_memory_to_gpu(kfd->ctx, buffer, 3 * PAGE, &other),
			 HSAKMT_STATUS_SUCCESS);
	assert_true(va && other && va != other);
	/* The largest key that holds the address answers. */
	assert_int_equal(kmt_query_pointer_info(kfd->ctx, buffer + 1, &info),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(info.SizeInBytes, 3 * PAGE);
	/* The pointer alone says not which one; the GPU's address does. */
	assert_int_equal(deregister(kfd, buffer), HSAKMT_STATUS_MEMORY_NOT_REGISTERED);
	assert_int_equal(kmt_unmap_memory_to_gpu(kfd->ctx, (void *)(uintptr_t)va),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(deregister(kfd, (void *)(uintptr_t)va), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_unmap_memory_to_gpu(kfd->ctx, buffer), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(deregister(kfd, buffer), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(fake_kfd_live(kfd), 0);
}

static void overlapping_registrations_are_all_found(void **state)
{
	struct fake_kfd *kfd = *state;
	HsaPointerInfo info;

	assert_int_equal(kmt_register_memory(kfd->ctx, buffer, 16 * PAGE), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_register_memory(kfd->ctx, buffer + PAGE, PAGE), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_register_memory(kfd->ctx, buffer + 3 * PAGE, PAGE),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_query_pointer_info(kfd->ctx, buffer + 2 * PAGE, &info),
			 HSAKMT_STATUS_SUCCESS);
	assert_ptr_equal(info.CPUAddress, buffer);
	assert_int_equal(kmt_query_pointer_info(kfd->ctx, buffer + 3 * PAGE + 5, &info),
			 HSAKMT_STATUS_SUCCESS);
	assert_ptr_equal(info.CPUAddress, buffer + 3 * PAGE);
	assert_int_equal(deregister(kfd, buffer), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(deregister(kfd, buffer + PAGE), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(deregister(kfd, buffer + 3 * PAGE), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(fake_kfd_live(kfd), 0);
}

static void mappings_of_user_memory_are_counted(void **state)
{
	struct fake_kfd *kfd = *state;
	HSAuint64 va = 0, again = 0;
	uint32_t node = GPU;
	const HsaMemFlags none = { 0 };

	assert_int_equal(kmt_register_memory(kfd->ctx, buffer + 8, PAGE), HSAKMT_STATUS_SUCCESS);
	fake_device_log_reset(kfd->device);
	assert_int_equal(kmt_map_memory_to_gpu(kfd->ctx, buffer + 8, PAGE, &va),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(va % PAGE, 8);
	/* A node list is ignored for registered memory, and counted. */
	assert_int_equal(
		kmt_map_memory_to_gpu_nodes(kfd->ctx, buffer + 8, PAGE, &again, none, 1, &node),
		HSAKMT_STATUS_SUCCESS);
	assert_int_equal(again, va);
	assert_string_equal(fake_device_ioctl_sequence(kfd->device), "18");
	assert_string_equal(fake_kfd_mapped(kfd, (void *)(uintptr_t)(va - 8)), "51110 2987");
	assert_int_equal(kmt_unmap_memory_to_gpu(kfd->ctx, buffer + 8), HSAKMT_STATUS_SUCCESS);
	assert_string_equal(fake_device_ioctl_sequence(kfd->device), "18");
	assert_int_equal(kmt_unmap_memory_to_gpu(kfd->ctx, buffer + 8), HSAKMT_STATUS_SUCCESS);
	assert_string_equal(fake_device_ioctl_sequence(kfd->device), "18 19");
	assert_int_equal(deregister(kfd, buffer + 8), HSAKMT_STATUS_SUCCESS);
}

static void registered_nodes_must_stay_the_same(void **state)
{
	struct fake_kfd *kfd = *state;
	HsaPointerInfo info;
	HSAuint64 va = 0;

	assert_int_equal(to_nodes(kfd, buffer, 9, 0, 1), HSAKMT_STATUS_INVALID_NODE_UNIT);
	assert_int_equal(to_nodes(kfd, buffer, GPU, 0, 0), HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(to_nodes(kfd, buffer, PEER, 0, 1), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(to_nodes(kfd, buffer, PEER, 0, 1), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(to_nodes(kfd, buffer, PEER, GPU, 2),
			 HSAKMT_STATUS_MEMORY_ALREADY_REGISTERED);
	assert_int_equal(kmt_register_memory(kfd->ctx, buffer, PAGE),
			 HSAKMT_STATUS_MEMORY_ALREADY_REGISTERED);
	assert_int_equal(kmt_query_pointer_info(kfd->ctx, buffer, &info), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(info.NRegisteredNodes, 1);
	assert_int_equal(info.RegisteredNodes[0], PEER);
	assert_int_equal(kmt_map_memory_to_gpu(kfd->ctx, buffer, PAGE, &va), HSAKMT_STATUS_SUCCESS);
	assert_string_equal(fake_kfd_mapped(kfd, (void *)(uintptr_t)va), "2987");
	assert_int_equal(kmt_query_pointer_info(kfd->ctx, buffer, &info), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(info.NMappedNodes, 1);
	assert_int_equal(info.MappedNodes[0], PEER);
	assert_int_equal(kmt_unmap_memory_to_gpu(kfd->ctx, buffer), HSAKMT_STATUS_SUCCESS);
	for (int i = 0; i < 4; i++) /* the refused ones were counted */
		assert_int_equal(deregister(kfd, buffer), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(fake_kfd_live(kfd), 0);
}

static void allocated_memory_cannot_be_registered(void **state)
{
	struct fake_kfd *kfd = *state;
	HsaMemFlags flags = { 0 };
	void *p = NULL;

	flags.ui32.NonPaged = 1;
	assert_int_equal(kmt_alloc_memory(kfd->ctx, GPU, PAGE, flags, &p), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_register_memory(kfd->ctx, p, PAGE), HSAKMT_STATUS_INVALID_HANDLE);
	assert_int_equal(deregister(kfd, p), HSAKMT_STATUS_MEMORY_NOT_REGISTERED);
	assert_int_equal(kmt_free_memory(kfd->ctx, p, PAGE), HSAKMT_STATUS_SUCCESS);
}

static void flags_decide_on_coherence(void **state)
{
	struct fake_kfd *kfd = *state;
	struct kmt_context *ctx = kfd->ctx;
	HsaMemFlags flags = { 0 };
	HsaPointerInfo info;

	assert_int_equal(kmt_register_memory_with_flags(ctx, buffer, PAGE, flags),
			 HSAKMT_STATUS_NOT_SUPPORTED);
	flags.ui32.HostAccess = 1;
	flags.ui32.NonPaged = 1;
	assert_int_equal(kmt_register_memory_with_flags(ctx, buffer, PAGE, flags),
			 HSAKMT_STATUS_NOT_SUPPORTED);
	flags.ui32.ExtendedCoherent = 1;
	flags.ui32.CoarseGrain = 1;
	assert_int_equal(kmt_register_memory_with_flags(ctx, buffer, PAGE, flags),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	flags.ui32.NonPaged = 0;
	flags.ui32.CoarseGrain = 0;
	assert_int_equal(kmt_register_memory_with_flags(ctx, buffer, PAGE, flags),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_query_pointer_info(ctx, buffer, &info), HSAKMT_STATUS_SUCCESS);
	assert_false(info.MemFlags.ui32.CoarseGrain);
	assert_true(info.MemFlags.ui32.ExtendedCoherent);
	assert_true(fake_kfd_bo(kfd, (void *)(uintptr_t)info.GPUAddress)->flags &
		    KFD_IOC_ALLOC_MEM_FLAGS_EXT_COHERENT);
	assert_int_equal(deregister(kfd, buffer), HSAKMT_STATUS_SUCCESS);
}

static void empty_and_wrapping_ranges_are_refused(void **state)
{
	struct fake_kfd *kfd = *state;

	assert_int_equal(kmt_register_memory(kfd->ctx, NULL, PAGE),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_register_memory(kfd->ctx, buffer, 0), HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_register_memory(kfd->ctx, buffer, UINT64_MAX - 5),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(fake_device_op_calls(kfd->device, FAKE_IOCTL), 0);
}

static void a_refused_registration_leaves_nothing(void **state)
{
	struct fake_kfd *kfd = *state;
	unsigned int maps = fake_device_live_maps(kfd->device);
	HsaPointerInfo info;

	fake_device_fail_next(kfd->device, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, EFAULT);
	assert_int_equal(kmt_register_memory(kfd->ctx, buffer, PAGE), HSAKMT_STATUS_ERROR);
	assert_int_equal(fake_device_live_maps(kfd->device), maps);
	assert_int_equal(kmt_query_pointer_info(kfd->ctx, buffer, &info), HSAKMT_STATUS_ERROR);
}

static void user_data_stays_with_the_object(void **state)
{
	struct fake_kfd *kfd = *state;
	HsaPointerInfo info;

	assert_int_equal(kmt_set_memory_user_data(kfd->ctx, buffer, buffer), HSAKMT_STATUS_ERROR);
	assert_int_equal(kmt_register_memory(kfd->ctx, buffer, PAGE), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_set_memory_user_data(kfd->ctx, buffer, &info), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_query_pointer_info(kfd->ctx, buffer, NULL),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_query_pointer_info(kfd->ctx, buffer, &info), HSAKMT_STATUS_SUCCESS);
	assert_ptr_equal(info.UserData, &info);
	assert_int_equal(deregister(kfd, buffer), HSAKMT_STATUS_SUCCESS);
}

static void a_live_object_is_told_about(const struct kmt_object_info *info, void *data)
{
	if (info->user_ptr == (uintptr_t)buffer + 8)
		*(struct kmt_object_info *)data = *info;
}

static void the_state_dump_sees_what_is_registered_and_mapped(void **state)
{
	struct fake_kfd *kfd = *state;
	struct kmt_object_info info = { 0 };

	assert_int_equal(kmt_register_memory(kfd->ctx, buffer + 8, PAGE), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_map_memory_to_gpu(kfd->ctx, buffer + 8, PAGE, NULL),
			 HSAKMT_STATUS_SUCCESS);
	kmt_fmm_for_each(kfd->ctx, a_live_object_is_told_about, &info);
	assert_int_equal(info.user_size_bytes, PAGE);
	assert_int_equal(info.handle_count, 1);
	assert_int_equal(info.registrations, 1);
	assert_int_equal(info.mappings, 1);
	assert_int_equal(info.mapped_count, 2);
	assert_int_equal(info.mapped_gpus[0], 51110);
	assert_true(info.ioctl_flags & KFD_IOC_ALLOC_MEM_FLAGS_USERPTR);
	assert_int_equal(kmt_unmap_memory_to_gpu(kfd->ctx, buffer + 8), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(deregister(kfd, buffer + 8), HSAKMT_STATUS_SUCCESS);
}

/* --- with SVM --- */

static void is_flag(const struct kfd_ioctl_svm_attribute *attribute, bool set, uint32_t flag)
{
	assert_int_equal(attribute->type,
			 set ? KFD_IOCTL_SVM_ATTR_SET_FLAGS : KFD_IOCTL_SVM_ATTR_CLR_FLAGS);
	assert_int_equal(attribute->value, flag);
}

static void with_svm_registering_sets_attributes_and_makes_no_object(void **state)
{
	struct fake_kfd *kfd = *state;
	HsaMemFlags flags = { 0 };
	HsaPointerInfo info;

	assert_int_equal(kmt_register_memory(kfd->ctx, buffer + 10, PAGE), HSAKMT_STATUS_SUCCESS);
	assert_string_equal(fake_device_ioctl_sequence(kfd->device), "20");
	assert_int_equal(kfd->svm[0].start, (uintptr_t)buffer);
	assert_int_equal(kfd->svm[0].size_bytes, 2 * PAGE);
	assert_int_equal(kfd->svm[0].count, 2);
	is_flag(&kfd->svm[0].attributes[0], false, KFD_IOCTL_SVM_FLAG_COHERENT);
	is_flag(&kfd->svm[0].attributes[1], false, KFD_IOCTL_SVM_FLAG_EXT_COHERENT);
	flags.ui32.HostAccess = 1;
	flags.ui32.ExtendedCoherent = 1;
	assert_int_equal(kmt_register_memory_with_flags(kfd->ctx, buffer, PAGE, flags),
			 HSAKMT_STATUS_SUCCESS);
	is_flag(&kfd->svm[1].attributes[0], true, KFD_IOCTL_SVM_FLAG_COHERENT);
	is_flag(&kfd->svm[1].attributes[1], true, KFD_IOCTL_SVM_FLAG_EXT_COHERENT);
	assert_int_equal(kmt_query_pointer_info(kfd->ctx, buffer, &info), HSAKMT_STATUS_ERROR);
	assert_int_equal(deregister(kfd, buffer), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kfd->svm_count, 2); /* the other registration is left */
	assert_int_equal(deregister(kfd, buffer), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kfd->svm_count, 3);
	assert_int_equal(kfd->svm[2].start, (uintptr_t)buffer);
	assert_int_equal(kfd->svm[2].size_bytes, 2 * PAGE); /* the larger span */
	assert_int_equal(kfd->svm[2].count, 4);
	assert_int_equal(kfd->svm[2].attributes[0].type, KFD_IOCTL_SVM_ATTR_NO_ACCESS);
	assert_int_equal(kfd->svm[2].attributes[0].value, 51110);
	assert_int_equal(kfd->svm[2].attributes[1].value, 2987);
	is_flag(&kfd->svm[2].attributes[2], false, KFD_IOCTL_SVM_FLAG_COHERENT);
	is_flag(&kfd->svm[2].attributes[3], false, KFD_IOCTL_SVM_FLAG_EXT_COHERENT);
	assert_int_equal(deregister(kfd, buffer), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kfd->svm_count, 3);
}

static void with_svm_only_uncovered_parts_are_revoked(void **state)
{
	struct fake_kfd *kfd = *state;

	assert_int_equal(kmt_register_memory(kfd->ctx, buffer, 8 * PAGE), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_register_memory(kfd->ctx, buffer + 2 * PAGE, PAGE),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_register_memory(kfd->ctx, buffer + 7 * PAGE, 3 * PAGE),
			 HSAKMT_STATUS_SUCCESS);
	kfd->svm_count = 0;
	assert_int_equal(deregister(kfd, buffer + 17), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kfd->svm_count, 2);
	assert_int_equal(kfd->svm[0].start, (uintptr_t)buffer);
	assert_int_equal(kfd->svm[0].size_bytes, 2 * PAGE);
	assert_int_equal(kfd->svm[1].start, (uintptr_t)buffer + 3 * PAGE);
	assert_int_equal(kfd->svm[1].size_bytes, 4 * PAGE);
	assert_int_equal(deregister(kfd, buffer + 2 * PAGE), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(deregister(kfd, buffer + 7 * PAGE), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kfd->svm_count, 4);
}

static void with_svm_a_refusal_falls_back_to_a_buffer(void **state)
{
	struct fake_kfd *kfd = *state;
	HsaPointerInfo info;

	fake_device_fail_next(kfd->device, AMDKFD_IOC_SVM, EINVAL);
	assert_int_equal(kmt_register_memory(kfd->ctx, buffer, PAGE), HSAKMT_STATUS_SUCCESS);
	assert_string_equal(fake_device_ioctl_sequence(kfd->device), "20 16");
	assert_int_equal(kmt_query_pointer_info(kfd->ctx, buffer, &info), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(deregister(kfd, buffer), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(fake_kfd_live(kfd), 0);
	kfd->svm_count = 0;
	assert_int_equal(deregister(kfd, buffer), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kfd->svm_count, 0); /* the failed one left no record */
}

#define CASE(f)          cmocka_unit_test_setup_teardown(f, setup, teardown)
#define CASE_SVM(f)      cmocka_unit_test_setup_teardown(f, setup_svm, teardown)
#define CASE_RESERVED(f) cmocka_unit_test_setup_teardown(f, setup_reserved, teardown)

/* The range that the library manages itself is not looked at as other memory is. */
static void a_part_of_the_reserved_range_is_registered_as_any_memory(void **state)
{
	struct fake_kfd *kfd = *state;
	HsaMemFlags flags = { 0 };
	HsaPointerInfo info;
	char *p = NULL;

	if (FAKE_KFD_SANITIZED)
		skip();
	flags.ui32.HostAccess = 1;
	flags.ui32.NonPaged = 1;
	assert_int_equal(kmt_alloc_memory(kfd->ctx, GPU, 4 * PAGE, flags, (void **)&p),
			 HSAKMT_STATUS_SUCCESS);
	for (int i = 0; i < 2; i++)
		assert_int_equal(kmt_register_memory(kfd->ctx, p + 2 * PAGE, PAGE),
				 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(fake_kfd_live(kfd), 2);
	assert_int_equal(kmt_query_pointer_info(kfd->ctx, p + 2 * PAGE, &info),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(info.SizeInBytes, 4 * PAGE); /* the allocation, as everywhere in it */
	assert_int_equal(deregister(kfd, p + 2 * PAGE), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(fake_kfd_live(kfd), 2);
	assert_int_equal(deregister(kfd, p + 2 * PAGE), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(deregister(kfd, p + 2 * PAGE), HSAKMT_STATUS_MEMORY_NOT_REGISTERED);
	assert_int_equal(kmt_free_memory(kfd->ctx, p, PAGE), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(fake_kfd_live(kfd), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_user_pointer_gets_a_buffer_on_the_first_gpu),
		CASE(registrations_of_the_same_range_are_counted),
		CASE(another_size_is_another_registration),
		CASE(overlapping_registrations_are_all_found),
		CASE(mappings_of_user_memory_are_counted),
		CASE(registered_nodes_must_stay_the_same),
		CASE(allocated_memory_cannot_be_registered),
		CASE(flags_decide_on_coherence),
		CASE(empty_and_wrapping_ranges_are_refused),
		CASE(a_refused_registration_leaves_nothing),
		CASE_RESERVED(a_part_of_the_reserved_range_is_registered_as_any_memory),
		CASE(user_data_stays_with_the_object),
		CASE(the_state_dump_sees_what_is_registered_and_mapped),
		CASE_SVM(with_svm_registering_sets_attributes_and_makes_no_object),
		CASE_SVM(with_svm_only_uncovered_parts_are_revoked),
		CASE_SVM(with_svm_a_refusal_falls_back_to_a_buffer),
	};

	return cmocka_run_group_tests_name("thunk/memory/registration", tests, NULL, NULL);
}
