/* SPDX-License-Identifier: MIT */
/* Numbers by their digits, strings as they are where they may be (json_text.h). */
#include "output/json_text.h"

#include <stdbool.h>
#include <stdlib.h>

#define DIGITS_MAX 20 /* of 64 bits in decimal */
#define REAL_BYTES 32 /* more than a sign, 17 digits, a point and an exponent */

void json_text_unsigned(GString *text, uint64_t number)
{
	char digits[DIGITS_MAX], *first = digits + sizeof(digits);

	do {
		*--first = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	g_string_append_len(text, first, digits + sizeof(digits) - first);
}

void json_text_signed(GString *text, int64_t number)
{
	if (number < 0)
		g_string_append_c(text, '-');
	json_text_unsigned(text, number < 0 ? -(uint64_t)number : (uint64_t)number);
}

void json_text_hex(GString *text, uint64_t number)
{
	char digits[DIGITS_MAX], *first = digits + sizeof(digits);

	*--first = '"';
	do {
		*--first = "0123456789abcdef"[number & 15];
		number >>= 4;
	} while (number);
	json_text_literal(text, "\"0x");
	g_string_append_len(text, first, digits + sizeof(digits) - first);
}

void json_text_microseconds(GString *text, int64_t time_ns)
{
	uint64_t size = time_ns < 0 ? -(uint64_t)time_ns : (uint64_t)time_ns;
	uint32_t rest = (uint32_t)(size % 1000);
	const char places[] = { '.', (char)('0' + rest / 100), (char)('0' + rest / 10 % 10),
				(char)('0' + rest % 10) };

	if (time_ns < 0)
		g_string_append_c(text, '-');
	json_text_unsigned(text, size / 1000);
	g_string_append_len(text, places, sizeof(places));
}

static bool is_plain(const char *string)
{
	for (; *string; string++)
		if (*string < ' ' || *string > '~' || *string == '"' || *string == '\\')
			return false;
	return true;
}

void json_text_string(GString *text, const char *string)
{
	json_t *json;
	char *dumped;

	if (!string || is_plain(string)) {
		g_string_append_c(text, '"');
		g_string_append(text, string ? string : "");
		g_string_append_c(text, '"');
		return;
	}
	json = json_string(string);
	dumped = json ? json_dumps(json, JSON_ENCODE_ANY) : NULL;
	g_string_append(text, dumped ? dumped : "\"?\"");
	free(dumped);
	json_decref(json);
}

static void object_text(GString *text, const json_t *json)
{
	const char *name, *between = "";
	json_t *value;

	g_string_append_c(text, '{');
	json_object_foreach((json_t *)json, name, value)
	{
		g_string_append(text, between);
		json_text_string(text, name);
		json_text_literal(text, ": ");
		json_text_tree(text, value);
		between = ", ";
	}
	g_string_append_c(text, '}');
}

static void list_text(GString *text, const json_t *json)
{
	const json_t *value;
	size_t i;

	g_string_append_c(text, '[');
	json_array_foreach(json, i, value)
	{
		if (i)
			json_text_literal(text, ", ");
		json_text_tree(text, value);
	}
	g_string_append_c(text, ']');
}

void json_text_tree(GString *text, const json_t *json)
{
	char digits[REAL_BYTES];

	switch (json_typeof(json)) {
	case JSON_OBJECT:
		object_text(text, json);
		break;
	case JSON_ARRAY:
		list_text(text, json);
		break;
	case JSON_STRING:
		json_text_string(text, json_string_value(json));
		break;
	case JSON_INTEGER:
		json_text_signed(text, json_integer_value(json));
		break;
	case JSON_REAL:
		g_string_append_len(
			text, digits,
			(gssize)json_dumpb(json, digits, sizeof(digits), JSON_ENCODE_ANY));
		break;
	case JSON_TRUE:
		json_text_literal(text, "true");
		break;
	case JSON_FALSE:
		json_text_literal(text, "false");
		break;
	case JSON_NULL:
		json_text_literal(text, "null");
		break;
	}
}
