/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "virtio/host/id_table.h"
#include "virtio/host/va.h"

#define BASE 0x700000000000ull
#define SIZE (1ull << 30)

static void freed_pieces_grow_together_again(void **state)
{
	uint64_t pieces[64];
	struct virtio_va va;

	(void)state;
	assert_true(virtio_va_init(&va, BASE, SIZE));
	for (int i = 0; i < 64; i++) {
		pieces[i] = virtio_va_alloc(&va, SIZE / 64, 4096);
		assert_true(virtio_va_holds(&va, pieces[i], SIZE / 64));
	}
	assert_int_equal(virtio_va_alloc(&va, 4096, 4096), 0);
	for (int i = 0; i < 64; i += 2)
		virtio_va_free(&va, pieces[i], SIZE / 64);
	assert_int_equal(virtio_va_alloc(&va, SIZE / 32, 4096), 0);
	for (int i = 63; i > 0; i -= 2)
		virtio_va_free(&va, pieces[i], SIZE / 64);
	assert_int_equal(virtio_va_alloc(&va, SIZE, 4096), BASE);
	virtio_va_fini(&va);
}

static void the_best_fit_is_taken_and_aligned(void **state)
{
	uint64_t small, between, large;
	struct virtio_va va;

	(void)state;
	assert_true(virtio_va_init(&va, BASE + 4096, SIZE));
	large = virtio_va_alloc(&va, 2 << 20, 2 << 20);
	assert_int_equal(large % (2 << 20), 0);
	small = virtio_va_alloc(&va, 8192, 4096);
	between = virtio_va_alloc(&va, 4096, 4096);
	assert_true(small && between);
	virtio_va_free(&va, small, 8192);
	assert_int_equal(virtio_va_alloc(&va, 8192, 4096), small);
	assert_int_equal(virtio_va_alloc(&va, 4096, 3), 0);
	assert_false(virtio_va_holds(&va, BASE, 1));
	assert_false(virtio_va_holds(&va, BASE + 4096, SIZE + 1));
	assert_false(virtio_va_holds(&va, UINT64_MAX, 2));
	virtio_va_fini(&va);
}

static void wanted_addresses_are_given_if_free(void **state)
{
	struct virtio_va va;

	(void)state;
	assert_true(virtio_va_init(&va, BASE, SIZE));
	assert_true(virtio_va_take(&va, BASE + 8192, 4096));
	assert_false(virtio_va_take(&va, BASE + 8192, 4096));
	assert_false(virtio_va_take(&va, BASE + 4096, 8192)); /* partly taken */
	assert_false(virtio_va_take(&va, BASE - 4096, 4096));
	assert_false(virtio_va_take(&va, BASE + SIZE - 4096, 8192));
	assert_false(virtio_va_take(&va, BASE, 0));
	assert_true(virtio_va_take(&va, BASE, 8192));
	assert_true(virtio_va_take(&va, BASE + SIZE - 4096, 4096));
	assert_int_equal(virtio_va_alloc(&va, SIZE - 16384, 4096), BASE + 12288);
	assert_int_equal(virtio_va_alloc(&va, 4096, 4096), 0);
	virtio_va_free(&va, BASE + 12288, SIZE - 16384);
	virtio_va_free(&va, BASE, 12288);
	virtio_va_free(&va, BASE + SIZE - 4096, 4096);
	assert_int_equal(virtio_va_alloc(&va, SIZE, 4096), BASE);
	virtio_va_fini(&va);
}

static void ids_come_and_go(void **state)
{
	struct virtio_ids ids = { 0 };
	int value;

	(void)state;
	assert_null(virtio_ids_find(&ids, 1));
	for (uint64_t round = 0; round < 3; round++) {
		for (uint64_t id = 1; id <= 1000; id++)
			assert_true(virtio_ids_add(&ids, id << 32 | id, &value));
		assert_int_equal(ids.count, 1000);
		for (uint64_t id = 1; id <= 1000; id++) {
			assert_ptr_equal(virtio_ids_find(&ids, id << 32 | id), &value);
			assert_ptr_equal(virtio_ids_remove(&ids, id << 32 | id), &value);
			assert_null(virtio_ids_remove(&ids, id << 32 | id));
		}
		assert_int_equal(ids.count, 0);
	}
	assert_null(virtio_ids_find(&ids, 0));
	virtio_ids_fini(&ids);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(freed_pieces_grow_together_again),
		cmocka_unit_test(the_best_fit_is_taken_and_aligned),
		cmocka_unit_test(wanted_addresses_are_given_if_free),
		cmocka_unit_test(ids_come_and_go),
	};

	return cmocka_run_group_tests_name("thunk/virtio/host/va", tests, NULL, NULL);
}
