/* SPDX-License-Identifier: MIT */
/* Suppression files (analysis/output/suppressions.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glib/gstdio.h>
#include <string.h>

#include "output/suppressions.h"

static void a_pattern_is_found_anywhere_unless_it_is_anchored(void **state)
{
	(void)state;
	assert_true(suppression_pattern_matches("cache", "grow_cache_now"));
	assert_false(suppression_pattern_matches("^cache", "grow_cache_now"));
	assert_true(suppression_pattern_matches("^grow", "grow_cache_now"));
	assert_true(suppression_pattern_matches("now$", "grow_cache_now"));
	assert_false(suppression_pattern_matches("grow$", "grow_cache_now"));
	assert_true(suppression_pattern_matches("^grow_cache_now$", "grow_cache_now"));
	assert_false(suppression_pattern_matches("^grow$", "grow_cache_now"));
}

static void a_star_stands_for_anything(void **state)
{
	(void)state;
	assert_true(suppression_pattern_matches("grow*now", "grow_cache_now"));
	assert_true(suppression_pattern_matches("^g*c*w$", "grow_cache_now"));
	assert_false(suppression_pattern_matches("grow*then", "grow_cache_now"));
	assert_true(suppression_pattern_matches("*", ""));
	assert_true(suppression_pattern_matches("aa$", "aaa"));
}

static struct suppressions *load(const char *content, char **problem)
{
	char *path = NULL;
	int fd = g_file_open_tmp("kfdscope-suppressions-XXXXXX", &path, NULL);
	struct suppressions *suppressions;

	assert_true(fd >= 0);
	g_close(fd, NULL);
	assert_true(g_file_set_contents(path, content, -1, NULL));
	suppressions = suppressions_load(path, problem);
	g_unlink(path);
	g_free(path);
	return suppressions;
}

static void comments_and_empty_lines_are_skipped(void **state)
{
	char *problem;
	struct suppressions *suppressions = load("# known\n\n  leak:one\nleak:two*\n", &problem);

	(void)state;
	assert_non_null(suppressions);
	assert_int_equal(suppressions->list->len, 2);
	assert_string_equal(((struct suppression *)suppressions->list->pdata[1])->pattern, "two*");
	suppressions_free(suppressions);
}

static void a_wrong_line_is_named(void **state)
{
	char *problem;

	(void)state;
	assert_null(load("leak:one\nrace:two\n", &problem));
	assert_non_null(strstr(problem, ":2: 'race:two'"));
	g_free(problem);
	assert_null(load("leak:\n", &problem));
	g_free(problem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pattern_is_found_anywhere_unless_it_is_anchored),
		cmocka_unit_test(a_star_stands_for_anything),
		cmocka_unit_test(comments_and_empty_lines_are_skipped),
		cmocka_unit_test(a_wrong_line_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
