/* SPDX-License-Identifier: MIT */
/* Values as trees and as text (analysis/output/json_build.h). */
#include "output/json_build.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef void make_fn(struct json_build *build);

static json_t *make_tree(make_fn *make)
{
	struct json_build *build = json_build_new(NULL);
	json_t *json;

	make(build);
	json = json_build_take(build);
	assert_null(json_build_take(build));
	json_build_free(build);
	return json;
}

/* Both ways; the text has to be what jansson writes of the tree. @return the text. */
static char *make_both(make_fn *make)
{
	GString *text = g_string_new("before");
	struct json_build *build = json_build_new(text);
	json_t *json = make_tree(make);
	char *dumped = json_dumps(json, JSON_ENCODE_ANY);

	make(build);
	assert_non_null(dumped);
	assert_string_equal(text->str + strlen("before"), dumped);
	json_build_free(build);
	g_string_free(text, TRUE);
	json_decref(json);
	return dumped;
}

static void make_nothing(struct json_build *build)
{
	json_build_object(build, NULL);
	json_build_object(build, "object");
	json_build_end(build);
	json_build_list(build, "list");
	json_build_list(build, NULL);
	json_build_end(build);
	json_build_object(build, NULL);
	json_build_end(build);
	json_build_end(build);
	json_build_end(build);
}

static void make_values(struct json_build *build)
{
	json_build_object(build, NULL);
	json_build_int(build, "zero", 0);
	json_build_int(build, "largest", INT64_MAX);
	json_build_int(build, "smallest", INT64_MIN);
	json_build_real(build, "third", 1.0 / 3);
	json_build_real(build, "tiny", -1.2345678901234567e-308);
	json_build_real(build, "whole", 5.0);
	json_build_real(build, "none", NAN);
	json_build_bool(build, "true", true);
	json_build_bool(build, "false", false);
	json_build_null(build, "null");
	json_build_list(build, "list");
	json_build_int(build, NULL, 1);
	json_build_string(build, NULL, "[");
	json_build_string(build, NULL, "{");
	json_build_null(build, NULL);
	json_build_end(build);
	json_build_int(build, "last", 10);
	json_build_end(build);
}

static void make_strings(struct json_build *build)
{
	json_build_list(build, NULL);
	json_build_string(build, NULL, "plain");
	json_build_string(build, NULL, "\"quoted\" \\ / \b\f\n\r\t\x01\x7f");
	json_build_string(build, NULL, "caf\xc3\xa9 \xf0\x9f\x98\x80");
	json_build_string(build, NULL, "");
	json_build_string(build, NULL, NULL);
	json_build_string(build, NULL, "not utf-8: \xff");
	json_build_string(build, NULL, "last");
	json_build_end(build);
}

static void the_text_is_that_of_the_tree(void **state)
{
	char *text;

	(void)state;
	free(make_both(make_nothing));
	text = make_both(make_values);
	assert_non_null(strstr(text, "\"smallest\": -9223372036854775808, \"third\": 0.333"));
	assert_null(strstr(text, "none"));
	free(text);
	text = make_both(make_strings);
	assert_non_null(strstr(text, "[\"plain\", \"\\\"quoted\\\""));
	assert_non_null(strstr(text, "\"\", \"?\", \"last\"]"));
	free(text);
}

static struct json_ready ready;

static void make_ready(struct json_build *build)
{
	json_build_object(build, NULL);
	json_build_ready(build, "one", &ready);
	json_build_list(build, "list");
	json_build_ready(build, NULL, &ready);
	json_build_ready(build, NULL, &ready);
	json_build_end(build);
	json_build_end(build);
}

static void what_is_ready_stands_in_many_places(void **state)
{
	GString *text = g_string_new("{\"a\": [1, \"two\"]}");
	json_t *tree, *one;

	(void)state;
	json_ready_init(&ready, text);
	g_string_free(text, TRUE);
	free(make_both(make_ready));
	tree = make_tree(make_ready);
	one = json_object_get(tree, "one");
	assert_ptr_equal(one, json_array_get(json_object_get(tree, "list"), 1));
	json_ready_fini(&ready);
	assert_string_equal(json_string_value(json_array_get(json_object_get(one, "a"), 1)), "two");
	json_decref(tree);
}

static void what_is_not_finished_is_freed(void **state)
{
	struct json_build *build = json_build_new(NULL);

	(void)state;
	json_build_object(build, NULL);
	json_build_list(build, "list");
	json_build_string(build, NULL, "text");
	assert_null(json_build_take(build));
	json_build_free(build);
	json_build_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_text_is_that_of_the_tree),
		cmocka_unit_test(what_is_ready_stands_in_many_places),
		cmocka_unit_test(what_is_not_finished_is_freed),
	};

	return cmocka_run_group_tests_name("analysis/output/json_build", tests, NULL, NULL);
}
