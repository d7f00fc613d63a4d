/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model.h"
#include "store.h"

#define PAGE 4096ull

static int setup(void **state)
{
	*state = kfd_model_store_new();
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	kfd_model_store_put(*state);
	return 0;
}

static void places_are_aligned_and_disjoint(void **state)
{
	struct kfd_model_store *store = *state;
	uint64_t sizes[] = { 1, PAGE, PAGE + 1, 9 * PAGE, 17 * PAGE, 1ull << 21, (1ull << 30) + 1 };
	uint64_t offsets[7];

	for (unsigned int i = 0; i < 7; i++) {
		assert_int_equal(kfd_model_store_alloc(store, sizes[i], &offsets[i]), 0);
		assert_int_equal(offsets[i] % PAGE, 0);
		assert_true(offsets[i] != 0);
		for (unsigned int j = 0; j < i; j++)
			assert_true(offsets[i] >= offsets[j] + sizes[j] ||
				    offsets[j] >= offsets[i] + sizes[i]);
	}
}

static void a_released_place_is_reused_and_zero(void **state)
{
	struct kfd_model_store *store = *state;
	uint64_t a, b, c, span;
	char *host;

	assert_int_equal(kfd_model_store_alloc(store, 3 * PAGE, &a), 0);
	host = kfd_model_store_host(store, a, &span);
	memset(host, 0x5a, 3 * PAGE);
	kfd_model_store_release(store, a, 3 * PAGE, true);
	assert_int_equal(kfd_model_store_alloc(store, 3 * PAGE, &b), 0);
	assert_true(a == b);
	for (uint64_t i = 0; i < 3 * PAGE; i++)
		assert_int_equal(host[i], 0);
	kfd_model_store_release(store, b, 3 * PAGE, false);
	assert_int_equal(kfd_model_store_alloc(store, 3 * PAGE, &c), 0);
	assert_true(c != b);
}

static void a_class_serves_all_its_sizes(void **state)
{
	struct kfd_model_store *store = *state;
	uint64_t a, b;

	/* 33 and 36 pages share a class: the place must be large enough for both */
	assert_int_equal(kfd_model_store_alloc(store, 33 * PAGE, &a), 0);
	kfd_model_store_release(store, a, 33 * PAGE, true);
	assert_int_equal(kfd_model_store_alloc(store, 36 * PAGE, &b), 0);
	assert_true(a == b);
	assert_int_equal(kfd_model_store_alloc(store, PAGE, &a), 0);
	assert_true(a >= b + 36 * PAGE || a + PAGE <= b);
}

static void memory_does_not_grow_with_freed_places(void **state)
{
	struct kfd_model_store *store = *state;
	uint64_t offset, span;
	struct stat st;

	for (int i = 0; i < 50; i++) {
		assert_int_equal(kfd_model_store_alloc(store, 1 << 20, &offset), 0);
		memset(kfd_model_store_host(store, offset, &span), 1, 1 << 20);
		kfd_model_store_release(store, offset, 1 << 20, false);
	}
	assert_int_equal(fstat(kfd_model_store_fd(store), &st), 0);
	assert_true(st.st_blocks * 512 < 2 << 20);
}

static void requests_beyond_the_file_fail(void **state)
{
	uint64_t offset = 7;

	assert_int_not_equal(kfd_model_store_alloc(*state, 1ull << 60, &offset), 0);
	assert_int_not_equal(kfd_model_store_alloc(*state, 0, &offset), 0);
	assert_int_equal(offset, 7);
}

static void a_share_record_is_read_through_any_descriptor(void **state)
{
	struct kfd_model_store *store = *state;
	struct kfd_model_share share = { .offset = 12345 * PAGE, .size_bytes = PAGE, .gpu_id = 9 };
	struct kfd_model_share seen;
	int copy = dup(kfd_model_store_fd(store)), null = open("/dev/null", O_RDWR);
	int index = kfd_model_store_share(store, &share);

	assert_true(index > 0);
	assert_int_equal(kfd_model_store_share_at(copy, (uint32_t)index, &seen), 0);
	assert_int_equal(seen.gpu_id, 9);
	assert_int_not_equal(kfd_model_store_share_at(copy, (uint32_t)index + 1, &seen), 0);
	assert_int_not_equal(kfd_model_store_share_at(copy, 0, &seen), 0);
	assert_int_not_equal(kfd_model_store_share_at(null, (uint32_t)index, &seen), 0);
	kfd_model_store_unshare(store, (uint32_t)index);
	assert_int_not_equal(kfd_model_store_share_at(copy, (uint32_t)index, &seen), 0);
	close(copy);
	close(null);
}

static void an_adopted_file_shows_the_same_memory(void **state)
{
	struct kfd_model_store *store = *state, *other;
	uint64_t offset, span;
	char *host;

	assert_null(kfd_model_store_adopt(0));
	other = kfd_model_store_adopt(dup(kfd_model_store_fd(store)));
	assert_non_null(other);
	assert_int_equal(kfd_model_store_alloc(store, PAGE, &offset), 0);
	host = kfd_model_store_host(store, offset, &span);
	host[7] = 77;
	assert_int_equal(((char *)kfd_model_store_host(other, offset, &span))[7], 77);
	assert_true(kfd_model_store_is(other, kfd_model_store_fd(store)));
	kfd_model_store_put(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(places_are_aligned_and_disjoint, setup, teardown),
		cmocka_unit_test_setup_teardown(a_released_place_is_reused_and_zero, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_class_serves_all_its_sizes, setup, teardown),
		cmocka_unit_test_setup_teardown(memory_does_not_grow_with_freed_places, setup,
						teardown),
		cmocka_unit_test_setup_teardown(requests_beyond_the_file_fail, setup, teardown),
		cmocka_unit_test_setup_teardown(a_share_record_is_read_through_any_descriptor,
						setup, teardown),
		cmocka_unit_test_setup_teardown(an_adopted_file_shows_the_same_memory, setup,
						teardown),
	};

	return cmocka_run_group_tests_name("thunk/model/store", tests, NULL, NULL);
}
