/* SPDX-License-Identifier: MIT */
/* Numbers by their digits, strings as they are where they may be (json_text.h). */
#include "output/json_text.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>

#define DIGITS_MAX 20 /* of 64 bits in decimal */

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
