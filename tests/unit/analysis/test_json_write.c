/* SPDX-License-Identifier: MIT */
/* JSON that is written piece by piece (analysis/output/json_write.h). */
#include "output/json_write.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *written(const json_t *json, json_entry_fn *entry, void *data)
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	assert_int_equal(json_write(json, stream, entry, data), 0);
	fclose(stream);
	return text;
}

/* The same members in the same order: then both are the same text when they are written by jansson. */
static void assert_same(const json_t *json, const char *text)
{
	json_t *read = json_loads(text, 0, NULL);
	char *wanted = json_dumps(json, 0), *got = json_dumps(read, 0);

	assert_non_null(read);
	assert_string_equal(got, wanted);
	free(wanted);
	free(got);
	json_decref(read);
}

static void what_is_written_is_what_is_read(void **state)
{
	static const char *const texts[] = {
		"{}",
		"{\"z\": 1, \"a\": null, \"list\": [], \"object\": {}, \"true\": true}",
		"{\"lists\": [[1, 2, []], [], [{}, {\"deep\": [[3]]}]], \"x\": [1]}",
		"{\"line\\nend \\\"q\\\"\": [\"one\\ntwo\", \"\\u00e9\", \"\\\\\"], \"r\": 0.5}",
		"{\"rows\": [{\"a\": {\"b\": [1, {\"c\": 2}]}}, null, 3, \"text\"]}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		json_t *json = json_loads(texts[i], 0, NULL);
		char *text;

		assert_non_null(json);
		text = written(json, NULL, NULL);
		assert_same(json, text);
		free(text);
		json_decref(json);
	}
}

static void an_entry_is_a_line(void **state)
{
	json_t *json =
		json_loads("{\"a\": 1, \"b\": {\"c\": [{\"d\": [1, {\"e\": 2}]}, \"x\\ny\"], "
			   "\"f\": []}, \"g\": [null]}",
			   0, NULL);
	char *text = written(json, NULL, NULL);

	(void)state;
	assert_string_equal(text, "{\n"
				  "  \"a\": 1,\n"
				  "  \"b\": {\n"
				  "    \"c\": [\n"
				  "      {\"d\": [1, {\"e\": 2}]},\n"
				  "      \"x\\ny\"\n"
				  "    ],\n"
				  "    \"f\": []\n"
				  "  },\n"
				  "  \"g\": [\n"
				  "    null\n"
				  "  ]\n"
				  "}\n");
	free(text);
	json_decref(json);
}

static void make_entry(void *data, const char *list, size_t index, struct json_build *build)
{
	unsigned int *made = data;

	(*made)++;
	json_build_object(build, NULL);
	json_build_string(build, "of", list);
	json_build_int(build, "index", (int64_t)index);
	json_build_end(build);
}

static void entries_that_are_null_are_made(void **state)
{
	json_t *left =
		json_loads("{\"one\": [null, 5, null], \"null\": null, \"two\": [null], "
			   "\"inner\": {\"three\": [null]}, \"four\": [[null], {\"f\": [null]}]}",
			   0, NULL);
	json_t *whole = json_loads("{\"one\": [{\"of\": \"one\", \"index\": 0}, 5, "
				   "{\"of\": \"one\", \"index\": 2}], \"null\": null, "
				   "\"two\": [{\"of\": \"two\", \"index\": 0}], "
				   "\"inner\": {\"three\": [{\"of\": \"three\", \"index\": 0}]}, "
				   "\"four\": [[null], {\"f\": [null]}]}",
				   0, NULL);
	unsigned int made = 0;
	char *text = written(left, make_entry, &made);

	(void)state;
	assert_same(whole, text);
	assert_int_equal(made, 4);
	free(text);
	json_decref(left);
	json_decref(whole);
}

/* More than is written at once. */
static void long_lists_are_whole(void **state)
{
	enum { ENTRIES = 20000 };
	json_t *list = json_array(), *left = json_pack("{so}", "list", list), *read;
	unsigned int made = 0;
	char *text;

	(void)state;
	for (int i = 0; i < ENTRIES; i++)
		json_array_append_new(list, json_null());
	text = written(left, make_entry, &made);
	read = json_loads(text, 0, NULL);
	list = json_object_get(read, "list");
	assert_int_equal(json_array_size(list), ENTRIES);
	for (size_t i = 0; i < ENTRIES; i++)
		assert_int_equal(
			json_integer_value(json_object_get(json_array_get(list, i), "index")), i);
	free(text);
	json_decref(read);
	json_decref(left);
}

static void what_cannot_be_written_is_told(void **state)
{
	json_t *json = json_loads("{\"list\": [null]}", 0, NULL);
	FILE *full = fopen("/dev/full", "w"), *null = fopen("/dev/null", "w");

	(void)state;
	assert_non_null(full);
	assert_non_null(null);
	setvbuf(full, NULL, _IONBF, 0);
	assert_int_equal(json_write(json, full, NULL, NULL), -ENOSPC);
	assert_int_equal(json_write(NULL, null, NULL, NULL), -ENOMEM);
	fclose(full);
	fclose(null);
	json_decref(json);
}

/* A reader that has gone does not keep us busy. */
static void no_more_is_made_once_writing_failed(void **state)
{
	enum { ENTRIES = 20000 };
	json_t *list = json_array(), *left = json_pack("{so}", "list", list);
	FILE *full = fopen("/dev/full", "w");
	unsigned int made = 0;

	(void)state;
	assert_non_null(full);
	for (int i = 0; i < ENTRIES; i++)
		json_array_append_new(list, json_null());
	assert_int_equal(json_write(left, full, make_entry, &made), -ENOSPC);
	assert_true(made < ENTRIES);
	fclose(full);
	json_decref(left);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_what_is_read),
		cmocka_unit_test(an_entry_is_a_line),
		cmocka_unit_test(entries_that_are_null_are_made),
		cmocka_unit_test(long_lists_are_whole),
		cmocka_unit_test(what_cannot_be_written_is_told),
		cmocka_unit_test(no_more_is_made_once_writing_failed),
	};

	return cmocka_run_group_tests_name("analysis/output/json_write", tests, NULL, NULL);
}
