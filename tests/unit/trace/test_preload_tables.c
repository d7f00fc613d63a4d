/* SPDX-License-Identifier: MIT */
/* What the tracer at the libc boundary remembers (trace/preload/). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "hsakmt/linux/kfd_ioctl.h"
#include "preload/preload.h"

static void devices_are_known_by_their_paths(void **state)
{
	static const struct {
		const char *path;
		enum preload_kind kind;
	} paths[] = {
		{ "/dev/kfd", PRELOAD_KFD },
		{ "kfd", PRELOAD_KFD },
		{ "/dev/dri/renderD128", PRELOAD_RENDER },
		{ "renderD191", PRELOAD_RENDER },
		{ "/dev/dri/renderD", PRELOAD_OTHER },
		{ "/dev/dri/renderD12x", PRELOAD_OTHER },
		{ "/dev/dri/card0", PRELOAD_OTHER },
		{ "/tmp/kfd", PRELOAD_OTHER },
		{ "/dev/kfd2", PRELOAD_OTHER },
		{ "/dev/null", PRELOAD_OTHER },
		{ "", PRELOAD_OTHER },
		{ NULL, PRELOAD_OTHER },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		assert_int_equal(preload_kind_of_path(paths[i].path), paths[i].kind);
}

static void descriptors_beyond_the_table_are_nobodys(void **state)
{
	(void)state;
	preload_fd_set(-1, PRELOAD_KFD);
	preload_fd_set(PRELOAD_FDS_MAX, PRELOAD_KFD);
	assert_int_equal(preload_kind(-1), PRELOAD_OTHER);
	assert_int_equal(preload_kind(PRELOAD_FDS_MAX), PRELOAD_OTHER);
	preload_fd_set(PRELOAD_FDS_MAX - 1, PRELOAD_KFD);
	assert_int_equal(preload_kind(PRELOAD_FDS_MAX - 1), PRELOAD_KFD);
	preload_fd_set(PRELOAD_FDS_MAX - 1, PRELOAD_OTHER);
	assert_int_equal(preload_kind(PRELOAD_FDS_MAX - 1), PRELOAD_OTHER);
}

static void a_child_before_exec_leaves_its_parents_table_alone(void **state)
{
	pid_t pid;
	int status = 1;

	(void)state;
	preload_fd_set(77, PRELOAD_KFD);
	pid = fork();
	if (pid == 0) {
		/* As after vfork(): no handler of fork() has run. */
		preload_fd_set(77, PRELOAD_OTHER);
		if (preload_kind(77) != PRELOAD_KFD)
			_exit(1);
		preload_fds_forked();
		preload_fd_set(77, PRELOAD_OTHER);
		_exit(preload_kind(77) == PRELOAD_OTHER ? 0 : 2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	preload_fd_set(77, PRELOAD_OTHER);
}

static void a_mapping_is_taken_once(void **state)
{
	(void)state;
	assert_false(preload_range_known(0x7000000));
	preload_range_add(0x7000000);
	assert_true(preload_range_known(0x7000000));
	assert_false(preload_range_known(0x7001000));
	assert_true(preload_range_take(0x7000000));
	assert_false(preload_range_take(0x7000000));
	assert_false(preload_range_known(0x7000000));
}

static void many_mappings_are_found_again(void **state)
{
	enum { COUNT = 20000 };
	int known = 0;

	(void)state;
	for (uint64_t i = 0; i < COUNT; i++)
		preload_range_add(0x100000000 + i * 0x200000);
	for (uint64_t i = 0; i < COUNT; i++)
		known += preload_range_known(0x100000000 + i * 0x200000);
	assert_int_equal(known, COUNT);
	for (uint64_t i = 0; i < COUNT; i++)
		assert_true(preload_range_take(0x100000000 + i * 0x200000));
	/* Places that were in use are used again. */
	for (int round = 0; round < 10; round++) {
		for (uint64_t i = 0; i < COUNT; i++)
			preload_range_add(0x200000000 + (i + (uint64_t)round * 7) * 0x1000);
		for (uint64_t i = 0; i < COUNT; i++)
			assert_true(preload_range_take(0x200000000 +
						       (i + (uint64_t)round * 7) * 0x1000));
	}
}

struct seen {
	uint64_t bos, queues, events, bytes, handles;
};

static void see_bo(const struct preload_bo *bo, void *data)
{
	struct seen *seen = data;

	seen->bos++;
	seen->bytes += bo->size_bytes;
	seen->handles ^= bo->handle;
}

static void see_queue(const struct preload_queue *queue, void *data)
{
	(void)queue;
	((struct seen *)data)->queues++;
}

static void see_event(const struct preload_event *event, void *data)
{
	(void)event;
	((struct seen *)data)->events++;
}

static struct seen look(void)
{
	static const struct preload_visitor visitor = { see_bo, see_queue, see_event };
	struct seen seen = { 0 };

	preload_live_visit(&visitor, &seen);
	return seen;
}

static void alloc(uint64_t handle, uint64_t size)
{
	const struct kfd_ioctl_alloc_memory_of_gpu_args args = { .handle = handle, .size = size };

	preload_live_note(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &args, preload_live_order(), 0);
}

static void give_back(uint64_t handle)
{
	const struct kfd_ioctl_free_memory_of_gpu_args args = { .handle = handle };

	preload_live_note(AMDKFD_IOC_FREE_MEMORY_OF_GPU, &args, preload_live_order(), 0);
}

static void objects_live_from_their_ioctl_to_the_other(void **state)
{
	const struct kfd_ioctl_create_queue_args queue = { .queue_id = 5 };
	const struct kfd_ioctl_destroy_queue_args queue_end = { .queue_id = 5 };
	const struct kfd_ioctl_create_event_args event = { .event_id = 5 };
	const struct kfd_ioctl_get_version_args version = { .major_version = 1,
							    .minor_version = 17 };
	uint32_t major, minor;
	struct seen seen;

	(void)state;
	preload_live_forked();
	preload_live_note(AMDKFD_IOC_CREATE_QUEUE, &queue, preload_live_order(), 0);
	preload_live_note(AMDKFD_IOC_CREATE_EVENT, &event, preload_live_order(), 0);
	preload_live_note(AMDKFD_IOC_GET_VERSION, &version, preload_live_order(), 0);
	alloc(UINT64_C(0xA00100000001), 100);
	seen = look();
	assert_int_equal(seen.bos, 1);
	assert_int_equal(seen.queues, 1);
	assert_int_equal(seen.events, 1);
	preload_live_note(AMDKFD_IOC_DESTROY_QUEUE, &queue_end, preload_live_order(), 0);
	give_back(UINT64_C(0xA00100000001));
	give_back(4711);
	seen = look();
	assert_int_equal(seen.bos, 0);
	assert_int_equal(seen.queues, 0);
	assert_int_equal(seen.events, 1);
	preload_live_version(&major, &minor);
	assert_int_equal(major, 1);
	assert_int_equal(minor, 17);
}

/* The ioctl that ends an object returns after another thread was given the same number. */
static void numbers_that_are_given_out_again_stay(void **state)
{
	const struct kfd_ioctl_create_queue_args queue = { .queue_id = 5 };
	const struct kfd_ioctl_destroy_queue_args queue_end = { .queue_id = 5 };
	const struct kfd_ioctl_create_event_args event = { .event_id = 6 };
	const struct kfd_ioctl_destroy_event_args event_end = { .event_id = 6 };
	const struct kfd_ioctl_free_memory_of_gpu_args bo_end = { .handle = 7 };
	uint64_t order;
	struct seen seen;

	(void)state;
	preload_live_forked();
	for (int i = 0; i < 2; i++) {
		order = preload_live_order();
		alloc(7, 100);
		preload_live_note(AMDKFD_IOC_CREATE_QUEUE, &queue, order, 0);
		preload_live_note(AMDKFD_IOC_CREATE_EVENT, &event, order, 0);
	}
	preload_live_note(AMDKFD_IOC_FREE_MEMORY_OF_GPU, &bo_end, order, 0);
	preload_live_note(AMDKFD_IOC_DESTROY_QUEUE, &queue_end, order, 0);
	preload_live_note(AMDKFD_IOC_DESTROY_EVENT, &event_end, order, 0);
	seen = look();
	assert_int_equal(seen.bos, 1);
	assert_int_equal(seen.queues, 1);
	assert_int_equal(seen.events, 1);
	order = preload_live_order();
	preload_live_note(AMDKFD_IOC_FREE_MEMORY_OF_GPU, &bo_end, order, 0);
	preload_live_note(AMDKFD_IOC_DESTROY_QUEUE, &queue_end, order, 0);
	preload_live_note(AMDKFD_IOC_DESTROY_EVENT, &event_end, order, 0);
	seen = look();
	assert_int_equal(seen.bos + seen.queues + seen.events, 0);
}

/* Against the plainest model of the same: an array of flags. */
static void random_lives_are_kept_right(void **state)
{
	enum { HANDLES = 5000, STEPS = 200000 };
	static uint8_t is_live[HANDLES];
	struct seen expected = { 0 }, seen;
	uint64_t random = 88172645463325252;

	(void)state;
	preload_live_forked();
	for (int i = 0; i < STEPS; i++) {
		uint64_t handle;

		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		handle = random % HANDLES;
		if (is_live[handle])
			give_back(handle << 32 | handle);
		else
			alloc(handle << 32 | handle, handle);
		is_live[handle] ^= 1;
	}
	for (uint64_t handle = 0; handle < HANDLES; handle++) {
		if (!is_live[handle])
			continue;
		expected.bos++;
		expected.bytes += handle;
		expected.handles ^= handle << 32 | handle;
	}
	seen = look();
	assert_int_equal(seen.bos, expected.bos);
	assert_int_equal(seen.bytes, expected.bytes);
	assert_int_equal(seen.handles, expected.handles);
	preload_live_forked();
	assert_int_equal(look().bos, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(devices_are_known_by_their_paths),
		cmocka_unit_test(descriptors_beyond_the_table_are_nobodys),
		cmocka_unit_test(a_child_before_exec_leaves_its_parents_table_alone),
		cmocka_unit_test(a_mapping_is_taken_once),
		cmocka_unit_test(many_mappings_are_found_again),
		cmocka_unit_test(objects_live_from_their_ioctl_to_the_other),
		cmocka_unit_test(numbers_that_are_given_out_again_stay),
		cmocka_unit_test(random_lives_are_kept_right),
	};

	return cmocka_run_group_tests_name("trace/preload", tests, NULL, NULL);
}
