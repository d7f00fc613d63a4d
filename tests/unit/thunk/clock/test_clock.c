/* SPDX-License-Identifier: MIT */
/* Clock counters (openclose.md 5). */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "clock/clock.h"
#include "fake_modules.h"
#include "fake_open.h"
#include "hsakmt/linux/kfd_ioctl.h"
#include "openclose/openclose.h"
#include "topology/acquire.h"

struct fixture {
	struct fake_device *fake;
	unsigned int samples;
	unsigned int fast_sample; /* all others are slow */
};

/* The clock that the thunk reads: it stands still but for slow samples. */
static uint64_t now_ns = 1000000000;

int clock_gettime(clockid_t id, struct timespec *now)
{
	(void)id;
	now->tv_sec = (time_t)(now_ns / 1000000000);
	now->tv_nsec = (long)(now_ns % 1000000000);
	return 0;
}

static int ioctl_clocks(struct fake_device *fake, int fd, unsigned long request, void *arg,
			void *data)
{
	struct kfd_ioctl_get_clock_counters_args *args = arg;
	struct fixture *f = data;

	(void)fake, (void)fd, (void)request;
	if (f->samples != f->fast_sample)
		now_ns += 3000000;
	args->gpu_clock_counter = args->gpu_id ? 1000 + f->samples : 0;
	args->cpu_clock_counter = 2000 + f->samples;
	args->system_clock_counter = 3000 + f->samples;
	args->system_clock_freq = 1000000000;
	f->samples++;
	return 0;
}

static int setup(void **state)
{
	static struct fixture fixture;
	HsaSystemProperties system;

	fake_modules_reset();
	fixture = (struct fixture){ .fake = fake_open_prepare("a.tree") };
	fake_device_on_ioctl(fixture.fake, AMDKFD_IOC_GET_CLOCK_COUNTERS, ioctl_clocks, &fixture);
	*state = &fixture;
	if (kmt_open_kfd(kmt_primary()) != HSAKMT_STATUS_SUCCESS)
		return -1;
	return kmt_acquire_system_properties(kmt_primary(), &system) != HSAKMT_STATUS_SUCCESS;
}

static int teardown(void **state)
{
	fake_open_finish(((struct fixture *)*state)->fake);
	return 0;
}

static void the_tightest_sample_of_a_gpu_is_kept_whole(void **state)
{
	struct fixture *f = *state;
	HsaClockCounters counters = { 0 };

	f->fast_sample = 2;
	assert_int_equal(kmt_get_clock_counters(kmt_primary(), 1, &counters),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(f->samples, 4);
	assert_int_equal(counters.GPUClockCounter, 1002);
	assert_int_equal(counters.CPUClockCounter, 2002);
	assert_int_equal(counters.SystemClockCounter, 3002);
	assert_int_equal(counters.SystemClockFrequencyHz, 1000000000);
}

static void a_cpu_is_asked_once(void **state)
{
	struct fixture *f = *state;
	HsaClockCounters counters = { .GPUClockCounter = 7 };

	assert_int_equal(kmt_get_clock_counters_precise(kmt_primary(), 0, &counters),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(f->samples, 1);
	assert_int_equal(counters.GPUClockCounter, 0);
	assert_int_equal(counters.CPUClockCounter, 2000);
}

static void a_refused_sample_leaves_the_counters_alone(void **state)
{
	struct fixture *f = *state;
	HsaClockCounters counters = { .GPUClockCounter = 7 };

	fake_device_fail_next(f->fake, AMDKFD_IOC_GET_CLOCK_COUNTERS, EIO);
	assert_int_equal(kmt_get_clock_counters(kmt_primary(), 1, &counters), HSAKMT_STATUS_ERROR);
	assert_int_equal(counters.GPUClockCounter, 7);
}

static void unknown_nodes_have_no_clock(void **state)
{
	struct fixture *f = *state;
	HsaClockCounters counters;

	assert_int_equal(kmt_get_clock_counters(kmt_primary(), 2, &counters),
			 HSAKMT_STATUS_INVALID_NODE_UNIT);
	assert_int_equal(f->samples, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(the_tightest_sample_of_a_gpu_is_kept_whole),
		TEST(a_cpu_is_asked_once),
		TEST(a_refused_sample_leaves_the_counters_alone),
		TEST(unknown_nodes_have_no_clock),
	};

	return cmocka_run_group_tests_name("thunk/clock", tests, NULL, NULL);
}
