/* SPDX-License-Identifier: MIT */
/* Pieces of a pool do not meet and are as promised (analysis/model/pool.h). */
#include "model/pool.h"

#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

enum { PIECES = 3000 };

static size_t size_of(size_t index)
{
	return 1 + index * 37 % 300;
}

static void pieces_are_zeroed_aligned_and_apart(void **state)
{
	static unsigned char *pieces[PIECES];
	struct pool pool = { 0 };

	(void)state;
	for (size_t i = 0; i < PIECES; i++) {
		pieces[i] = pool_take(&pool, size_of(i));
		assert_int_equal((uintptr_t)pieces[i] % _Alignof(max_align_t), 0);
		for (size_t j = 0; j < size_of(i); j++)
			assert_int_equal(pieces[i][j], 0);
		memset(pieces[i], (int)(i % 255) + 1, size_of(i));
	}
	for (size_t i = 0; i < PIECES; i++)
		for (size_t j = 0; j < size_of(i); j++)
			assert_int_equal(pieces[i][j], i % 255 + 1);
	pool_fini(&pool);
}

static void a_piece_may_be_larger_than_a_chunk(void **state)
{
	struct pool pool = { 0 };
	unsigned char *before = pool_take(&pool, 10), *large, *after;

	(void)state;
	before[9] = 1;
	large = pool_take(&pool, 1 << 20);
	memset(large, 2, 1 << 20);
	after = pool_take(&pool, 10);
	assert_int_equal(before[9], 1);
	assert_int_equal(after[0], 0);
	assert_int_equal(large[(1 << 20) - 1], 2);
	pool_fini(&pool);
	assert_non_null(pool_take(&pool, 10)); /* it is an empty one again */
	pool_fini(&pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_are_zeroed_aligned_and_apart),
		cmocka_unit_test(a_piece_may_be_larger_than_a_chunk),
	};

	return cmocka_run_group_tests_name("analysis/model/pool", tests, NULL, NULL);
}
