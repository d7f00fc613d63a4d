/* SPDX-License-Identifier: MIT */
/*
 * No memory: each allocation of opening, acquiring and opening a secondary context is failed in
 * turn. The linker sends calloc, realloc and strdup of all code under test here (--wrap).
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fake_modules.h"
#include "fake_open.h"
#include "hsakmt/linux/kfd_ioctl.h"
#include "openclose/openclose.h"
#include "topology/acquire.h"
#include "topology/topology.h"

static unsigned int countdown; /* 1: the next allocation fails; 0: none */
static bool failed;

static bool fails(void)
{
	if (!countdown || --countdown)
		return false;
	failed = true;
	errno = ENOMEM;
	return true;
}

void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);

void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return fails() ? NULL : __real_realloc(old, size);
}

char *__wrap_strdup(const char *text)
{
	return fails() ? NULL : __real_strdup(text);
}

static int accept_process(struct fake_device *fake, int fd, unsigned long request, void *arg,
			  void *data)
{
	(void)fake, (void)fd, (void)request, (void)arg, (void)data;
	return 0;
}

static int setup(void **state)
{
	struct fake_device *fake;

	fake_modules_reset();
	fake = fake_open_prepare("b.tree");
	fake_device_on_ioctl(fake, AMDKFD_IOC_CREATE_PROCESS, accept_process, NULL);
	/* CPU caches and indirect links allocate, too */
	fake_device_set_file(fake, "/sys/devices/system/node/node0/cpulist", "0\n");
	fake_device_set_file(fake,
			     "/sys/devices/system/node/node0/cpu0/cache/index0/"
			     "shared_cpu_list",
			     "0\n");
	for (int i = 0; i < 3; i++) {
		char path[128];

		snprintf(path, sizeof(path), FAKE_TOPOLOGY_ROOT "/nodes/%d/properties", i);
		fake_device_set_key(fake, path, "p2p_links_count", NULL);
	}
	*state = fake;
	return 0;
}

static int teardown(void **state)
{
	countdown = 0;
	fake_open_finish(*state);
	return fake_modules.live_fmms || fake_modules.live_queues || fake_modules.live_events ||
	       fake_modules.live_debugs || fake_modules.live_perfs;
}

/*
 * Runs a step with its n-th allocation failing, for every n. The fake device allocates as well, but
 * aborts then, so its tables are grown beforehand.
 */
static void fail_each(struct fake_device *fake, HSAKMT_STATUS (*step)(void), void (*undo)(void))
{
	unsigned int live_fds;

	if (step() == HSAKMT_STATUS_SUCCESS)
		undo();
	live_fds = fake_device_live_fds(fake);
	for (unsigned int n = 1;; n++) {
		HSAKMT_STATUS status;

		fake_device_log_reset(fake);
		failed = false;
		countdown = n;
		status = step();
		countdown = 0;
		if (status == HSAKMT_STATUS_SUCCESS)
			undo();
		else
			assert_int_equal(status, HSAKMT_STATUS_NO_MEMORY);
		assert_int_equal(fake_device_live_fds(fake), live_fds);
		if (!failed)
			break;
		assert_true(n < 500);
	}
}

static HSAKMT_STATUS step_open(void)
{
	return kmt_open_kfd(kmt_primary());
}

static void opening_without_memory_leaves_nothing(void **state)
{
	fail_each(*state, step_open, fake_open_reset);
}

static HSAKMT_STATUS step_acquire(void)
{
	HsaSystemProperties system;

	return kmt_acquire_system_properties(kmt_primary(), &system);
}

static void undo_acquire(void)
{
	assert_true(kmt_topology_held(kmt_primary()));
	kmt_release_system_properties(kmt_primary());
}

static void acquiring_without_memory_leaves_nothing(void **state)
{
	assert_int_equal(step_open(), HSAKMT_STATUS_SUCCESS);
	fail_each(*state, step_acquire, undo_acquire);
	assert_false(kmt_topology_held(kmt_primary()));
}

static struct kmt_context *secondary;

static HSAKMT_STATUS step_secondary(void)
{
	return kmt_open_secondary_kfd_ctx(&secondary);
}

static void undo_secondary(void)
{
	assert_int_equal(kmt_close_secondary_kfd_ctx(secondary), HSAKMT_STATUS_SUCCESS);
}

static void a_secondary_context_without_memory_leaves_nothing(void **state)
{
	assert_int_equal(step_open(), HSAKMT_STATUS_SUCCESS);
	fail_each(*state, step_secondary, undo_secondary);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(opening_without_memory_leaves_nothing),
		TEST(acquiring_without_memory_leaves_nothing),
		TEST(a_secondary_context_without_memory_leaves_nothing),
	};

	return cmocka_run_group_tests_name("thunk/openclose/shortage", tests, NULL, NULL);
}
