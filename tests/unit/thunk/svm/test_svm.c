/* SPDX-License-Identifier: MIT */
/* SVM attributes with node ids, and the XNACK mode. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fake_kfd.h"
#include "svm/attributes.h"
#include "svm/svm.h"

#define PAGE 4096ull
#define GPU  1u
#define PEER 2u

static char buffer[4 * PAGE] __attribute__((aligned(4096)));

static int setup(void **state)
{
	*state = fake_kfd_open("b.tree");
	return 0;
}

static int teardown(void **state)
{
	fake_kfd_close(*state);
	return 0;
}

static HSAKMT_STATUS set_one(struct fake_kfd *kfd, uint32_t type, uint32_t value)
{
	HSA_SVM_ATTRIBUTE attribute = { .type = type, .value = value };

	return kmt_svm_set_attr(kfd->ctx, buffer, PAGE, 1, &attribute);
}

static void nodes_become_gpu_ids_on_the_way_in(void **state)
{
	static const struct {
		uint32_t type, value, expected;
	} table[] = {
		{ HSA_SVM_ATTR_PREFERRED_LOC, GPU, 51110 },
		{ HSA_SVM_ATTR_PREFERRED_LOC, 0, KFD_IOCTL_SVM_LOCATION_SYSMEM },
		{ HSA_SVM_ATTR_PREFERRED_LOC, INVALID_NODEID, KFD_IOCTL_SVM_LOCATION_UNDEFINED },
		{ HSA_SVM_ATTR_PREFETCH_LOC, PEER, 2987 },
		{ HSA_SVM_ATTR_ACCESS, GPU, 51110 },
		{ HSA_SVM_ATTR_ACCESS_IN_PLACE, PEER, 2987 },
		{ HSA_SVM_ATTR_NO_ACCESS, GPU, 51110 },
		{ HSA_SVM_ATTR_SET_FLAGS, 5, 5 },
		{ HSA_SVM_ATTR_CLR_FLAGS, 9, 9 },
		{ HSA_SVM_ATTR_GRANULARITY, 7, 7 },
	};
	struct fake_kfd *kfd = *state;

	for (uint32_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		assert_int_equal(set_one(kfd, table[i].type, table[i].value),
				 HSAKMT_STATUS_SUCCESS);
		assert_int_equal(kfd->svm[i].op, KFD_IOCTL_SVM_OP_SET_ATTR);
		assert_int_equal(kfd->svm[i].attributes[0].type, table[i].type);
		assert_int_equal(kfd->svm[i].attributes[0].value, table[i].expected);
	}
}

static void wrong_nodes_and_ranges_are_refused(void **state)
{
	struct fake_kfd *kfd = *state;
	HSA_SVM_ATTRIBUTE attribute = { .type = HSA_SVM_ATTR_ACCESS, .value = GPU };
	struct kmt_context *ctx = kfd->ctx;

	assert_int_equal(set_one(kfd, HSA_SVM_ATTR_ACCESS, 0), HSAKMT_STATUS_INVALID_NODE_UNIT);
	assert_int_equal(set_one(kfd, HSA_SVM_ATTR_ACCESS, 9), HSAKMT_STATUS_INVALID_NODE_UNIT);
	assert_int_equal(set_one(kfd, HSA_SVM_ATTR_PREFETCH_LOC, 9),
			 HSAKMT_STATUS_INVALID_NODE_UNIT);
	assert_int_equal(kmt_svm_set_attr(ctx, NULL, PAGE, 1, &attribute),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_svm_set_attr(ctx, buffer, 0, 1, &attribute),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_svm_set_attr(ctx, buffer + 1, PAGE, 1, &attribute),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_svm_get_attr(ctx, buffer, PAGE + 1, 1, &attribute),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_svm_get_attr(ctx, buffer, PAGE, 1, NULL),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kfd->svm_count, 0);
}

static void as_many_attributes_as_an_ioctl_can_carry_are_taken(void **state)
{
	HSA_SVM_ATTRIBUTE *attributes = calloc(SVM_ATTRIBUTE_LIMIT + 1, sizeof(*attributes));
	struct fake_kfd *kfd = *state;

	assert_non_null(attributes);
	for (size_t i = 0; i <= SVM_ATTRIBUTE_LIMIT; i++)
		attributes[i].type = HSA_SVM_ATTR_GRANULARITY;
	assert_int_equal(kmt_svm_set_attr(kfd->ctx, buffer, PAGE, SVM_ATTRIBUTE_LIMIT, attributes),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kfd->svm[0].count, SVM_ATTRIBUTE_LIMIT);
	assert_int_equal(
		kmt_svm_set_attr(kfd->ctx, buffer, PAGE, SVM_ATTRIBUTE_LIMIT + 1, attributes),
		HSAKMT_STATUS_INVALID_PARAMETER);
	free(attributes);
}

static void answers_are_node_ids(void **state)
{
	struct fake_kfd *kfd = *state;
	HSA_SVM_ATTRIBUTE attributes[] = {
		{ HSA_SVM_ATTR_PREFERRED_LOC, 1234 }, /* not an input */
		{ HSA_SVM_ATTR_PREFETCH_LOC, 0 },
		{ HSA_SVM_ATTR_ACCESS, PEER },
		{ HSA_SVM_ATTR_GRANULARITY, 9 },
	};

	assert_int_equal(kmt_svm_get_attr(kfd->ctx, buffer, PAGE, 4, attributes),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kfd->svm[0].attributes[2].value, 2987);
	assert_int_equal(attributes[0].value, GPU);
	assert_int_equal(attributes[1].value, INVALID_NODEID);
	assert_int_equal(attributes[2].type, HSA_SVM_ATTR_NO_ACCESS); /* the kernel's answer */
	assert_int_equal(attributes[2].value, PEER);
	assert_int_equal(attributes[3].value, 9);
}

static void a_refused_query_leaves_the_attributes_alone(void **state)
{
	struct fake_kfd *kfd = *state;
	HSA_SVM_ATTRIBUTE attribute = { .type = HSA_SVM_ATTR_ACCESS, .value = PEER };

	fake_device_fail_next(kfd->device, AMDKFD_IOC_SVM, EFAULT);
	assert_int_equal(kmt_svm_get_attr(kfd->ctx, buffer, PAGE, 1, &attribute),
			 HSAKMT_STATUS_ERROR);
	assert_int_equal(attribute.type, HSA_SVM_ATTR_ACCESS);
	assert_int_equal(attribute.value, PEER);
	kfd->gpu_ids[0] = 4711; /* a GPU that is not in the snapshot */
	attribute.type = HSA_SVM_ATTR_PREFERRED_LOC;
	assert_int_equal(kmt_svm_get_attr(kfd->ctx, buffer, PAGE, 1, &attribute),
			 HSAKMT_STATUS_INVALID_NODE_UNIT);
	assert_int_equal(attribute.value, PEER);
}

static void the_xnack_mode_is_set_and_asked_by_one_ioctl(void **state)
{
	struct fake_kfd *kfd = *state;
	HSAint32 mode = -7;

	assert_int_equal(kmt_get_xnack_mode(kfd->ctx, NULL), HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_set_xnack_mode(kfd->ctx, 1), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_get_xnack_mode(kfd->ctx, &mode), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(mode, 1);
	fake_device_fail_next(kfd->device, AMDKFD_IOC_SET_XNACK_MODE, EPERM);
	assert_int_equal(kmt_set_xnack_mode(kfd->ctx, 0), HSAKMT_STATUS_NOT_SUPPORTED);
	fake_device_fail_next(kfd->device, AMDKFD_IOC_SET_XNACK_MODE, EBUSY);
	assert_int_equal(kmt_set_xnack_mode(kfd->ctx, 0), HSAKMT_STATUS_ERROR);
	fake_device_fail_next(kfd->device, AMDKFD_IOC_SET_XNACK_MODE, EBUSY);
	assert_int_equal(kmt_get_xnack_mode(kfd->ctx, &mode), HSAKMT_STATUS_ERROR);
	assert_int_equal(mode, 1);
}

static void old_kernels_and_closed_contexts_are_told_apart(void **state)
{
	struct fake_kfd *kfd = fake_kfd_prepare("a.tree");
	HSAint32 mode = 0;

	(void)state;
	assert_int_equal(kmt_get_xnack_mode(kfd->ctx, &mode),
			 HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
	assert_int_equal(kmt_svm_set_attr(kfd->ctx, buffer, PAGE, 0, NULL),
			 HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
	fake_device_set_version(kfd->device, 1, 4);
	assert_int_equal(fake_kfd_acquire(kfd), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_get_xnack_mode(kfd->ctx, &mode), HSAKMT_STATUS_NOT_SUPPORTED);
	assert_int_equal(kmt_svm_set_attr(kfd->ctx, buffer, PAGE, 0, NULL),
			 HSAKMT_STATUS_NOT_SUPPORTED);
	fake_kfd_close(kfd);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(nodes_become_gpu_ids_on_the_way_in),
		CASE(wrong_nodes_and_ranges_are_refused),
		CASE(as_many_attributes_as_an_ioctl_can_carry_are_taken),
		CASE(answers_are_node_ids),
		CASE(a_refused_query_leaves_the_attributes_alone),
		CASE(the_xnack_mode_is_set_and_asked_by_one_ioctl),
		cmocka_unit_test(old_kernels_and_closed_contexts_are_told_apart),
	};

	return cmocka_run_group_tests_name("thunk/svm/svm", tests, NULL, NULL);
}
