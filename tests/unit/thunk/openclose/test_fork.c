/* SPDX-License-Identifier: MIT */
/*
 * What a child of fork sees (openclose.md 4). The child reports by its exit status, the number of
 * the first check that failed, since an assertion would end the wrong process.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "fake_modules.h"
#include "fake_open.h"
#include "hsakmt/linux/kfd_ioctl.h"
#include "openclose/openclose.h"
#include "openclose/process.h"
#include "topology/acquire.h"
#include "topology/getters.h"
#include "topology/topology.h"
#include "version/version.h"

#define CLOSED HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED

/* Returns from the child with the line that failed. */
#define CHECK(condition)                                                                           \
	do {                                                                                       \
		if (!(condition))                                                                  \
			return __LINE__ % 250 + 1;                                                 \
	} while (0)

static int setup(void **state)
{
	HsaSystemProperties system;

	fake_modules_reset();
	*state = fake_open_prepare("a.tree");
	if (kmt_open_kfd(kmt_primary()) != HSAKMT_STATUS_SUCCESS)
		return -1;
	return kmt_acquire_system_properties(kmt_primary(), &system) != HSAKMT_STATUS_SUCCESS;
}

static int teardown(void **state)
{
	fake_open_finish(*state);
	return 0;
}

static void expect_child(pid_t pid)
{
	int status = -1;

	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void in_child(int (*run)(struct fake_device *fake), struct fake_device *fake)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(run(fake));
	expect_child(pid);
	/* Nothing that the child does reaches the parent. */
	assert_true(kmt_context_usable(kmt_primary()));
	assert_false(kmt_process_forked());
}

static int run_calls(struct fake_device *fake)
{
	HsaSystemProperties system;
	HsaNodeProperties node;
	HsaVersionInfo version;

	(void)fake;
	CHECK(kmt_process_forked());
	CHECK(kmt_get_version(kmt_primary(), &version) == CLOSED);
	CHECK(kmt_acquire_system_properties(kmt_primary(), &system) == CLOSED);
	CHECK(kmt_get_node_properties(kmt_primary(), 1, &node) == CLOSED);
	return 0;
}

static void calls_of_a_child_are_refused_until_it_opens(void **state)
{
	in_child(run_calls, *state);
}

static int run_reopen(struct fake_device *fake)
{
	int inherited = kmt_primary()->fd;
	HsaSystemProperties system;
	HsaVersionInfo version;

	fake_modules_sequence_reset();
	fake_device_log_reset(fake);
	CHECK(kmt_open_kfd(kmt_primary()) == HSAKMT_STATUS_SUCCESS);
	CHECK(strcmp(fake_modules.sequence, "doorbells_after_fork events_forget_page "
					    "fmm_after_fork perf_free debug_free") == 0);
	CHECK(!fake_device_fd_is_live(fake, inherited));
	CHECK(kmt_primary()->fd >= 0 && kmt_primary()->fd != inherited);
	/* One KFD, one render node: the inherited ones are closed. */
	CHECK(fake_device_live_fds(fake) == 2);
	CHECK(strcmp(fake_device_ioctl_sequence(fake), "01") == 0);
	CHECK(kmt_get_version(kmt_primary(), &version) == HSAKMT_STATUS_SUCCESS);

	/* The snapshot came along, what stands on it did not. */
	fake_modules_sequence_reset();
	CHECK(kmt_topology_held(kmt_primary()));
	CHECK(kmt_acquire_system_properties(kmt_primary(), &system) == HSAKMT_STATUS_SUCCESS);
	CHECK(strcmp(fake_modules.sequence, "apertures_init doorbells_init") == 0);
	CHECK(kmt_close_kfd(kmt_primary()) == HSAKMT_STATUS_SUCCESS);
	CHECK(kmt_close_kfd(kmt_primary()) == CLOSED);
	return 0;
}

static void opening_in_a_child_drops_what_it_inherited(void **state)
{
	in_child(run_reopen, *state);
}

static int run_release_and_close(struct fake_device *fake)
{
	HsaSystemProperties system;

	fake_modules_sequence_reset();
	fake_device_log_reset(fake);
	CHECK(kmt_release_system_properties(kmt_primary()) == HSAKMT_STATUS_SUCCESS);
	CHECK(kmt_close_kfd(kmt_primary()) == HSAKMT_STATUS_SUCCESS);
	CHECK(kmt_close_kfd(kmt_primary()) == CLOSED);
	/* The objects are the parent's: no ioctl, no unmapping of what was not copied. */
	CHECK(fake_device_op_calls(fake, FAKE_IOCTL) == 0);
	CHECK(strstr(fake_modules.sequence, "fini") == NULL);
	CHECK(kmt_open_kfd(kmt_primary()) == HSAKMT_STATUS_SUCCESS);
	CHECK(kmt_acquire_system_properties(kmt_primary(), &system) == HSAKMT_STATUS_SUCCESS);
	CHECK(system.NumNodes == 2);
	return 0;
}

static void a_child_may_release_and_close_the_inherited_state_first(void **state)
{
	in_child(run_release_and_close, *state);
}

static int run_grandchild(struct fake_device *fake)
{
	int status = 0;
	pid_t pid;

	CHECK(kmt_open_kfd(kmt_primary()) == HSAKMT_STATUS_SUCCESS);
	pid = fork();
	if (pid == 0)
		_exit(run_calls(fake) ? 1 : run_reopen(fake));
	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	CHECK(kmt_context_usable(kmt_primary()));
	return 0;
}

static void a_child_of_the_child_is_one_too(void **state)
{
	in_child(run_grandchild, *state);
}

static int ioctl_ebadf(struct fake_device *fake, int fd, unsigned long request, void *arg,
		       void *data)
{
	(void)fake, (void)fd, (void)request, (void)arg, (void)data;
	return -EBADF;
}

/* A raw clone runs no fork handler: the kernel's EBADF tells. */
static int run_raw_clone(struct fake_device *fake)
{
	HsaVersionInfo version;

	CHECK(!kmt_process_forked());
	CHECK(kmt_get_version(kmt_primary(), &version) == HSAKMT_STATUS_SUCCESS);
	fake_device_on_ioctl(fake, AMDKFD_IOC_GET_CLOCK_COUNTERS, ioctl_ebadf, NULL);
	CHECK(kmt_ioctl(kmt_primary(), AMDKFD_IOC_GET_CLOCK_COUNTERS,
			&(struct kfd_ioctl_get_clock_counters_args){ 0 }) == -EBADF);
	CHECK(kmt_get_version(kmt_primary(), &version) == CLOSED);
	CHECK(kmt_open_kfd(kmt_primary()) == HSAKMT_STATUS_SUCCESS);
	CHECK(kmt_get_version(kmt_primary(), &version) == HSAKMT_STATUS_SUCCESS);
	return 0;
}

static void a_raw_clone_is_noticed_by_a_bad_descriptor(void **state)
{
	pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);

	if (pid == 0)
		_exit(run_raw_clone(*state));
	expect_child(pid);
}

static void a_bad_descriptor_alone_is_no_fork(void **state)
{
	struct fake_device *fake = *state;

	fake_device_on_ioctl(fake, AMDKFD_IOC_GET_CLOCK_COUNTERS, ioctl_ebadf, NULL);
	assert_int_equal(kmt_ioctl(kmt_primary(), AMDKFD_IOC_GET_CLOCK_COUNTERS,
				   &(struct kfd_ioctl_get_clock_counters_args){ 0 }),
			 -EBADF);
	assert_true(kmt_context_usable(kmt_primary()));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(calls_of_a_child_are_refused_until_it_opens),
		TEST(opening_in_a_child_drops_what_it_inherited),
		TEST(a_child_may_release_and_close_the_inherited_state_first),
		TEST(a_child_of_the_child_is_one_too),
		TEST(a_raw_clone_is_noticed_by_a_bad_descriptor),
		TEST(a_bad_descriptor_alone_is_no_fork),
	};

	return cmocka_run_group_tests_name("thunk/openclose/fork", tests, NULL, NULL);
}
