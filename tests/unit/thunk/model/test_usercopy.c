/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sys/mman.h>

#include "usercopy.h"

#define PAGE 4096ull

/* Three pages: writable, read-only, and a hole. */
static int setup(void **state)
{
	char *pages =
		mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		return -1;
	pages[PAGE] = 5;
	mprotect(pages + PAGE, PAGE, PROT_READ);
	munmap(pages + 2 * PAGE, PAGE);
	*state = pages;
	return 0;
}

static int teardown(void **state)
{
	munmap(*state, 2 * PAGE);
	return 0;
}

static void copies_stop_at_holes(void **state)
{
	uint64_t base = (uintptr_t)*state;
	char bytes[2 * PAGE];

	assert_int_equal(kfd_model_copy_in(bytes, base, 2 * PAGE), 0);
	assert_int_equal(bytes[PAGE], 5);
	assert_int_equal(kfd_model_copy_in(bytes, base + PAGE, 2 * PAGE), -EFAULT);
	assert_int_equal(kfd_model_copy_in(bytes, 0, 1), -EFAULT);
	assert_int_equal(kfd_model_copy_in(bytes, 0, 0), 0);
}

static void nothing_is_at_the_first_addresses(void **state)
{
	char bytes[64] = { 0 };

	(void)state;
	for (uint64_t addr = 0; addr < 20; addr++) {
		assert_int_equal(kfd_model_copy_in(bytes, addr, 4), -EFAULT);
		assert_int_equal(kfd_model_copy_in(bytes, addr, sizeof(bytes)), -EFAULT);
		assert_int_equal(kfd_model_copy_out(addr, bytes, 4), -EFAULT);
		assert_int_equal(kfd_model_copy_out(addr, bytes, sizeof(bytes)), -EFAULT);
	}
}

static void writes_respect_the_protection(void **state)
{
	uint64_t base = (uintptr_t)*state;
	const char bytes[16] = { 1 };

	assert_int_equal(kfd_model_copy_out(base, bytes, 16), 0);
	assert_int_equal(((char *)*state)[0], 1);
	assert_int_equal(kfd_model_copy_out(base + PAGE, bytes, 16), -EFAULT);
}

static void mapped_means_without_holes(void **state)
{
	uint64_t base = (uintptr_t)*state;

	assert_true(kfd_model_range_mapped(base, 2 * PAGE));
	assert_true(kfd_model_range_mapped(base + 5, 10));
	assert_false(kfd_model_range_mapped(base, 2 * PAGE + 1));
}

static void access_is_told_up_to_the_first_bad_page(void **state)
{
	uint64_t base = (uintptr_t)*state;

	assert_int_equal(kfd_model_range_accessible(base + 8, 2 * PAGE - 8, false), 2 * PAGE - 8);
	assert_int_equal(kfd_model_range_accessible(base + 8, 2 * PAGE - 8, true), PAGE - 8);
	assert_int_equal(kfd_model_range_accessible(base + PAGE, PAGE, true), 0);
	assert_int_equal(kfd_model_range_accessible(base + 2 * PAGE, PAGE, false), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(copies_stop_at_holes, setup, teardown),
		cmocka_unit_test(nothing_is_at_the_first_addresses),
		cmocka_unit_test_setup_teardown(writes_respect_the_protection, setup, teardown),
		cmocka_unit_test_setup_teardown(mapped_means_without_holes, setup, teardown),
		cmocka_unit_test_setup_teardown(access_is_told_up_to_the_first_bad_page, setup,
						teardown),
	};

	return cmocka_run_group_tests_name("thunk/model/usercopy", tests, NULL, NULL);
}
