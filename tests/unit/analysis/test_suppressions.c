/* SPDX-License-Identifier: MIT */
/* Suppression files and the comparison of two states (analysis/output). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glib/gstdio.h>
#include <jansson.h>
#include <string.h>

#include "output/diff_report.h"
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

static json_t *state_of(const char *function, int line, int64_t live, int64_t then)
{
	return json_pack("{sb sI s[] s[{ss ss sI s{sI sI} s[{sI sI}] s[{ss ss si}]}]}", "complete",
			 1, "lost_events", (json_int_t)0, "partial_input", "places", "kind",
			 "device memory", "class", "allocation", "taken", (json_int_t)1, "live",
			 "blocks", (json_int_t)(live > 0), "bytes", (json_int_t)live, "at_moments",
			 "blocks", (json_int_t)(then > 0), "bytes", (json_int_t)then, "stack",
			 "function", function, "module", "/opt/app", "line", line);
}

/* The difference of two states, each with one place. @param moment  of the first; -1: the end. */
static json_t *compare(const json_t *before, int moment, const json_t *after)
{
	const json_t *states[DIFF_SIDES] = { before, after };
	struct diff *diff = diff_new();
	json_t *json;

	for (int side = 0; side < DIFF_SIDES; side++) {
		diff_take_report(diff, (enum diff_side)side, side ? "b" : "a", states[side]);
		diff_take_place(diff, (enum diff_side)side, side ? -1 : moment,
				json_array_get(json_object_get(states[side], "places"), 0));
	}
	diff_finish(diff);
	json = diff_json(diff, SIZE_MAX);
	diff_free(diff);
	return json;
}

static int64_t change_of(const json_t *json, size_t index)
{
	return json_integer_value(json_object_get(
		json_array_get(json_object_get(json, "places"), index), "change_bytes"));
}

static void places_are_the_same_when_their_functions_are(void **state)
{
	json_t *before = state_of("grow", 10, 100, 0), *after = state_of("grow", 25, 700, 0);
	json_t *json = compare(before, -1, after);

	(void)state;
	assert_int_equal(json_array_size(json_object_get(json, "places")), 1);
	assert_int_equal(change_of(json, 0), 600);
	json_decref(json);
	json_decref(before);
	json_decref(after);
}

static void a_place_that_is_new_or_gone_counts_in_full(void **state)
{
	json_t *before = state_of("old", 10, 100, 0), *after = state_of("new", 10, 700, 0);
	json_t *json = compare(before, -1, after);

	(void)state;
	assert_int_equal(json_array_size(json_object_get(json, "places")), 2);
	assert_int_equal(change_of(json, 0), 700);
	assert_int_equal(change_of(json, 1), -100);
	assert_int_equal(json_integer_value(json_object_get(json, "findings")), 1);
	json_decref(json);
	json_decref(before);
	json_decref(after);
}

static void two_moments_of_one_recording_are_compared(void **state)
{
	json_t *allocs = state_of("grow", 10, 700, 300);
	json_t *json = compare(allocs, 0, allocs);
	GString *text = g_string_new(NULL);

	(void)state;
	assert_int_equal(change_of(json, 0), 400);
	diff_text(text, json, 0);
	assert_non_null(strstr(text->str, "+400 bytes of device memory"));
	g_string_free(text, TRUE);
	json_decref(json);
	json_decref(allocs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pattern_is_found_anywhere_unless_it_is_anchored),
		cmocka_unit_test(a_star_stands_for_anything),
		cmocka_unit_test(comments_and_empty_lines_are_skipped),
		cmocka_unit_test(a_wrong_line_is_named),
		cmocka_unit_test(places_are_the_same_when_their_functions_are),
		cmocka_unit_test(a_place_that_is_new_or_gone_counts_in_full),
		cmocka_unit_test(two_moments_of_one_recording_are_compared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
