/* SPDX-License-Identifier: MIT */
/* Opening and closing the primary context (openclose.md 2 and 3). */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "clock/clock.h"
#include "fake_modules.h"
#include "fake_open.h"
#include "hsakmt/linux/kfd_ioctl.h"
#include "model_query/model_query.h"
#include "openclose/openclose.h"
#include "openclose/process.h"
#include "render/render.h"
#include "smi/smi.h"
#include "topology/acquire.h"
#include "topology/getters.h"
#include "topology/topology.h"
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
	return fake_modules.live_fmms || fake_modules.live_queues || fake_modules.live_events ||
	       fake_modules.live_debugs || fake_modules.live_perfs;
}

static void opening_asks_for_the_version_and_nothing_else(void **state)
{
	struct fake_device *fake = *state;

	assert_int_equal(kmt_open_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
	assert_string_equal(fake_device_ioctl_sequence(fake), "01");
	assert_int_equal(fake_device_op_calls(fake, FAKE_OPEN_KFD), 1);
	assert_true(kmt_context_usable(kmt_primary()));
	assert_int_equal(kmt_process()->kfd_minor, 22);
	assert_int_equal(kmt_process()->page_size_bytes, 1u << kmt_process()->page_shift);
	assert_int_equal(fake_modules.perf_node_count, 2);
}

static void opening_opens_the_render_nodes(void **state)
{
	struct fake_device *fake = *state;

	assert_int_equal(kmt_open_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(fake_device_drm_calls(fake, DEVICE_DRM_OPEN_RENDER), 1);
	assert_int_equal(fake_device_live_drm_devices(fake), 1);
	assert_int_equal(fake_device_live_fds(fake), 2);
}

static void a_second_open_is_counted_and_says_so(void **state)
{
	struct kmt_context *ctx = NULL;

	(void)state;
	assert_int_equal(kmt_open_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_open_kfd(kmt_primary()), HSAKMT_STATUS_KERNEL_ALREADY_OPENED);
	assert_int_equal(kmt_open_kfd_ctx(&ctx), HSAKMT_STATUS_KERNEL_ALREADY_OPENED);
	assert_ptr_equal(ctx, kmt_primary());
	assert_int_equal(kmt_close_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_close_kfd_ctx(), HSAKMT_STATUS_SUCCESS);
	assert_true(kmt_context_usable(kmt_primary()));
	assert_int_equal(kmt_close_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
	assert_false(kmt_context_usable(kmt_primary()));
	assert_int_equal(kmt_close_kfd(kmt_primary()), HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
}

static void closing_what_is_not_open_is_refused(void **state)
{
	(void)state;
	assert_int_equal(kmt_close_kfd(kmt_primary()), HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
	assert_int_equal(kmt_close_kfd_ctx(), HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
}

static void other_contexts_and_null_are_no_primary(void **state)
{
	struct kmt_context other = { .fd = -1 };

	(void)state;
	assert_int_equal(kmt_open_kfd(NULL), HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_open_kfd(&other), HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_open_kfd_ctx(NULL), HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_close_kfd(NULL), HSAKMT_STATUS_INVALID_PARAMETER);
}

/* What a refused open must leave: nothing, and the possibility of another try. */
static void check_refused(struct fake_device *fake, HSAKMT_STATUS expected)
{
	struct kmt_context *ctx = (struct kmt_context *)fake;

	assert_int_equal(kmt_open_kfd_ctx(&ctx), expected);
	assert_ptr_equal(ctx, fake);
	assert_false(kmt_context_usable(kmt_primary()));
	assert_int_equal(kmt_primary()->fd, -1);
	assert_int_equal(fake_device_live_fds(fake), 0);
	assert_int_equal(fake_device_live_drm_devices(fake), 0);
	assert_int_equal(kmt_close_kfd(kmt_primary()), HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
}

static void each_refusal_has_its_status_and_leaves_nothing(void **state)
{
	struct fake_device *fake = *state;

	fake_modules.fail_new_fmm = true;
	check_refused(fake, HSAKMT_STATUS_NO_MEMORY);
	fake_modules.fail_new_fmm = false;
	fake_device_fail_op(fake, FAKE_OPEN_KFD, 0, ENOENT);
	check_refused(fake, HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
	fake_device_fail_next(fake, AMDKFD_IOC_GET_VERSION, EFAULT);
	check_refused(fake, HSAKMT_STATUS_ERROR);
	fake_device_set_version(fake, 2, 0);
	check_refused(fake, HSAKMT_STATUS_DRIVER_MISMATCH);
	fake_device_set_version(fake, 1, 8);
	fake_device_set_render_errno(fake, 128, EACCES);
	check_refused(fake, HSAKMT_STATUS_ERROR);
	fake_device_set_render_errno(fake, 128, 0);
	assert_int_equal(kmt_open_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_process()->kfd_minor, 8);
}

static void whichever_call_fails_nothing_stays_open(void **state)
{
	struct fake_device *fake = *state;
	bool failed = true;

	for (unsigned int n = 1; failed; n++) {
		HSAKMT_STATUS status;

		fake_device_fail_nth(fake, n, EIO);
		status = kmt_open_kfd(kmt_primary());
		failed = fake_device_failed(fake);
		fake_device_fail_nth(fake, 0, 0);
		if (status == HSAKMT_STATUS_SUCCESS) {
			/* Either nothing failed, or it was libdrm, which is not needed. */
			fake_open_reset();
		}
		assert_int_equal(fake_device_live_fds(fake), 0);
		assert_int_equal(fake_device_live_drm_devices(fake), 0);
		assert_true(n < 100);
	}
}

static void missing_debug_and_counter_tables_are_no_failure(void **state)
{
	(void)state;
	fake_modules.fail_new_debug = true;
	fake_modules.fail_new_perf = true;
	assert_int_equal(kmt_open_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
}

static void the_descriptors_outlive_the_last_close(void **state)
{
	struct fake_device *fake = *state;
	int fd, render_fd;

	assert_int_equal(kmt_open_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
	fd = kmt_primary()->fd;
	render_fd = kmt_render_open(kmt_primary(), 128);
	assert_int_equal(kmt_close_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
	assert_true(fake_device_fd_is_live(fake, fd));
	assert_true(fake_device_fd_is_live(fake, render_fd));
	assert_int_equal(kmt_open_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_primary()->fd, fd);
	assert_int_equal(kmt_render_open(kmt_primary(), 128), render_fd);
	assert_int_equal(fake_device_op_calls(fake, FAKE_OPEN_KFD), 1);
}

static void a_reopen_that_fails_keeps_the_descriptors(void **state)
{
	struct fake_device *fake = *state;
	unsigned int live;

	assert_int_equal(kmt_open_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
	live = fake_device_live_fds(fake);
	assert_int_equal(kmt_close_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
	fake_device_fail_next(fake, AMDKFD_IOC_GET_VERSION, EIO);
	assert_int_equal(kmt_open_kfd(kmt_primary()), HSAKMT_STATUS_ERROR);
	assert_int_equal(fake_device_live_fds(fake), live);
	assert_int_equal(kmt_open_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
}

static void the_last_close_gives_back_what_the_library_mapped(void **state)
{
	HsaSystemProperties system;

	(void)state;
	assert_int_equal(kmt_open_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_acquire_system_properties(kmt_primary(), &system),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_open_kfd(kmt_primary()), HSAKMT_STATUS_KERNEL_ALREADY_OPENED);
	fake_modules_sequence_reset();
	assert_int_equal(kmt_close_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
	assert_string_equal(fake_modules.sequence, "");
	assert_int_equal(kmt_close_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
	assert_string_equal(fake_modules.sequence,
			    "doorbells_fini apertures_fini fmm_free perf_free debug_free");
	assert_null(kmt_primary()->perf);
	assert_null(kmt_primary()->debug);
	/* The snapshot is still there: the next acquire makes what stands on it again. */
	fake_modules_sequence_reset();
	assert_int_equal(kmt_open_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_acquire_system_properties(kmt_primary(), &system),
			 HSAKMT_STATUS_SUCCESS);
	assert_string_equal(fake_modules.sequence, "apertures_init doorbells_init");
}

static void the_environment_is_read_by_the_first_open(void **state)
{
	struct fake_device *fake = *state;

	setenv("HSA_ZFB", "1", 1);
	setenv("HSA_USE_SVM", "0", 1);
	setenv("HSA_USE_UDMABUF", "1", 1);
	fake_device_set_file(fake, "/dev/udmabuf", "");
	assert_int_equal(kmt_open_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
	assert_true(kmt_process()->zero_frame_buffer);
	assert_false(kmt_primary()->svm_api_allowed);
	assert_false(kmt_primary()->svm_api_supported);
	assert_string_equal(fake_device_fd_path(fake, kmt_process()->udmabuf_fd), "/dev/udmabuf");
	assert_int_equal(kmt_close_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
	setenv("HSA_ZFB", "0", 1);
	setenv("HSA_USE_SVM", "00", 1); /* only exactly "0" turns it off */
	assert_int_equal(kmt_open_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
	assert_false(kmt_process()->zero_frame_buffer);
	assert_true(kmt_primary()->svm_api_supported);
	assert_int_equal(fake_device_op_calls(fake, FAKE_OPEN), 1);
}

static void a_missing_udmabuf_device_is_no_failure(void **state)
{
	(void)state;
	setenv("HSA_USE_UDMABUF", "1", 1);
	assert_int_equal(kmt_open_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_process()->udmabuf_fd, -1);
}

/* Each entry of these modules, with outputs in place. */
static void check_unusable(struct kmt_context *ctx)
{
	const HSAKMT_STATUS closed = HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	HsaAMDGPUDeviceHandle handle = NULL;
	HsaSystemProperties system;
	HsaNodeProperties node;
	HsaMemoryProperties memory;
	HsaCacheProperties cache;
	HsaIoLinkProperties link;
	HsaClockCounters counters;
	HsaVersionInfo version;
	struct kmt_context *secondary = NULL;
	uint64_t frequency_hz;
	int fd;

	assert_int_equal(kmt_acquire_system_properties(ctx, &system), closed);
	assert_int_equal(kmt_get_node_properties(ctx, 0, &node), closed);
	assert_int_equal(kmt_get_node_memory_properties(ctx, 0, 1, &memory), closed);
	assert_int_equal(kmt_get_node_cache_properties(ctx, 0, 0, 1, &cache), closed);
	assert_int_equal(kmt_get_node_io_link_properties(ctx, 0, 1, &link), closed);
	assert_int_equal(kmt_get_node_wallclock_frequency(ctx, 0, &frequency_hz), closed);
	assert_int_equal(kmt_get_clock_counters(ctx, 0, &counters), closed);
	assert_int_equal(kmt_get_clock_counters_precise(ctx, 0, &counters), closed);
	assert_int_equal(kmt_get_version(ctx, &version), closed);
	assert_int_equal(kmt_open_smi(ctx, 1, &fd), closed);
	assert_int_equal(kmt_get_amdgpu_device_handle(ctx, 1, &handle), closed);
	assert_int_equal(kmt_get_amd_gpu_device_fd(ctx, handle, &fd), closed);
	assert_int_equal(kmt_set_sigbus_delay(ctx, 1, 0), closed);
	assert_int_equal(kmt_set_persisting_cache_size(ctx, 1, 0), closed);
	assert_int_equal(kmt_open_secondary_kfd_ctx(&secondary), closed);
	assert_int_equal(kmt_close_secondary_kfd_ctx(secondary), closed);
}

static void calls_before_open_and_after_close_get_a_status(void **state)
{
	(void)state;
	check_unusable(kmt_primary());
	assert_int_equal(kmt_release_system_properties(kmt_primary()), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_open_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_close_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
	check_unusable(kmt_primary());
	assert_int_equal(kmt_release_system_properties(kmt_primary()), HSAKMT_STATUS_SUCCESS);
}

static void calls_with_null_outputs_get_a_status(void **state)
{
	const HSAKMT_STATUS refused = HSAKMT_STATUS_INVALID_PARAMETER;
	struct kmt_context *ctx = kmt_primary();

	(void)state;
	assert_int_equal(kmt_open_kfd(ctx), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_acquire_system_properties(ctx, NULL), refused);
	assert_int_equal(kmt_get_node_properties(ctx, 0, NULL), refused);
	assert_int_equal(kmt_get_node_memory_properties(ctx, 0, 1, NULL), refused);
	assert_int_equal(kmt_get_node_cache_properties(ctx, 0, 0, 1, NULL), refused);
	assert_int_equal(kmt_get_node_io_link_properties(ctx, 0, 1, NULL), refused);
	assert_int_equal(kmt_get_node_wallclock_frequency(ctx, 0, NULL), refused);
	assert_int_equal(kmt_get_clock_counters(ctx, 0, NULL), refused);
	assert_int_equal(kmt_get_version(ctx, NULL), refused);
	assert_int_equal(kmt_open_smi(ctx, 1, NULL), refused);
	assert_int_equal(kmt_get_amdgpu_device_handle(ctx, 1, NULL), refused);
	assert_int_equal(kmt_get_amd_gpu_device_fd(ctx, NULL, NULL), refused);
	assert_int_equal(kmt_open_secondary_kfd_ctx(NULL), refused);
	assert_int_equal(kmt_close_secondary_kfd_ctx(NULL), refused);
	assert_int_equal(kmt_model_enabled(ctx, NULL), refused);
	assert_int_equal(kmt_release_system_properties(NULL), refused);
	assert_false(kmt_context_usable(NULL));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(opening_asks_for_the_version_and_nothing_else),
		TEST(opening_opens_the_render_nodes),
		TEST(a_second_open_is_counted_and_says_so),
		TEST(closing_what_is_not_open_is_refused),
		TEST(other_contexts_and_null_are_no_primary),
		TEST(each_refusal_has_its_status_and_leaves_nothing),
		TEST(whichever_call_fails_nothing_stays_open),
		TEST(missing_debug_and_counter_tables_are_no_failure),
		TEST(the_descriptors_outlive_the_last_close),
		TEST(a_reopen_that_fails_keeps_the_descriptors),
		TEST(the_last_close_gives_back_what_the_library_mapped),
		TEST(the_environment_is_read_by_the_first_open),
		TEST(a_missing_udmabuf_device_is_no_failure),
		TEST(calls_before_open_and_after_close_get_a_status),
		TEST(calls_with_null_outputs_get_a_status),
	};

	return cmocka_run_group_tests_name("thunk/openclose/open", tests, NULL, NULL);
}
