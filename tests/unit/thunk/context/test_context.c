/* SPDX-License-Identifier: MIT */
/* Calls through a context's device, messages, environment variables. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "env.h"
#include "fake_modules.h"
#include "fake_open.h"
#include "hsakmt/linux/kfd_ioctl.h"
#include "log.h"
#include "openclose/openclose.h"

static int setup(void **state)
{
	fake_modules_reset();
	*state = fake_open_prepare("a.tree");
	return kmt_open_kfd(kmt_primary()) != HSAKMT_STATUS_SUCCESS;
}

static int teardown(void **state)
{
	kmt_log_set_sink(NULL);
	fake_open_finish(*state);
	return 0;
}

static int interrupted(struct fake_device *fake, int fd, unsigned long request, void *arg,
		       void *data)
{
	static const int answers[] = { -EINTR, -EAGAIN, -EINTR, 0 };
	unsigned int *calls = data;

	(void)fake, (void)fd, (void)request, (void)arg;
	return answers[(*calls)++];
}

static void an_interrupted_ioctl_is_repeated(void **state)
{
	struct kfd_ioctl_get_clock_counters_args args = { 0 };
	unsigned int calls = 0;

	fake_device_on_ioctl(*state, AMDKFD_IOC_GET_CLOCK_COUNTERS, interrupted, &calls);
	assert_int_equal(kmt_ioctl(kmt_primary(), AMDKFD_IOC_GET_CLOCK_COUNTERS, &args), 0);
	assert_int_equal(calls, 4);
}

static void other_failures_are_passed_on_at_once(void **state)
{
	struct kfd_ioctl_get_clock_counters_args args = { 0 };

	fake_device_fail_next(*state, AMDKFD_IOC_GET_CLOCK_COUNTERS, ENOMEM);
	assert_int_equal(kmt_ioctl(kmt_primary(), AMDKFD_IOC_GET_CLOCK_COUNTERS, &args), -ENOMEM);
	assert_int_equal(fake_device_calls(*state, AMDKFD_IOC_GET_CLOCK_COUNTERS), 1);
}

static void memory_calls_go_through_the_device(void **state)
{
	struct fake_device *fake = *state;
	void *address = kmt_mmap(kmt_primary(), NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE,
				 kmt_primary()->fd, 4096);

	assert_ptr_not_equal(address, MAP_FAILED);
	memset(address, 1, 8192);
	assert_int_equal(fake_device_live_map_bytes(fake), 8192);
	assert_int_equal(kmt_madvise(kmt_primary(), address, 8192, MADV_DONTFORK), 0);
	assert_int_equal(kmt_munmap(kmt_primary(), address, 4096), 0);
	assert_int_equal(fake_device_live_map_bytes(fake), 4096);
	assert_int_equal(kmt_munmap(kmt_primary(), (char *)address + 4096, 4096), 0);
	assert_int_equal(fake_device_live_maps(fake), 0);
	errno = 0;
	assert_ptr_equal(kmt_mmap(kmt_primary(), NULL, 4096, PROT_READ, MAP_SHARED, 5, 0),
			 MAP_FAILED);
	assert_int_equal(errno, EBADF);
}

static void a_context_without_a_device_refuses_every_call(void **state)
{
	struct kmt_context ctx = { .fd = -1 };
	union device_drm_args args = { 0 };

	(void)state;
	assert_int_equal(kmt_ioctl(&ctx, AMDKFD_IOC_GET_VERSION, &args), -EBADF);
	assert_int_equal(kmt_ioctl(NULL, AMDKFD_IOC_GET_VERSION, &args), -EBADF);
	assert_ptr_equal(kmt_mmap(&ctx, NULL, 4096, 0, 0, -1, 0), MAP_FAILED);
	assert_int_equal(kmt_munmap(&ctx, NULL, 4096), -EBADF);
	assert_int_equal(kmt_madvise(NULL, NULL, 4096, 0), -EBADF);
	assert_int_equal(kmt_drm(&ctx, DEVICE_DRM_CLOSE, &args), -EBADF);
}

static void a_context_that_was_never_opened_is_not_usable(void **state)
{
	struct kmt_context ctx = { .fd = 3 };

	(void)state;
	assert_false(kmt_context_usable(&ctx));
	assert_true(kmt_context_usable(kmt_primary()));
}

struct sink {
	unsigned int count;
	enum kmt_log_level level;
	char message[600];
};
static struct sink sink;

static void keep_message(enum kmt_log_level level, const char *message)
{
	sink.count++;
	sink.level = level;
	snprintf(sink.message, sizeof(sink.message), "%s", message);
}

/* What a function prints on stderr. */
static size_t capture(void (*run)(void), char *out, size_t size)
{
	int pipe_fds[2], saved = dup(STDERR_FILENO);
	ssize_t length;

	assert_int_equal(pipe(pipe_fds), 0);
	dup2(pipe_fds[1], STDERR_FILENO);
	close(pipe_fds[1]);
	run();
	dup2(saved, STDERR_FILENO); /* closes the last writing end */
	close(saved);
	length = read(pipe_fds[0], out, size - 1);
	close(pipe_fds[0]);
	out[length > 0 ? length : 0] = '\0';
	return length > 0 ? (size_t)length : 0;
}

static void log_at_each_level(void)
{
	errno = ENOTTY;
	kmt_log(KMT_LOG_ERR, "error %d", 1);
	kmt_log(KMT_LOG_WARNING, "warning %d", 2);
	kmt_log(KMT_LOG_INFO, "info %d", 3);
	kmt_log(KMT_LOG_DEBUG, "debug %d", 4);
	assert_int_equal(errno, ENOTTY);
}

static void messages_are_printed_up_to_the_level_of_the_environment(void **state)
{
	static const struct {
		const char *level, *printed;
	} rows[] = {
		{ "3", "error 1\n" },
		{ "4", "error 1\nwarning 2\n" },
		{ "5", "error 1\nwarning 2\n" },  /* not a level: the last one stays */
		{ "x7", "error 1\nwarning 2\n" }, /* nor this */
		{ "6", "error 1\nwarning 2\ninfo 3\n" },
		{ "7", "error 1\nwarning 2\ninfo 3\ndebug 4\n" },
	};
	char printed[256];

	(void)state;
	assert_int_equal(capture(log_at_each_level, printed, sizeof(printed)), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		setenv("HSAKMT_DEBUG_LEVEL", rows[i].level, 1);
		kmt_log_read_level("HSAKMT_DEBUG_LEVEL");
		capture(log_at_each_level, printed, sizeof(printed));
		assert_string_equal(printed, rows[i].printed);
	}
}

static void log_long(void)
{
	kmt_log(KMT_LOG_ERR, "%01000d", 7);
}

static void a_long_message_is_cut_to_one_line(void **state)
{
	char printed[2048];
	size_t length;

	(void)state;
	setenv("HSAKMT_DEBUG_LEVEL", "3", 1);
	kmt_log_read_level("HSAKMT_DEBUG_LEVEL");
	length = capture(log_long, printed, sizeof(printed));
	assert_true(length > 400 && length <= 512);
	assert_int_equal(printed[length - 1], '\n');
}

static void a_recorder_gets_messages_whatever_the_level_is(void **state)
{
	(void)state;
	kmt_log_set_sink(keep_message);
	sink.count = 0;
	kmt_log(KMT_LOG_DEBUG, "seen %s", "too");
	assert_int_equal(sink.count, 1);
	assert_int_equal(sink.level, KMT_LOG_DEBUG);
	assert_string_equal(sink.message, "seen too");
}

static void flags_of_the_environment_have_their_own_spellings(void **state)
{
	static const struct {
		const char *value;
		bool flag, nonzero, is_zero;
	} rows[] = {
		{ NULL, false, false, false }, { "", true, false, false },
		{ "0", false, false, true },   { "1", true, true, false },
		{ "00", true, false, false },  { "-1", true, true, false },
		{ "yes", true, false, false }, { "2x", true, true, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (rows[i].value)
			setenv("KFDSCOPE_TEST_FLAG", rows[i].value, 1);
		else
			unsetenv("KFDSCOPE_TEST_FLAG");
		assert_int_equal(kmt_env_flag("KFDSCOPE_TEST_FLAG"), rows[i].flag);
		assert_int_equal(kmt_env_nonzero("KFDSCOPE_TEST_FLAG"), rows[i].nonzero);
		assert_int_equal(kmt_env_is_zero("KFDSCOPE_TEST_FLAG"), rows[i].is_zero);
	}
}

static void *open_and_close_often(void *data)
{
	bool *ok = data;

	for (int i = 0; i < 200; i++) {
		HSAKMT_STATUS status = kmt_open_kfd(kmt_primary());

		*ok &= status == HSAKMT_STATUS_SUCCESS ||
		       status == HSAKMT_STATUS_KERNEL_ALREADY_OPENED;
		*ok &= kmt_context_usable(kmt_primary());
		*ok &= kmt_close_kfd(kmt_primary()) == HSAKMT_STATUS_SUCCESS;
	}
	return NULL;
}

static void opens_of_many_threads_are_all_counted(void **state)
{
	pthread_t threads[4];
	bool ok[4] = { true, true, true, true };

	(void)state;
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, open_and_close_often, &ok[i]),
				 0);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	assert_true(ok[0] && ok[1] && ok[2] && ok[3]);
	assert_int_equal(kmt_close_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS); /* setup's */
	assert_int_equal(kmt_close_kfd(kmt_primary()), HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(an_interrupted_ioctl_is_repeated),
		TEST(other_failures_are_passed_on_at_once),
		TEST(memory_calls_go_through_the_device),
		TEST(a_context_without_a_device_refuses_every_call),
		TEST(a_context_that_was_never_opened_is_not_usable),
		TEST(messages_are_printed_up_to_the_level_of_the_environment),
		TEST(a_long_message_is_cut_to_one_line),
		TEST(a_recorder_gets_messages_whatever_the_level_is),
		TEST(flags_of_the_environment_have_their_own_spellings),
		TEST(opens_of_many_threads_are_all_counted),
	};

	return cmocka_run_group_tests_name("thunk/context", tests, NULL, NULL);
}
