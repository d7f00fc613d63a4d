/* SPDX-License-Identifier: MIT */
/* JSON by hand is what printf() and jansson write (analysis/output/json_text.h). */
#include "output/json_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const uint64_t numbers[] = { 0,
				    1,
				    9,
				    10,
				    999,
				    1000,
				    1001,
				    1234567,
				    UINT32_MAX,
				    INT64_MAX,
				    (uint64_t)INT64_MAX + 1,
				    UINT64_MAX - 999,
				    UINT64_MAX };

static void numbers_are_what_printf_writes(void **state)
{
	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++) {
		GString *text = g_string_new(NULL);
		char expected[128];
		int64_t number = (int64_t)numbers[i];

		snprintf(expected, sizeof(expected), "%" PRIu64 " %" PRId64 " \"0x%" PRIx64 "\"",
			 numbers[i], number, numbers[i]);
		json_text_unsigned(text, numbers[i]);
		json_text_literal(text, " ");
		json_text_signed(text, number);
		json_text_literal(text, " ");
		json_text_hex(text, numbers[i]);
		assert_string_equal(text->str, expected);
		g_string_free(text, TRUE);
	}
}

static void times_are_microseconds_with_three_places(void **state)
{
	static const struct {
		int64_t time_ns;
		const char *text;
	} rows[] = {
		{ 0, "0.000" },   { 7, "0.007" },          { 70, "0.070" },
		{ 999, "0.999" }, { 1000, "1.000" },       { 123456, "123.456" },
		{ -1, "-0.001" }, { -123456, "-123.456" }, { INT64_MAX, "9223372036854775.807" }
	};

	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		GString *text = g_string_new(NULL);

		json_text_microseconds(text, rows[i].time_ns);
		assert_string_equal(text->str, rows[i].text);
		g_string_free(text, TRUE);
	}
}

static void strings_are_what_jansson_writes(void **state)
{
	static const char *const strings[] = { "",
					       "hipMalloc",
					       " ~ plain ~ ",
					       "a \"quoted\" name",
					       "back\\slash",
					       "line\nend\ttab\x01",
					       "\x7f",
					       "\xc3\xa9t\xc3\xa9" };

	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(strings); i++) {
		GString *text = g_string_new(NULL);
		json_t *json = json_string(strings[i]);
		char *expected = json_dumps(json, JSON_ENCODE_ANY);

		json_text_string(text, strings[i]);
		assert_string_equal(text->str, expected);
		g_string_free(text, TRUE);
		free(expected);
		json_decref(json);
	}
}

static void what_is_no_string_is_valid_json_too(void **state)
{
	GString *text = g_string_new(NULL);

	(void)state;
	json_text_string(text, NULL);
	json_text_string(text, "latin \xe9");
	assert_string_equal(text->str, "\"\"\"?\"");
	g_string_free(text, TRUE);
}

static void trees_are_what_jansson_writes(void **state)
{
	static const char *const trees[] = {
		"{}",
		"[]",
		"null",
		"[0, -1, 9223372036854775807, -9223372036854775808]",
		"[0.0, 0.1, -1.7976931348623157e308, 5e-324, 1e100, 123456789.125]",
		("{\"z\": [true, false, null], \"a\": {\"\\u00e9\": {\"\": [[], {}]}}, \"m\": "
		 "\"\\n\"}"),
	};

	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(trees); i++) {
		GString *text = g_string_new(NULL);
		json_t *json = json_loads(trees[i], JSON_DECODE_ANY, NULL);
		char *expected = json_dumps(json, JSON_ENCODE_ANY);

		assert_non_null(expected);
		json_text_tree(text, json);
		assert_string_equal(text->str, expected);
		g_string_free(text, TRUE);
		free(expected);
		json_decref(json);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_what_printf_writes),
		cmocka_unit_test(times_are_microseconds_with_three_places),
		cmocka_unit_test(strings_are_what_jansson_writes),
		cmocka_unit_test(what_is_no_string_is_valid_json_too),
		cmocka_unit_test(trees_are_what_jansson_writes),
	};

	return cmocka_run_group_tests_name("analysis/json_text", tests, NULL, NULL);
}
