/* SPDX-License-Identifier: MIT */
/* JSON that is written piece by piece is what jansson writes at once (analysis/output/json_write.h). */
#include "output/json_write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

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

static void assert_same(const json_t *json, const char *text)
{
	char *dumped = json_dumps(json, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
	size_t length = strlen(dumped);

	assert_int_equal(strlen(text), length + 1);
	assert_memory_equal(text, dumped, length);
	assert_int_equal(text[length], '\n');
	free(dumped);
}

static void an_object_is_written_as_at_once(void **state)
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

static json_t *make_entry(void *data, const char *list, size_t index)
{
	unsigned int *made = data;

	(*made)++;
	return json_pack("{ss sI s[i]}", "of", list, "index", (json_int_t)index, "row", 7);
}

static void entries_that_are_null_are_made(void **state)
{
	json_t *left =
		json_loads("{\"one\": [null, 5, null], \"null\": null, \"two\": [null]}", 0, NULL);
	json_t *whole =
		json_loads("{\"one\": [{\"of\": \"one\", \"index\": 0, \"row\": [7]}, 5, "
			   "{\"of\": \"one\", \"index\": 2, \"row\": [7]}], \"null\": null, "
			   "\"two\": [{\"of\": \"two\", \"index\": 0, \"row\": [7]}]}",
			   0, NULL);
	unsigned int made = 0;
	char *text = written(left, make_entry, &made);

	(void)state;
	assert_same(whole, text);
	assert_int_equal(made, 3);
	free(text);
	json_decref(left);
	json_decref(whole);
}

static json_t *make_nothing(void *data, const char *list, size_t index)
{
	(void)data;
	(void)list;
	(void)index;
	errno = ENOMEM;
	return NULL;
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
	assert_int_equal(json_write(json, null, make_nothing, NULL), -ENOMEM);
	assert_int_equal(json_write(NULL, null, NULL, NULL), -ENOMEM);
	fclose(full);
	fclose(null);
	json_decref(json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_object_is_written_as_at_once),
		cmocka_unit_test(entries_that_are_null_are_made),
		cmocka_unit_test(what_cannot_be_written_is_told),
	};

	return cmocka_run_group_tests_name("analysis/output/json_write", tests, NULL, NULL);
}
