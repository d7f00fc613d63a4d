/* SPDX-License-Identifier: MIT */
/* Render nodes, libdrm devices, and the requests that go through them (openclose.md 5). */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fake_modules.h"
#include "fake_open.h"
#include "openclose/openclose.h"
#include "render/render.h"
#include "topology/acquire.h"

static int setup(void **state)
{
	fake_modules_reset();
	*state = fake_open_prepare("b.tree");
	return 0;
}

static int teardown(void **state)
{
	fake_open_finish(*state);
	return 0;
}

static void open_and_acquire(void)
{
	HsaSystemProperties system;

	assert_int_equal(kmt_open_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_acquire_system_properties(kmt_primary(), &system),
			 HSAKMT_STATUS_SUCCESS);
}

static void a_node_is_opened_once_and_keeps_its_descriptor(void **state)
{
	struct fake_device *fake = *state;
	int fd;

	open_and_acquire();
	fd = kmt_render_open(kmt_primary(), 128);
	assert_true(fd > 0);
	assert_string_equal(fake_device_fd_path(fake, fd), "/dev/dri/renderD128");
	assert_int_equal(kmt_render_open(kmt_primary(), 128), fd);
	assert_int_not_equal(kmt_render_open(kmt_primary(), 129), fd);
	assert_int_equal(fake_device_drm_calls(fake, DEVICE_DRM_OPEN_RENDER), 2);
}

static void minors_out_of_range_are_refused(void **state)
{
	(void)state;
	open_and_acquire();
	assert_int_equal(kmt_render_open(kmt_primary(), 0), -EINVAL);
	assert_int_equal(kmt_render_open(kmt_primary(), 127), -EINVAL);
	assert_int_equal(kmt_render_open(kmt_primary(), 256), -EINVAL);
	assert_int_equal(kmt_render_open(NULL, 128), -EINVAL);
	assert_null(kmt_render_drm_device(kmt_primary(), 256));
	assert_null(kmt_render_drm_device(NULL, 128));
	assert_true(kmt_render_open(kmt_primary(), 255) > 0);
}

static void a_failed_open_says_why_and_can_be_repeated(void **state)
{
	struct fake_device *fake = *state;

	open_and_acquire();
	fake_device_set_render_errno(fake, 140, EACCES);
	assert_int_equal(kmt_render_open(kmt_primary(), 140), -EACCES);
	fake_device_set_render_errno(fake, 140, 0);
	assert_true(kmt_render_open(kmt_primary(), 140) > 0);
}

/* KFD and libdrm must use one DRM file, and libdrm keeps a copy of the first descriptor. */
static void libdrms_own_descriptor_is_used(void **state)
{
	struct fake_device *fake = *state;
	union device_drm_args args;
	int fd;

	open_and_acquire();
	fd = kmt_render_open(kmt_primary(), 128);
	args.device_get_fd.dev = kmt_render_drm_device(kmt_primary(), 128);
	assert_non_null(args.device_get_fd.dev);
	assert_int_equal(kmt_drm(kmt_primary(), DEVICE_DRM_DEVICE_GET_FD, &args), 0);
	assert_int_equal(args.device_get_fd.fd, fd);
	/* the KFD and one descriptor per GPU: none is held twice */
	assert_int_equal(fake_device_live_fds(fake), 3);
}

static int same_fd(struct fake_device *fake, enum device_drm_cmd cmd, union device_drm_args *args,
		   void *data)
{
	(void)fake;
	if (cmd == DEVICE_DRM_DEVICE_INITIALIZE) {
		args->device_initialize.dev = data;
		*(int *)data = args->device_initialize.fd;
	} else if (cmd == DEVICE_DRM_DEVICE_GET_FD) {
		args->device_get_fd.fd = *(int *)args->device_get_fd.dev;
	}
	return 0;
}

static void a_device_that_makes_no_copy_leaves_ours_in_use(void **state)
{
	struct fake_device *fake = *state;
	int device_fd = -1;

	fake_device_on_drm(fake, DEVICE_DRM_DEVICE_INITIALIZE, same_fd, &device_fd);
	fake_device_on_drm(fake, DEVICE_DRM_DEVICE_GET_FD, same_fd, &device_fd);
	fake_device_on_drm(fake, DEVICE_DRM_DEVICE_DEINITIALIZE, same_fd, &device_fd);
	fake_device_on_drm(fake, DEVICE_DRM_QUERY_GPU_INFO, same_fd, &device_fd);
	fake_device_set_render_errno(fake, 129, ENOENT);
	open_and_acquire();
	assert_true(fake_device_fd_is_live(fake, kmt_render_open(kmt_primary(), 128)));
	assert_ptr_equal(kmt_render_drm_device(kmt_primary(), 128), &device_fd);
	fake_open_reset();
	assert_int_equal(fake_device_live_fds(fake), 0);
}

static void an_old_libdrm_leaves_ours_in_use_beside_its_device(void **state)
{
	struct fake_device *fake = *state;

	fake_device_set_render_errno(fake, 129, ENOENT);
	fake_device_fail_next_drm(fake, DEVICE_DRM_DEVICE_GET_FD, ENOSYS);
	open_and_acquire();
	assert_true(fake_device_fd_is_live(fake, kmt_render_open(kmt_primary(), 128)));
	assert_non_null(kmt_render_drm_device(kmt_primary(), 128));
	fake_open_reset();
	assert_int_equal(fake_device_live_fds(fake), 0);
	assert_int_equal(fake_device_live_drm_devices(fake), 0);
}

static void a_device_without_a_descriptor_is_given_up(void **state)
{
	struct fake_device *fake = *state;

	fake_device_set_render_errno(fake, 129, ENOENT);
	fake_device_fail_next_drm(fake, DEVICE_DRM_DEVICE_GET_FD, EBADF);
	open_and_acquire();
	assert_true(fake_device_fd_is_live(fake, kmt_render_open(kmt_primary(), 128)));
	assert_null(kmt_render_drm_device(kmt_primary(), 128));
	assert_int_equal(fake_device_live_drm_devices(fake), 0);
	assert_int_equal(fake_device_live_fds(fake), 2);
}

static void handles_are_given_for_gpus_only(void **state)
{
	HsaAMDGPUDeviceHandle handle = *state;

	open_and_acquire();
	assert_int_equal(kmt_get_amdgpu_device_handle(kmt_primary(), 0, &handle),
			 HSAKMT_STATUS_INVALID_NODE_UNIT);
	assert_int_equal(kmt_get_amdgpu_device_handle(kmt_primary(), 3, &handle),
			 HSAKMT_STATUS_INVALID_NODE_UNIT);
	assert_ptr_equal(handle, *state);
	assert_int_equal(kmt_get_amdgpu_device_handle(kmt_primary(), 2, &handle),
			 HSAKMT_STATUS_SUCCESS);
	assert_ptr_equal(handle, kmt_render_drm_device(kmt_primary(), 129));
}

static void a_gpu_without_a_libdrm_device_has_no_handle(void **state)
{
	HsaAMDGPUDeviceHandle handle = *state;

	fake_device_fail_next_drm(*state, DEVICE_DRM_DEVICE_INITIALIZE, EIO);
	open_and_acquire();
	assert_int_equal(kmt_get_amdgpu_device_handle(kmt_primary(), 1, &handle),
			 HSAKMT_STATUS_INVALID_HANDLE);
	assert_ptr_equal(handle, *state);
	assert_int_equal(kmt_set_sigbus_delay(kmt_primary(), 1, 10), HSAKMT_STATUS_NOT_SUPPORTED);
}

static void the_descriptor_of_a_handle_is_the_render_nodes(void **state)
{
	HsaAMDGPUDeviceHandle handle = NULL;
	int fd = -7;

	(void)state;
	open_and_acquire();
	assert_int_equal(kmt_get_amdgpu_device_handle(kmt_primary(), 1, &handle),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_get_amd_gpu_device_fd(kmt_primary(), handle, &fd),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(fd, kmt_render_open(kmt_primary(), 128));
}

static void unknown_handles_never_reach_libdrm(void **state)
{
	struct fake_device *fake = *state;
	int fd = -7;

	open_and_acquire();
	fake_device_log_reset(fake);
	assert_int_equal(kmt_get_amd_gpu_device_fd(kmt_primary(), NULL, &fd), HSAKMT_STATUS_ERROR);
	assert_int_equal(kmt_get_amd_gpu_device_fd(kmt_primary(), &fd, &fd), HSAKMT_STATUS_ERROR);
	assert_int_equal(fd, -7);
	assert_int_equal(fake_device_op_calls(fake, FAKE_DRM), 0);
}

struct command_seen {
	int fd, result;
	unsigned long command;
	uint32_t data[2];
};

static int keep_command(struct fake_device *fake, enum device_drm_cmd cmd,
			union device_drm_args *args, void *data)
{
	struct command_seen *seen = data;

	(void)fake, (void)cmd;
	seen->fd = args->command_write_read.fd;
	seen->command = args->command_write_read.command;
	assert_int_equal(args->command_write_read.size_bytes, sizeof(seen->data));
	memcpy(seen->data, args->command_write_read.data, sizeof(seen->data));
	return seen->result;
}

static void the_sigbus_delay_goes_to_the_drm_driver(void **state)
{
	struct command_seen seen = { 0 };

	fake_device_on_drm(*state, DEVICE_DRM_COMMAND_WRITE_READ, keep_command, &seen);
	open_and_acquire();
	assert_int_equal(kmt_set_sigbus_delay(kmt_primary(), 2, 250), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(seen.fd, kmt_render_open(kmt_primary(), 129));
	assert_int_equal(seen.command, 0x1a);
	assert_int_equal(seen.data[0], 0);
	assert_int_equal(seen.data[1], 250);
	seen.result = -EINVAL; /* a driver that knows no such command */
	assert_int_equal(kmt_set_sigbus_delay(kmt_primary(), 2, 250), HSAKMT_STATUS_NOT_SUPPORTED);
	assert_int_equal(kmt_set_sigbus_delay(kmt_primary(), 0, 250), HSAKMT_STATUS_NOT_SUPPORTED);
	assert_int_equal(kmt_set_sigbus_delay(kmt_primary(), 9, 250), HSAKMT_STATUS_NOT_SUPPORTED);
}

static void persisting_cache_is_refused_after_its_checks(void **state)
{
	struct fake_device *fake = *state;

	open_and_acquire();
	fake_device_log_reset(fake);
	assert_int_equal(kmt_set_persisting_cache_size(kmt_primary(), 0, 1),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_set_persisting_cache_size(kmt_primary(), 3, 1),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_set_persisting_cache_size(kmt_primary(), 1, 0x100000000),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_set_persisting_cache_size(kmt_primary(), 1, 0xffffffff),
			 HSAKMT_STATUS_ERROR);
	assert_int_equal(fake_device_op_calls(fake, FAKE_DRM), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_node_is_opened_once_and_keeps_its_descriptor),
		TEST(minors_out_of_range_are_refused),
		TEST(a_failed_open_says_why_and_can_be_repeated),
		TEST(libdrms_own_descriptor_is_used),
		TEST(a_device_that_makes_no_copy_leaves_ours_in_use),
		TEST(an_old_libdrm_leaves_ours_in_use_beside_its_device),
		TEST(a_device_without_a_descriptor_is_given_up),
		TEST(handles_are_given_for_gpus_only),
		TEST(a_gpu_without_a_libdrm_device_has_no_handle),
		TEST(the_descriptor_of_a_handle_is_the_render_nodes),
		TEST(unknown_handles_never_reach_libdrm),
		TEST(the_sigbus_delay_goes_to_the_drm_driver),
		TEST(persisting_cache_is_refused_after_its_checks),
	};

	return cmocka_run_group_tests_name("thunk/render", tests, NULL, NULL);
}
