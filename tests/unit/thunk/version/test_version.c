/* SPDX-License-Identifier: MIT */
/* Version, SMI stream and model query: the small entries. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fake_modules.h"
#include "fake_open.h"
#include "hsakmt/linux/kfd_ioctl.h"
#include "model_query/model_query.h"
#include "openclose/openclose.h"
#include "smi/smi.h"
#include "topology/acquire.h"
#include "version/version.h"

static int setup(void **state)
{
	fake_modules_reset();
	*state = fake_open_prepare("a.tree");
	return 0;
}

static int teardown(void **state)
{
	fake_open_finish(*state);
	return 0;
}

static void the_version_is_remembered_from_the_open(void **state)
{
	struct fake_device *fake = *state;
	HsaVersionInfo version = { 0 };

	fake_device_set_version(fake, 1, 14);
	assert_int_equal(kmt_open_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
	fake_device_log_reset(fake);
	assert_int_equal(kmt_get_version(kmt_primary(), &version), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(version.KernelInterfaceMajorVersion, 1);
	assert_int_equal(version.KernelInterfaceMinorVersion, 14);
	assert_int_equal(fake_device_op_calls(fake, FAKE_IOCTL), 0);
	assert_true(kmt_kfd_at_least(14));
	assert_false(kmt_kfd_at_least(15));
}

static int ioctl_smi(struct fake_device *fake, int fd, unsigned long request, void *arg, void *data)
{
	struct kfd_ioctl_smi_events_args *args = arg;

	(void)fd, (void)request, (void)data;
	if (!args->gpuid)
		return -EINVAL;
	args->anon_fd = (uint32_t)fake_device_new_fd(fake, "smi");
	return 0;
}

static void the_smi_stream_of_a_gpu_is_opened(void **state)
{
	struct fake_device *fake = *state;
	const struct kfd_ioctl_smi_events_args *seen;
	HsaSystemProperties system;
	int fd = -7;

	fake_device_on_ioctl(fake, AMDKFD_IOC_SMI_EVENTS, ioctl_smi, NULL);
	assert_int_equal(kmt_open_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_open_smi(kmt_primary(), 1, &fd), HSAKMT_STATUS_INVALID_NODE_UNIT);
	assert_int_equal(kmt_acquire_system_properties(kmt_primary(), &system),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_open_smi(kmt_primary(), 0, &fd), HSAKMT_STATUS_ERROR);
	assert_int_equal(kmt_open_smi(kmt_primary(), 2, &fd), HSAKMT_STATUS_INVALID_NODE_UNIT);
	assert_int_equal(fd, -7);
	assert_int_equal(kmt_open_smi(kmt_primary(), 1, &fd), HSAKMT_STATUS_SUCCESS);
	assert_string_equal(fake_device_fd_path(fake, fd), "smi");
	seen = (const void *)fake_device_last(fake, AMDKFD_IOC_SMI_EVENTS)->arg;
	assert_int_equal(seen->gpuid, 40961);
	fake_device_fail_next(fake, AMDKFD_IOC_SMI_EVENTS, ENOMEM);
	assert_int_equal(kmt_open_smi(kmt_primary(), 1, &fd), HSAKMT_STATUS_ERROR);
}

static void hardware_is_no_model(void **state)
{
	bool enabled = true;

	(void)state;
	assert_int_equal(kmt_model_enabled(kmt_primary(), &enabled), HSAKMT_STATUS_SUCCESS);
	assert_false(enabled);
	assert_int_equal(kmt_open_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
	enabled = true;
	assert_int_equal(kmt_model_enabled(kmt_primary(), &enabled), HSAKMT_STATUS_SUCCESS);
	assert_false(enabled);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(the_version_is_remembered_from_the_open),
		TEST(the_smi_stream_of_a_gpu_is_opened),
		TEST(hardware_is_no_model),
	};

	return cmocka_run_group_tests_name("thunk/version", tests, NULL, NULL);
}
