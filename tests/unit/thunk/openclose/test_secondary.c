/* SPDX-License-Identifier: MIT */
/* Secondary contexts (context.md 4 and 5). */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "fake_modules.h"
#include "fake_open.h"
#include "hsakmt/linux/kfd_ioctl.h"
#include "openclose/openclose.h"
#include "topology/acquire.h"
#include "topology/getters.h"
#include "topology/topology.h"

struct fixture {
	struct fake_device *fake;
	unsigned int primary_fds; /* what the primary context holds */
	int create_process_errno;
};

static int ioctl_create_process(struct fake_device *fake, int fd, unsigned long request, void *arg,
				void *data)
{
	struct fixture *f = data;

	(void)fake, (void)fd, (void)request, (void)arg;
	return -f->create_process_errno;
}

static int setup(void **state)
{
	static struct fixture fixture;
	HsaSystemProperties system;

	fake_modules_reset();
	fixture.fake = fake_open_prepare("a.tree");
	fixture.create_process_errno = 0;
	fake_device_on_ioctl(fixture.fake, AMDKFD_IOC_CREATE_PROCESS, ioctl_create_process,
			     &fixture);
	*state = &fixture;
	if (kmt_open_kfd(kmt_primary()) != HSAKMT_STATUS_SUCCESS ||
	    kmt_acquire_system_properties(kmt_primary(), &system) != HSAKMT_STATUS_SUCCESS)
		return -1;
	fixture.primary_fds = fake_device_live_fds(fixture.fake);
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	fake_open_finish(f->fake);
	return fake_modules.live_fmms || fake_modules.live_queues || fake_modules.live_events ||
	       fake_modules.live_debugs || fake_modules.live_perfs;
}

static void a_secondary_context_has_everything_of_its_own(void **state)
{
	struct fixture *f = *state;
	struct kmt_context *ctx = NULL;
	HsaNodeProperties node;

	fake_device_log_reset(f->fake);
	fake_modules_sequence_reset();
	assert_int_equal(kmt_open_secondary_kfd_ctx(&ctx), HSAKMT_STATUS_SUCCESS);
	assert_non_null(ctx);
	assert_ptr_not_equal(ctx, kmt_primary());
	assert_false(ctx->is_primary);
	assert_true(ctx->id > 0);
	assert_false(ctx->svm_api_supported);
	assert_true(kmt_context_usable(ctx));
	assert_int_not_equal(ctx->fd, kmt_primary()->fd);
	assert_string_equal(fake_device_ioctl_sequence(f->fake), "27");
	assert_int_equal(fake_device_last(f->fake, AMDKFD_IOC_CREATE_PROCESS)->fd, ctx->fd);
	assert_string_equal(fake_modules.sequence, "apertures_init doorbells_init");
	assert_true(kmt_topology_held(ctx));
	assert_int_equal(kmt_get_node_properties(ctx, 1, &node), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(node.KFDGpuID, 40961);
	/* The kernel runs SVM ioctls on the primary process only. */
	assert_int_equal(node.Capability.ui32.SVMAPISupported, 0);
	assert_int_equal(kmt_close_secondary_kfd_ctx(ctx), HSAKMT_STATUS_SUCCESS);
}

/* Asks for a device of its own, since libdrm would share the primary's DRM file. */
static int drm_initialize_own(struct fake_device *fake, enum device_drm_cmd cmd,
			      union device_drm_args *args, void *data)
{
	(void)fake, (void)cmd;
	*(bool *)data = args->device_initialize.no_dedup;
	return -ENOSYS; /* as with a libdrm that cannot */
}

static void render_nodes_are_not_shared_with_the_primary(void **state)
{
	struct fixture *f = *state;
	struct kmt_context *ctx;
	bool no_dedup = false;
	int fd;

	fake_device_on_drm(f->fake, DEVICE_DRM_DEVICE_INITIALIZE, drm_initialize_own, &no_dedup);
	assert_int_equal(kmt_open_secondary_kfd_ctx(&ctx), HSAKMT_STATUS_SUCCESS);
	assert_true(no_dedup);
	fd = kmt_render_open(ctx, 128);
	assert_true(fd >= 0);
	assert_int_not_equal(fd, kmt_render_open(kmt_primary(), 128));
	assert_null(kmt_render_drm_device(ctx, 128));
	assert_int_equal(kmt_close_secondary_kfd_ctx(ctx), HSAKMT_STATUS_SUCCESS);
	assert_false(fake_device_fd_is_live(f->fake, fd));
}

static void closing_gives_everything_back(void **state)
{
	struct fixture *f = *state;
	struct kmt_context *ctx;

	assert_int_equal(kmt_open_secondary_kfd_ctx(&ctx), HSAKMT_STATUS_SUCCESS);
	fake_modules_sequence_reset();
	assert_int_equal(kmt_close_secondary_kfd_ctx(ctx), HSAKMT_STATUS_SUCCESS);
	assert_string_equal(fake_modules.sequence,
			    "doorbells_fini apertures_fini events_forget_page perf_free debug_free "
			    "events_free queues_free fmm_free");
	assert_int_equal(fake_device_live_fds(f->fake), f->primary_fds);
	assert_int_equal(fake_modules.live_fmms, 1);
	assert_true(kmt_context_usable(kmt_primary()));
}

static void a_context_that_released_first_can_be_closed(void **state)
{
	struct fixture *f = *state;
	struct kmt_context *ctx;

	assert_int_equal(kmt_open_secondary_kfd_ctx(&ctx), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_release_system_properties(ctx), HSAKMT_STATUS_SUCCESS);
	assert_false(kmt_topology_held(ctx));
	assert_true(kmt_topology_held(kmt_primary()));
	assert_int_equal(kmt_close_secondary_kfd_ctx(ctx), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(fake_device_live_fds(f->fake), f->primary_fds);
}

static void closing_refuses_null_the_primary_and_stale_contexts(void **state)
{
	struct kmt_context *ctx;

	(void)state;
	assert_int_equal(kmt_close_secondary_kfd_ctx(NULL), HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_close_secondary_kfd_ctx(kmt_primary()),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_open_secondary_kfd_ctx(&ctx), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_close_secondary_kfd_ctx(ctx), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_close_secondary_kfd_ctx(ctx), HSAKMT_STATUS_INVALID_PARAMETER);
	assert_false(kmt_context_usable(ctx));
	assert_int_equal(kmt_release_system_properties(ctx), HSAKMT_STATUS_INVALID_PARAMETER);
}

static void several_can_be_open_and_close_in_any_order(void **state)
{
	struct fixture *f = *state;
	struct kmt_context *a, *b, *c;

	assert_int_equal(kmt_open_secondary_kfd_ctx(&a), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_open_secondary_kfd_ctx(&b), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_open_secondary_kfd_ctx(&c), HSAKMT_STATUS_SUCCESS);
	assert_int_not_equal(a->id, b->id);
	assert_int_equal(kmt_close_secondary_kfd_ctx(b), HSAKMT_STATUS_SUCCESS);
	assert_true(kmt_context_usable(a) && kmt_context_usable(c));
	assert_int_equal(kmt_close_secondary_kfd_ctx(a), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_close_secondary_kfd_ctx(c), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(fake_device_live_fds(f->fake), f->primary_fds);
}

static void check_refused(struct fixture *f, HSAKMT_STATUS expected)
{
	struct kmt_context *ctx = (struct kmt_context *)f;

	assert_int_equal(kmt_open_secondary_kfd_ctx(&ctx), expected);
	assert_ptr_equal(ctx, f);
	assert_int_equal(fake_device_live_fds(f->fake), f->primary_fds);
	assert_int_equal(fake_modules.live_fmms, 1);
	assert_int_equal(fake_modules.live_perfs, 1);
}

static void each_refusal_has_its_status_and_leaves_nothing(void **state)
{
	struct fixture *f = *state;

	fake_device_fail_op(f->fake, FAKE_OPEN_KFD, 0, EACCES);
	check_refused(f, HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
	f->create_process_errno = EINVAL;
	check_refused(f, HSAKMT_STATUS_NOT_SUPPORTED);
	f->create_process_errno = ENOTTY;
	check_refused(f, HSAKMT_STATUS_NOT_SUPPORTED);
	f->create_process_errno = EIO;
	check_refused(f, HSAKMT_STATUS_ERROR);
	f->create_process_errno = 0;
	fake_modules.fail_new_events = true;
	check_refused(f, HSAKMT_STATUS_NO_MEMORY);
	fake_modules.fail_new_events = false;
	fake_modules.init_apertures_status = HSAKMT_STATUS_ERROR;
	check_refused(f, HSAKMT_STATUS_ERROR);
	fake_modules.init_apertures_status = HSAKMT_STATUS_SUCCESS;
	fake_modules.doorbells_status = HSAKMT_STATUS_NO_MEMORY;
	check_refused(f, HSAKMT_STATUS_NO_MEMORY);
}

static void whichever_call_fails_nothing_stays_open(void **state)
{
	struct fixture *f = *state;
	bool failed = true;

	for (unsigned int n = 1; failed; n++) {
		struct kmt_context *ctx;
		HSAKMT_STATUS status;

		fake_device_fail_nth(f->fake, n, EIO);
		status = kmt_open_secondary_kfd_ctx(&ctx);
		failed = fake_device_failed(f->fake);
		fake_device_fail_nth(f->fake, 0, 0);
		if (status == HSAKMT_STATUS_SUCCESS)
			assert_int_equal(kmt_close_secondary_kfd_ctx(ctx), HSAKMT_STATUS_SUCCESS);
		assert_int_equal(fake_device_live_fds(f->fake), f->primary_fds);
		assert_true(n < 200);
	}
}

static void a_forked_child_cannot_use_the_parents_context(void **state)
{
	struct kmt_context *ctx;
	int status = -1;
	pid_t pid;

	(void)state;
	assert_int_equal(kmt_open_secondary_kfd_ctx(&ctx), HSAKMT_STATUS_SUCCESS);
	pid = fork();
	if (pid == 0) {
		bool before = kmt_context_usable(ctx);
		bool opened = kmt_open_kfd(kmt_primary()) == HSAKMT_STATUS_SUCCESS;

		_exit(before || !opened || kmt_context_usable(ctx) ||
		      !kmt_context_usable(kmt_primary()));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_true(kmt_context_usable(ctx));
	assert_int_equal(kmt_close_secondary_kfd_ctx(ctx), HSAKMT_STATUS_SUCCESS);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_secondary_context_has_everything_of_its_own),
		TEST(render_nodes_are_not_shared_with_the_primary),
		TEST(closing_gives_everything_back),
		TEST(a_context_that_released_first_can_be_closed),
		TEST(closing_refuses_null_the_primary_and_stale_contexts),
		TEST(several_can_be_open_and_close_in_any_order),
		TEST(each_refusal_has_its_status_and_leaves_nothing),
		TEST(whichever_call_fails_nothing_stays_open),
		TEST(a_forked_child_cannot_use_the_parents_context),
	};

	return cmocka_run_group_tests_name("thunk/openclose/secondary", tests, NULL, NULL);
}
