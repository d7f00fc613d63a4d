/* SPDX-License-Identifier: MIT */
/* Module maps over time and interned stacks (analysis/model/modules.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "model/modules.h"

static const uint8_t id_a[] = { 1, 2, 3 }, id_b[] = { 1, 2, 4 };

static void stacks_before_a_take_over_belong_to_the_old_module(void **state)
{
	struct modules modules;

	(void)state;
	modules_init(&modules);
	modules_load(&modules, 0x1000, 0x1000, "/p1", NULL, 0);
	assert_int_equal(modules.epoch, 0);
	modules_load(&modules, 0x1000, 0x1000, "/p2", NULL, 0);
	assert_int_equal(modules.epoch, 1);
	assert_string_equal(modules_find(&modules, 0x1500, 0)->path, "/p1");
	assert_string_equal(modules_find(&modules, 0x1500, 1)->path, "/p2");
	modules_load(&modules, 0x1800, 0x1000, "/p3", NULL, 0); /* overlaps in part */
	assert_string_equal(modules_find(&modules, 0x1900, 2)->path, "/p3");
	assert_null(modules_find(&modules, 0x1500, 2));
	modules_fini(&modules);
}

static void a_module_told_again_changes_nothing(void **state)
{
	struct modules modules;

	(void)state;
	modules_init(&modules);
	modules_load(&modules, 0x1000, 0x1000, "/lib/x.so", NULL, 0);
	modules_load(&modules, 0x1000, 0x1000, "/usr/lib/x.so", id_a, sizeof(id_a));
	modules_load(&modules, 0x1000, 0x1000, "/lib/x.so", NULL, 0);
	modules_identify(&modules, 0x1000, id_a, sizeof(id_a));
	assert_int_equal(modules.epoch, 0);
	assert_int_equal(modules.list->len, 1);
	assert_int_equal(modules_find(&modules, 0x1000, 0)->build_id_size, 3);
	modules_fini(&modules);
}

/* The loader names a library by its link, a state dump of LTTng-UST by the file. */
static void a_link_and_its_file_are_one_module(void **state)
{
	struct modules modules;

	(void)state;
	modules_init(&modules);
	modules_load(&modules, 0x1000, 0x1000, "/lib/libx.so.1", id_a, sizeof(id_a));
	modules_load(&modules, 0x1000, 0x1000, "/lib/libx.so.1.0.6", NULL, 0);
	modules_identify(&modules, 0x1000, id_a, sizeof(id_a));
	modules_load(&modules, 0x1000, 0x1000, "/lib/libx.so", NULL, 0);
	assert_int_equal(modules.list->len, 1);
	modules_load(&modules, 0x1000, 0x1000, "/lib/libx.so.10", NULL, 0);
	assert_int_equal(modules.list->len, 2);
	modules_load(&modules, 0x1000, 0x2000, "/lib/libx.so.10.1", NULL, 0);
	assert_int_equal(modules.list->len, 3);
	modules_fini(&modules);
}

static void another_build_from_the_same_path_takes_over(void **state)
{
	struct modules modules;

	(void)state;
	modules_init(&modules);
	modules_load(&modules, 0x1000, 0x1000, "/x.so", id_a, sizeof(id_a));
	modules_load(&modules, 0x1000, 0x1000, "/x.so", NULL, 0);
	modules_identify(&modules, 0x1000, id_b, sizeof(id_b));
	assert_int_equal(modules.epoch, 1);
	assert_memory_equal(modules_find(&modules, 0x1000, 0)->build_id, id_a, sizeof(id_a));
	assert_memory_equal(modules_find(&modules, 0x1000, 1)->build_id, id_b, sizeof(id_b));
	modules_fini(&modules);
}

static void news_of_a_module_serves_stacks_taken_before_it(void **state)
{
	struct modules modules;

	(void)state;
	modules_init(&modules);
	modules_load(&modules, 0x1000, 0x1000, "/a", NULL, 0);
	modules_load(&modules, 0x1000, 0x1000, "/b", NULL, 0);
	modules_load(&modules, 0x9000, 0x1000, "/late", NULL, 0);
	assert_string_equal(modules_find(&modules, 0x9000, 0)->path, "/late");
	assert_string_equal(modules_find(&modules, 0x9fff, 1)->path, "/late");
	assert_null(modules_find(&modules, 0xa000, 1));
	modules_fini(&modules);
}

static void a_module_of_size_zero_is_left_out(void **state)
{
	struct modules modules;

	(void)state;
	modules_init(&modules);
	modules_load(&modules, 0x1000, 0, "[vdso]", NULL, 0);
	assert_int_equal(modules.list->len, 0);
	modules_fini(&modules);
}

static void copies_are_found_by_name_and_by_build_id(void **state)
{
	const uint8_t ours[] = { 1, 2 }, others[] = { 3 };
	struct modules modules;
	GPtrArray *copies;

	(void)state;
	modules_init(&modules);
	modules_load(&modules, 0x1000, 0x1000, "/a/libother.so", others, 1);
	modules_load(&modules, 0x2000, 0x1000, "/a/private.so", ours, 2);
	modules_load(&modules, 0x3000, 0x1000, "/a/libhsakmt.so.1", ours, 2);
	modules_load(&modules, 0x4000, 0x1000, "/a/libhsakmt_virtio.so.1", NULL, 0);
	copies = modules_copies(&modules, "libhsakmt.so");
	assert_int_equal(copies->len, 2);
	assert_string_equal(((struct module *)copies->pdata[0])->path, "/a/private.so");
	g_ptr_array_free(copies, TRUE);
	copies = modules_copies(&modules, "libnone");
	assert_int_equal(copies->len, 0);
	g_ptr_array_free(copies, TRUE);
	modules_fini(&modules);
}

static void equal_stacks_are_one_and_others_are_not(void **state)
{
	const uint64_t first[] = { 1, 2, 3 }, second[] = { 1, 2, 4 };
	struct stacks stacks;
	const struct stack *stack;

	(void)state;
	stacks_init(&stacks);
	stack = stacks_intern(&stacks, first, 3, 0, false);
	assert_ptr_equal(stack, stacks_intern(&stacks, first, 3, 0, false));
	assert_ptr_not_equal(stack, stacks_intern(&stacks, second, 3, 0, false));
	assert_ptr_not_equal(stack, stacks_intern(&stacks, first, 2, 0, false));
	assert_ptr_not_equal(stack, stacks_intern(&stacks, first, 3, 1, false));
	assert_ptr_not_equal(stack, stacks_intern(&stacks, first, 3, 0, true));
	assert_null(stacks_intern(&stacks, first, 0, 0, false));
	assert_int_equal(g_hash_table_size(stacks.table), 5);
	stacks_fini(&stacks);
}

static void a_stack_deeper_than_the_limit_is_cut_and_says_so(void **state)
{
	uint64_t deep[1000];
	struct stacks stacks;
	const struct stack *stack;

	(void)state;
	memset(deep, 1, sizeof(deep));
	stacks_init(&stacks);
	stack = stacks_intern(&stacks, deep, 1000, 0, false);
	assert_int_equal(stack->depth, 128);
	assert_true(stack->truncated);
	stacks_fini(&stacks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacks_before_a_take_over_belong_to_the_old_module),
		cmocka_unit_test(a_module_told_again_changes_nothing),
		cmocka_unit_test(a_link_and_its_file_are_one_module),
		cmocka_unit_test(another_build_from_the_same_path_takes_over),
		cmocka_unit_test(news_of_a_module_serves_stacks_taken_before_it),
		cmocka_unit_test(a_module_of_size_zero_is_left_out),
		cmocka_unit_test(copies_are_found_by_name_and_by_build_id),
		cmocka_unit_test(equal_stacks_are_one_and_others_are_not),
		cmocka_unit_test(a_stack_deeper_than_the_limit_is_cut_and_says_so),
	};

	return cmocka_run_group_tests_name("analysis/model/modules", tests, NULL, NULL);
}
