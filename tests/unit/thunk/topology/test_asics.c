/* SPDX-License-Identifier: MIT */
/* The table of known device ids. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "topology/asics.h"

static void the_ranges_are_sorted_and_disjoint(void **state)
{
	uint32_t first, last, previous = 0;
	size_t count = 0;

	(void)state;
	while (asic_range(count, &first, &last)) {
		assert_true(first > previous);
		assert_true(last >= first);
		previous = last;
		count++;
	}
	assert_int_equal(count, 119);
}

static void every_id_of_a_range_is_found(void **state)
{
	const struct asic *asic;
	uint32_t first, last;

	(void)state;
	for (size_t i = 0; (asic = asic_range(i, &first, &last)); i++)
		for (uint32_t id = first; id <= last; id++)
			assert_ptr_equal(asic_find(id), asic);
}

static void check(uint32_t id, const char *name, int major, int minor, int stepping)
{
	const struct asic *asic = asic_find(id);

	assert_non_null(asic);
	assert_string_equal(asic->name, name);
	assert_int_equal(asic->major, major);
	assert_int_equal(asic->minor, minor);
	assert_int_equal(asic->stepping, stepping);
}

static void known_gpus_have_their_names_and_versions(void **state)
{
	(void)state;
	check(0x1304, "Spectre", 7, 0, 0);
	check(0x67be, "Hawaii", 7, 0, 1);
	check(0x9875, "Carrizo", 8, 0, 1);
	check(0x6860, "Vega10", 9, 0, 0);
	check(0x66a1, "Vega20", 9, 0, 6);
	check(0x738c, "Arcturus", 9, 0, 8);
	check(0x740f, "Aldebaran", 9, 0, 10);
	check(0x164c, "Renoir", 9, 0, 12);
	check(0x7310, "Navi10", 10, 1, 0);
	check(0x73bf, "SIENNA_CICHLID", 10, 3, 0);
	check(0x1681, "YELLOW_CARP", 10, 3, 5);
}

static void unknown_ids_are_not_found(void **state)
{
	(void)state;
	assert_null(asic_find(0));
	assert_null(asic_find(0x74a1));
	assert_null(asic_find(0x1308));
	assert_null(asic_find(0xffff));
	assert_null(asic_find(0x1001304));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_ranges_are_sorted_and_disjoint),
		cmocka_unit_test(every_id_of_a_range_is_found),
		cmocka_unit_test(known_gpus_have_their_names_and_versions),
		cmocka_unit_test(unknown_ids_are_not_found),
	};

	return cmocka_run_group_tests_name("thunk/topology/asics", tests, NULL, NULL);
}
